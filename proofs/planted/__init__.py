"""The planted bugs: each claim must refute those that name it."""

from proofs.planted.engine import CONTROL, DUE, MAINTENANCE
from proofs.planted.mutant import Mutant
from proofs.planted.reading import READING
from proofs.planted.spec import SPEC

MUTANTS: tuple[Mutant, ...] = (*SPEC, *CONTROL, *DUE, *MAINTENANCE, *READING)

__all__ = ["MUTANTS", "Mutant"]
