"""Bugs in what users call: view, intake, counters."""

from __future__ import annotations

from planted.mutant import bugs_in

VIEW = bugs_in(
    "ivme/view.py",
    (
        "order-turned",
        "(VARIABLES.index(variable) - turns) % 3 for variable in self.free",
        "(VARIABLES.index(variable) + turns) % 3 for variable in self.free",
        "heads",
    ),
    (
        "order-sorted",
        "order = tuple((VARIABLES.index(variable) - turns) % 3 for variable in self.free)",
        "order = tuple(sorted((VARIABLES.index(variable) - turns) % 3 for variable in self.free))",
        "tests/ivme/test_view.py",
    ),
    (
        "observed-delete-inserts",
        "self._report(relation, x, y, -self._intake.copies(multiplicity))",
        "self._report(relation, x, y, self._intake.copies(multiplicity))",
        "tests/ivme/test_events.py",
    ),
    (
        "debug-checks-one-later",
        "if self._debug and self._engine.version % self._debug == 0:",
        "if self._debug and self._engine.version % self._debug == 1:",
        "tests/ivme/test_debug.py",
    ),
)

INTAKE = bugs_in(
    "ivme/kernel/intake.py",
    (
        "delete-inserts",
        "self.change(relation, x, y, -self.copies(multiplicity))",
        "self.change(relation, x, y, self.copies(multiplicity))",
        "tests/ivme/test_view_bad_input.py",
    ),
    (
        "relations-renumbered",
        "engine.name(i): i for i",
        "engine.name(-i): i for i",
        "tests/ivme/test_view_bad_input.py agreement",
    ),
    (
        "every-ring-is-plain",
        "self.lift_is_plain = engine.ring.lift is integer",
        "self.lift_is_plain = True",
        "tests/ivme/test_rings_in_view.py",
    ),
    (
        "zero-loaded",
        "type(multiplicity) is not int or multiplicity <= 0:",
        "type(multiplicity) is not int or multiplicity < 0:",
        "tests/ivme/test_view_bad_input.py",
    ),
    (
        "triples-loaded",
        "all(isinstance(key, tuple) and len(key) == 2 for key in tuples)",
        "all(isinstance(key, tuple) for key in tuples)",
        "tests/ivme/test_view_bad_input.py",
    ),
    (
        "many-updates-unobserved",
        "                if by is None:\n",
        "                if True:\n",
        "tests/ivme/test_changes.py",
    ),
    (
        "zero-accepted",
        "type(multiplicity) is int and multiplicity != 0:",
        "type(multiplicity) is int:",
        "tests/ivme/test_view_bad_input.py",
    ),
    (
        "negative-loaded",
        "type(multiplicity) is not int or multiplicity <= 0:",
        "type(multiplicity) is not int:",
        "tests/ivme/test_view_bad_input.py",
    ),
    (
        "negative-copies-accepted",
        "if isinstance(given, int) and given < 0:",
        "if False:",
        "tests/ivme/test_objects.py",
    ),
    (
        "error-one-update-later",
        'located = error.at("update", done)',
        'located = error.at("update", done + 1)',
        "tests/ivme/test_view_bad_input.py",
    ),
    (
        "updates-not-counted",
        "            done += 1\n",
        "            done = 1\n",
        "tests/ivme/test_view_bad_input.py",
    ),
)

METER = bugs_in(
    "ivme/kernel/meter.py",
    (
        "smallest-delay",
        "if steps > self.largest_delay:",
        "if steps < self.largest_delay:",
        "tests/cost/test_delay.py::test_delays_reach_their_exponent",
    ),
)

INTERFACE = (*VIEW, *INTAKE, *METER)
