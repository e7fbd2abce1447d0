"""`python -m bench.table`: tables from raw results, for the README and for the terminal.

python -m bench.table [docs/bench.json]             the README's part, as Markdown
python -m bench.table [docs/bench.json] --all       everything, as text
python -m bench.table [docs/bench.json] --write     put the README's parts between their markers
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from bench.cases import ATTACKS
from bench.contenders import FLOOR, OURS, label, rank
from bench.figures import Figures, number, short
from bench.graph_table import graph_part, hub_part, markdown
from bench.page import tables
from bench.results import Measurement, Results, read
from bench.snapshots import PRODUCT
from bench.targets import verdicts
from ivme.cli import output
from ivme_spec.errors import InputError
from ivme_spec.queries import HEADS, Query

BEGIN = "<!-- bench: python -m bench.table --write -->"
END = "<!-- /bench -->"
HUB_BEGIN = "<!-- hubs: python -m bench.table --write -->"
HUB_END = "<!-- /hubs -->"


# --- the README -----------------------------------------------------------------------------------------


def readme_part(results: Results) -> str:
    """Graphs; a table of the time of an update of a view, ours = 1; and where we lose; as Markdown."""
    figures = Figures(results)
    rivals = [name for name in figures.contenders if name != OURS]
    rows = [["workload", "tuples", *map(label, rivals), "growth of ours"]]
    for case in figures.cases:
        sizes = figures.sizes(OURS, case)
        if not sizes:
            continue
        slope = figures.exponent(OURS, case) if case in ATTACKS else None
        cells = [_against(figures, rival, case, sizes[-1]) for rival in rivals]
        size = short(sizes[-1]) if sizes[-1] else ""
        rows.append([case, size, *cells, "" if slope is None else f"N^{slope:.2f}"])
    machine = results.machine
    lines = [
        *([f"A partial run: {'; '.join(results.partial)}.", ""] if results.partial else []),
        *(line for part in _recomputed(figures) for line in (part.lstrip(), "")),
        *markdown(rows),
        "",
        f"CPU time of an update of △(), that of ivme ({results.kernel}) = 1: above 1 ivme is faster, **below "
        f"1** it is slower. Medians; at the size given, or the largest that both were measured at. "
        f"{results.made}, {machine.get('processor', '?')}, {machine.get('python', '?')}.",
        *_losses(figures, rivals),
        *_loaded(figures),
        *_largest(figures),
    ]
    return graph_part(results) + "\n".join(lines) + "\n"


def _against(figures: Figures, rival: str, case: str, size: int) -> str:
    """The rival's time, ours = 1; with the size, if it differs from the row's."""
    at = figures.common(rival, OURS, case)
    ratio = None if at is None else figures.ratio(rival, OURS, case, at)
    if ratio is None or at is None:
        return "–"
    text = number(ratio.middle)
    return (f"**{text}**" if ratio.middle < 1 else text) + ("" if at == size else f" ({short(at)})")


def _losses(figures: Figures, rivals: Sequence[str]) -> Iterator[str]:
    """Who is faster than ours, and where; the floor answers nothing."""
    for rival in rivals:
        found = []
        for case in figures.cases:
            at = figures.common(rival, OURS, case)
            ratio = None if at is None else figures.ratio(rival, OURS, case, at)
            if ratio is not None and ratio.middle < 1:
                found.append(f"{case} ({number(1 / ratio.middle)} times)")
        if found:
            about = ", which answers nothing," if rival == FLOOR else ""
            yield f"\n{label(rival)}{about} is faster than ivme on {', '.join(found)}."


def _recomputed(figures: Figures) -> Iterator[str]:
    """How many updates a snapshot costs; and what the two figures of scipy include, if both are given."""
    found: dict[int, list[str]] = {}
    for entry in sorted(figures.results.measurements, key=lambda entry: rank(entry.contender)):
        update = figures.figure(OURS, entry.case, entry.size)
        figure = figures.figure(entry.contender, entry.case, entry.size, quantity="snapshot")
        if entry.quantity == "snapshot" and update is not None and figure is not None:
            text = f"{label(entry.contender)} {number(figure.middle / update.middle)}"
            found.setdefault(entry.size, []).append(text)
    about = ""
    if any(entry.contender == PRODUCT for entry in figures.results.measurements):
        about = f" scipy makes its matrices from the tuples; {PRODUCT} has them, but they take no updates."
    for size, entries in found.items():
        begin = f"To recompute the count once at {short(size)} tuples takes the time of this many updates"
        yield f"\n{begin}: {'; '.join(entries)}.{about}"


def _loaded(figures: Figures) -> Iterator[str]:
    """How much faster a bulk load is."""
    found: dict[tuple[int, str], list[str]] = {}
    for entry, way in product(figures.results.measurements, ("insert", "apply")):
        gain = figures.gain(entry.case, entry.size, entry.free, way)
        if entry.quantity == "bulk" and gain is not None:
            text = f"{entry.case} {Query(entry.free)} {number(gain.middle)}"
            found.setdefault((entry.size, way), []).append(text)
    for (size, way), entries in found.items():
        how = "a call of `insert` each" if way == "insert" else "one call of `apply` for all"
        begin = f"{short(size)} tuples one by one, {how}, take this many times the time of loading them"
        yield f"\n{begin}: {', '.join(entries)}."


def _largest(figures: Figures) -> Iterator[str]:
    """The largest update and the mean, a line for each case."""
    found: dict[tuple[str, int], list[str]] = {}
    for entry, mean in _one_by_one(figures):
        largest, ratio = f"{entry.values[0] * 1e3:.3g} ms", number(entry.values[0] / mean)
        text = f"{Query(entry.free)} {largest}, {ratio} times the mean of {mean * 1e6:.3g} µs"
        found.setdefault((entry.case, entry.size), []).append(text)
    for (case, size), entries in found.items():
        begin = f"The largest update of {case} at {short(size)} tuples, timed one by one"
        yield f"\n{begin}: {'; '.join(entries)}."


def _one_by_one(figures: Figures) -> Iterator[tuple[Measurement, float]]:
    """The largest updates, with the means of the same runs."""
    for entry in figures.results.measurements:
        mean = figures.figure(entry.contender, entry.case, entry.size, entry.free, "mean update")
        if entry.quantity == "largest update" and mean is not None:
            yield entry, mean.middle


def put(text: str, part: str, first: str = BEGIN, last: str = END) -> str:
    """A text with the part between its markers replaced.  Bad input: an `InputError` if there are none."""
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise InputError(f"no place for the table: put the lines {first!r} and {last!r} where it belongs")
    return f"{before}{first}\n{part}{last}{after}"


def with_parts(text: str, results: Results | None) -> str:
    """A README with the tables and the picture of hubs in their places, or with nothing there; as `put`."""
    parts = ("", "") if results is None else (readme_part(results), hub_part(results))
    return put(put(text, parts[0]), parts[1], HUB_BEGIN, HUB_END)


def filled(readme: Path, results: Results | None) -> str:
    """The text of a README with everything in its place, as `with_parts`.  Bad input: an `InputError`."""
    try:
        return with_parts(readme.read_text(encoding="utf-8"), results)
    except OSError as error:
        raise InputError(f"{readme}: {error.strerror}; run in the folder of the sources") from error


# --- the terminal ---------------------------------------------------------------------------------------


def report(results: Results) -> str:
    """Everything, as text."""
    figures = Figures(results)
    machine = ", ".join(f"{key} {value}" for key, value in results.machine.items())
    lines = [f"ivme {results.ivme}, {results.kernel} kernel, {results.made}; {machine}", ""]
    lines += [f"A partial run: {'; '.join(results.partial)}", ""] if results.partial else []
    lines += [*_grid(_times(figures)), "", *_grid(_exponents(figures)), "", *_grid(_heads(figures)), ""]
    lines += [*_recomputed(figures), "", *_grid(_single(figures)), *_loaded(figures)]
    lines += [*_losses(figures, figures.contenders[1:]), ""]
    for title, rows in tables(results):
        if grid := _grid(rows):
            lines += [title, *grid, ""]
    goals = [["goal", "wanted", "found", ""]]
    goals += [[one.name, one.goal, one.found, one.verdict] for one in verdicts(results)]
    lines += _grid(goals)
    lines += [f"skipped {line}" for line in results.skipped] + [
        f"PROBLEM {line}" for line in results.problems
    ]
    return "\n".join(lines) + "\n"


def _grid(rows: list[list[str]]) -> list[str]:
    """A table with its headings; nothing for headings alone."""
    return output.table_lines(rows[0], rows[1:]) if len(rows) > 1 else []


def _times(figures: Figures) -> list[list[str]]:
    """Updates a second of ours, and the times of the others, ours = 1, with their spread."""
    rivals = figures.contenders[1:]
    rows = [["update of △()", "tuples", f"{OURS}, a second", *map(label, rivals)]]
    for case in figures.cases:
        for size in figures.sizes(OURS, case):
            ours = figures.figure(OURS, case, size)
            cells = []
            for rival in rivals:
                ratio = figures.ratio(rival, OURS, case, size)
                spread = "" if ratio is None else f" [{number(ratio.low)}…{number(ratio.high)}]"
                cells.append("–" if ratio is None else number(ratio.middle) + spread)
            rows.append([case, short(size), "" if ours is None else number(1 / ours.middle), *cells])
    return rows


def _exponents(figures: Figures) -> list[list[str]]:
    rows = [["growth of an update", "query", "contender", "time", "steps"]]
    for case in filter(ATTACKS.__contains__, figures.cases):
        for contender in figures.contenders:
            for free in HEADS:
                time, steps = (figures.exponent(contender, case, free, what) for what in ("update", "steps"))
                if time is not None:
                    counted = "–" if steps is None else f"N^{steps:.2f}"
                    rows.append([case, str(Query(free)), label(contender), f"N^{time:.2f}", counted])
    return rows


def _heads(figures: Figures) -> list[list[str]]:
    """For every query: updates a second, bytes a tuple, rows a second, the largest delay."""
    columns = [("sparse", "update"), ("zipf", "update"), ("sparse", "bytes"), ("dense", "iterator")]
    columns += [("dense", "to_numpy"), ("dense", "to_arrow"), ("dense", "delay"), ("dense", "delay steps")]
    rows = [["query", "contender"] + [f"{case}: {what}" for case, what in columns]]
    for free in HEADS:
        for contender in figures.contenders:
            cells = []
            for case, what in columns:
                sizes = figures.sizes(contender, case, free, what)
                sizes = [size for size in sizes if what != "update" or size == _heads_size(figures)] or sizes[
                    -1:
                ]
                figure = figures.figure(contender, case, sizes[-1], free, what) if sizes else None
                if figure is None:
                    cells.append("–")
                elif what == "update":
                    cells.append(f"{number(1 / figure.middle)}/s")
                elif what == "delay":
                    cells.append(f"{figure.middle * 1e6:.3g} µs")
                else:
                    cells.append(number(figure.middle))
            if any(cell != "–" for cell in cells):
                rows.append([str(Query(free)), label(contender), *cells])
    return rows


def _heads_size(figures: Figures) -> object:
    return figures.results.settings.get("heads")


def _single(figures: Figures) -> list[list[str]]:
    rows = [["updates one by one", "query", "tuples", "contender", "largest / mean", "largest", "mean"]]
    for entry, mean in _one_by_one(figures):
        where = [entry.case, str(Query(entry.free)), short(entry.size), entry.contender]
        largest = entry.values[0]
        rows.append([*where, number(largest / mean), f"{largest * 1e3:.3g} ms", f"{mean * 1e6:.3g} µs"])
    return rows


def show(
    results: Annotated[Path, typer.Argument(help="The raw results.")] = Path("docs") / "bench.json",
    everything: Annotated[bool, typer.Option("--all", help="Everything, as text.")] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Put the table between the README's markers.")
    ] = False,
    readme: Annotated[Path, typer.Option(help="The file that --write changes.")] = Path("README.md"),
) -> None:
    """Print the tables of raw results as Markdown, or put them into the README."""
    found = read(results)
    if write:
        readme.write_text(filled(readme, found), encoding="utf-8")
    else:
        output.say((report(found) if everything else readme_part(found)).rstrip("\n"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; the exit code."""
    name = "python -m bench.table"
    return output.guarded(lambda: output.single(name, show)(arguments, prog_name=name, standalone_mode=False))


if __name__ == "__main__":
    sys.exit(main())
