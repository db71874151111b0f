"""Bradley–Terry: how strong systems are that were compared two at a time, with ties, order of display and clusters."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from haechi.stats.bootstrap import SEED
from haechi.stats.clusters import ONE_CLUSTER
from haechi.stats.distributions import Z95, t_quantile
from haechi.stats.figure import Figure, Why, figure, undefined
from haechi.stats.paired_fit import Fit, fit
from haechi.stats.ranks import ranks
from haechi.stats.ratings import Floats, Given
from haechi.stats.reasons import NOTHING
from haechi.stats.strengths import BradleyTerry, System
from haechi.stats.votes import POSITION, TIE, Votes
from haechi.stats.win_graph import Linked, linked_systems, why_apart

NO_TIES = Why("무승부가 없습니다", "there are no ties")
NO_END = Why(
    "투표가 한쪽으로 치우쳐 유한한 추정값이 없습니다", "the votes are too one-sided for finite estimates"
)
NOT_APART = Why(
    "시스템의 강도와 구별되지 않습니다: 시스템마다 늘 같은 값이거나 한쪽으로 치우쳤습니다",
    "it cannot be told from the strengths: it is always the same for a system, or one-sided",
)
ALONE = Why("시스템이 둘 이상이어야 합니다", "at least two systems are needed")


@np.errstate(all="ignore")
def bradley_terry(
    first: Given | Votes,
    second: Given = (),
    won: Given = (),
    *,
    reference: Hashable | None = None,
    position: bool = False,
    clusters: Sequence[Given] = (),
    adjust: Mapping[str, Given] | None = None,
    seed: int = SEED,
) -> BradleyTerry:
    """Strengths of systems from votes between two of them, by maximum likelihood; exact, since counts of pairs suffice.

    Model: P(first wins) : P(second wins) : P(tie) = e^{d/2} : e^{−d/2} : ν with d = λ_first − λ_second + δ + β·x, where δ
    (`position`) favours what is shown first and x are covariates (`adjust`, first less second, such as lengths; in standard
    deviations). Without ties that is the logit of Bradley and Terry, with ties Davidson's model. λ of the reference is 0
    (default: the first name of the alphabet). Standard errors are those of the model where votes are independent; with
    `clusters` (the rater, the item of every vote) the sandwich over them, times G/(G − 1), several kinds at once as Cameron,
    Gelbach and Miller do, and Student's t with the fewest clusters less 1. Strengths that would run away, because a
    system never wins, never loses, or groups never meet, are undefined. Ranks: `haechi.stats.ranks`.

    first, second: (votes,) names in the order of display; won: (votes,) 1 the first, 0 the second, 0.5 a tie, NaN left out; or
    `Votes` alone. References: Bradley & Terry 1952, Biometrika 39, 324–345; Davidson 1970, JASA 65, 317–328; Davidson & Beaver
    1977, Biometrics 33, 693–702; Cameron, Gelbach & Miller 2011, Journal of Business & Economic Statistics 29, 238–249. R:
    BradleyTerry2::BTm; gnm with BradleyTerry2::GenDavidson for ties; sandwich::vcovCL(type = "HC0").

    >>> found = bradley_terry(Votes.counted(["x", "y"], [[0, 30], [10, 0]]), reference="y")
    >>> found.systems[0].name, found.systems[0].strength  # log(30 / 10)
    ('x', 1.10 [0.38, 1.81])
    >>> found.systems[0].rank, found.systems[0].win_rate
    ((1, 1), 0.75)
    """
    votes = first if isinstance(first, Votes) else Votes.of(first, second, won, adjust, clusters)
    votes, scales = _scaled(votes)
    votes = votes.shown_first() if position else votes
    if len(votes.names) < 2:
        return _unknown(votes, reference, ALONE if votes.names else NOTHING)
    base = _place(votes.names, reference)
    graph = linked_systems(votes.won, votes.tied)
    home = next(at for at, group in enumerate(graph.groups) if base in group)
    inside = graph.groups[home]
    found = _fitted(votes.among(inside), int(np.flatnonzero(inside == base)[0])) if inside.size > 1 else None
    if inside.size == len(votes.names) and found is None:
        return _unknown(votes, votes.names[base], NO_END)
    return _estimated(votes, graph, home, base, found, scales, seed)


def _scaled(votes: Votes) -> tuple[Votes, dict[str, float]]:
    """Covariates in standard deviations, so that what they are measured in does not matter; and the deviations."""
    if not votes.called:
        return votes, {}
    spread = votes.effects.std(axis=0)
    effects = votes.effects / np.where(spread > 0, spread, 1.0)
    scaled = Votes(votes.names, votes.first, votes.second, votes.counts, effects, votes.called, votes.single)
    return scaled, dict(zip(votes.called, spread.tolist(), strict=True))


def _place(names: Sequence[Hashable], reference: Hashable | None) -> int:
    if reference is None:
        return 0
    if reference not in names:
        raise ValueError(f"the reference {reference!r} is none of the systems {list(names)[:20]}")
    return list(names).index(reference)


def _fitted(votes: Votes, base: int) -> tuple[Votes, Fit] | None:
    """The fit of connected systems, without the effects that cannot be told from the systems, if there are such."""
    for effects in dict.fromkeys(
        (votes.called, tuple(name for name in votes.called if name != POSITION), ())
    ):
        chosen = votes.only(effects)
        found = fit(chosen, base)
        if found is not None:
            return chosen, found
    return None


def _estimated(
    votes: Votes,
    graph: Linked,
    home: int,
    base: int,
    found: tuple[Votes, Fit] | None,
    scales: Mapping[str, float],
    seed: int,
) -> BradleyTerry:
    """What the fit says of the systems that are linked with the reference, and of the others why there is nothing to say.

    home: the place of the reference's group; found: None where the reference stands alone, or its group has no finite estimates.
    """
    n, won, tied = int(votes.counts.sum()), votes.won, votes.tied
    estimates = None if found is None else _Estimates(*found)
    apart = _apart(votes, graph, home)
    strengths = _strengths(votes, graph, home, estimates, apart)
    ranked = {} if estimates is None or apart else estimates.ranks(seed)
    order = sorted(
        range(len(votes.names)),
        key=lambda at: (-_or_low(strengths[at].value), -_share(won, tied, at), at),
    )
    systems = tuple(
        System(votes.names[at], strengths[at], *_counts(won, tied, at), *ranked.get(at, (None, None)))
        for at in order
    )
    return BradleyTerry(
        systems,
        votes.names[base],
        n,
        int(votes.counts[:, TIE].sum()),
        undefined(NO_END, n) if estimates is None else estimates.ties(n),
        {name: _effect(estimates, name, scales.get(name), n) for name in votes.called},
        tuple(tuple(votes.names[int(at)] for at in group) for group in graph.groups),
        won[np.ix_(order, order)],
        tied[np.ix_(order, order)],
        np.zeros((0, 0)) if estimates is None else estimates.covariance,
        () if estimates is None else estimates.fit.groups,
        None if estimates is None else estimates.fit.log_likelihood,
        apart[min(apart, key=lambda at: (at not in graph.groups[-1], at))] if apart else None,
    )


def _apart(votes: Votes, graph: Linked, home: int) -> dict[int, Why]:
    """The systems that are not linked with the reference, and why."""
    return {
        int(place): why_apart(votes.names, graph, at, home, votes.won, votes.tied)
        for at, group in enumerate(graph.groups)
        for place in group
        if at != home
    }


def _strengths(
    votes: Votes, graph: Linked, home: int, estimates: _Estimates | None, apart: Mapping[int, Why]
) -> dict[int, Figure]:
    """Of every system its strength, or why it has none."""
    inside = [int(at) for at in graph.groups[home]]
    strengths = {at: undefined(why, _votes_of(votes, at)) for at, why in apart.items()}
    if estimates is None:
        alone = why_apart(votes.names, graph, home, home, votes.won, votes.tied) if apart else NO_END
        return strengths | {at: undefined(alone, _votes_of(votes, at)) for at in inside}
    return strengths | {at: estimates.figure(i, _votes_of(votes, at)) for i, at in enumerate(inside)}


class _Estimates:
    """Figures of a fit: value, standard error and interval of every parameter."""

    def __init__(self, votes: Votes, found: Fit) -> None:
        self.votes, self.fit = votes, found
        self.df = min(found.groups) - 1 if found.groups else None
        self.quantile = Z95 if self.df is None else t_quantile(0.975, self.df) if self.df > 0 else math.nan

    @property
    def covariance(self) -> Floats:
        """That of the strengths."""
        k = len(self.votes.names)
        return self.fit.covariance[:k, :k]

    def figure(self, place: int, n: int, **details: Any) -> Figure:
        """One parameter; of the reference 0, without an interval."""
        value, variance = float(self.fit.at[place]), float(self.fit.covariance[place, place])
        error = math.sqrt(variance) if variance >= 0 else math.nan
        if error == 0 and not self.fit.model[place, place]:
            return figure(value, n, None, REFERENCE, se=0.0, **details)
        if not math.isfinite(error * self.quantile):
            return figure(value, n, None, ONE_CLUSTER, se=None, **details)
        model = math.sqrt(float(self.fit.model[place, place]))
        ends = value - self.quantile * error, value + self.quantile * error
        return figure(value, n, ends, se=error, se_of_independent_votes=model, **details)

    def ranks(self, seed: int) -> dict[int, tuple[float, tuple[int, int]]]:
        """Of every system how often it is first, and the ranks that are not ruled out; none without a covariance."""
        if not np.isfinite(self.covariance).all():
            return {}
        found = ranks(self.fit.at[: len(self.votes.names)], self.covariance, self.df, seed=seed)
        ends = zip(found.best.tolist(), found.worst.tolist(), strict=True)
        return dict(enumerate(zip(found.first.tolist(), ends, strict=True)))

    def ties(self, n: int) -> Figure:
        """Davidson's ν: ν/(2 + ν) is the chance of a tie of two equals."""
        if self.fit.at.size == len(self.votes.names) + len(self.votes.called):
            return undefined(NO_TIES, n)
        log = self.figure(self.fit.at.size - 1, n)
        ends = (math.exp(log.ci95[0]), math.exp(log.ci95[1])) if log.ci95 else None
        return figure(math.exp(float(log)), n, ends, log.why_no_ci)


def _effect(estimates: _Estimates | None, name: str, spread: float | None, n: int) -> Figure:
    """How much an effect favours an answer."""
    details = {} if spread is None else {"sd": spread}
    if estimates is None or name not in estimates.votes.called:
        return undefined(NOT_APART, n, **details)
    place = len(estimates.votes.names) + estimates.votes.called.index(name)
    return estimates.figure(place, n, **details)


REFERENCE = Why("기준 시스템이므로 0입니다", "0 by definition: it is the reference")


def _unknown(votes: Votes, reference: Hashable | None, why: Why) -> BradleyTerry:
    """What is left where no strength can be said."""
    n = int(votes.counts.sum())
    won, tied = votes.won, votes.tied
    none = undefined(why, n)
    systems = tuple(System(name, none, *_counts(won, tied, at)) for at, name in enumerate(votes.names))
    ordered = tuple(sorted(systems, key=lambda system: -(system.win_rate or 0.0)))
    at = [systems.index(system) for system in ordered]
    return BradleyTerry(
        ordered,
        reference if reference is not None or not votes.names else votes.names[0],
        n,
        int(votes.counts[:, TIE].sum()),
        none,
        dict.fromkeys(votes.called, none),
        (tuple(votes.names),) if votes.names else (),
        won[np.ix_(at, at)],
        tied[np.ix_(at, at)],
        np.zeros((0, 0)),
        why=why,
    )


def _counts(won: Floats, tied: Floats, at: int) -> tuple[int, int, int]:
    return int(won[at].sum()), int(won[:, at].sum()), int(tied[at].sum())


def _votes_of(votes: Votes, at: int) -> int:
    return int(votes.counts[(votes.first == at) | (votes.second == at)].sum())


def _share(won: Floats, tied: Floats, at: int) -> float:
    wins, losses, ties = _counts(won, tied, at)
    return (wins + ties / 2) / max(wins + losses + ties, 1)


def _or_low(value: float | None) -> float:
    return -math.inf if value is None else value
