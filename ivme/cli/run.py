"""`ivme run`: maintain a stream of updates and print or write the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ivme.cli.output import kernel_line, open_with
from ivme_spec.errors import InputError

_INPUT, _GRAPH, _OUTPUT, _CHECKPOINT = "Input", "Graphs", "Output", "Checkpoints"


def run(
    updates: Annotated[
        str,
        typer.Argument(help="A CSV, JSON lines or Parquet file or a trace; - is stdin.", metavar="UPDATES"),
    ],
    free: Annotated[
        str | None,
        typer.Option(help='Free variables, letters of "ABC" in the order wanted; "" counts (the default).'),
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="ε between 0 and 1, exact; default 1/2.")] = None,
    graph: Annotated[
        bool, typer.Option("--graph", help="The input is a list of edges, u,v[,sign], of one graph.")
    ] = False,
    track: Annotated[
        Literal["count", "at", "on", "triangles"],
        typer.Option(
            help="With --graph: their number, those at each vertex, on each edge, or the triangles."
        ),
    ] = "count",
    directed: Annotated[
        bool, typer.Option("--directed", help="With --graph: a triangle is a cycle u -> v -> w -> u.")
    ] = False,
    self_loops: Annotated[
        Literal["ignore", "refuse"],
        typer.Option(
            help="With --graph: an edge from a vertex to itself. Ignored by default, and refused in Python: "
            "files have loops and repeats, a program that repeats itself has a bug. The summary counts them.",
        ),
    ] = "ignore",
    repeated: Annotated[
        Literal["ignore", "count", "refuse"] | None,
        typer.Option(
            help="With --graph: an edge that exists already; count: keep it until its last copy goes. "
            "Default: ignore; with --window: count.",
        ),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            help="With --graph: only the last edges of lines u,v,time: 10000 of them, or those of the last "
            "90s, 15min, 1h, 7d (times are seconds or ISO 8601), or see --by.",
            metavar="SIZE",
        ),
    ] = None,
    by: Annotated[
        Literal["count", "time"] | None,
        typer.Option(
            help="With --window: count, the default for a number; time: a number in the unit of the times."
        ),
    ] = None,
    format: Annotated[
        Literal["csv", "jsonl", "parquet"] | None,
        typer.Option(help="The format of the input; default by the name, and csv for stdin."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="The columns to use, by heading or by number: u=caller,v=callee[,sign=…] or "
            "relation=…,x=…,y=…[,multiplicity=…], or in this order without names; others are left out.",
        ),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="CSV: the first line is a heading, or is none; default by its text."
        ),
    ] = None,
    separator: Annotated[
        str | None,
        typer.Option(
            help='Between values in CSV, "tab", "space" or one character; default by the first line.'
        ),
    ] = None,
    strings: Annotated[
        bool, typer.Option("--strings", help="Take all values in CSV as text, also 12.")
    ] = False,
    refused: Annotated[
        Literal["stop", "skip"],
        typer.Option(
            help="An update that deletes more than there is: end with exit code 2, or leave it out."
        ),
    ] = "stop",
    top: Annotated[int | None, typer.Option(help="Only the K largest rows.", metavar="K", min=1)] = None,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Print each change of the answer instead of the answer. With --free and --track triangles, "
            "an update costs its delta too; with --track at or on, or --top, each look reads the answer "
            "(see --every).",
        ),
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="Write the answer to a .csv, .json, .jsonl or .parquet file.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="A folder for snapshots: after a crash, the same command resumes from the last one."
        ),
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(help="Updates between two checkpoints (10000), or two looks of --watch (1).", min=1),
    ] = None,
) -> None:
    """Maintain a stream of updates; print or write the answer.

    \b
    Examples:
      ivme run --graph edges.csv                     the number of triangles of a graph
      ivme run --graph edges.csv --track at --top 10 the ten vertices with the most triangles
      ivme run --graph messages.txt --window 7d      the triangles of the last week
      ivme run updates.csv --free AB --output answer.csv
      curl … | ivme run - --watch                    compressed or not
      ivme run updates.csv --checkpoint state        may be killed, and started again

    \b
    The query is  sum of R(a,b) * S(b,c) * T(c,a)  over the variables that are not free.
    UPDATES has the columns relation,x,y[,multiplicity]: relation is R, S or T, a negative
    multiplicity deletes, no multiplicity means 1. With --graph they are u,v[,sign], sign is 1 or -1;
    with --window too u,v[,time], in the order of time.
    + - insert delete i d true false are 1 and -1. With a heading the columns stand in any order;
    one that is not used is an error, unless --columns says which are. Known headings, in any case:
      relation            relation rel table kind
      x and y, u and v    u v, x y, a b, from to, source target, src dst, start end, node1 node2, …
      multiplicity, sign  sign multiplicity mult delta diff weight count op
      time                time timestamp t ts date datetime when unixtime epoch createdat
    JSON lines are objects with these names, or lists. .gz, .bz2, .xz and .zst are decompressed, also
    on stdin. Lines of CSV that start with # or % are comments.

    \b
    CSV values that are written like an integer (-7, 0, 12; not 007) are integers, others are text.
    A value that is empty, null, None or NaN is refused.
    """
    from ivme.cli.headings import layout_for, parse_columns
    from ivme.cli.running import Job, perform

    chosen = None if columns is None else parse_columns(columns, layout_for(graph, window is not None))
    open_with(kernel_line())
    perform(
        Job(
            path=updates,
            free=free,
            epsilon=epsilon,
            graph=graph,
            track=track,
            directed=directed,
            self_loops=self_loops,
            repeated=repeated,
            window=window,
            by=by,
            format=format,
            columns=chosen,
            header=header,
            separator=_separator(separator),
            strings=strings,
            skip_refused=refused == "skip",
            top=top,
            watch=watch,
            output=output,
            json=json,
            checkpoint=checkpoint,
            every=every,
        )
    )


def _separator(given: str | None) -> str | None:
    if given is None or len(given) == 1:
        return given
    if given in ("tab", "space"):
        return {"tab": "\t", "space": " "}[given]
    raise InputError(f'separator {given!r}: give "tab", "space" or one character')
