"""The different texts of a column: long columns repeat few, and each is looked at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray


def distinct_texts(column: pl.Series) -> tuple[NDArray[Any], list[str | None]]:
    """Which text every row has, and the texts; no text is None, and the last of them if there is such a row.

    >>> import polars as pl
    >>> places, texts = distinct_texts(pl.Series(["가", None, "나", "가"]))
    >>> places.tolist(), texts
    ([0, 2, 1, 0], ['가', '나', None])
    """
    import polars as pl

    categories = pl.Categories.random()  # texts of another column are not numbered along
    encoded = column.cast(pl.String).cast(pl.Categorical(categories))
    texts: list[str | None] = categories.to_series().to_list()  # known as long as `encoded` is there
    places = encoded.to_physical()
    if not places.null_count():
        return places.to_numpy(), texts
    return places.fill_null(len(texts)).to_numpy(), [*texts, None]
