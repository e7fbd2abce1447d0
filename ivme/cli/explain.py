"""`ivme explain`: the state after an update of a trace, spelled out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ivme.cli import output


def explain(
    trace: Annotated[Path, typer.Argument(help="A trace (spec/TRACES.md).", metavar="TRACE")],
    at: Annotated[
        int | None, typer.Option(min=0, help="After this many updates; default: after the last.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the same as JSON.")] = False,
) -> None:
    """Show the state of the view after an update of a trace, and what the update did.

    The threshold, the parts of the relations, heavy values, views, the answer; what the last update touched
    and what it cost. Big states are abbreviated.

    \b
    Example:
      ivme explain failure.jsonl --at 12
    """
    from attrs import asdict

    from ivme.formats.traces import TraceError
    from ivme.replay.explain import explain as explained
    from ivme.replay.replay import count_updates, open_replay
    from ivme_spec.errors import InputError

    wanted = count_updates(trace) if at is None else at
    with open_replay(trace) as following:
        try:
            shown = explained(following, wanted)
        except TraceError as error:
            raise InputError(f"{error}; the {following.number} updates before it were applied") from error
        try:
            following.finish()
        except TraceError as error:
            output.remark(f"the trace is damaged, so this may not be the state that it was to show: {error}")
    if json:
        output.say_json(output.versioned("explain", asdict(shown)))
        return
    for line in shown.opening:
        output.say(line)
    for table in shown.tables:
        output.say()
        output.say_table(table.columns, table.rows, table.title)
    for line in shown.closing:
        output.say(line)
