"""Stances: as whom somebody rates, however that is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haechi.data.names import fold_name
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

ADJUDICATION = "adjudication"
"""The stance of a decision on a disputed item: it is kept and exported, and no measurement."""
STANCES = {
    "participant": ("participant", "self", "참여자", "참가자", "당사자", "본인"),
    "third_party": ("third_party", "thirdparty", "observer", "제3자", "제삼자", "3자", "관찰자"),
    "judge": ("judge", "ai_judge", "ai", "AI 평가자", "평가 모델", "AI 심사자"),
    ADJUDICATION: (ADJUDICATION, "adjudicator", "조정", "최종 결정"),
}
STANCE_WORDS = {
    "participant": Text("참여자 (자기 대화)", "participant, of an own conversation"),
    "third_party": Text("제3자 (남의 대화)", "third party, of others' conversations"),
    "judge": Text("AI 평가자", "AI judge"),
}
"""The stances in words."""
_STANCE_NAMED = {fold_name(name): stance for stance, names in STANCES.items() for name in names}


def is_measurement() -> pl.Expr:
    """Whether a rating measures something: all do, but decisions on disputed items, whoever made them.

    >>> import polars as pl
    >>> given = pl.DataFrame({"rater": ["kim", "lee"], "stance": [None, "adjudication"]})
    >>> given.filter(is_measurement())["rater"].to_list()
    ['kim']
    """
    import polars as pl

    return pl.col("stance").fill_null("") != ADJUDICATION


def stance_named(text: str) -> str | None:
    """The stance that is meant, in Korean or English; None if it is none that we know.

    >>> stance_named("제3자"), stance_named("Third party"), stance_named("teacher")
    ('third_party', 'third_party', None)
    """
    return _STANCE_NAMED.get(fold_name(text))
