"""Runs of the paper's procedures, written as in spec/ERRATA.md: "+R(1,2) -S(0,0)" are single-copy updates."""

import re
from typing import Any, TypeVar

from ivme_reference.paper.engine import PaperEngine
from ivme_reference.paper.state import Move
from ivme_spec.algebra import evaluate
from ivme_spec.queries import triangle_query
from ivme_spec.relations import Row
from ivme_spec.state import violations

E = TypeVar("E", bound=PaperEngine[Any])


def updates(script: str) -> list[tuple[str, int, int, int]]:
    """The updates of a script: relation, two values, and 1 or -1."""
    found = re.findall(r"([+-]?)([RST])\((\d+),(\d+)\)", script)
    return [(name, int(x), int(y), -1 if sign == "-" else 1) for sign, name, x, y in found]


def replay(engine: E, script: str) -> E:
    """The engine after the updates of a script."""
    for name, x, y, m in updates(script):
        engine.update(name, x, y, m)
    return engine


def tuples(script: str) -> dict[str, list[tuple[int, int]]]:
    """A script of inserts as a database."""
    return {name: [(x, y) for other, x, y, _ in updates(script) if other == name] for name in "RST"}


def by_definition(engine: PaperEngine[Any]) -> dict[Row, Any]:
    """The result that the engine should have, from the definition of its query."""
    return dict(evaluate(triangle_query(engine.free), engine.state().database()).entries)


def conditions(engine: PaperEngine[Any]) -> set[str]:
    """The names of the conditions that the engine's state violates."""
    return {violation.condition for violation in violations(engine.state())}


def moves(engine: PaperEngine[Any]) -> list[str]:
    """The direction of each move so far."""
    return [entry.to for entry in engine.log if isinstance(entry, Move)]
