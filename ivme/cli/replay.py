"""`ivme replay`: follow a trace, with checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ivme.cli import output
from ivme_spec.errors import InputError
from ivme_spec.queries import Query

if TYPE_CHECKING:
    from ivme.replay.replay import Change, Replay


def replay(
    trace: Annotated[Path, typer.Argument(help="A trace (spec/TRACES.md).", metavar="TRACE")],
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Print every step, compare it with the reference, check invariants."),
    ] = False,
    every: Annotated[int, typer.Option(min=1, help="With --debug: check only after this many updates.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> int:
    """Replay a trace: expected answers must come out, invalid updates must be refused.

    Stops at the first problem with exit code 1. A damaged line, or a wrong checksum, is reported with exit
    code 2, after everything before it was applied.

    \b
    Example:
      ivme replay failure.jsonl --debug
    """
    from ivme.formats.traces import TraceError
    from ivme.replay.replay import open_replay

    expected = refused = 0
    problem: Change | None = None
    with open_replay(trace, debug, every) as following:
        if not json:
            _header(following, trace)
        try:
            for change in following:
                expected += change.kind == "expect"
                refused += change.kind == "refused"
                if debug and not json:
                    output.say(_line(change))
                if change.problem:
                    problem = change
                    following.finish()  # a damaged file is reported as such
                    break
        except TraceError as error:
            raise InputError(f"{error}; the {following.number} updates before it were applied") from error
    if json:
        output.say_json(output.versioned("replay", _plain(following, expected, refused, problem)))
    else:
        _end(following, expected, refused, problem, debug)
    return 1 if problem else 0


def _header(following: Replay, trace: Path) -> None:
    header = following.header
    query = Query(following.view.free, following.view.partitioning)
    output.say(f"{trace}: {query}, ε = {following.view.epsilon}, multiplicities in {header.ring}")
    if header.note:
        output.say(f"note: {header.note}")


def _line(change: Change) -> str:
    """A step as one line."""
    from ivme.replay.explain import event_line, update_line

    if change.update is None:
        what = "the answer" if change.kind == "expect" else f"{change.number} tuples loaded"
        line = f"line {change.line}: {what}"
    else:
        line = f"{change.number:6}. {update_line(change.update)}"
    if change.kind == "refused" and not change.problem:
        line += ", refused as it must be"
    elif change.kind != "expect":
        line += f", {change.steps} steps"
        if change.rebalancing:
            line += f" and {change.rebalancing} for rebalancing"
    line += "".join(f"; {event_line(event)}" for event in change.events)
    return f"{line}: {change.problem or 'ok'}"


def _end(following: Replay, expected: int, refused: int, problem: Change | None, debug: bool) -> None:
    view = following.view
    output.say(
        f"{following.number} updates ({refused} refused as they must be), {expected} expected answers; "
        f"|D| = {view.size}, N = {view.threshold_base}"
    )
    if problem is None:
        output.say("every step checked: all is well" if debug else "all is well")
        return
    output.say(f"line {problem.line}, after {problem.number} updates: {problem.problem}")


def _plain(following: Replay, expected: int, refused: int, problem: Change | None) -> dict[str, object]:
    return {
        "ok": problem is None,
        "updates": following.number,
        "refused": refused,
        "expected": expected,
        "size": following.view.size,
        "N": following.view.threshold_base,
        "line": problem.line if problem else None,
        "problem": problem.problem if problem else None,
    }
