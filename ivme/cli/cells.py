"""The cells of an input: keys, which are never missing, and signs, also as words."""

from __future__ import annotations

import re
from collections.abc import Hashable

from ivme_spec.errors import InputError, MultiplicityError
from ivme_spec.rings import integer

INTEGER = re.compile("0|-?[1-9][0-9]{0,4299}")
"""A CSV value that is an integer."""
SIGNED = re.compile("[+-]?[0-9]{1,4300}")
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
