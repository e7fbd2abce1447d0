"""What recomputes, counts right; libraries that are not installed are skipped."""

import random
from types import MethodType
from unittest.mock import Mock

import pytest

from bench.cases import Database
from bench.contenders import CLASSICAL, ENGINES, Rivalry, named
from bench.rivals import NAMES
from bench.snapshots import SNAPSHOTS, Snapshot
from ivme import TriangleView
from ivme_spec.relations import RELATIONS


def brute(database: Database) -> int:
    r, s, t = (database[name] for name in RELATIONS)
    return sum((b, c) in s and (c, a) in t for a, b in r for c in range(20))


@pytest.mark.filterwarnings("ignore")  # of the libraries
@pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=lambda snapshot: str(snapshot.name))
def test_counts(snapshot: Snapshot, rng: random.Random) -> None:
    if snapshot.missing:
        pytest.skip(snapshot.missing)
    for tuples in (0, 1, 30, 200):
        drawn = {
            name: {(rng.randrange(20), rng.randrange(9)): 1 for _ in range(tuples)} for name in RELATIONS
        }
        drawn["S"] = {(y, x): 1 for x, y in drawn["S"]}
        count = snapshot.load(drawn)
        assert count() == count() == brute(drawn), drawn
    loops = {name: {(1, 1): 1, (1, 2): 1} for name in RELATIONS}  # a value of A is not the same value of B
    assert snapshot.load(loops)() == 1


@pytest.mark.parametrize(("name", "made"), [("scipy", 3), ("scipy-product", 0)])
def test_what_scipy_is_timed_for(name: str, made: int, monkeypatch: pytest.MonkeyPatch) -> None:
    sparse = pytest.importorskip("scipy.sparse", reason="pip install 'ivme[bench]'")
    (snapshot,) = [snapshot for snapshot in SNAPSHOTS if snapshot.name == name]
    calls = Mock(wraps=sparse.csr_array)
    monkeypatch.setattr(sparse, "csr_array", calls)
    count = snapshot.load({"R": {(1, 2): 1}, "S": {(2, 3): 1}, "T": {(3, 1): 1}})
    calls.reset_mock()
    assert count() == 1
    assert calls.call_count == made


@pytest.mark.parametrize("name", NAMES)
def test_rivals_count_as_brute_force_does(name: str, rng: random.Random) -> None:
    """Over inserts and deletes; the floor stores the same tuples and answers nothing."""
    held: Database = {"R": {(0, 1): 2}, "S": {(1, 2): 1}, "T": {(2, 0): 3}}
    engine = Rivalry(name, {relation: dict(tuples) for relation, tuples in held.items()})
    for _ in range(300):
        relation, pair = rng.choice(RELATIONS), (rng.randrange(4), rng.randrange(4))
        change = -held[relation].pop(pair) if pair in held[relation] and rng.random() < 0.5 else 1
        if change > 0:
            held[relation][pair] = held[relation].get(pair, 0) + change
        assert engine.apply([(relation, *pair, change)]) == 1
        expected = sum(
            m * n * held["T"].get((c, a), 0)
            for (a, b), m in held["R"].items()
            for (other, c), n in held["S"].items()
            if b == other
        )
        assert dict(engine) == ({(): expected} if expected and name != "floor" else {})
        if name == CLASSICAL:
            assert engine.recount() == expected  # and the next updates find the head as they left it
    assert engine._engine.size == sum(map(len, held.values()))


def test_rivals_and_the_join_run_on_the_storage_of_our_engine() -> None:
    count = SNAPSHOTS[0].load({"R": {}, "S": {}, "T": {}})
    assert isinstance(count, MethodType)
    assert isinstance(count.__self__, Rivalry)
    assert type(count.__self__._engine.storage) is type(TriangleView("")._engine.storage)


def test_names_are_unique() -> None:
    names = [entry.name for entry in ENGINES] + [snapshot.name for snapshot in SNAPSHOTS]
    assert len(set(names)) == len(names)
    assert not [name for name in names if " " in name]
    with pytest.raises(KeyError):
        named("none", ENGINES)
