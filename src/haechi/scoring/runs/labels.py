"""The intent label of a message by the rubric's table of words: what the agent did, not what it offers or lists.

Choices in brackets, quoted names, courtesies ("필요하시면 …") and an error that did not happen ("오류 없이") say
nothing about what was done. Where nothing else is left, the whole message is read after all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from haechi.frozen import frozen

if TYPE_CHECKING:
    from haechi.rubrics.parts import RunRules

_ASIDE = "|".join(
    (
        r"\([^()]*\)|（[^（）]*）|\[[^\[\]]*\]|“[^“”]*”|‘[^‘’]*’|「[^「」]*」|『[^『』]*』|\"[^\"]*\"|'[^']*'",
        r"(?:오류|실패|에러)(?:가|는|도)? ?없(?:이|었|습|어|음|는|다)|불가피",
        r"(?:실패|오류) ?(?:내역|이력|목록|로그|건수|현황)|실패한 ",
        r"[^.!?。\n]*(?:하시면|하신다면|언제든|궁금하|더 도와|문의해|추가 문의|추가로 (?:필요|궁금|도와|말씀)|다른 (?:문의|질문|요청|도움)|도움이 필요)[^.!?。\n]*[.!?。]*",
    )
)
_MAY_HAVE_ASIDES = (
    r"[(（\[“‘「『\"']|없|불가피|실패|오류|시면|신다면|언제든|궁금|더 도와|문의|추가로|다른 |도움이"
)
ONE, SEVERAL, NONE = "words", "several words", "no word"
"""How a label came about: one label fits, several do and the first in the rubric's order counts, none does."""


@frozen
class LabelRules:
    """What the rubric says about reading runs: labels with their words by priority, and the signature's keys."""

    labels: tuple[tuple[str, tuple[str, ...]], ...]
    otherwise: str
    failed: str
    signature: tuple[str, ...]

    @classmethod
    def of(cls, run: RunRules | None) -> LabelRules:
        """The rules of a rubric; one whose criteria are all rated by people or judges may have none."""
        if run is None:
            return cls((), "OTHER", "ERROR", ())
        labels = tuple((entry.label, entry.words) for entry in run.labels)
        return cls(labels, run.otherwise, run.failed, run.signature)


def labelled(messages: pl.Series, rules: LabelRules) -> pl.DataFrame:
    """For every message the first label, in order of priority, that has a word in it, and how it came about.

    >>> import haechi
    >>> rules = LabelRules.of(haechi.rubric("hiring-agent").run)
    >>> said = ["처리 방법을 선택해 주세요 (불가/보류)", "일정을 변경했습니다. 필요하시면 추가로 말씀해 주세요."]
    >>> labelled(pl.Series(said), rules).rows()
    [('CLARIFY', 'words'), ('UPDATE', 'words')]
    """
    whole = messages.cast(pl.String)
    found = _fitting(whole, rules)
    if not whole.str.contains(_MAY_HAVE_ASIDES).any():  # looking is sooner done than cutting
        return found
    core = _fitting(whole.str.replace_all(_ASIDE, " "), rules)
    says = core["label_by"] != NONE
    return pl.DataFrame([core[name].zip_with(says, found[name]) for name in core.columns])


def _fitting(texts: pl.Series, rules: LabelRules) -> pl.DataFrame:
    """The first label that fits each text, and how many do."""
    known = [(name, words) for name, words in rules.labels if words]
    fits = pl.select(
        texts.str.contains("|".join(map(pl.escape_regex, words))).fill_null(False).alias(name)
        for name, words in known
    )
    if not known:
        fits = pl.DataFrame({"": pl.repeat(False, len(texts), eager=True)})
    label = pl.lit(rules.otherwise)
    for name, _ in reversed(known):
        label = pl.when(pl.col(name)).then(pl.lit(name)).otherwise(label)
    number = pl.sum_horizontal(pl.all())
    how = (
        pl.when(number == 1).then(pl.lit(ONE)).when(number > 1).then(pl.lit(SEVERAL)).otherwise(pl.lit(NONE))
    )
    return fits.select(label=label, label_by=how)
