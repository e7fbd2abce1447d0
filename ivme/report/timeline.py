"""Charts of the run shown in full: cost of each update, size and N, heavy and light values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from attrs import frozen

from ivme.report.svg import (
    Beside,
    Canvas,
    Point,
    counting_ticks,
    frame,
    labels_beside,
    power_ticks,
    room_beside,
)
from ivme.verify.results import Followed, Mark, Moment, Timeline

WIDE, NARROW = (980, 330), (330, 300)
PANEL = (330, 250)
MOST_GROUPS = 320
"""More updates than this are drawn in groups."""


@frozen
class Group:
    """Neighbouring updates: the first and the last, counted from 1, and their steps."""

    first: int
    last: int
    largest: int
    mean: float


@frozen
class Picture:
    """A chart for wide and narrow screens; `narrow` is empty if one serves both."""

    title: str
    wide: str
    narrow: str = ""


def groups(steps: Sequence[int], most: int = MOST_GROUPS) -> list[Group]:
    """The steps of all updates, in at most `most` groups of the same length."""
    length = max(1, -(-len(steps) // most))
    return [
        Group(start + 1, start + len(part), max(part), sum(part) / len(part))
        for start in range(0, len(steps), length)
        if (part := steps[start : start + length])
    ]


def cost_picture(timeline: Timeline) -> Picture:
    """Counted steps of each update, with the rebalancing marked."""
    title = "Counted steps of each update"
    return Picture(
        title,
        _costs(timeline, "costs-wide", title, WIDE, MOST_GROUPS),
        _costs(timeline, "costs-narrow", title, NARROW, MOST_GROUPS // 3),
    )


def _costs(timeline: Timeline, name: str, title: str, size: tuple[int, int], most: int) -> str:
    found = groups(timeline.steps, most)
    count, high = len(timeline.steps), max(10, *timeline.steps) * 1.3
    low = 10 ** (len(str(max(1, min(timeline.steps)))) - 1)
    minor, major = (
        [mark for mark in timeline.marks if mark.kind == kind and 1 <= mark.update <= count]
        for kind in ("minor", "major")
    )
    length = found[0].last
    together = f", in groups of {length}" if length > 1 else ""
    canvas = Canvas(
        name,
        *size,
        title,
        f"{count} updates cost up to {max(timeline.steps)} steps; {len(minor)} minor and {len(major)} major "
        "rebalancing steps are marked.",
    )
    names = ["largest", "mean"] if together else ["steps"]
    area = frame(
        canvas,
        (0, count),
        (low, high),
        counting_ticks(count, 8 if size == WIDE else 4),
        power_ticks(low, high),
        "number of the update",
        f"steps, logarithmic{together}",
        right=room_beside([*names, "minor"]),
        logarithmic=True,
    )
    for mark in major:
        across = area.x(mark.update)
        canvas.line([(across, area.y.start), (across, area.y.end)], "event")
    largest = [area.place((group.first + group.last) / 2, group.largest) for group in found]
    canvas.line(largest, "c1")
    labels = [Beside(largest[-1][1], names[0], "c1")]
    if together:
        mean = [area.place((group.first + group.last) / 2, group.mean) for group in found]
        canvas.line(mean, "c2")
        labels.append(Beside(mean[-1][1], names[1], "c2"))
    for mark in [*_thinned(minor, found), *major]:
        kind, shape = ("c3", "triangle") if mark.kind == "minor" else ("c4", "diamond")
        across, height = area.place(mark.update, timeline.steps[mark.update - 1])
        canvas.mark(shape, across, height, kind, sentence(mark))
    if minor:
        labels.append(Beside(area.y.end, "minor", "c3 bare", "triangle"))
    if major:
        labels.append(Beside(area.y.end, "major", "c4 bare", "diamond"))
    labels_beside(canvas, area.x.end + 6, labels, area.y.end, area.y.start)
    return canvas.write()


def _thinned(marks: Sequence[Mark], found: Sequence[Group]) -> list[Mark]:
    """One mark of each group: more would overlap."""
    length = found[0].last
    return list({(mark.update - 1) // length: mark for mark in marks}.values())


def sentence(mark: Mark) -> str:
    """A rebalancing step as a sentence."""
    if mark.kind == "major":
        return f"update {mark.update}: major, N {'grew' if mark.heavy else 'shrank'} to {mark.base}"
    became = "heavy" if mark.heavy else "light"
    return f"update {mark.update}: minor, {mark.value} of {mark.variable} became {became} in {mark.relation}"


# --- size and N -----------------------------------------------------------------------------------------


def size_picture(timeline: Timeline) -> Picture:
    """|D| between ⌊N/4⌋ and N, as def:ivme_state requires."""
    title = "Size of the database, and N"
    return Picture(
        title,
        _sizes(timeline, "sizes-wide", title, (WIDE[0], 260)),
        _sizes(timeline, "sizes-narrow", title, NARROW),
    )


def _sizes(timeline: Timeline, name: str, title: str, size: tuple[int, int]) -> str:
    moments, bases = timeline.moments, stairs(timeline.bases)
    canvas = Canvas(
        name,
        *size,
        title,
        f"From |D| = {moments[0].size} and N = {moments[0].base} to |D| = {moments[-1].size} and "
        f"N = {moments[-1].base}; |D| stays below N and does not fall below N/4.",
    )
    lines = {
        "N": ("c4", bases),
        "|D|": ("c1", [(moment.update, moment.size) for moment in moments]),
        "N/4": ("c2", [(update, base // 4) for update, base in bases]),
    }
    return _plot(canvas, lines, "tuples", 8 if size != NARROW else 4)


def stairs(values: Sequence[int]) -> list[tuple[int, int]]:
    """The corners of a step line through the values after each update; the first update has number 1.

    >>> stairs([7, 7, 7, 14, 14])
    [(1, 7), (4, 7), (4, 14), (5, 14)]
    """
    found = [(1, values[0])]
    for number, (before, after) in enumerate(pairwise(values), start=2):
        if before != after:
            found += [(number, before), (number, after)]
    return [*found, (len(values), values[-1])]


def _plot(canvas: Canvas, lines: dict[str, tuple[str, list[tuple[int, int]]]], unit: str, ticks: int) -> str:
    """Counts against the number of updates, each line with its label."""
    last = max(x for _, points in lines.values() for x, _ in points)
    high = max(1, max(y for _, points in lines.values() for _, y in points)) * 1.08
    area = frame(
        canvas,
        (0, max(1, last)),
        (0, high),
        counting_ticks(last, ticks),
        counting_ticks(high, 5),
        "number of the update",
        unit,
        right=room_beside(list(lines)),
    )
    labels = []
    for text, (kind, points) in lines.items():
        line = [area.place(x, y) for x, y in points]
        canvas.line(line, kind)
        labels.append(Beside(line[-1][1], text, kind))
    labels_beside(canvas, area.x.end + 6, labels, area.y.end, area.y.start)
    return canvas.write()


# --- heavy and light values -----------------------------------------------------------------------------


def class_pictures(timeline: Timeline) -> list[Picture]:
    """The numbers of heavy and of light values in each column that is partitioned, over time."""
    columns: dict[tuple[str, str], dict[str, list[tuple[int, int]]]] = {}
    for moment in timeline.moments:
        for column in moment.columns:
            lines = columns.setdefault((column.relation, column.variable), {"heavy": [], "light": []})
            lines["heavy"].append((moment.update, column.heavy))
            lines["light"].append((moment.update, column.light))
    found = []
    for number, ((relation, variable), lines) in enumerate(columns.items()):
        title = f"Values of {variable} in {relation}"
        heavy, light = (max(y for _, y in lines[kind]) for kind in ("heavy", "light"))
        canvas = Canvas(
            f"classes-{number}", *PANEL, title, f"At most {heavy} are heavy and {light} light at a time."
        )
        drawn = {"heavy": ("c4", lines["heavy"]), "light": ("c1", lines["light"])}
        found.append(Picture(title, _plot(canvas, drawn, "values", 4)))
    return found


def followed_pictures(timeline: Timeline) -> list[Picture]:
    """The degree of single values between ½θ and ³⁄₂θ; a square says heavy, a circle light."""
    return [
        _followed(f"followed-{number}", value, timeline.moments)
        for number, value in enumerate(timeline.followed)
        if value.points
    ]


def _followed(name: str, value: Followed, moments: Sequence[Moment]) -> Picture:
    title = f"Degree of {value.value} of {value.variable} in {value.relation}"
    turns = sum(1 for before, after in pairwise(value.points) if before[2] != after[2])
    canvas = Canvas(
        name,
        *PANEL,
        title,
        f"The degree goes up to {max(degree for _, degree, _ in value.points)}; the value changes its class "
        f"{turns} times. Squares: heavy. Circles: light.",
    )
    last = max(1, value.points[-1][0])
    limits = {
        "³⁄₂θ": [(moment.update, moment.most_light) for moment in moments],
        "½θ": [(moment.update, moment.least_heavy) for moment in moments],
    }
    high = max(1, *(y for points in limits.values() for _, y in points), *(y for _, y, _ in value.points))
    area = frame(
        canvas,
        (0, last),
        (0, high * 1.08),
        counting_ticks(last, 4),
        counting_ticks(high * 1.08, 5),
        "number of the update",
        "degree",
        right=room_beside(["degree"]),
    )
    line: list[Point] = [area.place(update, degree) for update, degree, _ in value.points]
    labels = [Beside(line[-1][1], "degree", "c1")]
    for text, points in limits.items():
        drawn = [area.place(x, y) for x, y in points]
        kind = "c2" if text == "½θ" else "c3"
        canvas.line(drawn, kind)
        labels.append(Beside(drawn[-1][1], text, kind))
    canvas.line(line, "c1")
    apart = max(1, len(line) // 24)
    for position, ((x, y), (update, degree, heavy)) in enumerate(zip(line, value.points, strict=True)):
        turned = position > 0 and value.points[position - 1][2] != heavy
        if position % apart == 0 or turned:
            shape, kind = ("square", "c4") if heavy else ("circle", "c1")
            said = f"update {update}: degree {degree}, {'heavy' if heavy else 'light'}"
            canvas.mark(shape, x, y, kind, said, size=4)
    labels_beside(canvas, area.x.end + 6, labels, area.y.end, area.y.start)
    return Picture(title, canvas.write())
