"""What a planted bug is."""

from __future__ import annotations

from attrs import frozen


@frozen
class Mutant:
    """One bug: `old` becomes `new` in a file, and each of the claims must be refuted by it."""

    name: str
    path: str
    old: str
    new: str
    claims: tuple[str, ...]


def bugs_in(path: str, *bugs: tuple[str, str, str, str]) -> tuple[Mutant, ...]:
    """Mutants of one file: (name, old, new, claims separated by blanks)."""
    return tuple(Mutant(name, path, old, new, tuple(claims.split())) for name, old, new, claims in bugs)
