"""The app: its global options, and its commands, one line each."""

from __future__ import annotations

from typing import Annotated

import typer

from ivme.cli import output
from ivme.cli.bench import bench
from ivme.cli.explain import explain
from ivme.cli.oracle import oracle
from ivme.cli.play import play
from ivme.cli.replay import replay
from ivme.cli.report import report
from ivme.cli.run import run
from ivme.cli.verify import verify
from ivme.cli.workload import workload

app = output.plain_app("ivme")


def _version(wanted: bool) -> None:
    if wanted:
        from ivme import __version__

        output.say(f"ivme {__version__} ({output.kernel_line()})")
        raise typer.Exit(0)


@app.callback(
    epilog="Exit codes: 0 success, 1 a check failed, 2 bad input or usage, 3 a bug of ivme, 130 Ctrl-C."
)
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version, and which kernel runs.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Triangle queries kept up to date under inserts and deletes.

    The first thing to try, for a CSV file with the columns u and v:  ivme run --graph edges.csv
    """
    output.tracebacks = debug


app.command("run")(run)
app.command("verify")(verify)
app.command("oracle")(oracle)
app.command("replay")(replay)
app.command("explain")(explain)
app.command("report")(report)
app.command("play")(play)
app.command("workload")(workload)
app.command(
    "bench",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True},  # it parses its own
)(bench)


def run_app(arguments: list[str]) -> int:
    """Run a command; its exit code. An error is one line on stderr."""
    return output.guarded(lambda: app(arguments or ["--help"], prog_name="ivme", standalone_mode=False))
