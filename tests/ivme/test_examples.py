"""Every module of the kernel has an example in its docstring, and the examples in the kernel run."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "ivme" / "kernel"
MODULES = sorted(file for file in FOLDER.rglob("*.py") if file.name != "__init__.py")


@pytest.mark.pure
@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.relative_to(FOLDER).as_posix())
def test_the_examples_of_a_kernel_module_run(file: Path) -> None:
    """On the sources: a compiled module has no functions for doctest to look into."""
    if "compact" in file.parts or file.stem == "arena":
        pytest.importorskip("librt.vecs", reason="the compact storage needs librt")
    name = ".".join(("ivme", "kernel", *file.relative_to(FOLDER).with_suffix("").parts))
    module = import_module(name)
    assert module.__file__ == str(file)
    tests = doctest.DocTestFinder().find(module)
    assert name in {test.name for test in tests if test.examples}, "its docstring has no example"
    for test in tests:
        for example in test.examples:
            example.want = example.want.replace("…", "...")
            example.exc_msg = example.exc_msg and example.exc_msg.replace("…", "...")
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        runner.run(test, out=report.append)
        assert runner.failures == 0, "".join(report)
