"""What a significance test returns: its statistic and p-value, or the reason why there is none."""

from __future__ import annotations

import math
from typing import Any

from haechi.frozen import frozen
from haechi.stats.figure import OVERFLOW, Lang, Why


@frozen
class Outcome:
    """A test's statistic, degrees of freedom and two-sided p-value; `p_corrected` after the `correction` of that name.

    The statistic belongs to `p`; `p_corrected` is what the same test says as one of several.

    >>> Outcome("welch_t", 2.0, 0.06, n=20, df=(17.8,)).as_json()
    {'statistic': 2.0, 'p': 0.06, 'n': 20, 'df': [17.8]}
    """

    test: str
    statistic: float | None
    p: float | None
    n: int
    df: tuple[float, ...] = ()
    method: str = ""
    why: Why | None = None
    p_corrected: float | None = None
    correction: str = ""

    @property
    def decisive(self) -> float | None:
        """The p-value to decide by: the corrected one where the test is one of several.

        >>> Outcome("welch_t", 2.0, 0.06, n=20, p_corrected=0.12, correction="holm").decisive
        0.12
        """
        return self.p if self.p_corrected is None else self.p_corrected

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """The outcome for machines, its words in one language."""
        said: dict[str, Any] = {"statistic": self.statistic, "p": self.p, "n": self.n}
        if self.why:
            said["why"] = self.why.say(lang)
        if self.df:
            said["df"] = list(self.df)
        if self.method:
            said["method"] = self.method
        if self.p_corrected is not None:
            said |= {"p_corrected": self.p_corrected, "correction": self.correction}
        return said


def outcome(
    test: str, statistic: float, p: float, n: int, *, df: tuple[float, ...] = (), method: str = ""
) -> Outcome:
    """An outcome of computed numbers; what is not finite becomes undefined."""
    if not all(map(math.isfinite, (statistic, p, *df))):
        return no_outcome(test, OVERFLOW, n)
    return Outcome(test, float(statistic), float(min(1.0, p)), n, tuple(map(float, df)), method)


def no_outcome(test: str, why: Why, n: int) -> Outcome:
    """A test that could not be made, and why."""
    return Outcome(test, None, None, n, why=why)
