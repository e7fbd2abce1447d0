"""Run a Python engine in a process of its own, which speaks the JSON-lines protocol (spec/PROTOCOL.md).

    python examples/engines/serve.py turso_engine:TursoEngine

For engines that may crash the whole process, or that must not share one with the kit.
"""

import json
import sys
from importlib import import_module

from ivme.formats.traces import decode_update, encode_answer


def serve(factory) -> None:
    """Answer requests on the standard input until it ends; `factory(free)` makes the engine."""
    engine = None
    for line in sys.stdin:
        ((kind, body),) = json.loads(line).items()
        reply = {"ok": True}
        try:
            if kind == "open":
                engine = factory(body["free"])
            elif kind == "update":
                engine.update(*decode_update(body))
            elif kind == "batch":
                engine.batch([decode_update(update) for update in body])
            elif kind == "query":
                reply = {"rows": [entry for row in engine.rows() for entry in encode_answer(dict([row]))]}
            elif kind == "close":
                return
        except ValueError as error:
            reply = {"refused": str(error)}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    module, _, name = sys.argv[1].partition(":")
    serve(getattr(import_module(module), name))
