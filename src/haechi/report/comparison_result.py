"""Comparison of groups of any source, which shows itself in commands and notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from haechi.analysis.compared_groups import ComparedItems
from haechi.analysis.compared_items import compared_items
from haechi.analysis.comparison import Comparison
from haechi.analysis.comparison_options import ComparisonOptions
from haechi.data.arguments import check_word
from haechi.data.fields import Where
from haechi.data.frames import Columns, Frame, as_files
from haechi.data.tables import AS_FOUND, TableReading
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.report.table import Table
from haechi.report.tables.comparison import compare_tables
from haechi.rubrics import Rubric
from haechi.scoring.given_rubric import for_study
from haechi.scoring.judge_panel import Panel, refuse_panel
from haechi.stats import SEED
from haechi.stats.corrections import Correction
from haechi.study.open_study import is_open_study
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.study.scores import StoredStudy


@frozen
class ComparisonResult(Comparison):
    """Groups of items compared: `groups["total"]` describes them, `criteria["total"]` has the tests too."""

    def tables(self) -> list[Table | str]:
        """The groups, then the tests that fit their number."""
        return compare_tables(self)

    def __repr__(self) -> str:
        main = self.items.rubric.main_score(self.items.names)
        means = (f"{one.described.name} {one.described.mean!r}" for one in self.groups[main])
        by = f" by {', '.join(self.items.by)}" if self.items.by else ""
        return f"<Comparison{by}: {main}: {'; '.join(means)}>"

    def _repr_html_(self) -> str:
        from haechi.report.html_parts import as_html

        return as_html(self.tables())


def compare(
    source: str | Path | StoredStudy | Frame | Columns,
    by: str | Sequence[str] = (),
    rubric: str | Path | Rubric | None = None,
    pair: str | None = None,
    exclude: tuple[str, ...] = (),
    seed: int = SEED,
    where: Where | None = None,
    *,
    cluster_by: str | None = None,
    order: Sequence[str] | None = None,
    correct: Correction = "holm",
    margin: float | Mapping[str, float] | None = None,
    outside: str | Sequence[str] = (),
    first_last: bool = False,
    wide: bool = False,
    reading: TableReading = AS_FOUND,
    panel: Panel | None = None,
) -> ComparisonResult:
    """Do groups of items differ, as `haechi compare` says: of a study (its folder, or one that is open), of a file, or of a data frame.

    `by` is a field, `rater`, `kind` or `stance`; of two the first is compared inside the second, too. `pair` names the
    field whose equal values bring items of several groups together; without it one is looked for, and "none" makes no
    pairs. `cluster_by` names the field whose values are one person. `order` has the groups from first to last, `()` for
    none. `margin` is what would not matter, of the main score or by score; `outside` names fields with a number to
    correlate scores with; `first_last` compares the first and the last of everyone named by `pair`. `exclude` names
    criteria to leave out, `where` is what to look at, `reading` how a file is to be read. A table needs no rubric: every
    criterion is a score then. `panel` is how the AI judges of a study count together.

    >>> rows = {"item": ["a", "b", "c", "d"], "rater": ["kim"] * 4, "system": [*"AABB"], "sympathy": [1, 1, 0, 1]}
    >>> [float(one.described.mean) for one in compare(rows, by="system", rubric="diary-comment").groups["sympathy"]]
    [1.0, 0.5]
    >>> rows = {"item": ["a", "a", "b", "b"], "rater": ["kim"] * 4, "system": [*"ABAB"], "value": [5, 3, 4, 2]}
    >>> found = compare(rows, by="system")
    >>> found.items.pair["field"], float(found.criteria["overall"].paired.difference)
    ('base_item', 2.0)
    """
    check_word(correct, get_args(Correction), "correct")
    crossed = by if isinstance(by, str) else ",".join(by)
    wishes = ComparisonOptions(
        pair,
        cluster_by,
        None if order is None else tuple(order),
        correct,
        _margins(margin),
        (outside,) if isinstance(outside, str) else tuple(outside),
        first_last,
    )
    if is_open_study(source) or (isinstance(source, str | Path) and Path(source).is_dir()):
        from haechi.analysis.analysis import Analysis

        wished = [crossed] if crossed else []
        found = Analysis(source, wished, exclude, seed=seed, where=where, panel=panel)
        for_study(found.rubric, found.study.place, rubric, wide=wide)
        made = found.comparison(crossed, wishes)
        return ComparisonResult(_named(made.items), seed, made.bridge)
    refuse_panel(panel, str(source)[:80])
    with as_files(source) as (file,):
        return ComparisonResult(
            _named(compared_items(Path(file), crossed, rubric, wishes, exclude, where, wide, reading)), seed
        )


def _margins(margin: float | Mapping[str, float] | None) -> dict[str, float]:
    if margin is None:
        return {}
    return dict(margin) if isinstance(margin, Mapping) else {"": float(margin)}


def _named(items: ComparedItems) -> ComparedItems:
    """A margin without a name is that of the main score; one of a score that is not there is refused, as is one below 0."""
    main = items.rubric.main_score(items.names)
    margins = {name or main: size for name, size in items.asked.margins.items()}
    unknown = [name for name in margins if name not in items.names]
    if unknown:
        expected = Text(f"다음 중 하나: {', '.join(items.names)}", f"one of {', '.join(items.names)}")
        raise HaechiError.of(
            "--margin", unknown[0], expected, Text("--margin을 고치세요", "correct --margin")
        )
    wrong = [f"{name}={size:g}" for name, size in margins.items() if not 0 < size < float("inf")]
    if wrong:
        expected = Text("0보다 큰 수", "a number above 0")
        raise HaechiError.of("--margin", wrong[0], expected, Text("--margin을 고치세요", "correct --margin"))
    return replace(items, asked=replace(items.asked, margins=margins)) if margins else items
