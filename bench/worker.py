"""`python -m bench.worker`: a session in a process of its own, commanded over its standard input.

A line is {"do": operation, "job": {…}, "number": n}; the answer is the reply, or {"error": …} with the error
in a line. The first answer comes unasked: {"kernel": …}. Anything else printed goes to the error output.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import IO

from attrs import asdict

from bench.contenders import kernel
from bench.jobs import Job
from bench.session import Session
from ivme.processes.lines import take_stdout


def serve(session: Session, commands: Iterable[str], answers: IO[str]) -> None:
    """Run commands until there are no more."""

    def answer(given: dict[str, object]) -> None:
        answers.write(json.dumps(given) + "\n")
        answers.flush()

    answer({"kernel": kernel()})
    for line in commands:
        command = json.loads(line)
        try:
            answer(asdict(session.run(command["do"], Job(**command["job"]), command["number"])))
        except Exception as error:
            text = str(error).splitlines()[:1]
            answer({"error": ": ".join([type(error).__name__, *text])})


def main() -> None:
    """Serve; the standard output is for answers alone."""
    answers = take_stdout()
    serve(Session(), sys.stdin, answers)
    answers.flush()
    os._exit(0)  # threads of contenders may never end


if __name__ == "__main__":
    main()
