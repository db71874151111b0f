"""`docs/performance.md`, from the results that were kept."""

from __future__ import annotations

from pathlib import Path

from bench.results import load, measured_on

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"

TITLES = {
    "startup": "Starting, and what is installed",
    "runs": "Scoring agent runs",
    "large_study": "A study of very many agent runs",
    "growth": "How cost grows with the number of rows",
    "agreement": "Agreement statistics",
    "agree_file": "Agreement of a large table",
    "rank": "Strengths from votes",
    "asking": "Asking an agent",
    "judge": "Judging",
    "judging_again": "Judging that goes on",
    "workers": "Judging with several workers",
    "desk": "The rating desk under load",
    "browse": "The item browser",
    "items": "Adding dialogues",
    "imports": "Importing ratings",
}

INTRODUCTION = """# Performance

[한국어](performance.ko.md)

Measured by `make bench` on two shared cores; this page is written by `make performance` from what the last run kept in
`bench/measured`, of every table with its day. Seconds depend on the machine, so look at the ratios: both sides of a ratio were measured in one run.
`python -m bench compare` measures again and fails where a ratio has become worse by more than a third.
"""


def text() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for name, title in TITLES.items():
        results = load(name)
        if results:
            parts.append(f"## {title}\n\nMeasured on {measured_on(name)}.\n")
            parts += [f"**{result.title}**\n\n{result.markdown()}\n" for result in results]
    return "\n".join(parts)


def write() -> None:
    """Put the page in its place."""
    PAGE.write_text(text(), encoding="utf-8")
