"""Planted bugs: the one table of text mutants, and the one runner.

A mutant replaces one piece of text in a copy of the checkout. Each row names the instruments that must catch
it, and the runner (`planted.runner`) runs these on the copy, each in a process of its own:

    a path       of tests, such as `tests/graph/test_window.py`, or of one, `path::test_name`; with several,
                 one of them fails; a file that cannot be imported has caught nothing
    tests        all the fast tests, minutes: one of them fails; for the control
    agreement    the battery of the agreement harness (`tests.agreement.battery`): it finds a disagreement
    a claim      of `proofs`: it comes out REFUTED; "not obtained" is not enough

    python -m planted                     everything, two at a time; seconds a row, a minute if compiled
    python -m planted 3 double-late       these only, by number or name
    python -m planted --only agreement    on this instrument only; also "tests" or "claims"
    python -m planted --check             rows whose text does not occur exactly once or whose tests are not
                                          there; a second
    python -m planted --list              the table

Number 0 is the control, a change that is no bug: an instrument that catches it catches anything, for example
because a test fails anyway.

Tests run `--check`, all rows of the agreement battery, and all rows of the quick claims; nightly ones also
the slow claims and a sample of the rows of tests. Engines and views that are broken by design are
not here but in `tests/support`.
"""

from planted.batch import BATCH
from planted.compact import COMPACT
from planted.control import CONTROL
from planted.enumeration import ENUMERATION
from planted.graph import GRAPH
from planted.interface import INTERFACE
from planted.lazy import LAZY
from planted.loading import LOADING
from planted.mutant import Mutant
from planted.plans import PLANS
from planted.propagation import PROPAGATION
from planted.rebalancing import REBALANCING
from planted.reference import REFERENCE
from planted.spec import SPEC
from planted.storage import STORAGE

MUTANTS: tuple[Mutant, ...] = (
    *SPEC,
    *CONTROL,
    *PROPAGATION,
    *REBALANCING,
    *LOADING,
    *PLANS,
    *STORAGE,
    *COMPACT,
    *ENUMERATION,
    *INTERFACE,
    *BATCH,
    *GRAPH,
    *REFERENCE,
    *LAZY,
)

__all__ = ["MUTANTS", "Mutant"]
