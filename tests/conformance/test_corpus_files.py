"""The files of the corpus: what the definitions give, with expected answers by brute force.

Nothing of ours computes an answer here: three loops over all values do. This writes the files:

    python -m tests.conformance.test_corpus_files
"""

import json
import math
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ivme.conformance import corpus
from ivme.conformance.corpus import load, names
from ivme_reference import Naive
from ivme_spec.queries import HEADS
from tests.conformance.test_corpus_definitions import CORPUS

FOLDER = Path(corpus.__file__).with_suffix("")


def answer(tuples: dict[str, dict[tuple[Any, Any], int]], free: str = "ABC") -> dict[tuple[Any, ...], int]:
    """△(free) by definition, over all triples of values."""
    values = {value for rows in tuples.values() for row in rows for value in row}
    sums: dict[tuple[Any, ...], int] = {}
    for a, b, c in product(values, repeat=3):
        m = tuples["R"].get((a, b), 0) * tuples["S"].get((b, c), 0) * tuples["T"].get((c, a), 0)
        if m:
            row = tuple({"A": a, "B": b, "C": c}[variable] for variable in free)
            sums[row] = sums.get(row, 0) + m
    return dict(sorted(sums.items(), key=repr))


def encode(value: Any) -> Any:
    if isinstance(value, tuple):
        return {"tuple": list(map(encode, value))}
    return {"float": str(value)} if isinstance(value, float) and not math.isfinite(value) else value


def lines(name: str) -> list[str]:
    """The file of a definition."""
    note, steps = CORPUS[name]
    written: list[Any] = [
        {"ivme-trace": 1, "free": "ABC", "epsilon": None, "ring": "ℕ", "seed": None, "note": note}
    ]
    tuples: dict[str, dict[tuple[Any, Any], int]] = {"R": {}, "S": {}, "T": {}}
    for step in steps:
        kind = next(iter(step)) if isinstance(step, dict) else "batch" if isinstance(step, list) else "update"
        updates = [step["refused"]] if isinstance(step, dict) else step if isinstance(step, list) else [step]
        for relation, x, y, m in updates if kind != "refused" else ():
            after = tuples[relation].get((x, y), 0) + m
            assert after >= 0, (name, step)
            tuples[relation][x, y] = after
        encoded = [[relation, encode(x), encode(y), m] for relation, x, y, m in updates]
        written.append({kind: encoded if kind == "batch" else encoded[0]})
        expected = [[list(map(encode, row)), m] for row, m in answer(tuples).items()]
        written.append({"expect": expected})
    return [json.dumps(line, ensure_ascii=number > 0) for number, line in enumerate(written)]


@pytest.mark.parametrize("name", sorted(CORPUS))
def test_the_file_is_what_the_definition_gives(name: str) -> None:
    assert (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines() == lines(name)


def test_there_are_no_other_files() -> None:
    assert {path.stem for path in FOLDER.glob("*")} == set(CORPUS) == set(names())


@pytest.mark.parametrize("free", [*HEADS, "BA", "CAB"])
def test_expected_answers_of_every_head_are_those_of_the_reference(free: str) -> None:
    for name in names():
        reference: Naive[int] = Naive(free)
        tuples: dict[str, dict[tuple[Any, Any], int]] = {"R": {}, "S": {}, "T": {}}
        trace = load(name, free)
        assert [step.kind for step in trace.steps[1::2]] == ["expect"] * (len(trace.steps) // 2)
        for step in trace.steps:
            for relation, x, y, m in step.updates if step.kind != "refused" else ():
                reference.update(relation, x, y, m)
                tuples[relation][x, y] = tuples[relation].get((x, y), 0) + m
            if step.kind == "expect":
                assert step.answer == dict(reference) == answer(tuples, free), (name, step)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in CORPUS:
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines(name)) + "\n", encoding="utf-8")
