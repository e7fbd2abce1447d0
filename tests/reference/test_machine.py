"""All approaches side by side under Hypothesis: build, update, observe."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ivme_reference import APPROACHES, Approach
from ivme_spec.errors import RefusedUpdateError
from tests.reference.brute_force import Model, Update, as_database, differences, model_of
from tests.strategies import ALL_HEADS, DOMAIN, RINGS

names = st.sampled_from("RST")
values = st.sampled_from(DOMAIN)
copies = st.integers(1, 4)


class AllApproaches(RuleBasedStateMachine):
    """Every approach on the same updates, against the brute-force definition."""

    model: Model
    approaches: tuple[Approach[Any], ...]

    # --- build ---

    @initialize(
        free=st.sampled_from(ALL_HEADS),
        ring=st.sampled_from(sorted(RINGS)),
        start=st.lists(st.tuples(names, values, values, copies), max_size=12),
    )
    def build(self, free: str, ring: str, start: list[Update]) -> None:
        self.model = model_of(ring)
        for update in start:
            self.model.apply(update)
        given = as_database(self.model)
        self.approaches = tuple(approach(free, RINGS[ring], given) for approach in APPROACHES)

    # --- update ---

    def run(self, name: str, x: Any, y: Any, m: int) -> None:
        self.model.apply((name, x, y, m))
        for approach in self.approaches:
            approach.update(name, x, y, m)

    @rule(name=names, x=values, y=values, m=copies)
    def insert(self, name: str, x: Any, y: Any, m: int) -> None:
        self.run(name, x, y, m)

    @precondition(lambda self: self.present())
    @rule(data=st.data(), part=copies)
    def delete(self, data: st.DataObject, part: int) -> None:
        name, x, y, there = data.draw(st.sampled_from(self.present()))
        self.run(name, x, y, -min(part, there) if there > 0 else -there)

    @precondition(lambda self: self.model.signed)
    @rule(name=names, x=values, y=values, m=copies)
    def negate(self, name: str, x: Any, y: Any, m: int) -> None:
        self.run(name, x, y, -m)

    @precondition(lambda self: not self.model.signed)
    @rule(name=names, x=values, y=values, more=copies)
    def delete_too_much(self, name: str, x: Any, y: Any, more: int) -> None:
        for approach in self.approaches:
            try:
                approach.delete(name, x, y, self.model.present(name, x, y) + more)
            except RefusedUpdateError:
                continue
            raise AssertionError(f"{approach} took a delete of more than is there")

    # --- observe ---

    def present(self) -> list[Update]:
        return [(name, *row, m) for name, rows in as_database(self.model).items() for row, m in rows.items()]

    @invariant()
    def agree(self) -> None:
        for approach in self.approaches:
            assert differences(self.model, approach, DOMAIN) == []

    @invariant()
    def hold_the_same_input(self) -> None:
        for approach in self.approaches:
            held = {name: dict(contents.entries) for name, contents in approach.database().items()}
            given = as_database(self.model)
            assert held == {
                name: {row: approach.ring.lift(m) for row, m in rows.items()} for name, rows in given.items()
            }


TestAllApproaches = AllApproaches.TestCase
TestAllApproaches.settings = settings(max_examples=settings().max_examples // 2, stateful_step_count=30)
