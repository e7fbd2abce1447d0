"""attrs objects from what JSON gave, checked field by field.

Enough for classes whose fields are plain values, tuples, dicts of plain values, other such classes, or one of
these or None. The way there is `attrs.asdict`.
"""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from attrs import fields, has

from ivme_spec.errors import InputError

T = TypeVar("T")


class ResultsError(InputError):
    """Results that cannot be read; the message names what is wrong with them."""


def read_plain(kind: type[T], given: object, place: str) -> T:
    """An attrs object from what JSON gave; fields that are not known are ignored."""
    if not isinstance(given, dict):
        raise ResultsError(f"{place}: {given!r:.80} is not an object")
    types = get_type_hints(kind)
    found = {
        field.name: _value(types[field.name], given[field.name], f"{place}.{field.name}")
        for field in fields(kind)  # type: ignore[arg-type]  # attrs' own protocol; `has` was asked
        if field.name in given
    }
    try:
        return kind(**found)
    except TypeError as error:
        raise ResultsError(f"{place}: {error}") from error


def _value(kind: Any, given: object, place: str) -> object:
    """A value of an annotated type: a class of ours, a tuple, a dict of texts, an optional one, or plain."""
    if isinstance(kind, UnionType):
        inner = next(part for part in get_args(kind) if part is not NoneType)
        return None if given is None else _value(inner, given, place)
    if isinstance(kind, type) and has(kind):
        return read_plain(kind, given, place)
    arguments = get_args(kind)
    if get_origin(kind) is tuple:
        if not isinstance(given, list):
            raise ResultsError(f"{place}: {given!r:.80} is not a list")
        if arguments[1:] == (...,):
            arguments = (arguments[0],) * len(given)
        if len(arguments) != len(given):
            raise ResultsError(f"{place}: {given!r:.80} has {len(given)} entries, not {len(arguments)}")
        return tuple(
            _value(part, value, f"{place}[{number}]")
            for number, (part, value) in enumerate(zip(arguments, given, strict=True))
        )
    if get_origin(kind) is dict:
        if not isinstance(given, dict):
            raise ResultsError(f"{place}: {given!r:.80} is not an object")
        return {name: _value(arguments[1], value, f"{place}.{name}") for name, value in given.items()}
    if kind is float and type(given) is int:
        return float(given)
    if type(given) is not kind:
        raise ResultsError(f"{place}: {given!r:.80} is not of type {kind.__name__}")
    return given
