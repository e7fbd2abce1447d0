"""The catalogue of workloads: valid, pure functions of their numbers, with the answers that they promise."""

import gzip
import re
from pathlib import Path

import pytest

from ivme import InputError, TriangleView
from ivme.workloads import CATALOGUE, Definition, between, define, oumv_bits
from ivme_spec.queries import HEADS

SMALL: dict[str, dict[str, object]] = {
    "oumv": {"n": 8, "rounds": 12, "seed": 5},
    "hub": {"size": 60, "updates": 7},
    "view-upkeep": {"size": 100, "epsilon": "1/2", "updates": 5},
    "intersection": {"size": 100, "epsilon": "1/2", "updates": 5},
    "threshold-thrash": {"size": 100, "epsilon": "1/2", "cycles": 1},
    "size-thrash": {"size": 100, "epsilon": "1/2", "cycles": 1},
    "worst-update": {"size": 100, "epsilon": "1/2"},
    "worst-minor": {"size": 100, "epsilon": "1/2", "free": "BC"},
    "worst-major": {"size": 100, "epsilon": "1/2", "partitioning": "double", "free": ""},
    "agm": {"size": 80, "updates": 6},
    "wide-views": {"size": 100, "epsilon": "1/3", "kind": "heavy"},
    "delay-binary": {"size": 100, "epsilon": "1/2"},
    "delay-unary": {"size": 100, "epsilon": "1/2"},
    "uniform": {"updates": 200, "values": 6, "seed": 1},
    "zipf": {"updates": 200, "values": 40, "seed": 2},
    "rmat": {"scale": 4, "edge_factor": 4, "seed": 3},
    "sliding-window": {"updates": 200, "window": 40, "values": 6, "seed": 4},
    "grow-and-drain": {"peak": 80},
    "multiplicities": {"side": 3, "bits": 70},
}

each_family = pytest.mark.parametrize("family", SMALL)


def test_every_family_is_tested_here() -> None:
    assert {*SMALL, "graph"} == set(CATALOGUE)
    assert all(family.make.__doc__ and "Attacks:" in family.make.__doc__ for family in CATALOGUE.values())


def test_the_table_in_the_docs_is_the_catalogue() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "workloads.md").read_text(encoding="utf-8")
    first = text.partition("\n## ")[0]
    rows = [line for line in first.splitlines() if line.startswith("| `")]
    assert rows == [f"| `{family.name}` | {family.bound} | {family.tight} |" for family in CATALOGUE.values()]


def test_the_examples_in_the_docs_that_need_no_spark_run() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "workloads.md").read_text(encoding="utf-8")
    blocks = re.findall(
        r"^```python\n(.*?)^```$", text.partition("## With Spark")[0], re.DOTALL | re.MULTILINE
    )
    assert blocks
    for block in blocks:
        exec(block, {})


@each_family
def test_updates_are_functions_of_their_numbers_and_none_is_refused(family: str) -> None:
    workload = define(family, **SMALL[family]).workload()
    assert workload.family == family
    updates = list(workload)
    assert [workload[p] for p in range(len(workload))] == updates
    for start, stop in ((0, 0), (0, len(updates)), (3, 50), (len(updates) // 2, len(updates) + 9)):
        assert list(between(workload, start, stop)) == updates[start:stop]
    assert TriangleView("").apply(updates) == len(updates)


@each_family
def test_expected_answers(family: str) -> None:
    workload = define(family, **SMALL[family]).workload()
    counts, bits = CATALOGUE[family].counts(workload), CATALOGUE[family].bits(workload)
    assert {*counts, *bits} <= set(range(len(workload) + 1))
    view = TriangleView("")
    for number in range(len(workload) + 1):
        if number:
            view.update(*workload[number - 1])
        assert view[()] == counts.get(number, view[()]), number
        assert int(view[()] > 0) == bits.get(number, view[()] > 0), number


@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize("updates", [0, 1, 2, 5])
def test_expected_answers_of_hubs(everywhere: bool, updates: int) -> None:
    workload = define("hub", size=60, updates=updates, everywhere=everywhere).workload()
    for number, count in CATALOGUE["hub"].counts(workload).items():
        view = TriangleView("")
        view.apply(between(workload, 0, number))
        assert view[()] == count


@pytest.mark.parametrize("free", HEADS)
def test_oumv_tells_the_bit_after_each_round_for_every_head(free: str) -> None:
    workload = define("oumv", n=12, rounds=20, seed=1).workload()
    view, done, seen = TriangleView(free), 0, []
    for number, bit in oumv_bits(12, 20, 1):
        view.apply(between(workload, done, number))
        done = number
        assert int(any(True for _ in view)) == bit
        seen.append(bit)
    assert done == len(workload)
    assert set(seen) == {0, 1}


@pytest.mark.parametrize("n", [64, 128, 256, 512])
def test_oumv_approaches_its_bound(n: int) -> None:
    """An update of a vector costs at least n/16 = √N / 23 on average, with N = 2n² + 1 and ε = ½.

    A quarter of the entries are ones, and each of them walks a row of M with n/4 ones, or as many of T.
    """
    workload = define("oumv", n=n, rounds=4).workload()
    view = TriangleView("", database=workload.database())
    before = view.costs.updates
    view.apply(workload.updates())
    average = (view.costs.updates - before) / sum(section.count for section in workload.attack)
    assert average >= n / 16


@pytest.mark.parametrize("peak", [150, 600, 2_400, 9_600])
@pytest.mark.parametrize("free", ["", "A", "AB", "ABC"])
def test_grow_and_drain_approaches_its_bound(free: str, peak: int) -> None:
    """An update costs at least 0.35·√peak on average; (2/3)/√3 = 0.385 is what is walked."""
    view = TriangleView(free)
    view.apply(define("grow-and-drain", peak=peak, rounds=1).workload())
    assert view.costs.updates / view.costs.update_count >= 0.35 * peak**0.5
    assert view.costs.major_count >= 10


def test_zipf_is_skewed_and_uniform_where_asked() -> None:
    def share(power: int) -> float:
        rows = list(define("zipf", updates=8_000, values=1_000, power=power).workload())
        return sum(x < 125 for _, x, _, _ in rows) / len(rows)

    assert share(1) == pytest.approx(1 / 8, abs=0.02)
    assert share(3) == pytest.approx(1 / 2, abs=0.02)


def test_rmat_has_the_quadrants_of_graph500() -> None:
    rows = [(x >> 7, y >> 7) for r, x, y, _ in define("rmat", scale=8, edge_factor=40).workload() if r == "S"]
    shares = [rows.count(corner) / len(rows) for corner in ((0, 0), (0, 1), (1, 0), (1, 1))]
    assert shares == pytest.approx([0.57, 0.19, 0.19, 0.05], abs=0.02)


def test_a_window_holds_no_more_than_its_tuples() -> None:
    view = TriangleView("A")
    for update in define("sliding-window", updates=400, window=30, values=8, power=2).workload():
        view.update(*update)
        assert view.size <= 31


LINES = "# a comment\n1 2 30\n2 3 10\n3 1 20\n1 3 40\n2 2 50\n\n"


@pytest.mark.parametrize("name", ["edges.txt", "edges.csv", "edges.txt.gz"])
def test_graph_files(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    text = (
        "source,target,time\n" + LINES.replace(" ", ",").replace("#,a,", "# ")
        if name.endswith("csv")
        else LINES
    )
    with gzip.open(path, "wt") if name.endswith("gz") else open(path, "w") as stream:
        stream.write(text)

    def rows(**options: bool) -> list[tuple[int, int]]:
        return [(x, y) for r, x, y, _ in define("graph", path=path, **options).workload() if r == "T"]

    assert rows() == [(1, 2), (2, 1), (2, 3), (3, 2), (1, 3), (3, 1)]
    assert rows(directed=True) == [(1, 2), (2, 3), (3, 1), (1, 3)]
    assert rows(directed=True, timed=True) == [(2, 3), (3, 1), (1, 2), (1, 3)]
    assert rows(directed=True, simple=False) == [(1, 2), (2, 3), (3, 1), (1, 3), (2, 2)]
    view = TriangleView("")
    view.apply(define("graph", path=path).workload())
    assert view[()] == 6


@pytest.mark.parametrize(("text", "line"), [("1 2\nx y\n", 2), ("1 2\n3\n", 2), ("1 2 3\n1 2 now\n", 2)])
def test_bad_edge_lists_are_refused_with_their_line(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=f"bad.txt, line {line}: "):
        define("graph", path=path, timed="now" in text)


def test_unknown_families_and_parameters_are_refused() -> None:
    with pytest.raises(InputError, match="no family 'hubs': the families are oumv, hub"):
        define("hubs")
    with pytest.raises(InputError, match="family 'hub' with"):
        define("hub", size=3, epsilon="1/2")
    assert (
        define("agm", size=30).workload().parameters == Definition("agm", {"size": 30}).workload().parameters
    )
