"""spec/PAPER_INDEX.md has a row for every item of the paper, and no dangling reference.

The format: one table with the columns of COLUMNS. The label is in backticks, `what` is free text. In all
other cells every span in backticks is a reference: `path/to/file.py`, `path/to/file.py::Name`,
`path/to/file.py::Class.member` or `path/to/file.md#anchor`, relative to the root and inside that column's
folder. A cell without a reference says "not yet", or "—" where none will come. A vertical bar inside a cell
is written \\|.
"""

import ast
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from attrs import frozen

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "spec" / "PAPER_INDEX.md"
TEX = Path(
    os.environ.get("IVME_PAPER_TEX")
    or ROOT.parent / "shared" / "paper" / "maintaining-triangle-queries.tex.txt"
)

FOLDER_OF = {
    "spec": "spec/",
    "reference": "reference/",
    "engine": "ivme/",
    "tests": "tests/",
    "proofs": "proofs/",
}
COLUMNS = ["label", "kind", "what", *FOLDER_OF]

# The paper's TeX labels by kind, in order. The one example has no label: its section's is used.
REQUIRED = {
    "theorem": ["theo:main_result_triangle"],
    "table": ["table:complexities_triangle"],
    "definition": [
        "def:OMv",
        "def:loose_relation_partition",
        "def:loose_double_relation_partition",
        "def:ivme_state",
        "def:OuMv",
    ],
    "conjecture": ["conj:omv", "conj:OuMv"],
    "corollary": ["cor:ivme_optimal_triangle"],
    "lemma": ["lem:enum_delay", "lem:enumerate_hop_iterator", "lem:enumerate_pointer_new"],
    "example": ["sec:skip_pointers"],
    "proposition": [
        "prop:tighter-upper-bound-space-nullary",
        "prop:lower_bound_triangle",
        "prop:preprocessing_step",
        "prop:space_complexity",
        "prop:single_step_time",
        "prop:preprocessing_step_space_double_partition",
        "prop:single_step_time_double_partition",
        "prop:preprocessing_step_full",
        "prop:space_complexity_full",
        "prop:single_step_time_full",
        "prop:delay_full",
        "prop:preprocessing_step_binary",
        "prop:space_complexity_binary",
        "prop:single_step_time_binary",
        "prop:delay_binary",
        "prop:preprocessing_step_unary",
        "prop:space_complexity_unary",
        "prop:single_step_time_unary",
        "prop:delay_unary",
        "prop:major_cost",
        "prop:minor_cost",
        "prop:amortized_update_time",
    ],
    "figure": [
        "fig:complexity_plots_triangle",
        "fig:optimality_plot_3d",
        "fig:enum_union",
        "fig:hop_iterator",
        "fig:enum_union_with_pointer_new",
        "fig:example_pointer_enum",
        "fig:view_definitions",
        "fig:applyUpdate",
        "fig:view_definitions_double_partitioning",
        "fig:view_definitions_full",
        "fig:applyUpdate_full",
        "fig:view_definitions_binary",
        "fig:enum_binary",
        "fig:view_definitions_unary",
        "fig:enum_unary",
        "fig:major_minor",
        "fig:onUpdate",
        "fig:lower_bound_reduction",
    ],
}
SEPARATOR = re.compile(r"(?<!\\)\|")
KIND_OF = {label: kind for kind, labels in REQUIRED.items() for label in labels}


# --- the checker ---


@frozen
class Row:
    line: int
    cells: dict[str, str]

    @property
    def label(self) -> str:
        return self.cells["label"].strip("`")


def rows_of(text: str) -> list[Row]:
    """The rows of the table; ValueError unless there is exactly one, well-formed."""
    lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1) if line.strip().startswith("|")]
    cells = [(n, [cell.strip() for cell in SEPARATOR.split(line)[1:-1]]) for n, line in lines]
    if [row for _, row in cells[:1]] != [COLUMNS] or not all(set(c) <= set("-: ") for c in cells[1][1]):
        raise ValueError(f"the table must begin with the columns {COLUMNS}")
    if lines[-1][0] - lines[0][0] != len(lines) - 1:
        raise ValueError("there must be one table, with no line between its rows")
    for n, row in cells:
        if len(row) != len(COLUMNS):
            raise ValueError(f"line {n}: {len(row)} cells, not {len(COLUMNS)}")
    return [Row(n, dict(zip(COLUMNS, row, strict=True))) for n, row in cells[2:]]


def check(text: str, root: Path, required: dict[str, str]) -> list[str]:
    """The problems of the index, one line each."""
    try:
        rows = rows_of(text)
    except ValueError as error:
        return [str(error)]
    count = Counter(row.label for row in rows)
    problems = [f"{label}: {n} rows" for label, n in count.items() if n > 1]
    problems += [f"{label}: no row" for label in required if label not in count]
    for row in rows:
        where = f"line {row.line}, {row.label}"
        if row.cells["kind"] != required.get(row.label, row.cells["kind"]):
            problems.append(f"{where}: kind is {row.cells['kind']}, not {required[row.label]}")
        problems += [f"{where}: {column} is empty" for column, cell in row.cells.items() if not cell]
        for column, folder in FOLDER_OF.items():
            for reference in re.findall(r"`([^`]*)`", row.cells[column]):
                if problem := dangling(reference, folder, root):
                    problems.append(f"{where}: {column}: `{reference}`: {problem}")
    return problems


def dangling(reference: str, folder: str, root: Path) -> str | None:
    """What is wrong with a reference; None if its target exists."""
    path, _, name = reference.partition("::")
    path, _, anchor = path.partition("#")
    if not path.startswith(folder):
        return f"not inside {folder}"
    file = root / path
    if not (file.is_file() or (file.is_dir() and not name and not anchor)):
        return "no such file"
    if "::" in reference and (file.suffix != ".py" or name not in names_of(file)):
        return f"no {name or 'name'} in {path}"
    if "#" in reference and (file.suffix != ".md" or anchor not in anchors_of(file)):
        return f"no {anchor or 'anchor'} in {path}"
    return None


def names_of(file: Path) -> set[str]:
    """What a Python file defines: functions, classes, variables, and members of classes as Class.member."""
    return set(_names(ast.parse(file.read_text(encoding="utf-8")).body))


def _names(body: Iterable[ast.AST]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
                yield from (f"{name}.{member}" for member in _names(node.body))
            case ast.Assign(targets=targets):
                yield from (n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.If() | ast.Try() | ast.With():
                yield from _names(ast.iter_child_nodes(node))


def anchors_of(file: Path) -> set[str]:
    """A Markdown file's explicit anchors, and the slugs of its headings."""
    text = file.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ +(.*?) *$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


# --- the index ---


def test_index_is_complete_and_every_reference_has_a_target() -> None:
    assert check(INDEX.read_text(encoding="utf-8"), ROOT, KIND_OF) == []


def needs_tex() -> str:
    if not TEX.is_file():
        pytest.skip("the paper's TeX source is not here (IVME_PAPER_TEX names it)")
    return visible(TEX.read_text(encoding="utf-8"))


def visible(tex: str) -> str:
    r"""TeX without comments and without \nop{...}, which the paper defines to print nothing."""
    tex = re.sub(r"(?<!\\)%.*", "", tex)
    while start := re.search(r"\\nop\s*\{", tex):
        depth, end = 1, start.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(tex[end], 0)
            end += 2 if tex[end] == "\\" else 1
        tex = tex[: start.start()] + tex[end:]
    return tex


def labelled_items(tex: str) -> dict[str, str]:
    """Label -> the innermost of the listed environments around it."""
    found: dict[str, str] = {}
    stack: list[str] = []
    for match in re.finditer(r"\\(begin|end|label)\{([^}]*)\}", tex):
        command, name = match.groups()
        if command == "label":
            kinds = [kind for kind in stack if kind in REQUIRED]
            if kinds and stack[-1] not in ("align", "equation"):
                found[name] = kinds[-1]
        elif command == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    return found


def test_required_labels_are_those_of_the_paper() -> None:
    found = labelled_items(needs_tex())
    assert found == {label: kind for label, kind in KIND_OF.items() if kind != "example"}


def test_rows_beyond_the_required_ones_have_a_label_of_the_paper() -> None:
    labels = set(re.findall(r"\\label\{([^}]*)\}", needs_tex()))
    assert {row.label for row in rows_of(INDEX.read_text(encoding="utf-8"))} <= labels


# --- the checker on planted indexes ---

PLANTED = {"def:a": "definition", "fig:b": "figure"}


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    for folder in FOLDER_OF.values():
        (tmp_path / folder).mkdir()
    (tmp_path / "ivme" / "kernel").mkdir()
    (tmp_path / "ivme" / "kernel" / "engine.py").write_text(
        "import os\n"
        "LIMIT: int = 1\n"
        "LEFT, RIGHT = 1, 2\n"
        "def run():\n    inner = 1\n"
        "if LIMIT:\n    def other(): ...\n"
        "class Engine:\n    size: int\n    kind = 1\n    def step(self): self.hidden = 1\n"
    )
    (tmp_path / "spec" / "ERRATA.md").write_text('# The list\n## E1: wrong `sign`\n<a id="e2"></a>\n')
    return tmp_path


def table(*rows: str) -> str:
    head = f"# Title\n\n| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|\n"
    return head + "\n".join(rows) + "\n\nend\n"


def row(label: str = "def:a", kind: str = "definition", **cells: str) -> str:
    filled = {"label": f"`{label}`", "kind": kind, "what": "`x`, free text"}
    filled |= dict.fromkeys(FOLDER_OF, "not yet") | cells
    return "| " + " | ".join(filled[column] for column in COLUMNS) + " |"


FIGURE = row("fig:b", "figure")


@pytest.mark.parametrize(
    ("column", "reference"),
    [
        ("engine", "ivme/kernel/engine.py"),
        ("engine", "ivme/kernel/engine.py::run"),
        ("engine", "ivme/kernel/engine.py::other"),
        ("engine", "ivme/kernel/engine.py::LIMIT"),
        ("engine", "ivme/kernel/engine.py::RIGHT"),
        ("engine", "ivme/kernel/engine.py::Engine"),
        ("engine", "ivme/kernel/engine.py::Engine.step"),
        ("engine", "ivme/kernel/engine.py::Engine.size"),
        ("engine", "ivme/kernel/engine.py::Engine.kind"),
        ("engine", "ivme/"),
        ("spec", "spec/ERRATA.md"),
        ("spec", "spec/ERRATA.md#e1-wrong-sign"),
        ("spec", "spec/ERRATA.md#e2"),
    ],
)
def test_true_reference_passes(planted: Path, column: str, reference: str) -> None:
    text = table(row(**{column: f"see `{reference}`, — and `{reference}`"}), FIGURE)
    assert check(text, planted, PLANTED) == []


@pytest.mark.parametrize(
    ("column", "reference", "problem"),
    [
        ("engine", "ivme/gone.py", "no such file"),
        ("engine", "ivme/gone.py::run", "no such file"),
        ("engine", "ivme/kernel/engine.py::gone", "no gone in"),
        ("engine", "ivme/kernel/engine.py::os", "no os in"),
        ("engine", "ivme/kernel/engine.py::inner", "no inner in"),
        ("engine", "ivme/kernel/engine.py::step", "no step in"),
        ("engine", "ivme/kernel/engine.py::Engine.hidden", "no Engine.hidden in"),
        ("engine", "ivme/kernel/engine.py::", "no name in"),
        ("engine", "ivme/::run", "no such file"),
        ("engine", "engine.py", "not inside ivme/"),
        ("engine", "Engine", "not inside ivme/"),
        ("tests", "ivme/kernel/engine.py", "not inside tests/"),
        ("spec", "spec/GONE.md#e1", "no such file"),
        ("spec", "spec/ERRATA.md#e3", "no e3 in"),
        ("spec", "spec/ERRATA.md::e2", "no e2 in"),
        ("engine", "ivme/kernel/engine.py#run", "no run in"),
    ],
)
def test_dangling_reference_is_found(planted: Path, column: str, reference: str, problem: str) -> None:
    (found,) = check(table(row(**{column: f"see `{reference}`"}), FIGURE), planted, PLANTED)
    assert found.startswith(f"line 5, def:a: {column}: `{reference}`: {problem}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (table(row()), "fig:b: no row"),
        (table(row(), FIGURE, row()), "def:a: 2 rows"),
        (table(row(kind="lemma"), FIGURE), "line 5, def:a: kind is lemma, not definition"),
        (table(row(tests=""), FIGURE), "line 5, def:a: tests is empty"),
        (table(row() + " one more |", FIGURE), "line 5: 9 cells, not 8"),
        (table(row(), FIGURE) + table(row("def:c")), "there must be one table"),
        ("no table", "the table must begin with the columns"),
    ],
)
def test_bad_table_is_found(planted: Path, text: str, problem: str) -> None:
    (found,) = check(text, planted, PLANTED)
    assert found.startswith(problem)


def test_rows_beyond_the_required_ones_are_welcome(planted: Path) -> None:
    assert check(table(row(), FIGURE, row("sec:extra", "section")), planted, PLANTED) == []


def test_tex_reader_skips_comments_and_nop() -> None:
    tex = r"""
    \begin{lemma}\label{lem:seen} 5\% \end{lemma} % \label{lem:comment}
    \nop{ \begin{lemma}\label{lem:hidden} {\bf \}} \end{lemma} }
    \begin{theorem}\label{theo:outer}\begin{table}\label{table:inner}\end{table}\end{theorem}
    \begin{proof}\begin{align}\label{eq:not_listed}\end{align}\end{proof}
    """
    assert labelled_items(visible(tex)) == {
        "lem:seen": "lemma",
        "theo:outer": "theorem",
        "table:inner": "table",
    }
