"""Haechi scores conversational AI with rubrics one can trust.

>>> import haechi
>>> haechi.rubric("ubica").range("sum")
(9.0, 45.0)
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself would double the time that `haechi --help` takes
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any

    from haechi import stats
    from haechi.rubrics import Rubric
    from haechi.rubrics.model import Missing
    from haechi.scoring.score_table import ScoreTable
    from haechi.study import Study

__version__ = "0.1.0"
__all__ = ["Study", "rubric", "score", "stats"]


def rubric(id_or_path: str | Path) -> Rubric:
    """A built-in instrument by id, or the user's own rubric file by path; checked before it is returned.

    >>> rubric("maice-qac").edition
    'v4.3'
    """
    from haechi.rubrics import find_rubric

    return find_rubric(id_or_path)


def score(
    source: str | Path | Sequence[str | Path] | object,
    rubric: str | Path | Rubric | None = None,
    by: str | Sequence[str] = (),
    missing: Missing | None = None,
    exclude: tuple[str, ...] = (),
    advance: Callable[[int], None] = lambda _: None,
) -> ScoreTable:
    """The scores of a study, of one or more files (agent runs, or one table of ratings), or of a data frame.

    A study has its rubric; anything else needs one. `by` names fields to group the summary by, two with a comma
    between them cross them.

    >>> import polars as pl
    >>> ratings = pl.DataFrame({"item": ["d1", "d2"], "rater": ["kim", "kim"], "sympathy": [1, 0]})
    >>> score(ratings, rubric="diary-comment").summary[0].scores["sympathy"].mean
    0.5
    """
    from pathlib import Path

    from haechi.scoring.sources import need_rubric, score_files, score_frame
    from haechi.store.folder import is_study

    fields = [by] if isinstance(by, str) else by
    targets = [source] if isinstance(source, str | Path) else source
    if not isinstance(targets, list | tuple):
        return score_frame(targets, need_rubric(rubric, type(source).__name__), fields, exclude, missing)
    if len(targets) == 1 and is_study(Path(targets[0])):
        from haechi.study import Study

        return Study(targets[0]).scores(fields, missing, exclude, advance).checked()
    return score_files(targets, need_rubric(rubric, str(targets[0])), fields, exclude, missing, advance)


def __getattr__(name: str) -> Any:
    # Imported when first asked for, so that `haechi --help` answers at once.
    from importlib import import_module

    if name == "Study":
        return import_module("haechi.study").Study
    if name == "stats":
        return import_module("haechi.stats")
    raise AttributeError(f"module 'haechi' has no attribute {name!r}")
