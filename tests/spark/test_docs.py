"""docs/workloads.md is followed to the letter, but for the size and the place of its dataset."""

import re
from pathlib import Path

from pyspark.sql import SparkSession

from ivme import TriangleView

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "workloads.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_every_block_runs(spark: SparkSession, tmp_path: Path) -> None:
    changes = {
        "make_session()": "make_session(given)",
        "updates=10_000_000, values=100_000": "updates=3_000, values=100",
        '"/data/zipf"': repr(str(tmp_path / "zipf")),
    }
    assert [PAGE.count(old) for old in changes] == [1, 1, 1]
    assert {language for language, _ in BLOCKS} == {"python"}
    namespace: dict[str, object] = {"given": spark}
    for _, code in BLOCKS:
        for old, new in changes.items():
            code = code.replace(old, new)
        exec(code, namespace)
    view = namespace["view"]
    assert isinstance(view, TriangleView)
    assert view[()] > 0, "the examples are about something"
