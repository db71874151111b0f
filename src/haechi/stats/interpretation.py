"""Words for figures, and whose cut-offs they are."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Literal

from haechi.frozen import frozen
from haechi.stats.figure import NO_WIDTH, Figure, Lang, Why

Statistic = Literal[
    "icc", "kappa", "gwet_ac", "krippendorff_alpha", "cronbach_alpha", "correlation", "cohen_d", "cliff_delta"
]

POOR, FAIR, GOOD = Why("미흡", "poor"), Why("보통", "fair"), Why("좋음", "good")
MODERATE, EXCELLENT = Why("중간", "moderate"), Why("매우 좋음", "excellent")
NEGLIGIBLE, SMALL, LARGE = Why("무시할 만함", "negligible"), Why("작음", "small"), Why("큼", "large")


@frozen
class CutOffs:
    """Words from the lowest upwards; a value at a cut takes the word above, or below if so published."""

    source: str
    cuts: tuple[float, ...]
    words: tuple[Why, ...]
    sign_matters: bool = True
    at_cut_below: bool = False

    def word(self, value: float) -> Why:
        """The word for a value; up to 1e-9 from a cut counts as on it."""
        size = value if self.sign_matters else abs(value)
        return self.words[bisect_right(self.cuts, size - 1e-9 if self.at_cut_below else size + 1e-9)]


KOO_LI = CutOffs("Koo & Li 2016", (0.5, 0.75, 0.9), (POOR, MODERATE, GOOD, EXCELLENT))
LANDIS_KOCH = CutOffs(
    "Landis & Koch 1977",
    (-2e-9, 0.2, 0.4, 0.6, 0.8),  # zero itself is «slight»
    (
        POOR,
        Why("미미함", "slight"),
        FAIR,
        MODERATE,
        Why("상당함", "substantial"),
        Why("거의 완벽함", "almost perfect"),
    ),
    at_cut_below=True,
)
KRIPPENDORFF = CutOffs(
    "Krippendorff 2004",
    (0.667, 0.8),
    (
        Why("신뢰하기 어려움", "not reliable"),
        Why("잠정적 결론만 가능", "tentative conclusions only"),
        Why("신뢰할 수 있음", "reliable"),
    ),
)
GEORGE_MALLERY = CutOffs(
    "George & Mallery 2003",
    (0.5, 0.6, 0.7, 0.8, 0.9),
    (
        Why("받아들일 수 없음", "unacceptable"),
        POOR,
        Why("의심스러움", "questionable"),
        Why("받아들일 만함", "acceptable"),
        GOOD,
        EXCELLENT,
    ),
)
SCHOBER = CutOffs(
    "Schober, Boer & Schwarte 2018",
    (0.1, 0.4, 0.7, 0.9),
    (NEGLIGIBLE, Why("약함", "weak"), MODERATE, Why("강함", "strong"), Why("매우 강함", "very strong")),
    sign_matters=False,
)
COHEN = CutOffs("Cohen 1988", (0.2, 0.5, 0.8), (NEGLIGIBLE, SMALL, MODERATE, LARGE), sign_matters=False)
ROMANO = CutOffs(
    "Romano et al. 2006", (0.147, 0.33, 0.474), (NEGLIGIBLE, SMALL, MODERATE, LARGE), sign_matters=False
)

CUT_OFFS: dict[Statistic, CutOffs] = {
    "icc": KOO_LI,
    "kappa": LANDIS_KOCH,
    "gwet_ac": LANDIS_KOCH,
    "krippendorff_alpha": KRIPPENDORFF,
    "cronbach_alpha": GEORGE_MALLERY,
    "correlation": SCHOBER,
    "cohen_d": COHEN,
    "cliff_delta": ROMANO,
}


@frozen
class Reading:
    """A figure in a word, the words at the ends of its interval, and whose cut-offs they are.

    The word holds only where the interval lies within it; else all one may say is from which to which it reaches.
    """

    word: Why
    between: tuple[Why, Why] | None
    source: str

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines, in one language."""
        said: dict[str, Any] = {"word": self.word.say(lang), "source": self.source}
        if self.between:
            said["supported"] = self.is_supported
            said["between"] = [word.say(lang) for word in self.between]
        return said

    @property
    def is_supported(self) -> bool:
        """Whether the whole interval has the same word."""
        return self.between is None or self.between[0] == self.between[1]

    def words(self, lang: Lang = "en") -> str:
        """The word, or from which to which the interval reaches, as `poor to good`."""
        if self.is_supported or self.between is None:
            return self.word.say(lang)
        low, high = (word.say(lang) for word in self.between)
        return f"{low} ~ {high}" if lang == "ko" else f"{low} to {high}"

    def say(self, lang: Lang = "en") -> str:
        """In words, as `poor to good (Koo & Li 2016)`."""
        return f"{self.words(lang)} ({self.source})"


def interpret(statistic: Statistic | CutOffs, found: Figure) -> Reading | None:
    """The word for a figure, by the cut-offs usual for the statistic or by given ones.

    No statistic: it looks up words. None for an undefined figure, and for one that cannot have an interval, as of too few
    items: a word would claim what no interval can. What does not vary, such as raters who never differ, is read by its
    value. The interval's ends are read too: with few items an estimate may be «good» and its interval begin at «poor». Of
    a size without sign the interval reaches from the smallest to the largest size in it.

    References: Koo & Li 2016, Journal of Chiropractic Medicine 15, 155–163; Landis & Koch 1977, Biometrics 33, 159–174;
    Krippendorff 2004, Content Analysis, 2nd ed., 241–243; George & Mallery 2003, SPSS for Windows Step by Step; Schober
    et al. 2018, Anesthesia & Analgesia 126, 1763–1768; Cohen 1988; Romano et al. 2006. R: effectsize::interpret_icc,
    interpret_kappa, interpret_cohens_d (of the value alone).

    >>> interpret("icc", Figure(0.8, 40, (0.6, 0.92))).say()
    'moderate to excellent (Koo & Li 2016)'
    >>> interpret("krippendorff_alpha", Figure(0.7, 40)).say("ko")
    '잠정적 결론만 가능 (Krippendorff 2004)'
    >>> interpret("gwet_ac", Figure(0.86, 6, why_no_ci=Why("항목이 적음", "too few items")))
    """
    if found.value is None or found.why_no_ci not in (None, NO_WIDTH):
        return None
    scale = statistic if isinstance(statistic, CutOffs) else CUT_OFFS[statistic]
    return Reading(scale.word(found.value), _between(scale, found.ci95), scale.source)


def _between(scale: CutOffs, ends: tuple[float, float] | None) -> tuple[Why, Why] | None:
    if ends is None:
        return None
    low, high = ends
    if not scale.sign_matters:
        sizes = sorted(map(abs, ends))
        low, high = (0.0 if ends[0] < 0 < ends[1] else sizes[0]), sizes[1]
    return scale.word(low), scale.word(high)
