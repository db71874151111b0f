"""The documentation as a site, one build for each language: `make docs`."""

import re
from pathlib import PurePosixPath

from sphinx.application import Sphinx

tags = globals()["tags"]  # given by Sphinx: `-t ko` builds the Korean pages
KOREAN = tags.has("ko")

project = "해치 · Haechi" if KOREAN else "Haechi · 해치"
language = "ko" if KOREAN else "en"
root_doc = "index.ko" if KOREAN else "index"
extensions = ["myst_parser"]
myst_heading_anchors = 3
include_patterns = ["**.ko.md"] if KOREAN else ["**.md"]
# Decisions are the project's diary: they stay with the code.
exclude_patterns = ["decisions", "notebooks", *([] if KOREAN else ["**.ko.md"])]
suppress_warnings = ["misc.highlighting_failure"]  # YAML and JSON with an ellipsis are shown as they are

html_theme = "furo"
html_title = project
html_show_sphinx = False
html_copy_source = False
html_permalinks_icon = "#"
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "language.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}


def setup(app: Sphinx) -> None:
    """Every page leads to the same page in the other language, and no link leads out of the site."""
    app.connect("source-read", _keep_links_inside)
    app.connect("html-page-context", _add_twin)


def _keep_links_inside(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = re.sub(
        r"(?<!!)\[([^\]]*)\]\(([^)\s:#]+)(#[^)]*)?\)", lambda found: _link(docname, found), source[0]
    )


def _link(docname: str, found: re.Match[str]) -> str:
    """A link to the other language leads to the other build; one to a file of the project is just its name."""
    words, target, _ = found.groups(default="")
    here = PurePosixPath(docname).parent
    steps = list[str]()
    for part in (*here.parts, *PurePosixPath(target).parts):
        if part == ".." and not steps:
            return words
        steps = steps[:-1] if part == ".." else [*steps, part]
    if steps[:1] in (["decisions"], ["notebooks"]):
        return words
    if target.endswith(".md") and target.endswith(".ko.md") != KOREAN:
        up = "../" * (len(here.parts) + 1)
        return (
            f'<a href="{up}{"en" if KOREAN else "ko"}/{"/".join(steps).removesuffix(".md")}.html">{words}</a>'
        )
    return found[0]


def _add_twin(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, object], doctree: object
) -> None:
    if pagename in ("search", "genindex"):
        twin = pagename
    else:
        twin = pagename.removesuffix(".ko") if KOREAN else f"{pagename}.ko"
    up = "../" * (pagename.count("/") + 1)
    context["twin"] = f"{up}{'en' if KOREAN else 'ko'}/{twin}.html"
    context["twin_name"] = "English" if KOREAN else "한국어"
