"""Run a Python engine in a process of its own, which speaks the JSON-lines protocol (spec/PROTOCOL.md).

    python -m ivme.conformance.serve my_module:MyEngine [EPSILON]

For engines that may crash the whole process.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import IO

from ivme.conformance.engines import batches, python_factory
from ivme.conformance.protocol import EngineUnderTest, Factory
from ivme.formats.traces import decode_update, encode_value
from ivme.processes.lines import take_stdout


def serve(make: Callable[[str], Factory], requests: IO[str], replies: IO[str]) -> None:
    """Answer requests until they end; `make(free)` gives the factory of a head.  Exceptions are refusals."""
    engine: EngineUnderTest | None = None
    for line in requests:
        request = json.loads(line)
        reply: dict[str, object] = {"ok": True}
        if "close" in request:
            return
        try:
            if "open" in request:
                engine = make(request["open"]["free"])()
            assert engine is not None
            if "update" in request:
                engine.update(*decode_update(request["update"]))
            elif "batch" in request:
                batches(engine, map(decode_update, request["batch"]))
        except Exception as error:
            reply = {"refused": f"{type(error).__name__}: {error}"}
        if "query" in request and engine is not None:
            reply = {"rows": [[[encode_value(value) for value in row], m] for row, m in engine.rows()]}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def main() -> None:
    """Serve the engine of the command line; what it prints goes to the error output."""
    text, *rest = sys.argv[1:]
    serve(lambda free: python_factory(text, free, rest[0] if rest else None), sys.stdin, take_stdout())


if __name__ == "__main__":
    main()
