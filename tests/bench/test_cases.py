"""The workloads of the benchmark are what they say."""

import gzip
from itertools import chain
from pathlib import Path

import pytest

from bench.cases import ATTACKS, STREAMS, Case, Database, case, graphs, inserts, multiset
from ivme.workloads import Update
from ivme.workloads.graphs import EdgeListError
from ivme_spec.errors import InputError
from ivme_spec.relations import RELATIONS


def tuples(database: Database) -> int:
    return sum(map(len, database.values()))


def after(made: Case, *parts: list[Update]) -> Database:
    return multiset(chain(inserts(made.database), made.before, *parts))


def triangles(database: Database) -> int:
    r, s, t = (database[name] for name in RELATIONS)
    return sum(m * k * t.get((c, a), 0) for (a, b), m in r.items() for (d, c), k in s.items() if b == d)


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_return(name: str) -> None:
    made = case(name, 600, seed=1)
    assert made.returns
    assert tuples(made.database) == 600
    first, second = made.timed
    assert after(made, first, second) == after(made)
    assert after(made, first) != after(made)


@pytest.mark.parametrize(("name", "expected"), [("hub", 300), ("upkeep", 0), ("intersection", 34)])
def test_triangles_of_attacks(name: str, expected: int) -> None:
    made = case(name, 600, seed=1)  # N = 1201, and 34 < √N < 35
    assert triangles(after(made)) == 0
    assert triangles(after(made, made.timed[0])) == expected


@pytest.mark.parametrize(
    ("name", "updates"), [("sparse", 1200), ("dense", 1200), ("zipf", 1200), ("window", 1200)]
)
def test_streams(name: str, updates: int) -> None:
    made = case(name, 600, seed=1)
    assert made.updates == updates
    assert not made.returns
    assert made.database == {"R": {}, "S": {}, "T": {}}
    assert case(name, 600, seed=1) == made != case(name, 600, seed=2)


def test_uniform_streams_end_with_nothing_and_have_their_peak_after_the_first_part() -> None:
    for name, values in (("sparse", 60), ("dense", 44)):
        made = case(name, 600, seed=1)
        peak = after(made, made.timed[0])
        assert sum(sum(rows.values()) for rows in peak.values()) == 600
        assert max(chain.from_iterable(chain.from_iterable(peak.values()))) == values - 1
        assert tuples(after(made, *made.timed)) == 0


def test_the_window_keeps_its_size() -> None:
    made = case("window", 600, seed=1)
    for database in (after(made), after(made, *made.timed)):
        assert sum(sum(rows.values()) for rows in database.values()) == 600


def test_zipf_is_skewed() -> None:
    made = case("zipf", 600, seed=1)
    first = [x for _, x, _, _ in made.timed[0]]
    assert first.count(0) > 5 * len(first) / 60


def test_edge_lists(tmp_path: Path) -> None:
    for name, text in (("one", "1 2\n2 3\n3 1\n"), ("two-temporal", "1 2 9\n4 5 7\n")):
        with gzip.open(tmp_path / f"{name}.txt.gz", "wt", encoding="utf-8") as stream:
            stream.write(text)
    assert graphs(str(tmp_path)) == ["graph:one", "graph:two-temporal"]
    made = case("graph:one", 0, 1, str(tmp_path))
    assert (made.updates, len(made.timed), made.returns) == (18, 1, False)
    assert triangles(after(made, *made.timed)) == 6
    assert case("graph:two-temporal", 0, 1, str(tmp_path)).timed[0][0][1:3] == (4, 5)
    with pytest.raises(InputError, match="is not a folder"):
        graphs(str(tmp_path / "none"))
    with gzip.open(tmp_path / "bad.txt.gz", "wt", encoding="utf-8") as stream:
        stream.write("1 2\nx\n")
    with pytest.raises(EdgeListError):
        case("graph:bad", 0, 1, str(tmp_path))


def test_an_unknown_case_is_refused() -> None:
    with pytest.raises(InputError, match=r"no case 'hubs': the cases are sparse, .*thrash"):
        case("hubs", 10, 1)
    assert not set(STREAMS) & set(ATTACKS)
