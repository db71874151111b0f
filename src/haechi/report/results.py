"""Agreement and comparison of any source, which show themselves in commands and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from haechi.analysis.agreement import AgreementReport, agreement_report
from haechi.analysis.compared_items import compared_items
from haechi.analysis.comparison import Comparison
from haechi.analysis.rating_sources import file_ratings
from haechi.data.fields import Where
from haechi.data.frames import Columns, Frame, as_files
from haechi.report.table import Table
from haechi.report.tables.agreement import criteria_tables, headline, people_table
from haechi.report.tables.comparison import compare_tables
from haechi.rubrics import Rubric, find_rubric
from haechi.stats import SEED
from haechi.stats.ratings import Level


def as_html(things: Iterable[Table | str]) -> str:
    """Tables and sentences for a notebook; whatever names hold is text.

    >>> as_html(["a < b"])
    '<p>a &lt; b</p>'
    """
    from haechi.report.html import html_table  # which a command that prints tables has no need of
    from haechi.report.markup import join, tag

    return join([html_table(one, frozenset()) if isinstance(one, Table) else tag("p", one) for one in things])


@dataclass(frozen=True, repr=False)
class Agreed(AgreementReport):
    """How far raters agree: `criteria["total"].krippendorff_alpha` and the like are figures.

    Each is computed when it is first asked for. `rubric` names the scores in words, where there is one.
    """

    rubric: Rubric | None = None

    @classmethod
    def of(cls, found: AgreementReport, rubric: Rubric | None = None) -> Agreed:
        """The same figures, with the rubric they belong to."""
        return cls(**{one.name: getattr(found, one.name) for one in fields(AgreementReport)}, rubric=rubric)

    def tables(self) -> list[Table]:
        """Every criterion: all raters, then people and AI judges where there are several of both."""
        tables = criteria_tables(self.rubric, self)
        if self.panels and any(one.panel.n for one in self.panels.human_ai.values()):
            tables.append(people_table(self.rubric, self.panels.human_ai))
        return tables

    def __repr__(self) -> str:
        name = headline(self, self.rubric.main_score() if self.rubric else "")
        found = self.criteria[name]
        shown = f"ICC(2,1) {found.icc['ICC(2,1)']!r}, Krippendorff α {found.krippendorff_alpha!r}"
        return f"<Agreed on {name}: {found.n_items:,} items, {len(found.raters):,} raters; {shown}>"

    def _repr_html_(self) -> str:
        return as_html(self.tables())


@dataclass(frozen=True, repr=False)
class Compared(Comparison):
    """Groups of items compared: `groups["total"]` describes them, `criteria["total"]` has the tests too."""

    def tables(self) -> list[Table | str]:
        """The groups, then the tests that fit their number."""
        return compare_tables(self)

    def __repr__(self) -> str:
        main = self.items.rubric.main_score(self.items.names)
        means = (f"{one.described.name} {one.described.mean!r}" for one in self.groups[main])
        return f"<Compared by {', '.join(self.items.by)}: {main}: {'; '.join(means)}>"

    def _repr_html_(self) -> str:
        return as_html(self.tables())


def agree(
    source: str | Path | Frame | Columns,
    rubric: str | Path | Rubric | None = None,
    *,
    wide: bool = False,
    elements: bool = False,
    level: Level | None = None,
    scale: Sequence[float] | None = None,
    epsilon: float = 0.2,
    seed: int = SEED,
    where: Where | None = None,
) -> Agreed:
    """How far raters agree, as `haechi agree` says: of a study, of a ratings table, or of a data frame.

    A table has the columns item, rater, value, and may have criterion; or, `wide`, first the item and then a column
    per rater. With a rubric its scores are compared, with `elements` also what they are made of. `level` overrides
    the level of measurement, `scale` declares the points of a scale that has no rubric, `epsilon` is that of the
    alternative annotator test. `where` is what to look at, such as `{"kind": "human"}`.

    >>> coders = {"item": ["a", "b", "c", "d"], "ann": [1, 2, 3, 4], "bo": [1, 2, 3, 3]}
    >>> found = agree(coders, wide=True)
    >>> float(found.criteria["overall"].percent_agreement), len(found.criteria["overall"].raters)
    (0.75, 2)
    """
    if isinstance(source, str | Path) and Path(source).is_dir():
        from haechi.analysis.analysis import Analysis

        figures = Analysis(source, seed=seed, where=where)
        return Agreed.of(figures.agree(elements, level, epsilon), figures.rubric)
    checked = None if rubric is None else find_rubric(rubric)
    points = None if scale is None else tuple(sorted(set(map(float, scale))))
    with as_files(source) as (file,):
        table = file_ratings(Path(file), checked, wide, elements, level, points, where)
    return Agreed.of(agreement_report(table, seed=seed, epsilon=epsilon), checked)


def compare(
    source: str | Path | Frame | Columns,
    by: str | Sequence[str],
    rubric: str | Path | Rubric | None = None,
    pair: str | None = None,
    exclude: tuple[str, ...] = (),
    seed: int = SEED,
    where: Where | None = None,
) -> Compared:
    """Do groups of items differ, as `haechi compare` says: of a study, of a file, or of a data frame with a rubric.

    `by` is a field, `rater`, `kind` or `stance`; several are crossed. `pair` names the field whose equal values make
    pairs; without it one is looked for, and "none" makes no pairs. `exclude` names criteria to leave out, `where` is
    what to look at.

    >>> rows = {"item": ["a", "b", "c", "d"], "rater": ["kim"] * 4, "system": [*"AABB"], "sympathy": [1, 1, 0, 1]}
    >>> [float(one.described.mean) for one in compare(rows, by="system", rubric="diary-comment").groups["sympathy"]]
    [1.0, 0.5]
    """
    crossed = by if isinstance(by, str) else ",".join(by)
    if isinstance(source, str | Path) and Path(source).is_dir():
        from haechi.analysis.analysis import Analysis

        found = Analysis(source, [crossed], exclude, seed=seed, where=where).comparison(crossed, pair)
        return Compared(found.items, found.seed)
    with as_files(source) as (file,):
        return Compared(compared_items(Path(file), crossed, rubric, pair, exclude, where), seed)
