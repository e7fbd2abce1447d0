"""What a planted bug is, and how the tables spell it."""

from __future__ import annotations

from collections.abc import Collection

from attrs import evolve, frozen

TESTS, AGREEMENT = "tests", "agreement"


@frozen
class Mutant:
    """One bug.

    name        what goes wrong, in a few words; unique
    path        the file
    old, new    text that occurs exactly once in the file, and its replacement
    caught_by   who must catch it: tests by their paths, `tests/graph/test_window.py` or `path::test_name`,
                or "tests" (all the fast tests), "agreement" (the battery of the agreement harness), and the
                names of claims of `proofs`
    """

    name: str
    path: str
    old: str
    new: str
    caught_by: tuple[str, ...]

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests of which one must fail: by their paths, or "tests"."""
        return tuple(name for name in self.caught_by if name == TESTS or name.startswith(f"{TESTS}/"))

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that must refute it."""
        return tuple(name for name in self.caught_by if name != AGREEMENT and name not in self.tests)

    @property
    def compact(self) -> bool:
        """Whether it is in the compact storage or the arena, which only the compiled kernel runs."""
        return "/storage/compact/" in self.path or self.path.endswith("/graph/arena.py")

    def instruments(self, kind: str) -> tuple[str, ...]:
        """Those of `caught_by` that are "tests", all of them, "agreement" or "claims"."""
        named = {TESTS: self.tests, "claims": self.claims}
        return named.get(kind, tuple(name for name in self.caught_by if name == kind))


CONTROL = Mutant(
    "control",
    "spec/ivme_spec/algebra.py",
    "from __future__ import annotations\n",
    "from __future__ import annotations\n\n",
    (TESTS, AGREEMENT, "delta-product"),
)
"""No bug at all: every instrument must miss it, else it catches anything."""


def limited(mutants: Collection[Mutant], names: Collection[str]) -> list[Mutant]:
    """The mutants that some of these instruments must catch, to be tried on these alone."""
    kept = [(mutant, tuple(name for name in mutant.caught_by if name in names)) for mutant in mutants]
    return [evolve(mutant, caught_by=caught_by) for mutant, caught_by in kept if caught_by]


def of_kind(mutants: Collection[Mutant], kind: str) -> list[Mutant]:
    """The mutants that instruments of a kind must catch, to be tried on these alone."""
    return limited(mutants, {name for mutant in mutants for name in mutant.instruments(kind)})


def bugs_in(path: str, *bugs: tuple[str, str, str, str]) -> tuple[Mutant, ...]:
    """Mutants of one file: (name, old, new, instruments separated by blanks)."""
    return tuple(Mutant(name, path, old, new, tuple(caught.split())) for name, old, new, caught in bugs)
