"""`make docs`: the API reference is complete, its links work, and it needs no network."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.packaging.building import MODULES, ROOT, run

CREDIT = ("a", "href", "https://pdoc.dev")
"""pdoc's link to itself, on every page: clicked, not fetched."""
LOADING = re.compile(r"""(?:url\(|@import|\bimport\b[^\n"']*|\bfetch\(|\.src\s*=)\s*["']?(?:https?:)?//""")


class Page(HTMLParser):
    """A page: its text, the addresses and the ids in it, and the text of its scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.addresses: list[tuple[str, str, str]] = []
        self.ids: set[str] = set()
        self.code = ""
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag
        self.addresses += [(tag, name, value or "") for name, value in attrs if name in ("src", "href")]
        self.ids |= {value for name, value in attrs if name == "id" and value}

    def handle_data(self, data: str) -> None:
        if self.inside in ("script", "style"):
            self.code += data


def remote(page: Page) -> list[str]:
    """The references of a page to other machines, except CREDIT."""
    found = [
        f"{tag} {name}={value}"
        for tag, name, value in page.addresses
        if (tag, name, value) != CREDIT and urlsplit(value).hostname not in (None, "127.0.0.1")
    ]
    return found + [match[0] for match in LOADING.finditer(page.code)]


@pytest.mark.parametrize(
    "planted",
    [
        '<script src="https://cdn.example/x.js"></script>',
        '<link rel="stylesheet" href="//cdn.example/x.css">',
        '<a href="http://example.org/">',
        "<style>@import 'https://cdn.example/x.css';</style>",
        "<style>p { background: url(https://cdn.example/x.png) }</style>",
        '<script>import mermaid from "https://cdn.example/x.mjs"</script>',
    ],
)
def test_a_remote_reference_is_found(planted: str) -> None:
    good = '<a href="https://pdoc.dev">pdoc</a><a href="#x">x</a><img src="data:image/svg+xml,x">'
    assert remote(Page(good)) == []
    assert remote(Page(good + planted)) != []


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    """All pages of the reference, by path."""
    folder = tmp_path_factory.mktemp("reference")
    run(sys.executable, ROOT / "tools" / "reference.py", folder, cwd=ROOT)
    return {
        page.relative_to(folder).as_posix(): Page(page.read_text(encoding="utf-8"))
        for page in folder.rglob("*.html")
    }


@pytest.mark.slow
def test_the_reference_has_what_people_look_for(pages: dict[str, Page]) -> None:
    for page, name, words in (
        ("ivme.html", "TriangleView", "<code>free          letters of"),  # a table stays a table
        ("ivme.html", "TriangleView.update", "multiplicity"),
        ("ivme.html", "GraphTriangles.insert", "edge"),
        ("ivme_spec/bounds.html", "query_bounds", "The bounds for a head"),
        ("ivme_reference.html", "Naive", "class"),
        ("ivme/conformance.html", "run", "engine"),
        ("ivme/workloads.html", "hub", "Attacks:"),
        ("ivme/kernel/engine.html", "Engine.on_update-view-source", "def"),  # none, if it were compiled
    ):
        assert name in pages[page].ids, f"{page}#{name}"
        assert words in pages[page].text.partition(f'id="{name}"')[2]


@pytest.mark.slow
def test_every_module_of_the_kernel_has_a_page(pages: dict[str, Page]) -> None:
    assert {module.replace(".py", ".html") for module in MODULES} <= set(pages)


@pytest.mark.slow
def test_every_package_is_in_the_index(pages: dict[str, Page]) -> None:
    linked = {value for tag, _, value in pages["index.html"].addresses if tag == "a"}
    assert set(pages) - {"index.html"} == linked - {CREDIT[2]}


@pytest.mark.slow
def test_no_page_needs_another_machine(pages: dict[str, Page]) -> None:
    assert {name: found for name, page in pages.items() if (found := remote(page))} == {}


@pytest.mark.slow
def test_the_links_between_the_pages_lead_somewhere(pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        for _, _, value in page.addresses:
            to = urlsplit(value)
            if not to.scheme and to.path:
                target = Path("/", name).parent.joinpath(to.path).resolve().relative_to("/").as_posix()
                assert target in pages, f"{name}: {value}"
