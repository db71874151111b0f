"""What the columns of a table of votes say beside the votes: which votes belong together, and in what two answers differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from haechi.data.fields import field_among, split_fields
from haechi.data.vote_spellings import text_numbers
from haechi.errors import HaechiError
from haechi.stats.figure import Why
from haechi.text import Text, first_few, plural

if TYPE_CHECKING:
    import polars as pl

    from haechi.stats.ratings import Floats, Integers

LEAST_CLUSTERS = 10


def difference_of(frame: pl.DataFrame, name: str) -> Floats:
    """(votes,) a number of a less that of b: columns `NAME_a` and `NAME_b`, or the lengths of two texts."""
    import polars as pl

    folded = {column.casefold().replace(" ", "_"): column for column in frame.columns}
    wish = name.casefold().replace(" ", "_")
    for of_a, of_b in ((f"{wish}_a", f"{wish}_b"), (f"a_{wish}", f"b_{wish}"), (f"{wish}_1", f"{wish}_2")):
        if of_a in folded and of_b in folded:
            one, other = (frame[folded[column]].cast(pl.Float64, strict=False) for column in (of_a, of_b))
            return (one - other).to_numpy()
    if wish in ("length", "길이"):
        for text in ("response", "answer", "reply", "conversation", "output", "답변", "응답"):
            if f"{text}_a" in folded and f"{text}_b" in folded:
                one, other = (
                    frame[folded[f"{text}_{side}"]].cast(pl.String).str.len_chars() for side in "ab"
                )
                return (one.cast(pl.Float64) - other.cast(pl.Float64)).to_numpy()
    expected = Text(
        f"수가 든 두 열 {name}_a, {name}_b (length는 response_a, response_b의 글자 수도 됩니다)",
        f"two columns of numbers, {name}_a and {name}_b (for length, response_a and response_b will do)",
    )
    shown = ", ".join(frame.columns[:20])
    raise HaechiError.of(
        "--adjust",
        Text(f"{name}. 열: {shown}", f"{name}; columns: {shown}"),
        expected,
        Text("열 이름을 확인하세요", "check the names of the columns"),
    )


def clusters_of(
    frame: pl.DataFrame, cluster_by: tuple[str, ...] | None, systems: int, repeated: bool
) -> tuple[tuple[str, ...], list[Why]]:
    """What the intervals are over: what was asked for, else items and raters that have several votes and are many enough."""
    known = [column for column in frame.columns if column not in ("won", "a_first", "a", "b")]
    if cluster_by is not None:
        return tuple(field_among(name, known, "--cluster-by") for name in cluster_by), []
    counts = {
        name: frame[name].n_unique()
        for name in (*(("item",) if repeated else ()), "rater")
        if frame[name].null_count() < frame.height
    }
    several = {name: count for name, count in counts.items() if count < frame.height}
    least = max(LEAST_CLUSTERS, systems + 2)
    taken = tuple(name for name, count in several.items() if count >= least)
    notes = []
    if taken:
        ko = "·".join({"item": "항목", "rater": "평가자"}[name] for name in taken)
        named = [_unit(name, frame[name].drop_nulls().unique(maintain_order=True)) for name in taken]
        units = Why(", ".join(one.ko for one in named), ", ".join(one.en for one in named))
        notes.append(
            Why(
                f"같은 {ko}의 투표는 서로 닮을 수 있어 {ko} 단위로 오차를 계산했습니다({units.ko}; --cluster-by none으로 끔).",
                f"Votes of one {' or '.join(taken)} may be alike, so errors are those of {' and '.join(f'{name}s' for name in taken)} ({units.en}; --cluster-by none turns it off).",
            )
        )
    if "rater" in several and "rater" not in taken and several["rater"] > 0:
        count = several["rater"]
        notes.append(
            Why(
                f"평가자가 {count}명이어서 구간은 이 평가자들에 대한 말이고, 다른 평가자까지 말하지는 않습니다.",
                f"The intervals speak for {'this rater' if count == 1 else f'these {count} raters'}, not for others.",
            )
        )
    return taken, notes


def _unit(name: str, values: pl.Series) -> Text:
    """What errors are those of; of items the first, since one may be a pair, or what the answers of several are about."""
    n = values.len()
    if name == "rater":
        return Text(f"평가자 {n:,}명", plural(n, "rater"))
    first = first_few([str(value) for value in values.head(3)], 2)
    return Text(f"항목 {n:,}개: {first}", f"{plural(n, 'item')}: {first}")


def codes_of(frame: pl.DataFrame, *names: str) -> Integers:
    """(votes,) numbers of what votes share; of one field a vote without a value shares nothing."""
    import polars as pl

    joint = np.zeros(frame.height, dtype=np.int64)
    for name in names:
        codes, texts = text_numbers(frame[name])
        if len(names) == 1 and frame[name].null_count():
            codes = np.where(frame[name].is_null(), len(texts) + np.arange(codes.size), codes)
        joint = joint * len(texts) + codes
    return joint if len(names) == 1 else pl.Series(joint).rank("dense").cast(pl.Int64).to_numpy()


def fields_of(text: str | None) -> tuple[str, ...] | None:
    """`--cluster-by item,rater`: the fields; none at all for `none`; nothing where nothing was asked.

    >>> fields_of("item, rater"), fields_of("none"), fields_of(None)
    (('item', 'rater'), (), None)
    """
    return None if text is None else () if text == "none" else split_fields(text)
