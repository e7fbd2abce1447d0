"""The cells of an input: keys, which are never missing; signs, also as words; and times."""

from __future__ import annotations

import re
from collections.abc import Hashable
from datetime import date, datetime, time
from fractions import Fraction

from ivme.graph.spans import Time, exact_time
from ivme_spec.errors import InputError, MultiplicityError
from ivme_spec.rings import integer

INTEGER = re.compile("0|-?[1-9][0-9]{0,4299}")
"""A CSV value that is an integer."""
SIGNED = re.compile("[+-]?[0-9]{1,4300}")
NUMBER = re.compile(r"[+-]?[0-9]{1,1000}(\.[0-9]{1,1000})?")
"""A CSV value that is a time in numbers."""
INSERT = ("+", "i", "insert", "add", "t", "true")
DELETE = ("-", "d", "delete", "remove", "f", "false")
WORDS = dict.fromkeys(INSERT, 1) | dict.fromkeys(DELETE, -1)
MISSING = ("none", "null", "nan", "\\n")
"""What programs write in CSV for a missing value, in any case; others leave it empty."""


def text_key(text: str) -> Hashable:
    """A CSV value as a key: an integer if it is written as one.  Bad input: an `InputError`."""
    if INTEGER.fullmatch(text):
        return int(text)
    if text.lower() in MISSING:
        raise InputError(f"a value is {text!r}, which means none (--strings takes it as text)")
    return plain_key(text)


def plain_key(text: str) -> Hashable:
    """A CSV value as a key that is text.  Bad input: an `InputError` if it is empty."""
    if not text:
        raise InputError("a value is empty")
    return text


def key(value: Hashable) -> Hashable:
    """A typed value as a key.  Bad input: an `InputError` for null and NaN, also within a tuple."""
    if value is None or value != value:
        raise InputError(f"a value is {'null' if value is None else 'NaN'}, which is none")
    if isinstance(value, tuple):
        for part in value:
            key(part)
    return value


def sign(value: object, name: str) -> int:
    """A multiplicity: an integer, a decimal text, or a word.  Bad input: an `InputError`."""
    if isinstance(value, bool):
        return 1 if value else -1
    if not isinstance(value, str):
        try:
            return integer(value)
        except MultiplicityError as error:
            raise MultiplicityError(str(error).replace("multiplicity", name, 1)) from error
    if word := WORDS.get(value.lower()):
        return word
    if SIGNED.fullmatch(value):
        return int(value)
    words = ", ".join(map("/".join, zip(INSERT, DELETE, strict=True)))
    raise MultiplicityError(f"{name} {value[:80]!r} is not an integer and none of {words}")


def moment(value: object, name: str) -> Time:
    """A time: a number, also as decimal text, or a date as in ISO 8601.  Bad input: an `InputError`."""
    if isinstance(value, str):
        return _written_moment(value, name)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return exact_time(value)


def _written_moment(text: str, name: str) -> Time:
    if NUMBER.fullmatch(text):
        return exact_time(Fraction(text))
    try:
        return exact_time(datetime.fromisoformat(text))
    except ValueError as error:
        raise InputError(
            f"{name} {text[:80]!r} is neither a number nor a date as in 2024-03-31T12:00:00"
        ) from error
