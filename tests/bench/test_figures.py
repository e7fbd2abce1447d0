"""Medians, ratios and exponents, on values that were made up; raw results survive JSON, damage is refused."""

import json

import pytest

from bench.figures import Figure, Figures
from bench.results import ResultsError, decode, encode, machine, read, write
from tests.bench.fakes import results


def test_median_and_spread() -> None:
    assert Figure.of([5.0, 1.0, 3.0]) == Figure(3.0, 1.0, 5.0)
    assert Figure.of([4.0, 1.0, 2.0, 9.0]) == Figure(3.0, 1.0, 9.0)


def test_a_ratio_is_of_medians_and_its_spread_is_within_rounds() -> None:
    found = Figures(
        results(
            ("hub", 10, "", "slow", "update", [10.0, 40.0, 90.0]),
            ("hub", 10, "", "ivme", "update", [1.0, 2.0, 3.0]),
            ("hub", 10, "A", "ivme", "update", [100.0]),
            ("hub", 10, "", "once", "update", [7.0]),
        )
    )
    assert found.ratio("slow", "ivme", "hub", 10) == Figure(20.0, 10.0, 30.0)
    assert found.ratio("ivme", "slow", "hub", 10) == Figure(2 / 40, 3 / 90, 1 / 10)
    assert found.ratio("once", "ivme", "hub", 10) == Figure(7.0, 7.0, 7.0)  # over the rounds of both
    assert found.ratio("ivme", "once", "hub", 10) == Figure(1 / 7, 1 / 7, 1 / 7)
    assert found.ratio("slow", "ivme", "hub", 10, "A") is None
    assert found.ratio("slow", "other", "hub", 10) is None


def test_the_gain_of_a_bulk_load() -> None:
    found = Figures(
        results(
            ("zipf", 10, "A", "ivme", "insert", [8.0, 40.0, 90.0]),
            ("zipf", 10, "A", "ivme", "bulk", [2.0, 4.0, 3.0]),
            ("zipf", 10, "", "ivme", "bulk", [2.0]),
            ("zipf", 10, "", "slow", "insert", [2.0]),
        )
    )
    assert found.gain("zipf", 10, "A") == Figure(40 / 3, 4.0, 30.0)
    assert found.gain("zipf", 10) is None


def test_common_sizes() -> None:
    found = Figures(
        results(
            *(("zipf", size, "", "ivme", "update", [1.0]) for size in (10, 100, 1000)),
            *(("zipf", size, "", "slow", "update", [1.0]) for size in (10, 100)),
            ("hub", 1000, "", "slow", "update", [1.0]),
        )
    )
    assert found.common("slow", "ivme", "zipf") == 100
    assert found.common("slow", "ivme", "hub") is None
    assert found.sizes("ivme", "zipf") == [10, 100, 1000]
    assert found.contenders == ["ivme", "slow"]
    assert found.cases == ["zipf", "hub"]


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_exponents(power: float) -> None:
    found = Figures(
        results(
            *(
                ("hub", size, "", "ivme", "update", [9e9, 7 * size**power, 0.0])
                for size in (100, 1000, 10_000)
            ),
            *(("hub", size, "", "ivme", "steps", [5.0 * size]) for size in (100, 1000)),
        )
    )
    assert found.exponent("ivme", "hub") == pytest.approx(power)
    assert found.exponent("ivme", "hub", quantity="steps") is None  # two sizes are no fit
    assert found.exponent("ivme", "zipf") is None


def test_an_exponent_of_nothing_is_none() -> None:
    found = Figures(results(*(("hub", size, "", "ivme", "steps", [0.0]) for size in (1, 10, 100))))
    assert found.exponent("ivme", "hub", quantity="steps") is None


def test_results_survive_json(tmp_path: object) -> None:
    given = results(("hub", 10, "AB", "ivme", "update", [0.1, 2e-7]), ("hub", 10, "", "x", "rows", [3.0]))
    assert decode(encode(given)) == given
    assert decode(encode(results())) == results()
    json.loads(encode(given))


def test_results_survive_a_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    target = tmp_path_factory.mktemp("bench") / "deep" / "bench.json"
    given = results(("hub", 10, "AB", "ivme", "update", [0.5]))
    write(target, given)
    assert read(target) == given
    assert [path.name for path in target.parent.iterdir()] == ["bench.json"]
    with pytest.raises(ResultsError, match="make bench"):
        read(target.with_name("other.json"))


def damaged(**changes: object) -> str:
    given = json.loads(encode(results(("hub", 10, "", "ivme", "update", [0.5]))))
    return json.dumps({key: value for key, value in (given | changes).items() if value is not ...})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", 'it must begin with {"ivme-bench": 1'),
        (damaged(**{"ivme-bench": 2}), "version 2; this ivme reads version 1"),
        (damaged(**{"ivme-bench": 1.0}), "version 1.0; this ivme reads version 1"),
        (damaged(**{"ivme-bench": True}), "version True; this ivme reads version 1"),
        (damaged(kernel=...), "kernel is missing"),
        (damaged(machine=[]), r"machine: \[\] is not an object"),
        (damaged(extra=1), "unknown fields extra"),
        (damaged(measurements=[["hub", 10, "", "ivme", "update", []]]), "is not a measurement"),
        (damaged(measurements=[["hub", 10, "", "ivme", "updates", [1]]]), "is not a measurement"),
        (damaged(measurements=[["hub", 10, "", "ivme", "update", [True]]]), "is not a measurement"),
        (damaged(measurements=[["hub", "10", "", "ivme", "update", [1]]]), "is not a measurement"),
        (damaged(measurements=[7]), "is not a measurement"),
    ],
)
def test_damage_is_refused(text: str, message: str) -> None:
    with pytest.raises(ResultsError, match=message) as caught:
        decode(text, "some.json")
    assert str(caught.value).startswith("some.json: ")
    assert "\n" not in str(caught.value)


def test_the_machine_is_described_and_not_named() -> None:
    import platform

    described = machine()
    assert {"system", "processor", "cores", "memory", "python", "attrs"} <= set(described)
    assert platform.node() not in described.values()
