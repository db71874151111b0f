"""The READMEs lead to the starts and the index (the site is built from it, every page in it), and no link of the documentation leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent
PAGES = sorted(page for page in (HERE / "docs").rglob("*.md") if page.parent.name != "decisions")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def _links(page: Path) -> set[Path]:
    found = (link for link in LINK.findall(page.read_text("utf-8")) if "://" not in link)
    return {(page.parent / link).resolve() for link in found}


@pytest.mark.parametrize(("readme", "suffix"), [("README.md", ".md"), ("README.ko.md", ".ko.md")])
def test_a_readme_leads_to_the_starts_and_to_all_pages_in_its_language(readme: str, suffix: str) -> None:
    starts = {page for page in PAGES if page.parent.name == "start" and "".join(page.suffixes) == suffix}
    assert starts
    assert {*starts, HERE / "docs" / f"index{suffix}"} <= _links(HERE / readme)


@pytest.mark.parametrize(
    "page", [HERE / "README.md", HERE / "README.ko.md", *PAGES], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    assert [str(link) for link in _links(page) if not link.exists()] == []
