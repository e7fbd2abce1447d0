"""results.json: what is written is read, and anything else is refused with the place that is wrong."""

import json
from pathlib import Path

import pytest
from attrs import evolve

from ivme.extras import MissingExtraError
from ivme.verify import verify
from ivme.verify.results import (
    Check,
    Problem,
    Results,
    ResultsError,
    from_json,
    read_results,
    to_json,
    write_results,
)
from tests.support.plans import tiny_plan


@pytest.fixture(scope="module")
def results() -> Results:
    return verify(tiny_plan(), spark=False, jobs=1)


def test_results_come_back_as_they_were(results: Results, tmp_path: Path) -> None:
    run = evolve(results.runs[0], problems=(Problem("a check", "wrong\n„text“", "traces/x.jsonl"),))
    given = evolve(results, runs=(run, *results.runs[1:]))
    assert from_json(to_json(given)) == given
    write_results(tmp_path / "results.json", given)
    assert read_results(tmp_path / "results.json") == given
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_the_verdict_counts_problems(results: Results) -> None:
    assert results.ok
    assert not evolve(results, checks=()).ok
    assert not evolve(results, checks=(*results.checks, Check("more", 5, 1))).ok
    assert not evolve(results, checks=(*results.checks, Check("never made", 0, 0))).ok


def test_fields_that_are_not_known_are_ignored(results: Results) -> None:
    given = {**json.loads(to_json(results)), "colour": "green"}
    assert from_json(json.dumps(given)) == results


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["ivme-results"], 2, "version 2; this ivme reads version 1"),
        (["ivme-results"], True, "version True"),
        (["ivme-results"], 1.0, "version 1.0"),
        (["seed"], "1", "results: seed: '1' is not of type int"),
        (["seed"], True, "results: seed: True is not of type int"),
        (["runs"], {}, "results: runs: {} is not a list"),
        (["runs", 0, "costs", 1, "holds"], 1, "results: runs[0].costs[1].holds: 1 is not of type bool"),
        (["runs", 0, "parameters"], [], "results: runs[0].parameters: [] is not an object"),
        (["exponents", 0, "points", 0], [1, 2, 3], "has 3 entries, not 2"),
        (["checks", 0], None, "results: checks[0]: None is not an object"),
        (["timeline", "steps", 3], 0.5, "results: timeline.steps[3]: 0.5 is not of type int"),
    ],
)
def test_what_is_wrong_is_named(results: Results, path: list[str | int], value: object, message: str) -> None:
    given = json.loads(to_json(results))
    place = given
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ResultsError) as caught:
        from_json(json.dumps(given))
    assert message in str(caught.value)


def test_a_missing_field_is_named(results: Results) -> None:
    given = json.loads(to_json(results))
    del given["seed"]
    with pytest.raises(ResultsError, match="seed"):
        from_json(json.dumps(given))


@pytest.mark.parametrize(
    ("text", "message"), [("", "not JSON"), ("[]", "not results of"), ("{}", "not results of")]
)
def test_what_are_no_results_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(ResultsError, match=rf"results\.json: {message}"):
        read_results(tmp_path / "results.json")


def test_without_cattrs_the_extra_is_named(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    text = to_json(results)  # which does without
    monkeypatch.setattr("ivme.extras.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"needs cattrs: pip install 'ivme\[report\]'"):
        from_json(text)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="cannot be read"):
        read_results(tmp_path / "absent.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ResultsError, match="cannot be read"):
        read_results(tmp_path / "binary.json")
