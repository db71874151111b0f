"""Agreement of any source, which shows itself in commands and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haechi.analysis.agreement import AgreementReport, agreement_report
from haechi.data.arguments import check_share, check_word
from haechi.data.fields import Where
from haechi.data.frames import Columns, Frame, as_files
from haechi.data.tables import AS_FOUND, TableReading
from haechi.frozen import frozen
from haechi.report.table import Table
from haechi.report.tables.agreement import criteria_tables, headline, people_table
from haechi.report.tables.own_criteria import verdict_table
from haechi.rubrics import Rubric, find_rubric
from haechi.scoring.given_rubric import for_study
from haechi.scoring.judge_panel import Panel, refuse_panel
from haechi.scoring.score_table import floors_not_applied
from haechi.stats import SEED
from haechi.stats.figure import Why
from haechi.stats.ratings import LEVELS, Level
from haechi.study.open_study import is_open_study
from haechi.text import Lang

if TYPE_CHECKING:
    from haechi.analysis.judge_changes import JudgeChange
    from haechi.analysis.two_stage import ChosenPart
    from haechi.study.scores import StoredStudy


@frozen
class AgreementResult(AgreementReport):
    """How far raters agree: `criteria["total"].krippendorff_alpha` and the like are figures.

    Each is computed when it is first asked for. `rubric` names the scores in words, where there is one.
    """

    rubric: Rubric | None = None
    judge_changes: tuple[JudgeChange, ...] | None = None
    """What changed in how judges were asked; None where no journal says it."""
    chosen_part: ChosenPart | None = None
    """A judge that was asked about a part only, in the second of two stages."""

    @classmethod
    def of(
        cls,
        found: AgreementReport,
        rubric: Rubric | None = None,
        judge_changes: tuple[JudgeChange, ...] | None = None,
        chosen_part: ChosenPart | None = None,
    ) -> AgreementResult:
        """The same figures, with the rubric they belong to."""
        same = {one.name: getattr(found, one.name) for one in fields(AgreementReport)}
        return cls(**same, rubric=rubric, judge_changes=judge_changes, chosen_part=chosen_part)

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        changed = self.judge_changes
        told = {} if changed is None else {"judge_changes": [one.as_json() for one in changed]}
        part = {} if self.chosen_part is None else {"two_stage": self.chosen_part.as_json()}
        return super().as_json(lang) | told | part

    def tables(self) -> list[Table]:
        """Every criterion: all raters, then people and AI judges where there are several of both."""
        tables = criteria_tables(self.rubric, self)
        if self.panels and any(one.panel.n for one in self.panels.human_ai.values()):
            tables.append(people_table(self.rubric, self.panels.human_ai))
        return [*tables, *filter(None, map(verdict_table, self.own))]

    def __repr__(self) -> str:
        name = headline(self, self.rubric.main_score() if self.rubric else "")
        found = self.criteria[name]
        shown = f"ICC(2,1) {found.icc['ICC(2,1)']!r}, Krippendorff α {found.krippendorff_alpha!r}"
        return f"<Agreement on {name}: {found.n_items:,} items, {len(found.raters):,} raters; {shown}>"

    def _repr_html_(self) -> str:
        from haechi.report.html_parts import as_html

        return as_html(self.tables())


def agree(
    source: str | Path | StoredStudy | Frame | Columns,
    rubric: str | Path | Rubric | None = None,
    *,
    wide: bool = False,
    elements: bool = False,
    level: Level | None = None,
    scale: Sequence[float] | None = None,
    epsilon: float = 0.2,
    seed: int = SEED,
    where: Where | None = None,
    reading: TableReading = AS_FOUND,
    panel: Panel | None = None,
) -> AgreementResult:
    """How far raters agree, as `haechi agree` says: of a study (its folder, or one that is open), of a ratings table, or of a data frame.

    A table has the columns item, rater, value, and may have criterion; or, `wide`, first the item and then a column
    per rater. With a rubric its scores are compared, with `elements` also what they are made of. `level` overrides
    the level of measurement, `scale` declares the points of a scale that has no rubric, `epsilon` is that of the
    alternative annotator test. `where` is what to look at, such as `{"kind": "human"}`; `reading` how a file is to be read.
    `panel` is how the AI judges of a study count together: with `median` or `majority` they are one rater.

    >>> coders = {"item": ["a", "b", "c", "d"], "ann": [1, 2, 3, 4], "bo": [1, 2, 3, 3]}
    >>> found = agree(coders, wide=True)
    >>> float(found.criteria["overall"].percent_agreement), len(found.criteria["overall"].raters)
    (0.75, 2)
    """
    check_word(level, LEVELS, "level")
    check_share(epsilon, "epsilon")
    if is_open_study(source) or (isinstance(source, str | Path) and Path(source).is_dir()):
        from haechi.analysis.analysis import Analysis
        from haechi.analysis.judge_changes import study_changes
        from haechi.analysis.two_stage import chosen_part

        figures = Analysis(source, seed=seed, where=where, panel=panel)
        for_study(figures.rubric, figures.study.place, rubric, wide=wide, scale=scale)
        with figures.study.database.read() as connection:
            changed, part = tuple(study_changes(connection)), chosen_part(connection)
        return AgreementResult.of(figures.agree(elements, level, epsilon), figures.rubric, changed, part)
    refuse_panel(panel, str(source)[:80])
    checked = None if rubric is None else find_rubric(rubric)
    points = None if scale is None else tuple(sorted(set(map(float, scale))))
    from haechi.analysis.rating_sources import file_ratings

    with as_files(source) as (file,):
        table = file_ratings(Path(file), checked, wide, elements, level, points, where, reading)
    found = agreement_report(table, seed=seed, epsilon=epsilon)
    floors = () if checked is None else floors_not_applied(checked)
    notes = (*found.notes, *(Why(one.ko, one.say("en")) for one in floors))
    return AgreementResult.of(replace(found, notes=notes), checked)
