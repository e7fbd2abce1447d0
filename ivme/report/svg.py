"""Charts as SVG: scales, axes, lines and marks.

Colours and dashes are classes that the page's style sheet defines, so that a chart follows light and dark.
Nothing relies on colour alone: each class of line has its own dash, each class of mark its own shape. Text is
inserted as text nodes, and thus escaped. Why not matplotlib: docs/decisions/0014-plots-tables-commands.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree import ElementTree

from attrs import frozen

LETTER = 6.4
"""About the width of a letter, in units of the charts; text is 12 units high."""

LINE = 15
"""The least distance of two lines of text."""

Point = tuple[float, float]


@frozen
class Tick:
    """A position on an axis and its label."""

    value: float
    text: str


@frozen
class Scale:
    """Maps values from `low` to `high` onto units from `start` to `end`, perhaps logarithmically."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """The position of a value, clamped to the scale."""
        low, high, value = (self._flat(each) for each in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.5
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def _flat(self, value: float) -> float:
        return math.log10(max(value, 1e-9)) if self.logarithmic else value


def counting_ticks(high: float, most: int = 6) -> list[Tick]:
    """Round numbers from 0 to `high`."""
    step = 1
    while high / step > most:
        step = step * 5 // 2 if str(step).startswith("2") else step * 2
    return [Tick(value, f"{value:,}") for value in range(0, int(high) + 1, step)]


def power_ticks(low: float, high: float, most: int = 6) -> list[Tick]:
    """Powers of ten, or of a power of it, from `low` to `high`, both at least 1."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    step = max(1, math.ceil(len(exponents) / most))
    found = [10**exponent for exponent in exponents[::step]]
    return [Tick(value, f"{value:,}") for value in found if low <= value <= high]


class Canvas:
    """An SVG picture under construction."""

    def __init__(self, name: str, width: int, height: int, title: str, description: str) -> None:
        """`name` is unique on the page; title and description are for screen readers."""
        self.width, self.height = width, height
        self.root = ElementTree.Element(
            "svg",
            {
                "viewBox": f"0 0 {width} {height}",
                "role": "img",
                "aria-labelledby": f"{name}-title",
                "aria-describedby": f"{name}-desc",
                "class": "chart",
            },
        )
        ElementTree.SubElement(self.root, "title", {"id": f"{name}-title"}).text = title
        ElementTree.SubElement(self.root, "desc", {"id": f"{name}-desc"}).text = description

    def add(self, tag: str, kind: str, **attributes: str | float) -> ElementTree.Element:
        """An element with a class; numbers are rounded to a tenth of a unit."""
        written = {
            key: value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
            for key, value in attributes.items()
        }
        return ElementTree.SubElement(self.root, tag, {"class": kind, **written})

    def text(self, x: float, y: float, text: str, kind: str = "label", anchor: str = "start") -> None:
        """A line of text, vertically centred at y."""
        made = self.add("text", kind, x=x, y=y + 4)
        made.set("text-anchor", anchor)
        made.text = text

    def line(self, points: Sequence[Point], kind: str) -> None:
        """A line through points."""
        if points:
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            self.add("path", f"line {kind}", d=path)

    def mark(self, shape: str, x: float, y: float, kind: str, said: str = "", size: float = 4.5) -> None:
        """A mark: circle, square, triangle or diamond; `said` is its tooltip."""
        if shape == "circle":
            made = self.add("circle", f"mark {kind}", cx=x, cy=y, r=size)
        else:
            made = self.add("path", f"mark {kind}", d=_outline(shape, x, y, size))
        if said:
            ElementTree.SubElement(made, "title").text = said

    def write(self) -> str:
        """The picture as markup."""
        return ElementTree.tostring(self.root, encoding="unicode")


def _outline(shape: str, x: float, y: float, size: float) -> str:
    corners: dict[str, tuple[Point, ...]] = {
        "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
        "triangle": ((0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
        "diamond": ((0, -1.3), (1.1, 0), (0, 1.3), (-1.1, 0)),
    }
    return "M" + "L".join(f"{x + dx * size:.1f} {y + dy * size:.1f}" for dx, dy in corners[shape]) + "Z"


@frozen
class Frame:
    """A plotting area with its two scales."""

    x: Scale
    y: Scale

    def place(self, x: float, y: float) -> Point:
        """The position of a pair of values."""
        return self.x(x), self.y(y)


def frame(
    canvas: Canvas,
    x: tuple[float, float],
    y: tuple[float, float],
    x_ticks: Sequence[Tick],
    y_ticks: Sequence[Tick],
    x_name: str,
    y_name: str,
    right: float = 12,
    logarithmic: bool = False,
) -> Frame:
    """Draw axes with names, ticks and grid lines; `right` is the margin for labels beside the lines."""
    left = 14 + LETTER * max((len(tick.text) for tick in y_ticks), default=1)
    top, bottom = 26, 40
    across = Scale(*x, left, canvas.width - right)
    up = Scale(*y, canvas.height - bottom, top, logarithmic)
    for tick in y_ticks:
        height = up(tick.value)
        canvas.line([(across.start, height), (across.end, height)], "rule")
        canvas.text(left - 6, height, tick.text, "tick", "end")
    for tick in x_ticks:
        canvas.line([(across(tick.value), up.start), (across(tick.value), up.start + 4)], "axis")
        canvas.text(across(tick.value), up.start + 13, tick.text, "tick", "middle")
    canvas.line([(across.start, up.end), (across.start, up.start), (across.end, up.start)], "axis")
    canvas.text((across.start + across.end) / 2, canvas.height - 9, x_name, "name", "middle")
    canvas.text(2, 10, y_name, "name")
    return Frame(across, up)


@frozen
class Beside:
    """A label beside the end of a line: the desired height, the text, and the style of the line."""

    y: float
    text: str
    kind: str
    shape: str = ""


def labels_beside(canvas: Canvas, x: float, labels: Sequence[Beside], low: float, high: float) -> None:
    """Write labels at x, each with a sample of its line, moved apart to avoid overlaps."""
    ordered = sorted(labels, key=lambda label: label.y)
    heights = [label.y for label in ordered]
    for i in range(len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + LINE if i else low)
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], heights[i + 1] - LINE if i + 1 < len(heights) else high)
    for label, height in zip(ordered, heights, strict=True):
        canvas.line([(x, height), (x + 18, height)], label.kind)
        if label.shape:
            canvas.mark(label.shape, x + 9, height, label.kind)
        canvas.text(x + 22, height, label.text)


def room_beside(labels: Sequence[str]) -> float:
    """The margin that labels need beside a plotting area."""
    return 34 + LETTER * max((len(text) for text in labels), default=0)
