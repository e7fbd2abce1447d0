"""JSON lines, each an object or a list; and traces, which are JSON lines with a header."""

from __future__ import annotations

import json
from functools import lru_cache, partial
from typing import IO, cast

from attrs import frozen

from ivme.cli.cells import key
from ivme.cli.headings import RELATIONAL, numbered, numbered_places, places
from ivme.cli.lines import Lines
from ivme.cli.source import Options, Records, Source, Update, update_of
from ivme_spec.errors import InputError


def json_source(lines: Lines, first: str, options: Options) -> Source:
    """The updates of JSON lines, or of a trace.  Bad input: an `InputError`."""
    if first.strip() == "[":
        raise InputError(_whole(lines))
    head = _parsed(first, lines)
    if isinstance(head, dict) and "ivme-trace" in head:
        if options.layout is not RELATIONAL:
            raise InputError(f"{lines.name} is a trace, which is not an edge list: leave --graph out")
        if options.columns is not None:
            raise InputError(f"{lines.name} is a trace, which has its own columns: leave --columns out")
        return _trace_source(lines)
    if isinstance(head, list) and head and all(isinstance(part, list | dict) for part in head):
        raise InputError(_whole(lines))
    return Source(lines.name, _records(lines, options))


def _whole(lines: Lines) -> str:
    return f"{lines.name} is one JSON array: each line must be an update; jq -c '.[]' makes such lines of it"


def _parsed(text: str, lines: Lines) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except InputError as error:
        raise InputError(f"{lines.name}, line {lines.number}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{lines.name}, line {lines.number}: not JSON: {text[:80].strip()!r}") from error


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{twice!r} appears twice")
    return found


def _records(lines: Lines, options: Options) -> Records:
    # the fields of an object have no numbers
    find = lru_cache(64)(partial(places, layout=options.layout, columns=options.columns, numbers=False))
    for text in lines:
        lines.pending = 0
        if not text.strip():
            continue
        given = _parsed(text, lines)
        try:
            if isinstance(given, dict):
                values = list(given.values())
                given = [values[place] for place in find(tuple(given))]
            elif isinstance(given, list) and options.columns is not None:
                if not numbered(options.columns):
                    raise InputError(f"{text[:80].strip()!r} is a list: give --columns its numbers, from 1")
                given = [given[place] for place in numbered_places(options.columns, len(given))]
            yield lines.number, _update(given, text, options)
        except (InputError, RecursionError) as error:
            raise InputError(f"{lines.name}, line {lines.number}: {error}") from error


def _update(given: object, text: str, options: Options) -> Update:
    from ivme.formats.traces import decode_value

    layout = options.layout
    if not isinstance(given, list) or not layout.required <= len(given) <= len(layout.names):
        raise InputError(f"{text[:80].strip()!r} is neither an object nor a list with {layout.shown}")
    return update_of(given, layout, lambda value: key(decode_value(value)))


def _trace_source(lines: Lines) -> Source:
    """The updates of a trace, without those marked as refused; expected answers are for `ivme replay`."""
    from ivme.formats import traces

    lines.longest = traces.LONGEST_LINE
    header, steps = traces.open_trace(cast("IO[str]", _Text(lines)), lines.name)

    def records() -> Records:
        for step in steps:
            if step.kind in ("update", "batch"):
                for relation, x, y, multiplicity in step.updates:
                    try:
                        yield lines.number, (relation, key(x), key(y), multiplicity)
                    except InputError as error:
                        raise InputError(f"{lines.name}, line {lines.number}: {error}") from error

    return Source(lines.name, records(), "line", header.free, header.epsilon, header.ring)


@frozen
class _Text:
    """The part of a text stream that the reader of traces needs."""

    lines: Lines

    def readline(self, limit: int) -> str:
        self.lines.pending = 0
        text = next(self.lines, None)
        return "" if text is None else text
