"""What the tests of streams share: updates, the single view to compare with, and the comparison."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ivme import InputError, TriangleView
from ivme.spark import streaming
from ivme.spark.hypercube import Shares
from ivme.workloads.core import mixed

Row = tuple[Any, Any, Any, Any, Any]
SHARES = Shares(2, 2, 1)


def updates(seed: int, count: int, values: int = 9) -> list[Row]:
    """Random updates, of which some delete what is not there."""
    print(f"seed {seed}")
    found: list[Row] = []
    for seq in range(count):
        bits = mixed(seed, seq)
        x, y = bits // 3 % values, bits // 100 % values
        found.append((seq, "RST"[bits % 3], x, y, -1 if bits >> 60 < 4 else 1 + (bits >> 58) % 3))
    return found


def cut(rows: Sequence[Row], size: int) -> list[Sequence[Row]]:
    return [rows[start : start + size] for start in range(0, len(rows), size)]


def single(rows: Iterable[Row], free: str) -> tuple[dict[Any, int], list[Row]]:
    """The answer of one view that sees the rows in their order, and the rows that it refuses."""
    view, bad = TriangleView(free, "1/3"), []
    for row in rows:
        try:
            if None in row:
                raise InputError("a value is missing")
            view.update(*row[1:])
        except InputError:
            bad.append(row)
    return dict(view), bad


def check(directory: Path, rows: Sequence[Row], free: str) -> None:
    """All that is committed is what the rows give: nothing lost, nothing twice."""
    answer, bad = single(rows, free)
    progress, found = streaming.progress(directory), list(streaming.refused(directory))
    counts = (progress.updates, progress.refused)
    assert counts == (len(rows), len(bad)), f"{counts} updates and refused, not {(len(rows), len(bad))}"
    refused = [(entry.seq, *entry.update) for entry in found]
    assert refused == bad, f"refused {refused}, not {bad}"
    assert all(entry.reason for entry in found), "a refusal without a reason"
    got = streaming.answers(directory)
    assert got == answer, f"answer {got}, not {answer}"
