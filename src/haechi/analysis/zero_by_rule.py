"""Scores that a rule makes 0, such as accuracy without checks: the figure alone would look like a measurement."""

from __future__ import annotations

from haechi.frozen import frozen
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.summary_row import OverItems
from haechi.text import Text

WITHOUT = "_without_zero_by_rule"
"""The name of a total without what is 0 by rule ends with this, wherever it has one."""


@frozen
class ZeroByRule:
    """A criterion: how many of how many runs are 0 because there was nothing to measure; why, in words.

    every: whether nothing else is left; failed runs, which are 0 too, say nothing where there is nothing beside them.
    """

    score: str
    n: int
    of: int
    why: str
    every: bool

    @property
    def is_most(self) -> bool:
        """Whether more runs have such a zero than have been measured."""
        return self.n * 2 > self.of


def zero_by_rule(scored: ScoreTable) -> dict[str, ZeroByRule]:
    """The criteria of agent runs that have such zeros.

    >>> import haechi
    >>> run = {"query_id": ["q1"], "payload": ['{"assistantMessage": "네"}']}
    >>> scored = haechi.score(run, rubric="hiring-agent")
    >>> [(one.score, one.n, one.of, one.every) for one in zero_by_rule(scored).values()]
    [('accuracy', 1, 1, True), ('consistency', 1, 1, True), ('latency_single', 1, 1, True)]
    """
    return {
        name: ZeroByRule(name, of.zeros_by_rule, of.n, of.why_by_rule, of.mean == 0)
        for name, of in scored.summary[0].scores.items()
        if of.zeros_by_rule
    }


def totals_without(scored: ScoreTable) -> dict[str, OverItems]:
    """The totals that have such parts, without them, over the items."""
    every = {name: of.without_zero_by_rule for name, of in scored.summary[0].scores.items()}
    return {name: one for name, one in every.items() if one is not None}


def said_beside(scored: ScoreTable, total: str) -> Text | None:
    """What whoever shows a total says in the same breath: what in it is 0 by rule, and the total without that."""
    without = totals_without(scored).get(total)
    if without is None:
        return None
    label, whole = scored.rubric.name(total), scored.summary[0].scores[total].over_items.mean
    if whole is None or without.mean == whole:
        return None  # there is no total, or the runs that have it hold no such 0
    parts = [one for one in zero_by_rule(scored).values() if one.score in scored.rubric.criteria_of(total)]
    names = [(scored.rubric.name(one.score), one) for one in parts]
    ko = ", ".join(f"{name.say('ko')} {one.n:,}/{one.of:,}건({one.why})" for name, one in names)
    en = ", ".join(f"{name.say('en')} {one.n:,} of {one.of:,} runs ({one.why})" for name, one in names)
    if without.mean is None:
        return Text(
            f"{label.say('ko')}에는 잴 것이 없어 규칙에 따라 0점인 값이 들어 있습니다: {ko}.",
            f"{label.say('en')} holds values that are 0 by rule, for want of anything to measure: {en}.",
        )
    return Text(
        f"{label.say('ko')} {whole:.2f}점에는 잴 것이 없어 규칙에 따라 0점인 값이 들어 있습니다: {ko}. 이를 빼면 {without.mean:.2f}점입니다.",
        f"{label.say('en')} {whole:.2f} holds values that are 0 by rule, for want of anything to measure: {en}. "
        f"Without them it is {without.mean:.2f}.",
    )
