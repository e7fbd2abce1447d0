"""The report in a browser: from a file, without a network, on narrow and wide screens, light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from ivme.report import write_report
from ivme.verify.results import Results
from tests.browser.looking import SCREENS, Scheme, cut_off, hard_to_read, opened, overflow
from tests.report.sample import EMPTY, results


@pytest.fixture(scope="module")
def found() -> Results:
    return results(broken=True)


@pytest.fixture(scope="module")
def report(found: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ivme-report")
    (folder / "traces").mkdir()
    (folder / "traces" / "hub & spokes #1.jsonl").write_text('{"ivme-trace": 1}\n')
    write_report(found, folder / "index.html")
    return folder / "index.html"


OPEN_ALL = "document.querySelectorAll('details').forEach((details) => { details.open = true; })"


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_it_fits_and_can_be_read(
    browser: Browser, report: Path, artifacts: Path, width: int, scheme: Scheme
) -> None:
    with opened(browser, report.as_uri(), width, scheme) as seen:
        assert overflow(seen) <= 0
        seen.page.screenshot(path=artifacts / f"report-{width}-{scheme}.png", full_page=True)
        seen.ask(OPEN_ALL)
        assert overflow(seen) <= 0
        assert hard_to_read(seen) == []
        assert cut_off(seen) == []
        assert [url for url in seen.requests if url != "data:,"] == [report.as_uri()]
        assert seen.complaints == []


@pytest.mark.parametrize(("width", "wide"), [(360, False), (1440, True)])
def test_each_chart_is_seen_once_and_large_enough(
    browser: Browser, report: Path, width: int, wide: bool
) -> None:
    with opened(browser, report.as_uri(), width) as seen:
        charts = seen.page.locator("svg.chart:visible")
        assert charts.count() == 9 + 2 + 3 + 1
        expect(seen.page.locator(".wide").first).to_be_visible(visible=wide)
        letters = seen.ask(
            "[...document.querySelectorAll('svg text')].filter((t) => t.checkVisibility())"
            ".map((t) => t.getBoundingClientRect().height)"
        )
        assert min(letters) >= 11
        assert seen.page.locator("#tradeoff svg .mark title").count() == 9 * 3 * 7


def test_dark_and_light_differ(browser: Browser, report: Path) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        with opened(browser, report.as_uri(), 1440, scheme) as seen:
            grounds.append(seen.ask("getComputedStyle(document.body).backgroundColor"))
    assert len(set(grounds)) == 2


def test_tables_open_and_show_the_results(browser: Browser, report: Path, found: Results) -> None:
    with opened(browser, report.as_uri(), 360) as seen:
        first = seen.page.locator("#tradeoff figure").first
        expect(first.locator("table")).to_be_hidden()
        first.locator("summary").click()
        expect(first.locator("table")).to_be_visible()
        rows = first.locator("tbody tr")
        wanted = [each for each in found.exponents if (each.free, each.partitioning) == ("", "single")]
        assert rows.count() == len(wanted)
        for number, each in enumerate(wanted):
            cells = rows.nth(number).locator("th, td").all_inner_texts()
            assert cells[:4] == [each.cost, each.epsilon, each.claimed, f"{each.measured:.3f}"]


def test_links_lead_to_traces(browser: Browser, report: Path) -> None:
    with opened(browser, report.as_uri()) as seen:
        expect(seen.page.locator("#verdict")).to_have_text("✗ 2 problems")
        seen.page.locator("#problems a").click()
        seen.page.wait_for_url("**/traces/*")
        assert '"ivme-trace": 1' in seen.page.inner_text("body")


def test_boxes_can_be_scrolled_by_keyboard(browser: Browser, report: Path) -> None:
    with opened(browser, report.as_uri(), 360) as seen:
        box = seen.page.locator("#bounds .box")
        box.focus()
        assert seen.ask("document.activeElement.scrollWidth > document.activeElement.clientWidth")
        seen.page.keyboard.press("ArrowRight")
        for _ in range(200):  # not wait_for_function: it polls by eval, which the page's policy forbids
            if seen.ask("document.activeElement.scrollLeft > 0"):
                break
            seen.page.wait_for_timeout(50)
        else:
            pytest.fail("the box was not scrolled")


def test_empty_results_make_a_page(browser: Browser, tmp_path: Path) -> None:
    write_report(EMPTY, tmp_path / "index.html")
    with opened(browser, (tmp_path / "index.html").as_uri(), 360, "dark") as seen:
        expect(seen.page.locator("#verdict")).to_have_text("✗ Not everything was checked")
        assert overflow(seen) <= 0
        assert seen.complaints == []
