"""The spellings of votes: a million votes have few different ones, and each is looked at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from haechi.data.names import fold_name
from haechi.data.verdicts import RefusedVote, a_first, verdict_of
from haechi.frozen import frozen

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_NOBODY = ("\0", "\1")
"""Two systems whose names nobody writes: what is said of them is said of any two."""


_LOOK = 10_000


@frozen
class VoteSpelling:
    """Votes by their spellings: of every column its texts and which of them each different spelling has.

    systems: all names; a, b: (votes,) places in it; at: (votes,) the spelling of each vote.
    """

    systems: list[str]
    texts: Sequence[list[str | None]]
    codes: Sequence[NDArray[np.intp]]
    a: NDArray[np.uint32]
    b: NDArray[np.uint32]
    at: NDArray[np.signedinteger]

    @classmethod
    def of(cls, columns: Sequence[pl.Series]) -> VoteSpelling:
        """The spellings of the columns a, b, winner and, where it is there, order."""
        import numpy as np

        encoded = [text_numbers(column) for column in columns]
        texts = [[text and (text.strip() or None) for text in known] or [None] for _, known in encoded]
        sizes = [len(known) for known in texts]
        joint: NDArray[np.int32 | np.int64] = encoded[0][0].astype(
            np.int32 if math.prod(sizes) < 1 << 31 else np.int64
        )
        for (codes, _), size in zip(encoded[1:], sizes[1:], strict=True):
            joint = joint * size + codes
        spellings, at = _distinct(joint, math.prod(sizes))
        systems = sorted({text for known in texts[:2] for text in known if text is not None})
        place = {name: at for at, name in enumerate(systems)}
        a, b = (
            np.array([place.get(text or "", 0) for text in known], dtype=np.uint32)[codes]
            for (codes, _), known in zip(encoded[:2], texts, strict=False)
        )
        return cls(systems, texts, np.unravel_index(spellings, sizes), a, b, at)

    def words(self, spelling: int) -> list[str | None]:
        """What one spelling says in every column."""
        return [known[int(codes[spelling])] for codes, known in zip(self.codes, self.texts, strict=True)]

    def rows(self, spelling: int) -> list[int]:
        """The votes with one spelling."""
        import numpy as np

        found: list[int] = np.flatnonzero(self.at == spelling).tolist()
        return found


def plain_verdicts(spelt: VoteSpelling) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(spellings,) whether a won, and whether a was shown first, where that needs no look at the names; else NaN.

    A verdict such as `model_a` says the same of any two systems as long as none is called so, and so does a system's own name
    that is no such word. What is empty, wrong or can be misunderstood is left to `verdict_of` and `a_first`.
    """
    import numpy as np

    places = {name: at for at, name in enumerate(spelt.systems)}
    folded = {fold_name(name) for name in spelt.systems}
    a, b = (
        np.array([places.get(text or "", -1) for text in known], dtype=np.int64)[codes]
        for codes, known in zip(spelt.codes[:2], spelt.texts[:2], strict=True)
    )
    sound = (a >= 0) & (b >= 0) & (a != b)

    def said(column: int, meaning: Any) -> Any:
        known, codes = spelt.texts[column], spelt.codes[column]
        plain = np.full(len(known), np.nan)
        named = np.full(len(known), -1)
        for at, text in enumerate(known):
            if text is None:
                continue
            means = meaning(text)
            if fold_name(text) not in folded:
                plain[at] = np.nan if means is None else means
            elif means is None:
                named[at] = places.get(text, -1)
        one = named[codes]
        found = np.where(one < 0, plain[codes], np.where(one == a, 1.0, np.where(one == b, 0.0, np.nan)))
        return np.where(sound, found, np.nan)

    won = said(2, lambda text: _of_any_two(verdict_of, *_NOBODY, text))
    if len(spelt.texts) == 3:
        return won, np.where(sound, 1.0, np.nan)
    order = said(3, lambda text: _of_any_two(a_first, {"a": "\0", "b": "\1", "order": text}))
    return won, order


def _of_any_two(meaning: Any, *given: Any) -> float | None:
    try:
        found = meaning(*given)
    except RefusedVote:
        return None
    return None if found is None else float(found)


def text_numbers(column: pl.Series) -> tuple[NDArray[np.int32], list[str | None]]:
    """(votes,) places in the list of a column's different texts, None among them where cells are empty."""
    import polars as pl

    texts = column.cast(pl.String)
    known = texts.head(_LOOK).drop_nulls().unique().sort()  # the first votes mostly name all systems
    places = texts.cast(pl.Enum(known), strict=False)
    if places.null_count() > texts.null_count():
        known = texts.drop_nulls().unique().sort()
        places = texts.cast(pl.Enum(known))
    codes = places.to_physical().cast(pl.Int32)
    if not texts.null_count():
        return codes.to_numpy(), known.to_list()
    return codes.fill_null(known.len()).to_numpy(), [*known.to_list(), None]


def _distinct(codes: Any, cells: int) -> tuple[Any, Any]:
    """The different codes in order, and the place of every code among them."""
    import numpy as np

    if cells > 4 * codes.size + 1_000_000:
        return np.unique(codes, return_inverse=True)
    used = np.bincount(codes, minlength=cells) > 0
    return np.flatnonzero(used), (np.cumsum(used, dtype=np.int32) - np.int32(1))[codes]
