"""The README's Python blocks: those with prompts run as doctests, in one namespace; the others compile."""

import doctest
import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def run_examples(text: str, name: str) -> int:
    """Runs the examples of a Markdown text and returns their number; AssertionError if one fails."""
    report: list[str] = []
    namespace: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for block in BLOCK.finditer(text):
        code, line = block[1], text.count("\n", 0, block.start(1))
        if ">>>" in code:
            test = doctest.DocTestParser().get_doctest(code, namespace, name, name, line)
            runner.run(test, out=report.append, clear_globs=False)
            namespace = test.globs  # the parser copies it
        else:
            compile("\n" * line + code, name, "exec")
    assert runner.failures == 0, "".join(report)
    return runner.tries


def test_readme_examples_run() -> None:
    assert run_examples(README.read_text(encoding="utf-8"), README.name) > 0, "the README has no example"


def test_blocks_share_a_namespace_and_are_counted() -> None:
    text = "```python\n>>> x = 1\n```\ntext\n```python\n>>> x + 1\n2\n```\n```python\ny = x\n```\n"
    assert run_examples(text, "planted") == 2
    assert run_examples("```\n>>> not python\n```\n", "planted") == 0


def test_a_wrong_example_is_found_with_its_line() -> None:
    with pytest.raises(AssertionError, match=r'"planted", line 4'):
        run_examples("# title\n\n```python\n>>> 1 + 1\n3\n```\n", "planted")


def test_a_block_that_does_not_compile_is_found() -> None:
    with pytest.raises(SyntaxError, match="line 2"):
        run_examples("```python\nx = = 1\n```\n", "planted")
