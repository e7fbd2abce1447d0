"""Engines for the tests of `ivme oracle`, right ones and others; they are named as module:factory."""

import os
import sys
import time

from ivme_spec.relations import RelationName, Row
from tests.support.broken_engines import Right


class Fine(Right):
    """Right."""


class OnlyCounts:
    """Right for △() alone, and says so."""

    def __init__(self, free: str) -> None:
        if free:
            raise ValueError("counts only")
        self.engine = Right(free)
        self.update = self.engine.update
        self.rows = self.engine.rows


class WithEpsilon(Right):
    """Takes an ε."""

    def __init__(self, free: str, epsilon: str = "none") -> None:
        super().__init__(free)
        if epsilon != "1/3":
            raise ValueError(f"epsilon is {epsilon}")


class ForgetsDeletes(Right):
    """Deletes from T are forgotten."""

    def update(self, relation: RelationName, x: object, y: object, multiplicity: int) -> None:
        if relation != "T" or multiplicity > 0:
            super().update(relation, x, y, multiplicity)


class Hangs(Right):
    """Answers never once S has a tuple."""

    def rows(self) -> list[tuple[Row, int]]:
        if list(self.view.relations[1].items()):
            time.sleep(3600)
        return list(self.view)


class Dies(Right):
    """Ends the process, with exit code 0, once S has a tuple."""

    def rows(self) -> list[tuple[Row, int]]:
        if list(self.view.relations[1].items()):
            os._exit(0)
        return list(self.view)


class Exits(Right):
    """Calls sys.exit, with 0, once S has a tuple."""

    def rows(self) -> list[tuple[Row, int]]:
        if list(self.view.relations[1].items()):
            sys.exit(0)
        return list(self.view)


NOT_CALLABLE = 3
