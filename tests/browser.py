"""A real browser over a page: Debian's chromium, driven by playwright.

Tests that need it carry the marker ``browser`` and are skipped, with the reason, where there is
none; `.ci/run` installs it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

CHROMIUM = os.environ.get("AWRLENS_CHROMIUM") or shutil.which("chromium")
ABSENT = "no chromium: install Debian's package, or set AWRLENS_CHROMIUM"
#: Milliseconds for anything that a busy machine may delay.
PATIENCE_MS = 300_000
expect.set_options(timeout=PATIENCE_MS)
#: What keeps chromium from asking for anything of its own.
_QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip


class Opened:
    """A page in the browser, and what it asked for and complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on(
            "console",
            lambda said: (
                self.complaints.append(said.text) if said.type in ("error", "warning") else None
            ),
        )


@contextmanager
def opened(
    file: Path, width: int = 1024, height: int = 900, scheme: str = "light"
) -> Iterator[Opened]:
    """A file in a window of its own, which shares nothing with another."""
    with visited(file.as_uri(), width, height, scheme) as found:
        yield found


@contextmanager
def visited(
    address: str, width: int = 1024, height: int = 900, scheme: str = "light", *,
    javascript: bool = True,
) -> Iterator[Opened]:  # fmt: skip
    """The same for an address."""
    context = _started()[1].new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",  # a page that scrolls slowly is no other page
        java_script_enabled=javascript,
    )
    context.set_default_timeout(PATIENCE_MS)
    try:
        found = Opened(context.new_page())
        found.page.goto(address)
        yield found
    finally:
        context.close()


@cache
def _started() -> tuple[Playwright, Browser]:
    """One browser for the tests that follow each other (conftest.py)."""
    playwright = sync_playwright().start()
    return playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=list(_QUIET))


def close() -> None:
    """The end of the browser, if there is one."""
    if _started.cache_info().currsize:
        playwright, browser = _started()
        browser.close()
        playwright.stop()
        _started.cache_clear()
