"""Documents as attrs objects: JSON is structured by cattrs, and nothing is converted on the way.

Writing needs `attrs.asdict` alone. Reading is strict where cattrs is lenient: "1" and True are no integers,
an object is no list, and every field of a class must be present. Integers are accepted as floats, and keys
of an object become integers where the field says so. cattrs comes with the extras that read documents.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_origin

from attrs import fields, has

from ivme.extras import require
from ivme.formats.documents import Format

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")
Hook = Callable[[Any, Any], Any]
"""Called with a JSON value and the type that it is to have."""


class Structured(Generic[T]):
    """A format whose documents are objects of an attrs class.

    extra   the extra of ivme that brings cattrs, to be named where that is missing
    closed  refuse unknown fields; else they are ignored
    hooks   how to read classes that are not written as objects
    """

    def __init__(
        self,
        kind: type[T],
        form: Format,
        *,
        extra: str,
        closed: bool = False,
        hooks: Mapping[type, Hook] | None = None,
    ) -> None:
        self.kind, self.form, self.extra, self.closed = kind, form, extra, closed
        self.hooks = {**dict.fromkeys((int, bool, str, float), _plain), **(hooks or {})}

    def decode(self, text: str, where: str) -> T:
        """The object of a JSON text.  Bad input: an error of the format that names the place in it."""
        return self._structured(self.form.parsed(text, where), where)

    def read(self, path: str | os.PathLike[str]) -> T:
        """The object of a file.  Bad input: as `decode`, with the name of the file."""
        return self._structured(self.form.read(path), os.fspath(path))

    def _structured(self, given: dict[str, object], where: str) -> T:
        require(f"reading {self.form.what}", self.extra, "cattrs")
        from cattrs import transform_error

        facts = {name: value for name, value in given.items() if name != self.form.key}
        try:
            return self._converter.structure(facts, self.kind)
        except Exception as error:  # cattrs groups what its hooks raise
            reason, _, place = transform_error(error, "$", _reason)[0].rpartition(" @ $")
            text = f"{place.lstrip('.')}: {reason}" if place else reason
            raise self.form.refusal(where, text) from error

    @cached_property
    def _converter(self) -> Converter:
        from cattrs import Converter

        converter = Converter(forbid_extra_keys=self.closed)
        converter.register_structure_hook_func(lambda kind: kind is object, lambda given, _: given)
        for kind, hook in self.hooks.items():
            converter.register_structure_hook(kind, hook)
        for applies, shaped in ((has, _attributes), (_is_tuple, _entries), (_is_mapping, _members)):
            _before(converter, applies, shaped)
        return converter


def _before(converter: Converter, applies: Callable[[Any], bool], shaped: Hook) -> None:
    """Let `shaped` check the JSON value before cattrs' own hook gets it."""
    asking: set[Any] = set()

    def make(kind: Any) -> Hook:
        asking.add(kind)
        try:
            hook = converter.get_structure_hook(kind, cache_result=False)
        finally:
            asking.remove(kind)
        return lambda given, _: hook(shaped(given, kind), kind)

    converter.register_structure_hook_factory(lambda kind: applies(kind) and kind not in asking, make)


def _reason(error: BaseException, _: type | None) -> str:
    """What an error says; cattrs adds the place."""
    extra = getattr(error, "extra_fields", None)
    return f"unknown fields {', '.join(sorted(extra))}" if extra else str(error)


# --- JSON values, before cattrs gets them ---------------------------------------------------------------


def _plain(given: Any, kind: Any) -> Any:
    if kind is float and type(given) is int:
        return float(given)
    if type(given) is not kind:
        raise TypeError(f"{given!r:.80} is not of type {kind.__name__}")
    return given


def _attributes(given: Any, kind: Any) -> Any:
    _must_be(given, dict, "an object")
    if missing := [field.name for field in fields(kind) if field.name not in given]:
        raise TypeError(f"{', '.join(missing)} is missing")
    return given


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _entries(given: Any, kind: Any) -> Any:
    _must_be(given, list, "a list")
    parts = get_args(kind)
    if parts[1:] != (...,) and len(parts) != len(given):
        raise TypeError(f"{given!r:.80} has {len(given)} entries, not {len(parts)}")
    return given


def _is_mapping(kind: Any) -> bool:
    return get_origin(kind) in (dict, Mapping)


def _members(given: Any, kind: Any) -> Any:
    _must_be(given, dict, "an object")
    return {int(name): value for name, value in given.items()} if get_args(kind)[0] is int else given


def _must_be(given: object, kind: type, what: str) -> None:
    if not isinstance(given, kind):
        raise TypeError(f"{given!r:.80} is not {what}")
