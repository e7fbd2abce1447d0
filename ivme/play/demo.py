"""The state of the page: one `TriangleView`, its log, and the requests that change it.

The view alone holds the tuples. A new ε or head builds a new view from the same tuples and then replaces the
old one, so that a refused request changes nothing. Every update is checked against all invariants (debug
mode): the graphs are small.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from attrs import asdict, field, frozen

from ivme.events import Costs, Rebalance
from ivme.play.presets import PRESETS
from ivme.view import TriangleView
from ivme_spec.errors import InputError
from ivme_spec.queries import Query
from ivme_spec.relations import RELATIONS, SCHEMAS, VARIABLES, Row
from ivme_spec.thresholds import threshold

EPSILONS = ("0", "1/4", "1/3", "1/2", "2/3", "3/4", "1")
QUERIES = (Query(""), Query("", "double"), *map(Query, ("A", "B", "C", "AB", "BC", "CA", "ABC")))

LONGEST_VALUE = 12
MOST_VALUES = 16
"""In one column; more do not fit the picture."""
MOST_COPIES = 999
ANSWERING = ("enumeration", "largest_delay")
"""Costs that a look at the page adds to; `enumerated` is the cost of one look."""
MOST_ROWS = 40
"""Rows of a view or of the answer that are sent to the page, with their total number."""

Multiplicities = dict[tuple[str, ...], int]


@frozen
class Entry:
    """A line of the log: the number of the update that it follows, a kind for its mark, and a sentence."""

    update: int
    kind: str
    text: str


@frozen
class Setting:
    """What the view maintains, with ε as the page writes it."""

    query: Query = QUERIES[0]
    epsilon: str = "1/2"


@frozen
class Last:
    """The last update and its cost in counted steps."""

    text: str
    steps: Mapping[str, int] = field(factory=dict)


class Demo:
    """What the server serves. Not thread-safe: the server takes a lock."""

    def __init__(self) -> None:
        self._setting = Setting()
        self._log: deque[Entry] = deque(maxlen=60)
        self._columns: dict[str, list[str]] = {}
        self._last = Last("")
        self._about = ""
        self._view = self._made(self._setting, {})
        self._preset({"name": "triangle"})

    # --- requests ---------------------------------------------------------------------------------------

    def act(self, request: object) -> dict[str, object]:
        """Perform a request and return the state for the page.

            {"do": "insert" or "delete", "relation": …, "x": …, "y": …, "copies": 1 if not given}
            {"do": "configure", "free": …, "partitioning": …, "epsilon": …}, absent fields stay
            {"do": "preset", "name": …}
            {"do": "look"}

        Bad input: an `InputError`, and nothing has changed.
        """
        if not isinstance(request, dict):
            raise InputError("the request is not a JSON object")
        actions: dict[str, Callable[[dict[str, object]], None]] = {
            "insert": lambda given: self._update(given, 1),
            "delete": lambda given: self._update(given, -1),
            "configure": self._configure,
            "preset": self._preset,
            "look": lambda given: None,
        }
        what = request.get("do")
        if not isinstance(what, str) or what not in actions:
            raise InputError(f"do {what!r:.60}: it is one of {', '.join(actions)}")
        actions[what](request)
        return self.state()

    def _update(self, given: dict[str, object], sign: int) -> None:
        relation = given.get("relation")
        if not isinstance(relation, str) or relation not in RELATIONS:
            raise InputError(f"relation {relation!r:.60}: it is R, S or T")
        ends = SCHEMAS[relation]
        x, y = (self._value(given.get(key), column) for key, column in zip("xy", ends, strict=True))
        copies = given.get("copies", 1)
        if not isinstance(copies, int) or isinstance(copies, bool) or not 1 <= copies <= MOST_COPIES:
            raise InputError(f"copies {copies!r:.60}: give a whole number from 1 to {MOST_COPIES}")
        before = self._view.costs
        self._view.update(relation, x, y, sign * copies)
        for column, value in zip(ends, (x, y), strict=True):
            if value not in self._columns[column]:
                self._columns[column].append(value)
        text = f"{relation}({x}, {y}) {'inserted' if sign > 0 else 'deleted'}"
        if copies > 1:
            text += f", {copies} copies"
        self._last = Last(text, _spent(before, self._view.costs))

    def _value(self, given: object, column: str) -> str:
        """A data value of a column: a short text."""
        text = given.strip() if isinstance(given, str) else None
        if not text or len(text) > LONGEST_VALUE or not text.isprintable():
            raise InputError(
                f"value {given!r:.60} of {column}: give a text of 1 to {LONGEST_VALUE} printable characters"
            )
        known = self._columns[column]
        if text not in known and len(known) >= MOST_VALUES:
            raise InputError(
                f"value {text!r} of {column}: the picture has room for {MOST_VALUES} values in a column; "
                "use one of those, or start again from a preset"
            )
        return text

    def _configure(self, given: dict[str, object]) -> None:
        old = self._setting.query
        free, partitioning = given.get("free", old.free), given.get("partitioning", old.partitioning)
        epsilon = given.get("epsilon", self._setting.epsilon)
        if epsilon not in EPSILONS or not isinstance(epsilon, str):
            raise InputError(f"epsilon {epsilon!r:.60}: it is one of {', '.join(EPSILONS)}")
        if not isinstance(free, str) or not isinstance(partitioning, str):
            raise InputError("free and partitioning are texts")
        query = next((one for one in QUERIES if (one.free, one.partitioning) == (free, partitioning)), None)
        if query is None:
            raise InputError(f"free {free!r:.60} with partitioning {partitioning!r:.60} is not offered here")
        new = Setting(query, epsilon)
        self._view = self._made(new, self._tuples())
        self._setting = new
        self._last = Last("")
        self._log.append(
            Entry(0, "made", f"new view from the same tuples: {query}, ε = {epsilon}, N = {self._base}")
        )

    def _preset(self, given: dict[str, object]) -> None:
        name = given.get("name")
        if not isinstance(name, str) or name not in PRESETS:
            raise InputError(f"preset {name!r:.60}: it is one of {', '.join(PRESETS)}")
        preset = PRESETS[name]
        view = self._made(self._setting, {key: dict.fromkeys(rows, 1) for key, rows in preset.loaded.items()})
        self._log.clear()
        self._log.append(Entry(0, "made", f"preset {name}: |D| = {view.size}, N = {view.threshold_base}"))
        view.apply(preset.updates)
        self._view = view
        self._columns = {column: list(values) for column, values in preset.values.items()}
        self._last = Last("")
        self._about = preset.about

    # --- the view ---------------------------------------------------------------------------------------

    @property
    def _base(self) -> int:
        return self._view.threshold_base

    def _made(self, setting: Setting, tuples: Mapping[str, object]) -> TriangleView[int]:
        return TriangleView(
            setting.query.free,
            setting.epsilon,
            partitioning=setting.query.partitioning,
            database=tuples,
            on_rebalance=lambda event: self._log.append(_entry(event)),
            debug=True,
        )

    def _parts(self) -> dict[str, dict[str, Multiplicities]]:
        parts = self._view.state()["parts"]
        assert isinstance(parts, dict)
        return parts

    def _tuples(self) -> dict[str, Multiplicities]:
        return {
            name: {row: m for rows in parts.values() for row, m in rows.items()}
            for name, parts in self._parts().items()
        }

    # --- what the page shows ----------------------------------------------------------------------------

    def state(self) -> dict[str, object]:
        """Everything that the page shows, ready for JSON.  Cost: O(size of the state)."""
        view, parts = self._view, self._parts()
        limits = threshold(self._base, view.epsilon)
        views = view.state()["views"]
        assert isinstance(views, dict)
        before = view.costs
        answer = dict(view)
        after = view.costs
        return {
            "setting": {**asdict(self._setting.query), "epsilon": self._setting.epsilon},
            "about": self._about,
            "columns": {column: list(self._columns[column]) for column in VARIABLES},
            "tuples": [
                {"relation": name, "part": part, "x": row[0], "y": row[1], "copies": m}
                for name, by_part in parts.items()
                for part, rows in by_part.items()
                for row, m in rows.items()
            ],
            "status": _statuses(parts),
            "size": view.size,
            "N": self._base,
            "limits": {"heavy": limits.heavy, "strict": limits.strict, "light": limits.light},
            "answer": _listed(answer),
            "total": sum(answer.values()),
            "views": [{"name": name, **_listed(rows)} for name, rows in views.items()],
            "costs": {key: value for key, value in asdict(before).items() if key not in ANSWERING},
            "maintenance": before.maintenance,
            "enumerated": after.enumeration - before.enumeration,
            "last": {"text": self._last.text, "steps": dict(self._last.steps)},
            "log": [asdict(entry) for entry in reversed(self._log)],
        }


def _spent(before: Costs, after: Costs) -> dict[str, int]:
    """The steps of one update: ApplyUpdate and the rebalancing it triggered."""
    return {
        "update": after.updates - before.updates,
        "minor": after.minor - before.minor,
        "major": after.major - before.major,
    }


def _entry(event: Rebalance) -> Entry:
    """A rebalancing step as a sentence."""
    if event.kind == "major":
        way = "grew" if event.grown else "shrank"
        text = f"major rebalancing: N {way} to {event.base}; tuples that changed part: {event.moved}"
    else:
        status = "heavy" if event.heavy else "light"
        text = (
            f"minor rebalancing: {event.value} of {event.variable} became {status} in {event.relation}; "
            f"tuples that changed part: {event.moved}"
        )
    return Entry(event.update, event.kind, text)


def _statuses(parts: Mapping[str, Mapping[str, Multiplicities]]) -> list[dict[str, object]]:
    """Status and degree of each value in each relation that is partitioned on its column."""
    degrees: dict[tuple[str, str, str, bool], int] = {}
    for name, by_part in parts.items():
        for part, rows in by_part.items():
            for row in rows:
                for position, letter in enumerate(part):
                    key = (SCHEMAS[name][position], row[position], name, letter == "H")
                    degrees[key] = degrees.get(key, 0) + 1
    return [
        {"column": column, "value": value, "relation": name, "heavy": heavy, "degree": degree}
        for (column, value, name, heavy), degree in degrees.items()
    ]


def _listed(rows: Mapping[Row, int]) -> dict[str, object]:
    """The first rows of a view, and how many there are."""
    shown = sorted(rows.items(), key=lambda entry: tuple(map(str, entry[0])))[:MOST_ROWS]
    return {"count": len(rows), "rows": [[list(row), m] for row, m in shown]}
