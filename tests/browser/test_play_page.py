"""`ivme play` in a browser: every change goes through the real server to the real engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ivme.play import PlayServer
from ivme_reference.naive import Naive
from tests.browser.looking import REBOUND, SCREENS, Scheme, Seen, cut_off, hard_to_read, opened, overflow


@pytest.fixture
def server() -> Iterator[PlayServer]:
    with PlayServer() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture
def seen(browser: Browser, server: PlayServer) -> Iterator[Seen]:
    with opened(browser, server.url) as found:
        expect(found.page.locator("#graph svg")).to_be_visible()
        yield found
        assert [url for url in found.requests if not url.startswith((server.url, "data:,"))] == []


@pytest.fixture
def page(seen: Seen) -> Page:
    return seen.page


def value(page: Page, column: str, name: str) -> str:
    """The selector of a value's first circle or square."""
    place = "ABC".index(column)
    return f'[data-place="{place}:{name}"]'


def choose(page: Page, *ends: tuple[str, str]) -> None:
    for column, name in ends:
        page.locator(value(page, column, name)).click()


def preset(page: Page, name: str) -> None:
    page.locator(f'[data-preset="{name}"]').click()
    expect(page.locator("#status")).to_have_text(f"Preset {name}.")


def edges(page: Page) -> set[str]:
    return set(page.locator("#graph [data-tuple]").evaluate_all("found => found.map(e => e.dataset.tuple)"))


def answer(page: Page) -> list[list[str]]:
    return [row.locator("td").all_inner_texts() for row in page.locator("#answer tbody tr").all()]


def test_clicks_insert_tuples_and_the_answer_is_the_references(seen: Seen) -> None:
    page = seen.page
    reference: Naive[int] = Naive("A")
    for update in (("R", "a1", "b1"), ("S", "b1", "c1"), ("T", "c1", "a1")):
        reference.update(*update, 1)
    page.locator("#query").select_option("A/single")
    expect(page.locator("#answer-text")).to_contain_text("△(a) has 1 row")
    steps = [("R", "a2", "b2"), ("S", "b2", "c1"), ("S", "b1", "c2"), ("T", "c1", "a2"), ("T", "c2", "a1")]
    for relation, x, y in steps:
        choose(page, (x[0].upper(), x), (y[0].upper(), y))
        expect(page.locator("#status")).to_contain_text(f"{relation}({x}, {y}) inserted")
        reference.update(relation, x, y, 1)
        wanted = sorted([*map(str, row), str(m)] for row, m in reference)
        assert sorted(answer(page)) == wanted
        assert f"{relation}({x}, {y})" in edges(page)
    assert answer(page) == [["a1", "2"], ["a2", "1"]]
    assert seen.complaints == []


def test_the_order_of_the_two_values_does_not_matter(page: Page) -> None:
    choose(page, ("A", "a2"), ("C", "c3"))
    expect(page.locator("#status")).to_contain_text("T(c3, a2) inserted")
    assert "T(c3, a2)" in edges(page)


def test_epsilon_moves_the_line_between_heavy_and_light(page: Page) -> None:
    preset(page, "hub")
    hub = page.locator(value(page, "A", "a1"))
    slider = page.locator("#epsilon")
    # |D| = 18, N = 37, degree 8: heavy up to N^ε ≤ 8, so for ε = 1/2 and not for 2/3
    for key, epsilon, heavy in [("", "1/2", True), ("ArrowRight", "2/3", False), ("Home", "0", True)]:
        if key:
            slider.focus()
            slider.press(key)
        expect(page.locator("#epsilon-text")).to_have_text(epsilon)
        expect(hub).to_have_attribute("data-heavy", "R" if heavy else "")
        expect(hub.locator("rect.node")).to_have_count(1 if heavy else 0)
        expect(hub.locator("circle.node")).to_have_count(0 if heavy else 1)
        expect(hub.locator(".note")).to_have_text(f"{'H' if heavy else 'L'} in R, d 8")
        expect(hub).to_have_attribute(
            "aria-label", f"A value a1: {'heavy' if heavy else 'light'} in R with degree 8"
        )


def test_crossing_a_threshold_by_keyboard_rebalances(page: Page) -> None:
    preset(page, "near-threshold")
    first, second = (page.locator(value(page, *end)) for end in (("A", "a1"), ("B", "b8")))
    expect(first).to_have_attribute("data-heavy", "")
    first.focus()
    page.keyboard.press("Enter")
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(first).to_be_focused()
    second.focus()
    page.keyboard.press("Space")
    expect(first).to_have_attribute("data-heavy", "R")
    expect(second).to_be_focused()
    expect(page.locator("#log li").first).to_contain_text("a1 of A became heavy in R")
    expect(page.locator("#status")).to_contain_text("for minor rebalancing")
    minor = page.locator("#costs tbody tr").nth(1).locator("td")
    assert minor.nth(4).inner_text() == "1"
    assert int(minor.nth(1).inner_text()) == int(minor.nth(2).inner_text()) > 0
    parts = {row.split("\t")[1] for row in page.locator("#parts tbody tr").all_inner_texts() if row[0] == "R"}
    assert parts == {"H"}


def test_a_refused_delete_says_so_and_changes_nothing(page: Page) -> None:
    before = (edges(page), answer(page), page.locator("#costs").inner_text())
    page.locator("input[value=delete]").check()
    choose(page, ("A", "a1"), ("B", "b2"))
    expect(page.get_by_role("alert")).to_have_text("R('a1', 'b2') has multiplicity 0: 1 cannot be deleted")
    assert (edges(page), answer(page), page.locator("#costs").inner_text()) == before
    choose(page, ("A", "a1"), ("B", "b1"))
    expect(page.locator("#status")).to_contain_text("R(a1, b1) deleted")
    expect(page.get_by_role("alert")).to_have_text("")
    assert edges(page) == {"S(b1, c1)", "T(c1, a1)"}
    assert answer(page) == []


def test_the_form_inserts_copies_and_new_values_as_text(page: Page) -> None:
    page.locator("#relation").select_option("S")
    expect(page.locator("#x-name")).to_have_text("b")
    page.locator("#x").fill("b1")
    page.locator("#y").fill("<i>c</i>")
    page.locator("#copies").fill("5")
    page.locator("#insert").click()
    expect(page.locator("#status")).to_contain_text("S(b1, <i>c</i>) inserted, 5 copies")
    assert page.locator("i").count() == 0
    assert "S(b1, <i>c</i>)" in edges(page)
    expect(page.locator("#graph text.copies")).to_have_text("5")
    page.locator("#copies").fill("2")
    page.locator("#delete").click()
    expect(page.locator("#graph text.copies")).to_have_text("3")


def test_views_and_parts_are_those_of_the_head(page: Page) -> None:
    page.locator("#query").select_option("ABC/single")
    expect(page.locator("#answer-text")).to_contain_text("△(a, b, c) has 1 row")
    assert answer(page) == [["a1", "b1", "c1", "1"]]
    page.locator("#query").select_option("/double")
    expect(page.locator("#views tbody tr")).to_have_count(4)
    expect(page.locator("#parts tbody tr").first).to_have_text("RLL(a1, b1)")


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_it_fits_and_can_be_read(
    browser: Browser, server: PlayServer, artifacts: Path, width: int, scheme: Scheme
) -> None:
    with opened(browser, server.url, width, scheme) as seen:
        preset(seen.page, "hub")
        seen.page.locator("#query").select_option("AB/single")
        expect(seen.page.locator("#answer-text")).to_contain_text("△(a, b) has 8 rows")
        choose(seen.page, ("A", "a1"))
        seen.page.screenshot(path=artifacts / f"play-{width}-{scheme}.png", full_page=True)
        assert overflow(seen) <= 0
        assert hard_to_read(seen) == []
        assert cut_off(seen) == []
        assert seen.complaints == []


def test_a_foreign_name_for_this_machine_is_refused(browser: Browser, server: PlayServer) -> None:
    """DNS rebinding: the browser believes that it talks to another site, and the server hears so."""
    with opened(browser, f"http://{REBOUND}:{server.server_port}/") as seen:
        body = seen.page.inner_text("body")
        assert "the host of the address must be" in body
        assert server.token not in body


def test_another_sites_page_can_do_nothing(browser: Browser, server: PlayServer) -> None:
    with opened(browser, "data:text/html,<p>evil</p>") as seen:
        for headers in ("{}", "{'X-Ivme-Token': 'x', 'Content-Type': 'application/json'}"):
            said = seen.ask(
                f"fetch('{server.url}act', {{method: 'POST', headers: {headers}, body: '{{}}'}})"
                ".then((reply) => reply.text(), (error) => `failed: ${error.message}`)"
            )
            assert said.startswith("failed")
        page = seen.ask(f"fetch('{server.url}').then((reply) => reply.text(), () => 'failed')")
        assert page == "failed"


def test_a_server_that_went_away_is_said(browser: Browser) -> None:
    with PlayServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        with opened(browser, server.url) as seen:
            expect(seen.page.locator("#graph svg")).to_be_visible()
            server.shutdown()
            thread.join()
            server.server_close()
            choose(seen.page, ("A", "a1"), ("B", "b2"))
            expect(seen.page.get_by_role("alert")).to_contain_text("the server does not answer")
