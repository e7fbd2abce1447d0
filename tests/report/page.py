"""A strict reader of pages for tests: elements are closed in order, and can be asked for."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

from attrs import define, field

VOID = {"meta", "link", "br", "hr", "img", "input"}


@define
class Element:
    """An element with its attributes, its children, and all text in it in order."""

    tag: str
    attributes: dict[str, str] = field(factory=dict)
    children: list[Element | str] = field(factory=list)

    @property
    def text(self) -> str:
        """All text in it, with single spaces."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child._texts()

    def all(self, tag: str, kind: str = "") -> list[Element]:
        """All elements in it with a tag ("" for any), and a class if one is given."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                if tag in ("", child.tag) and (not kind or kind in child.attributes.get("class", "").split()):
                    found.append(child)
                found += child.all(tag, kind)
        return found

    def by_id(self, name: str) -> Element:
        """The one element with an id."""
        (found,) = (element for element in self.all("") if element.attributes.get("id") == name)
        return found

    def rows(self) -> list[list[str]]:
        """The cells of a table's body."""
        return [
            [cell.text for cell in row.children if isinstance(cell, Element)]
            for row in self.all("tbody")[0].all("tr")
        ]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> has an attribute twice: {names}"
        made = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> at {self.getpos()} closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(text: str) -> Element:
    """The page's root; fails if an element is not closed."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    (root,) = reader.open
    return root
