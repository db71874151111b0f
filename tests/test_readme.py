"""The READMEs lead to every page, and no link of the documentation leads nowhere."""

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


@pytest.mark.parametrize("readme", ["README.md", "README.ko.md"])
def test_a_readme_lists_every_page_in_its_language(readme: str) -> None:
    linked, korean = _links(HERE / readme), {page for page in PAGES if page.name.endswith(".ko.md")}
    for page in set(PAGES) - korean:
        twin = page.with_suffix(".ko.md")
        wanted = twin if readme == "README.ko.md" and twin in korean else page
        assert wanted in linked, wanted.relative_to(HERE)


@pytest.mark.parametrize(
    "page", [HERE / "README.md", HERE / "README.ko.md", *PAGES], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    assert [str(link) for link in _links(page) if not link.exists()] == []
