"""What is wrong with a rubric, by the ratings made with it: unclear, redundant, unused and crowded criteria, and what mending would save."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

import numpy as np

from haechi.analysis.agreement import against_people
from haechi.analysis.analysis import Analysis
from haechi.analysis.rating_sources import study_ratings
from haechi.analysis.rating_table import CriterionRatings, RatingTable
from haechi.frozen import frozen
from haechi.stats import Agreement, Figure, agreement, pearson, wilson
from haechi.stats.figure import Lang
from haechi.stats.population import clustered_mean
from haechi.stats.ratings import Floats

WANTED = 0.8
"""The reliability of a mean that the number of raters is told for."""
UNCLEAR, CROWDED, NEIGHBOURS, UNFOUNDED, HALO = 0.667, 0.8, 0.8, 0.1, 0.8
_ENOUGH_RATINGS = 30  # of a point that one in ten would choose, 30 ratings have none 4 times in 100
_ENOUGH_CASES = 20
ENOUGH_ITEMS = 30
"""Items below which nobody can tell which criteria say the same."""
_FOLLOWS, _OTHERWISE, _SAME_RANK = 0.02, 0.5, 0.9
_MOST_RATERS = 99


@frozen
class Checkup:
    """One criterion or element, as the ratings show it.

    people, judges: α among them; against: Pearson's r of judges' and people's means; split: the share of items on which
    people differ; neighbours: of people's pairs that differ, the share that is one point apart; unused: scale points that
    nobody gave; crowded: the share of ratings at one end; follows: what is met whenever this is, or ranks alike; unfounded: the share of
    quotes that are not in the item; raters: how many a mean of .80 takes, and how many if it were as clear as the others usually are.
    """

    name: str
    n: int
    people: Figure
    judges: Figure
    against: Figure
    split: Figure
    neighbours: Figure | None
    unused: tuple[float, ...]
    crowded: Figure
    follows: tuple[str, ...]
    unfounded: Figure
    raters: int | None
    raters_if_usual: int | None

    @cached_property
    def complaints(self) -> tuple[str, ...]:
        """What is wrong with it, the worst first."""
        return tuple(self._complaints())

    def _complaints(self) -> Iterator[str]:
        known = next((one for one in (self.people, self.judges) if one.value is not None), None)
        if known is not None and known.ci95 is not None and known.ci95[1] < UNCLEAR:
            yield "ambiguous"
        if self.follows:
            yield "redundant"
        shaky = known is not None and known.value is not None and known.value < WANTED
        if shaky and self.neighbours is not None and (self.neighbours.value or 0) >= NEIGHBOURS:
            yield "neighbours"
        if self.unused:
            yield "unused"
        if self.crowded.value is not None and self.crowded.value >= CROWDED and self.n >= _ENOUGH_RATINGS:
            yield "crowded"
        if self.unfounded.ci95 is not None and self.unfounded.ci95[0] >= UNFOUNDED:
            yield "unfounded"

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        figures = {
            name: getattr(self, name).as_json(lang)
            for name in ("people", "judges", "against", "split", "crowded", "unfounded")
        }
        return {
            "name": self.name,
            "n_ratings": self.n,
            **figures,
            "neighbours": self.neighbours.as_json(lang) if self.neighbours else None,
            "unused": list(self.unused),
            "follows": list(self.follows),
            "raters": self.raters,
            "raters_if_usual": self.raters_if_usual,
            "complaints": list(self.complaints),
        }


@frozen
class Diagnosis:
    """A rubric's check-up: every criterion and element, and raters who let one impression decide (halo)."""

    checkups: tuple[Checkup, ...]
    halo: dict[str, Figure]
    n_items: int


def diagnose(analysis: Analysis) -> Diagnosis:
    """Look at every criterion and element of a study's rubric.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from haechi.demo import make_studies
    >>> study = next(make_studies(Path(tempfile.mkdtemp()) / "demo"))
    >>> found = diagnose(Analysis(study))
    >>> [one.name for one in found.checkups][:2], found.checkups[0].n
    (['situational_consistency', 'persona_consistency'], 42)
    """
    table = study_ratings(analysis.study, elements=True)
    names = [name for name in table.criteria if not table.is_derived(name)]
    among = {name: (_among(table.rated(name), "human"), _among(table.rated(name), "ai")) for name in names}
    usual = _usual([own[0] or own[1] for own in among.values()])
    follows = _follows(table, names)
    quotes = {name: quoted.share for name, quoted in analysis.quotes.by("criterion").items()}
    checkups = [
        _checkup(table.rated(name), among[name], usual, follows.get(name, ()), quotes.get(name))
        for name in names
    ]
    report = analysis.raters_agreement
    halo = {one.rater: one.halo.mean for one in report.raters} if report else {}
    known = {rater: figure for rater, figure in halo.items() if figure.value is not None}
    return Diagnosis(tuple(checkups), known, table.n_items)


def _among(rated: CriterionRatings, kind: str) -> Agreement | None:
    """How far raters of a kind agree; None where there are not two of them."""
    values, raters = rated.of(kind)
    if len(raters) < 2:
        return None
    return agreement(values, raters, rated.declared.level, rated.declared.points)


def _checkup(
    rated: CriterionRatings,
    among: tuple[Agreement | None, Agreement | None],
    usual: float | None,
    follows: tuple[str, ...],
    quotes: Figure | None,
) -> Checkup:
    people, judges = among
    human, ai = rated.of("human")[0], rated.of("ai")[0]
    values = rated.ratings[~np.isnan(rated.ratings)]
    points = rated.declared.points
    single = _single(people or judges)
    now, then = _raters_for(single), _raters_for(usual)
    nothing = wilson(0, 0)
    against = against_people(rated).panel.pearson if human.size and ai.size else nothing
    return Checkup(
        rated.name,
        int(values.size),
        people.krippendorff_alpha if people else nothing,
        judges.krippendorff_alpha if judges else nothing,
        against,
        _split(human if people else ai),
        _neighbours(human if people else ai, points) if points and len(points) > 2 else None,
        _unused(values, points),
        _crowded(rated.ratings, points),
        follows,
        quotes or nothing,
        now,
        then if now is not None and then is not None and then < now else None,
    )


def _single(found: Agreement | None) -> float | None:
    """The reliability of one rater; where ICC is not for such values, α, which is the same for many items."""
    if found is None:
        return None
    icc = found.icc["ICC(2,1)"].value
    return icc if icc is not None else found.krippendorff_alpha.value


def _usual(found: Sequence[Agreement | None]) -> float | None:
    known = [value for value in map(_single, found) if value is not None]
    return float(np.median(known)) if known else None


def _raters_for(single: float | None) -> int | None:
    """How many raters a mean of `WANTED` takes (Spearman–Brown); None where no number would do.

    >>> _raters_for(0.5), _raters_for(0.9), _raters_for(-0.1)
    (4, 1, None)
    """
    if single is None or single <= 0:
        return None
    needed = math.ceil(WANTED * (1 - single) / ((1 - WANTED) * single) - 1e-9)
    return max(1, needed) if needed <= _MOST_RATERS else None


def _split(values: Floats) -> Figure:
    """The share of items with two ratings or more on which they are not the same."""
    several = values[(~np.isnan(values)).sum(axis=1) > 1] if values.size else values
    differ = int((np.nanmax(several, axis=1) != np.nanmin(several, axis=1)).sum()) if several.size else 0
    return wilson(differ, len(several) if several.size else 0)


def _neighbours(values: Floats, points: Sequence[float]) -> Figure:
    """Of pairs of raters who differ on an item, the share that is one point apart; items are the clusters."""
    place = {point: index for index, point in enumerate(points)}
    near, all_ = [], []
    for row in values:
        given = [place[value] for value in row[~np.isnan(row)].tolist() if value in place]
        apart = [abs(a - b) for a, b in combinations(given, 2) if a != b]
        near.append(sum(one == 1 for one in apart))
        all_.append(len(apart))
    return clustered_mean(near, all_, (0.0, 1.0))


def _unused(values: Floats, points: Sequence[float] | None) -> tuple[float, ...]:
    if points is None or values.size < _ENOUGH_RATINGS:
        return ()
    given = set(values.tolist())
    return tuple(point for point in points if point not in given)


def _crowded(values: Floats, points: Sequence[float] | None) -> Figure:
    """The share of ratings at the end of the scale that has more of them; items are the clusters."""
    known = ~np.isnan(values)
    if points is None or not known.any():
        return wilson(0, 0)
    end = max((points[0], points[-1]), key=lambda point: int((values[known] == point).sum()))
    return clustered_mean((values == end).sum(axis=1), known.sum(axis=1), (0.0, 1.0))


def _follows(table: RatingTable, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For each name, what is met whenever it is met, and seldom otherwise; of scales with more points, what ranks items alike."""
    if table.n_items < ENOUGH_ITEMS:  # ratings of one item say the same thing several times
        return {}
    cells = {name: _cells(table, name) for name in names}
    binary = [name for name in names if table.declared[name].points == (0.0, 1.0)]
    found: dict[str, list[str]] = {}
    for a, b in permutations(binary, 2):
        both = ~(np.isnan(cells[a]) | np.isnan(cells[b]))
        met, other = cells[a][both] == 1, cells[b][both] == 1
        n, unmet = int(met.sum()), int((~met).sum())
        if n < _ENOUGH_CASES or unmet < _ENOUGH_CASES:
            continue
        broken, anyway = float((met & ~other).sum()) / n, float((~met & other).sum()) / unmet
        # What is met nearly always follows from nothing in particular.
        if broken <= _FOLLOWS and anyway <= _OTHERWISE and other.mean() < CROWDED:
            found.setdefault(a, []).append(b)
    for a, b in combinations([name for name in names if name not in binary], 2):
        r = pearson(cells[a], cells[b])
        low = r.ci95[0] if r.ci95 else r.value  # a perfect correlation has no interval
        if low is not None and low >= _SAME_RANK and r.n >= _ENOUGH_CASES:
            found.setdefault(a, []).append(b)
    return {name: tuple(others) for name, others in found.items()}


def _cells(table: RatingTable, name: str) -> Floats:
    """What everybody gave, in the order of items and raters, so that two criteria can be set side by side."""
    rated = table.rated(name)
    values = np.full((table.n_items, len(table.kinds)), np.nan)
    place = {rater: index for index, rater in enumerate(table.kinds)}
    for column, rater in enumerate(rated.raters):
        values[:, place[rater]] = rated.ratings[:, column]
    return values.ravel()
