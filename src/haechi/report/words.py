"""Words that several parts of a report use, in the language of this process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from haechi.data.fields import field_name
from haechi.korean.particles import particle
from haechi.report.table import ScoreName, Tone
from haechi.rubrics import Rubric
from haechi.text import Text, plural

if TYPE_CHECKING:
    from haechi.analysis.analysis import Analysis
    from haechi.analysis.run_notes import RunNotes
    from haechi.scoring.repeats import PassRule
    from haechi.stats.agreement import Agreement

INTERVAL = Text("항목 단위 평균 [95 % 구간]", "mean over items [95 % interval]")
BRACKETS = Text("대괄호 안은 95 % 구간입니다.", "Brackets hold 95 % intervals.")
UNIT = Text(
    "한 항목의 점수는 평가자들의 평균이고, 평균과 구간은 항목을 단위로 하며, 구간은 이 평가자들에 대한 것입니다.",
    "An item's score is the mean of its raters; means and intervals are over items, and the intervals hold for these raters.",
)
UNIT_OF_ONE = Text(
    "평가자가 한 명이므로 한 항목의 점수는 그 평가이고, 평균과 구간은 항목을 단위로 하며, 구간은 이 평가자에 대한 것입니다.",
    "There is one rater, whose rating is an item's score; means and intervals are over items, and the intervals hold for this rater.",
)
UNIT_OF_RUNS = Text("평균과 구간은 실행을 단위로 합니다.", "Means and intervals are over runs.")


FINDINGS, MORE_FINDINGS = Text("핵심", "Findings"), Text("그 밖의 결과", "More findings")
SIGNS: dict[Tone, Text] = {
    "problem": Text("먼저 고칠 것", "mend first"),
    "caution": Text("살펴볼 것", "look at it"),
    "good": Text("좋음", "good"),
    "plain": Text("참고", "for information"),
}
"""What the signs beside findings mean."""


def said(ko: str, en: str) -> str:
    """One of two wordings.

    >>> said("점수", "score") in ("점수", "score")
    True
    """
    return Text(ko, en).say()


def fields_label(by: Iterable[str]) -> str:
    """The fields of a grouping in words; a field of the reader's own keeps its name.

    >>> from haechi.text import choose_language
    >>> choose_language("ko")
    >>> fields_label(["system", "학년"])
    '시스템, 학년'
    >>> choose_language(None)
    """
    return ", ".join(field_name(field).say() for field in by)


def groups_key(by: Sequence[str]) -> str:
    """The key of the section that compares the groups of some fields.

    >>> groups_key(("mode", "week"))
    'by-mode, week'
    """
    return f"by-{', '.join(by)}"


def raters_counted(kind: str, n: int) -> Text:
    """So many people or AI judges.

    >>> raters_counted("human", 2), raters_counted("ai", 1)
    (Text(ko='사람 2명', en='2 people'), Text(ko='AI 평가자 1명', en='1 AI judge'))
    """
    if kind == "human":
        return Text(f"사람 {n:,}명", plural(n, "person", "people"))
    return Text(f"AI 평가자 {n:,}명", plural(n, "AI judge", "AI judges"))


def many_of(figures: Analysis, kind: str) -> Text:
    """How many people or AI judges rated."""
    return raters_counted(kind, sum(one == kind for one in figures.raters.values()))


def panel_of(figures: Analysis, kind: str) -> Text:
    """Whose mean a figure is: of so many people, AI judges, or of what code measured."""
    n = sum(one == kind for one in figures.raters.values())
    if kind in ("human", "ai"):
        many = many_of(figures, kind)
        alone = "one person's ratings" if kind == "human" else "one AI judge's ratings"
        return Text(
            f"{many.ko}의 {'평가' if n == 1 else '평균'}", alone if n == 1 else f"the mean of {many.en}"
        )
    runs = figures.scored.summary[0].scores[figures.main].n  # those that have the score
    return (
        Text("실행 1건", "one run")
        if runs == 1
        else Text(f"실행 {runs:,}건의 평균", f"the mean of {runs:,} runs")
    )


def raters_of(figures: Analysis, kind: str, found: Agreement) -> Text:
    """Whose mean a reliability is of: where items have fewer raters than there are, of as many as an item has, not of all.

    A few values that are missing make no other panel of it: 2.8 of 3 are 3 in words, and the name of the figure says 2.8.
    """
    (name, _), n = found.reported_mean, len(found.raters)
    k = n if name == "ICC(2,k)" else float(name.removeprefix("ICC(2,").removesuffix(")"))
    if round(k) == n:
        return panel_of(figures, kind)
    each = f"{k:.2g}"
    ko, en = ("사람", "people") if kind == "human" else ("AI 평가자", "AI judges")
    return Text(
        f"{ko} {n:,}명 중 항목마다 약 {each}명의 평균", f"the mean of about {each} of {n:,} {en} per item"
    )


def is_of_few(figures: Analysis) -> bool:
    """Whether fewer than half of the items that were rated have the main score, so that its mean says nothing of the rest."""
    return figures.whole[figures.main].n * 2 < figures.n_rated


def score_label(rubric: Rubric, name: str) -> str:
    """A score's name in words, with its key where that says more.

    >>> import haechi
    >>> from haechi.text import choose_language
    >>> choose_language("en")
    >>> score_label(haechi.rubric("diary-comment"), "ssa")
    'SSA (mean of sensibleness and specificity)'
    >>> choose_language(None)
    """
    words = rubric.name(name).say()
    return f"{name} {words}" if len(name) <= 2 and not words.startswith(f"{name} ") else words


def score_name(rubric: Rubric | None, key: str) -> ScoreName:
    """A score for a table; of what the rubric does not know, or without one, the key is all there is.

    >>> import haechi
    >>> from haechi.text import choose_language
    >>> choose_language("en")
    >>> score_name(haechi.rubric("maice-qac"), "total"), score_name(None, "tone").words
    (ScoreName(key='total', words='Total', computed=True), 'tone')
    >>> choose_language(None)
    """
    if rubric is None:
        return ScoreName(key, key)
    if key not in rubric.score_names:
        return ScoreName(key, element_label(rubric, key))
    return ScoreName(key, score_label(rubric, key), rubric.criterion(key) is None)


def element_label(rubric: Rubric, key: str) -> str:
    """What was rated, in words: a criterion, or an element of a checklist with its criterion.

    >>> import haechi
    >>> from haechi.text import choose_language
    >>> choose_language("ko")
    >>> element_label(haechi.rubric("maice-qac"), "A1_math_expertise.concept_accuracy")
    'A1 · 수학적 개념/원리의 정확성'
    >>> choose_language(None)
    """
    criterion = next((c for c in rubric.criteria if c.key == key.partition(".")[0]), None)
    if criterion is None:
        return key
    element = key.partition(".")[2]
    if criterion.scale.parts and element:
        named = [one.name.say() for one in criterion.scale.parts if one.key == element]
        return f"{criterion.score} · {named[0]}" if named else key
    return score_label(rubric, criterion.score)


def shortened(text: str, most: int = 4_000) -> str:
    """A text of at most so many characters; how many are left out stands at its end.

    >>> len(shortened("x" * 9_999)) <= 4_000, shortened("short")
    (True, 'short')
    """
    if len(text) <= most:
        return text
    kept = most - 40  # room for the words at the end
    rest = len(text) - kept
    return text[:kept] + said(f" … (이하 {rest:,}자 생략)", f" … ({rest:,} more characters)")


def without_result(notes: RunNotes) -> str:
    """How many runs failed, and how many came back without an answer, which is no failure.

    >>> from haechi.analysis.run_notes import RunNotes
    >>> from haechi.text import choose_language
    >>> choose_language("en")
    >>> without_result(RunNotes(n_failed=2)), without_result(RunNotes(n_unanswered=1))
    ('2 runs failed.', 'No run failed; 1 returned neither a message nor data.')
    >>> choose_language(None)
    """
    failed, empty = notes.n_failed, notes.n_unanswered
    ko, en = f"실행 {failed:,}건이 실패했", f"{plural(failed, 'run')} failed"
    if not failed:
        ko, en = "실패한 실행은 없", "No run failed"
    if not empty:
        return said(f"{ko}습니다.", f"{en}.")
    ko += "고" if failed else "지만"
    return said(
        f"{ko}, {empty:,}건은 답변도 화면 데이터도 없습니다.",
        f"{en}; {empty:,} returned neither a message nor data.",
    )


def passing(rubric: Rubric, rule: PassRule) -> str:
    """When a run passes.

    >>> from haechi.scoring.repeats import PassRule
    >>> from haechi.text import choose_language
    >>> import haechi
    >>> choose_language("en")
    >>> rubric = haechi.rubric("hiring-agent")
    >>> passing(rubric, PassRule.of(rubric, "accuracy", {}))
    'A run passes with 3 points or more (Accuracy), and never if it failed.'
    >>> choose_language(None)
    """
    name = score_label(rubric, rule.score)
    return said(
        f"{name} {rule.mark:g}점 이상이면 통과이고, 실패한 실행은 통과가 아닙니다.",
        f"A run passes with {rule.mark:g} points or more ({name}), and never if it failed.",
    )


def of_versions(figures: Analysis) -> Text:
    """What queries are counted of, where runs are of several versions: each of them has its own."""
    several = figures.trend is not None and figures.trend.field == "version"
    return Text("(버전마다 따로 셈)", " (counted for each version)") if several else Text("", "")


def left_out(rows: int) -> str:
    """What a table says that does not show all its rows."""
    return said(f"{rows:,}줄은 --json에 있습니다.", f"{rows:,} more rows in --json.") if rows > 0 else ""


def with_particle(name: str, pair: str) -> str:
    """A name with the Korean particle that fits.

    >>> with_particle("총점", "이/가"), with_particle("정확성", "과/와")
    ('총점이', '정확성과')
    """
    return name + particle(name, pair)
