"""Haechi scores conversational AI with rubrics one can trust.

>>> import haechi
>>> haechi.rubric("ubica").range("sum")
(9.0, 45.0)
"""

from __future__ import annotations

from haechi.version import __version__ as __version__

TYPE_CHECKING = False  # typing itself would double the time that `haechi --help` takes
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from haechi import stats
    from haechi.data.fields import Where
    from haechi.data.frames import Columns, Frame
    from haechi.data.progress import Advance
    from haechi.data.tables import TableReading
    from haechi.notebook_study import Study
    from haechi.report.agreement_result import agree
    from haechi.report.comparison_result import compare
    from haechi.report.plans import plan
    from haechi.report.ranking_result import rank
    from haechi.rubrics import Rubric
    from haechi.rubrics.model import Missing
    from haechi.scoring.judge_panel import Panel
    from haechi.scoring.score_table import ScoreTable

__all__ = ["Study", "agree", "compare", "plan", "rank", "rubric", "score", "stats"]
_WHERE = {
    "Study": "haechi.notebook_study",
    "agree": "haechi.report.agreement_result",
    "compare": "haechi.report.comparison_result",
    "plan": "haechi.report.plans",
    "rank": "haechi.report.ranking_result",
}


def rubric(id_or_path: str | Path) -> Rubric:
    """A built-in instrument by id, or the user's own rubric file by path; checked before it is returned.

    >>> rubric("maice-qac").edition
    'v4.3'
    """
    from haechi.rubrics import find_rubric

    return find_rubric(id_or_path)


def score(
    source: str | Path | Sequence[str | Path] | Frame | Columns,
    rubric: str | Path | Rubric | None = None,
    by: str | Sequence[str] = (),
    missing: Missing | None = None,
    exclude: tuple[str, ...] = (),
    advance: Advance = lambda _: None,
    where: Where | None = None,
    cluster_by: str | None = None,
    reading: TableReading | None = None,
    panel: Panel | None = None,
) -> ScoreTable:
    """The scores of a study, of one or more files (agent runs, or one table of ratings), or of a data frame.

    A study has its rubric; anything else needs one. `by` names fields to group the summary by, two with a comma
    between them cross them; `where` is what to look at, such as `{"mode": "agent", "rater": ["kim", "lee"]}`. Items that
    share the value of `cluster_by`, as sessions of a student do, are one cluster, and the intervals are over clusters.
    `reading` says how a ratings table is to be read, where that is not to be found out. `panel` is how AI judges count
    together: `mean`, or as one rater by `median` or `majority`.

    >>> import polars as pl
    >>> ratings = pl.DataFrame({"item": ["d1", "d2"], "rater": ["kim", "kim"], "sympathy": [1, 0]})
    >>> score(ratings, rubric="diary-comment").summary[0].scores["sympathy"].mean
    0.5
    """
    from pathlib import Path

    from haechi.data.frames import as_files
    from haechi.data.tables import AS_FOUND
    from haechi.scoring.given_rubric import for_study, need_rubric
    from haechi.store.folder import is_study

    fields = [by] if isinstance(by, str) else by
    with as_files(source) as targets:
        if len(targets) == 1 and is_study(Path(targets[0])):
            from haechi.study.scores import StoredStudy

            study = StoredStudy(targets[0]).paneled(panel)
            for_study(study.rubric, study.place, rubric)
            scored = study.scores(fields, missing, exclude, advance, where).checked()
        else:
            from haechi.scoring.sources import score_files  # and all that reads files

            checked, keep = (
                need_rubric(rubric, str(targets[0])),
                [] if cluster_by in (None, "none") else [cluster_by],
            )
            scored = score_files(
                *(targets, checked, fields, exclude, missing, advance, keep, where),
                *(reading or AS_FOUND, panel or "mean"),
            )
    return scored.clustered(cluster_by) if cluster_by else scored


def __getattr__(name: str) -> object:
    # Imported when first asked for, so that `haechi --help` answers at once.
    from importlib import import_module

    if name == "stats":
        return import_module("haechi.stats")
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'haechi' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
