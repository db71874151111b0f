"""Take the pictures of docs/images from the demo: `python -m bench.pictures`, with Chromium installed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent.parent / "docs" / "images"
HAECHI = [sys.executable, "-m", "haechi.cli.start"]
KOREAN = os.environ | {"HAECHI_LANG": "ko"}
DESK = {"width": 1280, "height": 820}
PHONE = {"viewport": {"width": 390, "height": 800}, "is_mobile": True, "has_touch": True}
PLOTS = ("점수 분포", "총점 분포", "모드별 비교", "AI와 사람")
FOUR_PLOTS = """names => {
    const wanted = [...document.querySelectorAll('figure')].filter(
        one => names.some(name => one.querySelector('figcaption')?.innerText.startsWith(name)));
    document.body.replaceChildren(...wanted);
    document.body.style.cssText = 'display: grid; grid-template-columns: 1fr 1fr; max-width: none; padding: 12px; gap: 8px; margin: 0';
}"""


def said(*words: object) -> str:
    """What a command prints."""
    return subprocess.run(
        [*HAECHI, *map(str, words)], env=KOREAN, check=True, capture_output=True, text=True
    ).stdout


@contextmanager
def served(study: Path) -> Iterator[tuple[str, str]]:
    """Serve a study; gives its address and the owner's link."""
    server = subprocess.Popen(
        [*HAECHI, "serve", study, "--port", "0", "--json"], env=KOREAN, stdout=subprocess.PIPE, text=True
    )
    printed = ""
    while not printed.endswith("}\n"):
        printed += server.stdout.readline() if server.stdout else "}\n"
    links = json.loads(printed)
    try:
        yield links["desk"], links["owner"]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


class Camera:
    """A browser that takes pictures."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def page(self, address: str, wait: str, **settings: Any) -> Any:
        """A page that is there."""
        page = self.browser.new_context(**{"viewport": DESK, "locale": "ko-KR"} | settings).new_page()
        page.add_init_script("localStorage.setItem('haechi help', 'shown')")
        page.goto(address)
        page.wait_for_selector(wait)
        page.wait_for_load_state("networkidle")
        return page

    def take(self, seen: Any, name: str) -> None:
        """Keep what is to be seen of a page or a part of it."""
        quality = {"type": "jpeg", "quality": 72} if name.endswith("jpg") else {}
        seen.screenshot(path=IMAGES / name, **quality)


def desks(camera: Camera, demo: Path) -> None:
    """The rating desk of every instrument."""
    for rubric, name, settings in (
        ("ubica", "desk-ubica.jpg", {}),
        ("diary-comment", "desk-diary-comment.jpg", {}),
        ("hiring-agent", "desk-hiring-agent.jpg", {}),
        ("maice-qac", "desk-maice-qac-dark.jpg", {"color_scheme": "dark"}),
        ("diary-comment", "desk-phone.jpg", PHONE | {"device_scale_factor": 1.5}),
    ):
        with served(demo / rubric) as (address, _):
            rater = "teacher-4" if settings.get("is_mobile") else "teacher-3"
            link = json.loads(said("raters", "add", demo / rubric, rater, "--url", address, "--json"))
            camera.take(camera.page(link["link"], ".item", **settings), name)


def owners(camera: Camera, study: Path) -> None:
    """The dashboard, the item browser and a disputed item."""
    with served(study) as (address, owner):
        page = camera.page(owner, "main.dashboard")
        camera.take(page, "dashboard.jpg")
        page.click(".disputed-list a")
        page.wait_for_selector(".case")
        page.wait_for_load_state("networkidle")
        camera.take(page, "adjudication.jpg")
        page.goto(f"{address}/owner/browse")
        page.wait_for_selector(".item, article")
        page.wait_for_load_state("networkidle")
        camera.take(page, "browse.jpg")


def reports(camera: Camera, study: Path, folder: Path) -> None:
    """The top of the report in both languages, and four of its plots."""
    for lang, scheme in (("ko", "dark"), ("en", "light")):
        said("report", study, "-o", folder / lang, "--lang", lang)
        address = (folder / lang / "report.html").as_uri()
        page = camera.page(address, "h1", color_scheme=scheme, viewport={"width": 825, "height": 1125})
        camera.take(page, f"report-{lang}-{scheme}.png")
    plots = camera.page(
        (folder / "ko" / "report.html").as_uri(), "figure", viewport={"width": 1000, "height": 600}
    )
    plots.evaluate(FOUR_PLOTS, PLOTS)
    camera.take(plots.locator("body"), "report-plots.png")


GALLERY = ("ubica", "hiring-agent", "maice-qac", "diary-comment", "diary-duel", "own-criteria")


def gallery(camera: Camera, demo: Path, folder: Path) -> None:
    """The first screen of every report of the demo, in both languages."""
    for name in GALLERY:
        for lang in ("ko", "en"):
            said("report", demo / name, "-o", folder / f"{name}-{lang}", "--lang", lang)
            address = (folder / f"{name}-{lang}" / "report.html").as_uri()
            page = camera.page(address, "h1", color_scheme="light", viewport={"width": 900, "height": 700})
            camera.take(page, f"gallery-{name}-{lang}.jpg")


def main() -> None:
    """Make the demo, look at it, and keep what is seen."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        demo = Path(folder) / "demo"
        said("demo", demo)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        camera = Camera(browser)
        reports(camera, demo / "maice-qac", Path(folder))
        gallery(camera, demo, Path(folder))
        owners(camera, demo / "maice-qac")
        desks(camera, demo)
        browser.close()


if __name__ == "__main__":
    main()
