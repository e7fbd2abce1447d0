"""A headless Chromium, driven by Playwright; where there is none, these tests are skipped and say so.

The browser lives no longer than one module: Playwright's event loop runs in the main thread, where it would
be in the way of other tests. Screenshots are kept in test-artifacts/, for people to look at.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.looking import REBOUND

ARTIFACTS = Path(__file__).resolve().parents[2] / "test-artifacts"
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # a name of another site that leads to this machine, and no other names
    f"--host-resolver-rules=MAP {REBOUND} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"no browser: install one of {', '.join(NAMES)}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def artifacts() -> Path:
    """The folder for screenshots."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS
