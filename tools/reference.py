"""Build the API reference from the docstrings: plain files, readable offline.

    python tools/reference.py FOLDER

It covers the three packages of the wheel, without the command line. Modules that need an optional package
which is not installed are left out, and named on standard error.
"""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from textwrap import indent

from pdoc import render
from pdoc.doc import Class, Module

PACKAGES = ("ivme", "ivme_spec", "ivme_reference")
PROGRAM = "ivme.cli"
"""Not for import: its reference is `ivme COMMAND --help`."""
TABLE = re.compile(r"\w\S*(?:, \S+)* {2,}\S.*(?:\n(?:\w\S*(?:, \S+)* {2,}\S| +\S).*)*")


def modules() -> dict[str, Module]:
    """All modules that can be imported, by name. (pdoc on its own stops at an `__all__`.)"""
    found: dict[str, Module] = {}
    for package in map(import_module, PACKAGES):
        found[package.__name__] = Module(package)
        for info in walk_packages(package.__path__, f"{package.__name__}.", onerror=lambda name: None):
            if "._" in info.name or info.name.startswith(PROGRAM):
                continue
            try:
                found[info.name] = Module(import_module(info.name))
            except ModuleNotFoundError as error:
                print(f"ivme: {info.name} is left out of the reference: {error}", file=sys.stderr)
    return found


def tables_as_code(docstring: str) -> str:
    """A docstring with its tables (name and meaning, in columns) as code: Markdown would join their lines."""
    return "\n\n".join(
        indent(paragraph, "    ") if TABLE.fullmatch(paragraph) else paragraph
        for paragraph in docstring.split("\n\n")
    )


def keep_tables(doc: Module | Class) -> None:
    doc.docstring = tables_as_code(doc.docstring)
    for member in doc.members.values():
        if isinstance(member, Class):
            keep_tables(member)
        elif not isinstance(member, Module):
            member.docstring = tables_as_code(member.docstring)


def build(folder: Path) -> None:
    render.configure(docformat="markdown", footer_text="ivme")
    found = modules()
    for module in found.values():
        keep_tables(module)
    pages = {f"{name.replace('.', '/')}.html": render.html_module(m, found) for name, m in found.items()}
    pages |= {"index.html": render.html_index(found), "search.js": render.search_index(found)}
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/reference.py FOLDER")
    os.environ["IVME_PURE"] = "1"  # compiled modules have no source and no annotations for pdoc
    build(Path(sys.argv[1]))
