"""The state of a view after an update, in words and tables for people.

Large states are abbreviated: all counts are exact; of each part, view and answer the first rows are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sized
from fractions import Fraction
from itertools import islice

from attrs import frozen

from ivme.events import Rebalance
from ivme.formats.traces import Update
from ivme.replay.degrees import degrees
from ivme.replay.replay import Change, Replay, View
from ivme_spec.bounds import SMALLEST, query_bounds
from ivme_spec.errors import InputError, shown
from ivme_spec.queries import Query
from ivme_spec.relations import RELATIONS, SCHEMAS, Row
from ivme_spec.state import MERGED
from ivme_spec.thresholds import threshold
from ivme_spec.views import Decomposition, decomposition_for
from ivme_spec.views import View as Definition

FEW = 4
"""The number of rows that are shown of anything."""

Rows = Mapping[Row, object]


@frozen
class Table:
    """A titled table of text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@frozen
class Explanation:
    """Lines before the tables, the tables, and lines after them."""

    opening: tuple[str, ...]
    tables: tuple[Table, ...]
    closing: tuple[str, ...]


def explain(replay: Replay, at: int) -> Explanation:
    """Replay a trace for `at` updates and explain the state there.

    Cost: the updates, and two copies of the state.  Bad input: an `InputError` if there are fewer updates.
    """
    first = replay.header.loaded
    if at < first:
        raise InputError(f"update {at}: the first {first} updates are loaded at once; give at least {first}")
    changes = (change for change in replay if change.kind != "expect")
    last: Change | None = None
    before: Mapping[str, object] | None = None
    while replay.number < at:
        if replay.number == at - 1 and at > first:
            before = replay.view.state()
        last = next(changes, None)
        if last is None:
            raise InputError(f"update {at}: the trace has {replay.number} updates")
    return described(replay, last, before)


def described(replay: Replay, last: Change | None, before: Mapping[str, object] | None) -> Explanation:
    """The current state of a replay, and the effect of its last change."""
    view = replay.view
    state = view.state()
    parts, views = state["parts"], state["views"]
    assert isinstance(parts, dict)
    assert isinstance(views, dict)
    tables = [
        Table("Relations", ("relation", "part", "tuples", "the first of them"), tuple(_parts(parts))),
        Table(
            "Values", ("column", "heavy", "light", "heavy values, with their degrees"), tuple(_values(state))
        ),
        Table(
            "Views",
            ("view", "entries", "definition", "the first of them"),
            tuple(_views(views, decomposition_for(view.free, view.partitioning))),
        ),
    ]
    closing = [f"answer: {shown_rows(dict(view), 2 * FEW)}"]
    if last is not None and last.update is not None:
        closing += _last_update(view, last, parts)
        changed = tuple(_changes(before, state)) if before is not None else ()
        if changed:
            tables.append(Table("Changed by the last update", CHANGED, changed))
    elif last is not None:
        closing.append(f"loaded {last.number} tuples at once in {last.steps} steps")
    return Explanation(tuple(_opening(replay)), tuple(tables), tuple(closing))


CHANGED = ("what", "added", "removed", "changed", "the first of them")


def _opening(replay: Replay) -> Iterator[str]:
    view, header = replay.view, replay.header
    query = Query(view.free, view.partitioning)
    yield f"{query}, ε = {view.epsilon}, multiplicities in {header.ring}"
    yield f"after {replay.number} updates: |D| = {view.size} tuples, N = {view.threshold_base}"
    limits = threshold(view.threshold_base, view.epsilon)
    about = pow(view.threshold_base, float(view.epsilon))
    yield (
        f"θ = N^{view.epsilon} ≈ {about:.4g}: a light value becomes heavy at degree {limits.light} (³⁄₂θ), "
        f"a heavy one light below {limits.heavy} (½θ)"
    )
    yield f"N doubles at |D| = {view.threshold_base}, and is halved below {view.threshold_base // 4}"


def _parts(parts: Mapping[str, Mapping[str, Rows]]) -> Iterator[tuple[object, ...]]:
    for relation in RELATIONS:
        for part, rows in parts[relation].items():
            yield f"{relation}({', '.join(SCHEMAS[relation])})", part, len(rows), first_rows(rows)


def _values(state: Mapping[str, object]) -> Iterator[tuple[object, ...]]:
    for (relation, variable), column in degrees(state).items():
        largest = sorted(column.heavy.items(), key=lambda entry: (-entry[1], shown(entry[0])))
        text = ", ".join(f"{shown(value)} ({degree})" for value, degree in largest[: 2 * FEW])
        yield (
            f"{variable} in {relation}",
            len(column.heavy),
            len(column.light),
            _more(text, largest, 2 * FEW),
        )


def _views(views: Mapping[str, Rows], decomposition: Decomposition) -> Iterator[tuple[object, ...]]:
    defined = {view.name: view for view in decomposition.views}
    for name, rows in views.items():
        several = [defined[one] for one in name.split(MERGED)]
        head = ", ".join(several[0].head.lower())
        short = name if len(several) == 1 else f"the sum of {len(several)} views"
        yield short, len(rows), f"Σ→({head}) {' + '.join(map(_product, several))}", first_rows(rows)


def _product(view: Definition) -> str:
    """The product that a view sums over: parts of R, S and T, as R^H·S^L·T."""
    factors = (
        relation if part == "ALL" else f"{relation}^{part}"
        for relation, part in zip(RELATIONS, view.parts, strict=True)
        if part is not None
    )
    return "·".join(factors)


def _last_update(view: View, last: Change, parts: Mapping[str, Mapping[str, Rows]]) -> Iterator[str]:
    assert last.update is not None
    relation, x, y, _ = last.update
    place = next((name for name, rows in parts[relation].items() if (x, y) in rows), None)
    now = (
        f"is in part {place} with multiplicity {shown(parts[relation][place][x, y])}"
        if place
        else "is not there"
    )
    verb = "must be refused" if last.kind == "refused" else "is the last update"
    yield f"{update_line(last.update)} {verb}; the tuple {now}"
    bound = query_bounds(view.free, view.partitioning).update.describe(Fraction(view.epsilon))
    yield f"it took {last.steps} steps (for N ≥ {SMALLEST} at most {bound})"
    if last.rebalancing:
        yield f"and {last.rebalancing} steps for rebalancing:"
    for event in last.events:
        yield event_line(event)
    if last.problem:
        yield f"PROBLEM: {last.problem}"


def update_line(update: Update) -> str:
    """An update in a few words."""
    relation, x, y, multiplicity = update
    return f"{relation}({shown(x)}, {shown(y)}) {'+' if multiplicity >= 0 else ''}{shown(multiplicity)}"


def event_line(event: Rebalance) -> str:
    """A rebalancing in a few words."""
    if event.kind == "major":
        grew = "grew" if event.grown else "shrank"
        return f"major rebalancing: N {grew} to {event.base}, {event.moved} tuples moved"
    became = "heavy" if event.heavy else "light"
    return (
        f"minor rebalancing: {shown(event.value)} became {became} in {event.variable} of {event.relation}, "
        f"{event.moved} tuples moved"
    )


def _changes(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[tuple[object, ...]]:
    """The differences between two states, part by part and view by view."""
    for name, old, new in _paired(before, after):
        added = [row for row in new if row not in old]
        removed = [row for row in old if row not in new]
        changed = [row for row in new if row in old and old[row] != new[row]]
        if added or removed or changed:
            texts = (
                *(f"{shown_row(row)} ↦ {shown(new[row])}" for row in islice(added, FEW)),
                *(f"{shown_row(row)} gone" for row in islice(removed, FEW)),
                *(
                    f"{shown_row(row)} ↦ {shown(old[row])} → {shown(new[row])}"
                    for row in islice(changed, FEW)
                ),
            )
            entries = [*added, *removed, *changed]
            yield name, len(added), len(removed), len(changed), _more("; ".join(texts[:FEW]), entries, FEW)


def _paired(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[tuple[str, Rows, Rows]]:
    old, new = before["parts"], after["parts"]
    assert isinstance(old, dict)
    assert isinstance(new, dict)
    for relation in RELATIONS:
        for part in new[relation]:
            yield f"{relation}, part {part}", old[relation][part], new[relation][part]
    old, new = before["views"], after["views"]
    assert isinstance(old, dict)
    assert isinstance(new, dict)
    for name in new:
        yield name, old[name], new[name]


def shown_row(row: Row) -> str:
    """A row as text, truncated if it is long."""
    text = f"({', '.join(map(shown, row))})"
    return text if len(text) <= 60 else text[:57] + "…)"


def first_rows(rows: Rows, most: int = FEW) -> str:
    """The first rows with their multiplicities, and how many more there are."""
    text = ", ".join(f"{shown_row(row)} ↦ {shown(m):.40}" for row, m in islice(rows.items(), most))
    return _more(text, rows, most)


def shown_rows(rows: Rows, most: int) -> str:
    """As `first_rows`, after their number."""
    if not rows:
        return "no rows"
    return f"{len(rows)} {'row' if len(rows) == 1 else 'rows'}: {first_rows(rows, most)}"


def _more(text: str, entries: Sized, most: int) -> str:
    count = len(entries)
    return text if count <= most else f"{text}, … {count - most} more"
