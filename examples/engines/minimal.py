"""The smallest engine for the JSON-lines protocol (spec/PROTOCOL.md): recompute by definition.

python examples/engines/minimal.py
"""

import json
import sys
from collections import Counter

relations = {"R": Counter(), "S": Counter(), "T": Counter()}
free = ""


def value(given):
    """A JSON value as something hashable; integers, strings and null are themselves."""
    return tuple(map(value, given["tuple"])) if isinstance(given, dict) else given


def json_value(given):
    return {"tuple": list(map(json_value, given))} if isinstance(given, tuple) else given


def apply(relation, x, y, multiplicity):
    relations[relation][value(x), value(y)] += multiplicity


def rows():
    answer = Counter()
    for (a, b), r in relations["R"].items():
        for (b2, c), s in relations["S"].items():
            if b == b2 and (m := r * s * relations["T"][c, a]):
                answer[tuple({"A": a, "B": b, "C": c}[variable] for variable in free)] += m
    return [[list(map(json_value, row)), m] for row, m in answer.items()]


for line in sys.stdin:
    request = json.loads(line)
    reply = {"ok": True}
    if "open" in request:
        free = request["open"]["free"]
    elif "update" in request:
        relation, x, y, multiplicity = request["update"]
        if relations[relation][value(x), value(y)] + multiplicity < 0:
            reply = {"refused": "fewer copies are there"}
        else:
            apply(*request["update"])
    elif "batch" in request:
        for update in request["batch"]:
            apply(*update)
    elif "query" in request:
        reply = {"rows": rows()}
    elif "close" in request:
        break
    print(json.dumps(reply), flush=True)
