"""Whether items that people rated can be a random part of all that a judge rated."""

from __future__ import annotations

from haechi.stats.figure import Why
from haechi.stats.ratings import Floats

UNLIKELY = 0.001
"""Of a random part so seldom as many of the judge's scores lie beyond those of the part."""


def beyond(part: Floats, everywhere: Floats) -> Why | None:
    """Why the judge's scores of the rated part say nothing of the others: too many lie beyond them.

    Of n random items a share x of all lies beyond their range with probability (1 − x)ⁿ + n x (1 − x)ⁿ⁻¹, or less; below
    one in a thousand the part is taken for chosen, not drawn.

    >>> import numpy as np
    >>> beyond(np.arange(20.0), np.arange(100.0)).en
    "80 % of the judge's scores lie beyond those of the items that people rated: this part is not a random one"
    """
    n = part.size
    share = float(((everywhere < part.min()) | (everywhere > part.max())).mean())
    if (1 - share) ** n + n * share * (1 - share) ** (n - 1) >= UNLIKELY:
        return None
    return Why(
        f"AI 점수의 {share:.0%}가 사람이 평가한 항목의 AI 점수 범위를 벗어납니다. 무작위로 뽑은 항목으로 볼 수 없습니다".replace(
            "%", " %"
        ),
        f"{share:.0%} of the judge's scores lie beyond those of the items that people rated: this part is not a random one".replace(
            "%", " %"
        ),
    )
