"""How a page looks in every size and in the dark: what axe finds, what sticks out sideways, and a picture on demand."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from browser import serious

SIZES = {"phone": (390, 844), "tablet": (820, 1180), "desktop": (1280, 860)}
WAYS = [(size, scheme) for size in ("phone", "desktop") for scheme in ("light", "dark")]
HEIGHT = 6000  # of a picture at most
PICTURES = os.environ.get("HAECHI_PICTURES")
"""A folder for a picture of every page that is looked at, in three sizes: to be seen by somebody."""

# axe does not look into what is folded.
UNFOLD = "for (const one of document.querySelectorAll('details:not([open])')) { one.open = true; one.dataset.folded = ''; }"
FOLD = "for (const one of document.querySelectorAll('details[data-folded]')) { one.open = false; delete one.dataset.folded; }"

# What scrolls is reached by keyboard: Chromium lets every such part be focused by itself, other browsers do not, nor does axe mind.
UNREACHED = """
() => [...document.querySelectorAll('body *')].filter(one => {
  const style = getComputedStyle(one);
  const scrolls = (side, over) => ['auto', 'scroll'].includes(style[side]) && over > 1;
  if (!one.checkVisibility() || one.matches('textarea, select')) return false;
  if (!scrolls('overflowY', one.scrollHeight - one.clientHeight) && !scrolls('overflowX', one.scrollWidth - one.clientWidth)) return false;
  const inside = 'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]';
  return !one.matches('[tabindex="0"]') && one.querySelector(inside) === null;
}).map(one => one.outerHTML.slice(0, 120))
"""


class Looks:
    """Looks at page after page; `whole` in every way, or else in one of the ways in turn."""

    def __init__(self, lang: str, whole: bool) -> None:
        self.lang, self.faults, self.seen = lang, list[str](), list[str]()
        self.whole, self._turn = whole, itertools.cycle(WAYS)

    def settings(self) -> dict[str, Any]:
        """How a browser is opened for it."""
        return {"locale": {"ko": "ko-KR", "en": "en-US"}[self.lang], "reduced_motion": "reduce"}

    def __call__(self, page: Any, name: str) -> None:
        """Look at the page as it stands now."""
        self.seen.append(name)
        page.wait_for_load_state()
        if page.get_attribute("html", "lang") != self.lang:
            self.faults.append(f"{name}: not in {self.lang}")
        for size, scheme in self._ways():
            width, height = SIZES[size]
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            where = f"{name} {self.lang} {size} {scheme}"
            if PICTURES:
                _picture(page, where)
            page.evaluate(UNFOLD)
            if size != "tablet":
                self.faults += [f"{where}: {found}" for found in serious(page, whole=self.whole)]
            self.faults += [f"{where}: no key scrolls {found}" for found in page.evaluate(UNREACHED)]
            if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
                self.faults.append(f"{where}: wider than the screen")
            page.evaluate(FOLD)
        page.set_viewport_size(dict(zip(("width", "height"), SIZES["desktop"], strict=True)))

    def _ways(self) -> Iterator[tuple[str, str]]:
        if not self.whole:
            yield next(self._turn)
            return
        yield from WAYS
        if PICTURES:
            yield "tablet", "light"


def _picture(page: Any, where: str) -> None:
    path = Path(PICTURES or ".") / f"{where.replace('/', '_').replace(' ', '-')}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    clip = page.evaluate("({width: innerWidth, height: document.documentElement.scrollHeight})")
    box = {"x": 0, "y": 0, "width": clip["width"], "height": min(clip["height"], HEIGHT)}
    page.screenshot(path=str(path), full_page=True, clip=box)
