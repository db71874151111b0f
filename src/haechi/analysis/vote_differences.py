"""In what two answers differ beside their systems: a number of one less that of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl


def difference_of(frame: pl.DataFrame, name: str) -> Any:
    """A number of a less that of b: columns `NAME_a` and `NAME_b`, or the lengths of two texts."""
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
