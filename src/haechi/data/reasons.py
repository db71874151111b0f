"""Why there is no value: kept in both languages, said in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haechi.text import BETWEEN, Lang, Text, language

if TYPE_CHECKING:
    import polars as pl


def say_reason(kept: str | None, lang: Lang | None = None) -> str | None:
    """A kept reason in a language.

    >>> say_reason(Text("응답에 없음", "not in the reply").kept, "en"), say_reason("응답에 없음", "en"), say_reason(None)
    ('not in the reply', '응답에 없음', None)
    """
    return Text.of_kept(kept).say(lang) if kept is not None else None


def saying(column: str, lang: Lang | None = None) -> pl.Expr:
    """A column of kept reasons in a language.

    >>> import polars as pl
    >>> pl.DataFrame({"reason": ["빈 응답\\x1fan empty reply", "졸림", None]}).select(saying("reason", "en")).rows()
    [('an empty reply',), ('졸림',), (None,)]
    """
    import polars as pl

    parts = pl.col(column).str.splitn(BETWEEN, 2)
    korean, english = (parts.struct.field(f"field_{number}") for number in (0, 1))
    return (pl.coalesce(english, korean) if (lang or language()) == "en" else korean).alias(column)
