"""What `haechi import` takes: tables, scores of other tools, results of batches; what files hold is known by their content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from haechi.errors import HaechiError

if TYPE_CHECKING:
    from pathlib import Path

BATCH = "-batch"
_JSON = (".jsonl", ".json", ".eval", ".txt")
_TABLES = ("ratings", "votes")
SCORED = ("inspect", "promptfoo", "deepeval", "healthbench")
"""The tools whose results have scores; `haechi.data.conversations.formats.SCORED` reads them."""


class Forms:
    """What `--as` takes: tables of ratings, scores of other tools, and result files of every provider that has batches."""

    def __contains__(self, form: str) -> bool:
        from haechi.judge.providers import PROVIDERS

        name = form.removesuffix(BATCH)
        found = PROVIDERS.get(name) if name != form else None
        return form in _TABLES or form in SCORED or (found is not None and found.batches)

    def __iter__(self) -> Iterator[str]:
        from haechi.judge.providers import PROVIDERS

        yield from _TABLES
        yield from SCORED
        yield from (f"{name}{BATCH}" for name, found in PROVIDERS.all().items() if found.batches)

    def own(self) -> str:
        """Those that need no other package, for help."""
        from haechi.judge.providers import PROVIDERS

        names = (f"{name}{BATCH}" for name, found in PROVIDERS.own.items() if found.batches)
        return f"{{{','.join([*_TABLES, *SCORED, *names])}}}"


def form_of(files: Sequence[str]) -> str:
    """What files hold by their content: all the same results, or tables of ratings."""
    from pathlib import Path

    paths = [Path(file) for file in files]
    if not all(path.suffix.lower() in _JSON and path.is_file() for path in paths):
        return "ratings"
    found = {_form(path) for path in paths}
    return found.pop() if len(found) == 1 else "ratings"


def _form(path: Path) -> str:
    from haechi.data.conversations.formats import FORMATS
    from haechi.data.conversations.outline import outline_of
    from haechi.judge.providers import PROVIDERS
    from haechi.judge.providers.lines import record_of

    try:
        outline = outline_of(path)
    except HaechiError:
        return "ratings"  # whose reader says what is wrong
    first = record_of(outline.text.lstrip().partition("\n")[0], path.name)
    for name, provider in PROVIDERS.own.items():
        if isinstance(first, dict) and provider.batches and provider.lines.fits(first):
            return name + BATCH
    return next((name for name in SCORED if FORMATS[name].fits(outline)), "ratings")
