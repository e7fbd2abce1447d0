"""What tests ask of a page: what it fetched and complained of, and whether it fits and can be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from attrs import define, field
from playwright.sync_api import Browser, Page, expect

REBOUND = "rebound.example"
"""A foreign name that the browser resolves to this machine."""

PATIENCE = 30_000
"""Milliseconds to wait for what must come; a busy machine is slow."""

expect.set_options(timeout=PATIENCE)

Scheme = Literal["light", "dark"]
SCREENS: list[tuple[int, Scheme]] = [(360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")]


@define
class Seen:
    """A page with all that it fetched and all that it complained of."""

    page: Page
    requests: list[str] = field(factory=list)
    complaints: list[str] = field(factory=list)

    def ask(self, script: str) -> Any:
        """What a script says of the page."""
        return self.page.evaluate(script)


@contextmanager
def opened(browser: Browser, url: str, width: int = 1440, scheme: Scheme = "light") -> Iterator[Seen]:
    """A page on a screen of a given width."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    try:
        seen = Seen(context.new_page())
        seen.page.set_default_timeout(PATIENCE)
        seen.page.on("request", lambda request: seen.requests.append(request.url))
        seen.page.on("console", lambda message: seen.complaints.append(message.text))
        seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        seen.page.goto(url)
        yield seen
    finally:
        context.close()


def overflow(seen: Seen) -> int:
    """By how much the page is wider than the screen."""
    found = seen.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert isinstance(found, int)
    return found


def hard_to_read(seen: Seen) -> list[str]:
    """Texts whose contrast with what lies behind them is below 4.5 to 1, and lines and marks below 3 to 1."""
    found = seen.ask(CONTRAST)
    assert isinstance(found, dict)
    assert found["texts"] > 20
    problems: list[str] = found["problems"]
    return problems


def cut_off(seen: Seen) -> list[str]:
    """Texts of pictures that reach beyond their picture."""
    problems: list[str] = seen.ask(CUT_OFF)
    return problems


CONTRAST = """() => {
  const channels = (text) => text.match(/[\\d.]+/g).map(Number);
  const level = (c) => c / 255 <= 0.04045 ? c / 255 / 12.92 : Math.pow((c / 255 + 0.055) / 1.055, 2.4);
  const bright = ([r, g, b]) => 0.2126 * level(r) + 0.7152 * level(g) + 0.0722 * level(b);
  const contrast = (one, two) => {
    const [low, high] = [bright(one), bright(two)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const painted = channels(getComputedStyle(at).backgroundColor);
      if (painted.length === 3) return painted;
      if (painted[3] !== 0) throw new Error("a background is half transparent");
    }
    throw new Error("nothing is behind the page");
  };
  const shown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
  const problems = [];
  let texts = 0;
  const note = (what, ratio, least) => { if (ratio < least) problems.push(`${what}: ${ratio.toFixed(2)}`); };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = walker.currentNode.textContent.trim();
    if (!text || !shown(element)) continue;
    if (["SCRIPT", "STYLE", "title", "desc", "OPTION"].includes(element.tagName)) continue;
    texts += 1;
    const style = getComputedStyle(element);
    const inSvg = element.namespaceURI.endsWith("svg");
    const inside = inSvg && !element.classList.contains("note");
    const node = inside && element.parentElement.querySelector(":scope > .node");
    const ground = node ? channels(getComputedStyle(node).fill) : behind(element);
    note(text, contrast(channels(inSvg ? style.fill : style.color), ground), 4.5);
  }
  for (const element of document.querySelectorAll("svg .line, svg .mark, svg .edge, svg .node")) {
    const stroke = getComputedStyle(element).stroke;
    if (!shown(element) || stroke === "none" || element.classList.contains("rule")) continue;
    note(element.getAttribute("class"), contrast(channels(stroke), behind(element)), 3);
  }
  return { texts, problems: [...new Set(problems)] };
}"""

CUT_OFF = """() => [...document.querySelectorAll("svg text")].filter((text) => {
  const inner = text.getBoundingClientRect(), outer = text.ownerSVGElement.getBoundingClientRect();
  return inner.width > 0 && (inner.left < outer.left - 1 || inner.right > outer.right + 1
    || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1);
}).map((text) => text.textContent)"""
