"""`ivme oracle`: test a foreign engine against the reference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ivme.cli import output
from ivme_spec.errors import InputError
from ivme_spec.queries import Query

if TYPE_CHECKING:
    from ivme.conformance.oracle import Case

_CLAIMS = "What the engine does not do"


def oracle(
    engine: Annotated[
        str,
        typer.Option(
            help="A command that speaks the protocol; {free} and {epsilon} are filled in. Or module:factory.",
            metavar="ENGINE",
        ),
    ],
    free: Annotated[
        list[str] | None,
        typer.Option(
            help='Free variables to test, again for more; "" counts, "all" (the default): all eight.'
        ),
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="ε for an engine that takes it.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Repeats a run; default: a new one, printed.")
    ] = None,
    examples: Annotated[int, typer.Option(min=1, help="How many random runs for each head.")] = 50,
    updates: Annotated[
        int, typer.Option(min=1, help="Steps of each random run; a step may be many updates.")
    ] = 30,
    corpus: Annotated[bool, typer.Option(help="Replay the traces of known bugs too.")] = True,
    timeout: Annotated[float, typer.Option(min=0.01, help="Seconds that an answer may take.")] = 10.0,
    junit: Annotated[Path | None, typer.Option(help="Write the verdicts as JUnit XML.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Write the shrunk trace of the first failure.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
    multiplicities: Annotated[
        bool, typer.Option(help="--no-multiplicities: tuples are present once.", rich_help_panel=_CLAIMS)
    ] = True,
    deletes: Annotated[
        bool, typer.Option(help="--no-deletes: inserts only.", rich_help_panel=_CLAIMS)
    ] = True,
    refuses: Annotated[
        bool,
        typer.Option(help="It refuses to delete more than there is: test that.", rich_help_panel=_CLAIMS),
    ] = False,
    batch_only: Annotated[
        bool, typer.Option("--batch-only", help="Updates come in batches only.", rich_help_panel=_CLAIMS)
    ] = False,
    largest: Annotated[
        int | None, typer.Option(min=1, help="The largest multiplicity.", rich_help_panel=_CLAIMS)
    ] = None,
    values: Annotated[
        Literal["integers", "any", "python"],
        typer.Option(
            help="Data values: integers; also strings and tuples; also floats.", rich_help_panel=_CLAIMS
        ),
    ] = "integers",
) -> int:
    """Test your engine against the definition.

    Random runs and traces of known bugs, for each head; failures are shrunk to a few updates. An engine that
    hangs, crashes or returns garbage disagrees. spec/PROTOCOL.md has the protocol on one page. Exit code 0 if
    it agrees, 1 if not, 2 if it does not start.

    \b
    Example:
      ivme oracle --engine "node my-engine.js" --free AB --junit oracle.xml --trace failure.jsonl
      ivme oracle --engine my_module:MyEngine --free "" --free ABC --examples 200
    """
    import secrets

    from ivme.conformance import Capabilities
    from ivme.conformance.engines import Named
    from ivme.conformance.oracle import Question, judged
    from ivme.conformance.oracle import junit as as_junit
    from ivme.formats.files import atomic_writer
    from ivme_spec.queries import HEADS, head

    heads = HEADS if not free or "all" in free else tuple(dict.fromkeys(map(head, free)))
    chosen = secrets.randbits(32) if seed is None else seed
    for path in (junit, trace):
        if path is not None and not path.absolute().parent.is_dir():
            raise InputError(f"{path}: there is no folder {path.absolute().parent}")
    question = Question(
        Named(engine, _exact(epsilon), timeout),
        Capabilities(
            multiplicities=multiplicities,
            deletes=deletes,
            batch_only=batch_only,
            refuses=refuses,
            largest=largest,
            values=values,
        ),
        examples,
        updates,
        chosen,
        corpus,
    )
    if not json:
        output.remark(f"seed {chosen}")
    cases: list[Case] = []
    with output.progress("heads", len(heads)) as advance:
        for free_variables in heads:
            cases += judged(question, [free_variables])
            advance(1)
    if junit is not None:
        with atomic_writer(junit) as stream:
            stream.write(as_junit(cases, engine, chosen))
    failed = [case for case in cases if not case.ok]
    saved = _save(failed[0], trace, chosen, question.engine.epsilon) if failed and trace is not None else None
    if json:
        output.say_json(output.versioned("oracle", _plain(cases, engine, chosen, saved)))
    else:
        _say(cases, failed, saved)
    return 1 if failed else 0


def _exact(epsilon: str | None) -> str | None:
    from ivme_spec.thresholds import parse_epsilon

    return None if epsilon is None else str(parse_epsilon(epsilon))


def _save(case: Case, path: Path, seed: int, epsilon: str | None) -> Path | None:
    from attrs import evolve

    from ivme.formats.traces import write_trace

    if case.trace is None:
        return None
    write_trace(path, evolve(case.trace.header, seed=seed, epsilon=epsilon), case.trace.steps)
    return path


def _say(cases: list[Case], failed: list[Case], saved: Path | None) -> None:
    """The verdict of each head, then the first failure in full."""
    rows = []
    for free in dict.fromkeys(case.free for case in cases):
        own = [case for case in cases if case.free == free]
        wrong = [case for case in own if case.finding is not None]
        found = ", ".join(dict.fromkeys(case.finding.kind for case in wrong if case.finding is not None))
        rows.append((str(Query(free)), len(own), len(wrong), found or "agrees"))
    output.say_table(("query", "checks", "failed", "verdict"), rows)
    if not failed:
        output.say("the engine agrees with the reference")
        return
    output.say(f"first failure ({failed[0].name}):\n\n{failed[0].failure}\n")
    output.say(f"the engine disagrees: {len(failed)} of {len(cases)} checks failed")
    if saved is not None:
        output.say(f"trace: {saved}")


def _plain(cases: list[Case], engine: str, seed: int, saved: Path | None) -> dict[str, object]:
    return {
        "engine": engine,
        "seed": seed,
        "ok": all(case.ok for case in cases),
        "trace": None if saved is None else str(saved),
        "cases": [
            {
                "free": case.free,
                "name": case.name,
                "ok": case.ok,
                "seconds": round(case.seconds, 3),
                "kind": case.finding.kind if case.finding else None,
                "detail": case.finding.detail if case.finding else None,
                "updates": len(case.trace.updates) if case.trace else None,
            }
            for case in cases
        ],
    }
