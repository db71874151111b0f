"""A real browser in front of a real server."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from visitors import Desk

from haechi.web.server import LOOPBACK, server_of

# A page in a window of its own has a box for addresses, and what pops up under it is two pages more, which nobody sees here and
# which took three quarters of the processor's time of an empty page. What follows is Playwright's own list: ours is in its place.
WITHOUT = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
    "SpareRendererForSitePerProcess",  # a process in reserve for every page, and no page here goes to another site
)
FLAGS = [
    "--disable-features=" + ",".join(WITHOUT),
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _find_chromium() -> str | None:
    """The path of a Chromium on this machine; HAECHI_CHROMIUM names another one."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("HAECHI_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


CHROMIUM = _find_chromium()
in_a_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium found: install it (`make browser`) or name it in HAECHI_CHROMIUM"
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser for a file's tests; as long as it is open, no other test can begin an event loop of its own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


# With HAECHI_DELAY=0.5 every answer of the server takes up to half a second and the browser is slow: what a test does not wait
# for, it then does not find. A test that passes on a quick machine only is found by that, not by a machine that is busy.
DELAY = float(os.environ.get("HAECHI_DELAY", "0"))


def _delayed(app: Any) -> Any:
    async def late(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(random.uniform(0, DELAY))
        await app(scope, receive, send)

    return late if DELAY else app


@contextmanager
def served(desk: Desk, port: int = 0, trusted: Sequence[str] = LOOPBACK) -> Iterator[str]:
    """Serve a desk; gives its address."""
    server = server_of(_delayed(desk.app), trusted)
    server.config.port = port
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    socket = server.servers[0].sockets[0]
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}{desk.options.base}"
    finally:
        server.should_exit = True
        thread.join()


def arrive(page: Any, selector: str) -> None:
    """Wait for the page that a click opens: for what stands on it, and for its scripts, which run when all of it is read."""
    page.wait_for_selector(selector)
    page.wait_for_load_state()


def wait_saved(page: Any) -> None:
    """Wait until every answer is with the server."""
    page.wait_for_selector(".save.saved")


def wait_fetched(page: Any, count: int) -> None:
    """Wait until so many items after the first are there, so that they can be answered without a connection."""
    wanted = "count => performance.getEntriesByType('resource').filter(it => it.name.includes('/desk/items/') && it.responseEnd > 0).length > count"
    page.wait_for_function(wanted, arg=count)


def wait_until(page: Any, condition: Callable[[], bool]) -> None:
    """Wait for something behind the page."""
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        page.wait_for_timeout(20)


# Of rows, chips and marks that are made alike axe would find the same again and again, in minutes of the processor's time: the first
# two and the last of their kind are looked at. Of a kind are those whose classes, styles and roles are the same inside and out.
LEAVE_A_FEW = """() => {
  const told = new Set(['class', 'style', 'role', 'type', 'tabindex', 'fill', 'scope', 'lang']);
  const left = [], numbers = new Map();
  const kind = element => {
    const children = Array.from(element.children), kinds = children.map(kind);
    const seen = new Map(), last = new Map(kinds.map((one, place) => [one, place]));
    children.forEach((child, place) => {
      seen.set(kinds[place], (seen.get(kinds[place]) ?? 0) + 1);
      const few = seen.get(kinds[place]) <= 2 || place === last.get(kinds[place]);
      if (!few && !child.contains(document.activeElement)) left.push([child, document.createComment('')]);
    });
    const attributes = Array.from(element.attributes, ({name, value}) => [name, told.has(name) ? value : value.trim() !== '']);
    const words = Array.from(element.childNodes).some(one => one.nodeType === Node.TEXT_NODE && one.data.trim());
    const inside = JSON.stringify([element.localName, words, attributes.sort(), [...seen.keys()].sort()]);
    if (!numbers.has(inside)) numbers.set(inside, numbers.size);
    return numbers.get(inside);
  };
  kind(document.body);
  for (const [child, place] of left) child.replaceWith(place);
  window.putBack = () => left.reverse().forEach(([child, place]) => place.replaceWith(child));
}"""


def serious(page: Any, rules: Sequence[str] = (), whole: bool = False) -> list[str]:
    """What axe finds on a page by all its rules or by some, of whatever impact; `whole` with all that is made alike."""
    from pathlib import Path

    import axe_playwright_python

    # Run through the debugger: the page's own policy lets no such script in.
    if not page.evaluate("'axe' in window"):
        page.evaluate((Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8"))
    wanted = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    if not whole:
        page.evaluate(LEAVE_A_FEW)
    found = page.evaluate("wanted => axe.run(document, wanted)", wanted)["violations"]
    if not whole:
        page.evaluate("putBack()")
    return [
        f"{rule['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:160]}"
        for rule in found
        for node in rule["nodes"]
        # axe does not hear a formula, which screen readers read aloud: a head of a transcript's table may be nothing else.
        if not (rule["id"] == "empty-table-header" and "<math" in node["html"])
    ]


@pytest.fixture
def visit(chromium):
    """Open a link in a browser of its own; errors on the page fail the test."""
    contexts, errors = [], []

    def opened(address, wait=".item", **settings):
        settings = {"viewport": {"width": 1280, "height": 860}, "locale": "ko-KR", **settings}
        context = chromium.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        if DELAY:
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
        page.set_default_timeout(60_000)  # a busy machine is no fault of the page
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if "Refused" in said.text else None)
        page.add_init_script("localStorage.setItem('haechi help', 'shown')")
        page.goto(address)
        page.wait_for_selector(wait)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


def press(page, keys):
    for key in keys:
        page.keyboard.press(key)


def step(page, act):
    """Go to another item, or to the last page; the page may have to fetch it first."""
    before = page.inner_text(".top .count")
    act()
    page.wait_for_function(
        "before => document.querySelector('.top .count')?.innerText !== before || document.querySelector('.finished h2')",
        arg=before,
    )


def step_by_key(page, keys):
    """Go from item to item by keys."""
    for key in keys:
        step(page, lambda pressed=key: page.keyboard.press(pressed))


def tap_value(page, field, value):
    """Tap a value on a phone; the click comes some time after the finger is gone."""
    page.tap(f"[data-field={field}] [data-value='{value}']")
    page.wait_for_selector(f"[data-field={field}] input[value='{value}']:checked", state="attached")


def tap_form(page):
    """Tap the side with the questions on a phone."""
    page.tap("[data-tab=form]")
    page.wait_for_selector(".panes[data-shown=form]")


def finish_items(page, keys, count):
    """Answer items by keyboard, one after the other."""
    for _ in range(count):
        press(page, keys)
        step_by_key(page, ["Enter"])
