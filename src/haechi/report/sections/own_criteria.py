"""What the criteria that items bring say: by tag, and which of them were missed."""

from __future__ import annotations

from collections.abc import Sequence

from haechi.analysis.analysis import Analysis
from haechi.report.document import Part, Section
from haechi.report.tables.own_criteria import criteria_tables, rule_words, tag_table
from haechi.report.words import said, score_label


def own_criteria_section(figures: Analysis) -> Sequence[Section]:
    """A section for every list of own criteria; none where items bring none."""
    found = []
    for own in figures.scored.own:
        counted = said(
            f"항목 {own.n_items:,}개의 기준 {own.n_criteria:,}개를 판단했습니다.",
            f"{own.n_criteria:,} criteria of {own.n_items:,} items were judged.",
        )
        parts: list[Part] = [f"{counted} {rule_words(own)}"]
        parts += [part for part in (tag_table(own), *criteria_tables(own)) if part is not None]
        key = f"own-{own.criterion.score}"
        found.append(Section(key, score_label(figures.rubric, own.criterion.score), tuple(parts)))
    return found
