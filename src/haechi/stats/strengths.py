"""Systems by their strength: what Bradley–Terry finds."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field
from typing import Any

from haechi.frozen import frozen
from haechi.stats.figure import Figure, Lang, Why
from haechi.stats.ratings import Floats


@frozen
class System:
    """One system: its strength above the reference in log-odds, and how often it won.

    first: the share of resamples in which it is the strongest; rank: the ranks that are not ruled out, 1 the best.
    """

    name: Hashable
    strength: Figure
    wins: int
    losses: int
    ties: int
    first: float | None = None
    rank: tuple[int, int] | None = None

    @property
    def n(self) -> int:
        """How many votes it took part in."""
        return self.wins + self.losses + self.ties

    @property
    def win_rate(self) -> float | None:
        """The share of its votes that it won, a tie being half a win."""
        return (self.wins + self.ties / 2) / self.n if self.n else None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        strength, error = self.strength, self.strength.details.get("se")
        why = strength.why or (strength.why_no_ci if error != 0 else None)
        ends = strength.ci95 or ((0.0, 0.0) if error == 0 else None)  # the reference is 0 by definition
        return {
            "name": self.name,
            "strength": strength.value,
            "se": error,
            "ci95": list(ends) if ends else None,
            "win_rate": self.win_rate,
            "n": self.n,
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            "first": self.first,
            "rank": list(self.rank) if self.rank else None,
            "why": why.say(lang) if why else None,
        }


@frozen
class BradleyTerry:
    """The systems, strongest first, and what else speaks in the votes.

    ties: Davidson's ν; effects: what favours an answer beside its system, in log-odds, `position` for being shown first, others
    for one standard deviation; groups: the systems that can be compared with each other, one group if all can;
    won, tied: (systems, systems) in the order of `systems`; clusters: how many of every kind.
    """

    systems: tuple[System, ...]
    reference: Hashable | None
    n: int
    n_ties: int
    ties: Figure
    effects: Mapping[str, Figure]
    groups: tuple[tuple[Hashable, ...], ...]
    won: Floats = field(repr=False)
    tied: Floats = field(repr=False)
    covariance: Floats = field(repr=False)
    clusters: tuple[int, ...] = ()
    log_likelihood: float | None = None
    why: Why | None = None

    @property
    def separable(self) -> bool:
        """Whether all systems stand on one scale."""
        return self.why is None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        return {
            "systems": [system.as_json(lang) for system in self.systems],
            "reference": self.reference,
            "scale": "log-odds",
            "n": self.n,
            "ties": {"n": self.n_ties, "parameter": self.ties.value}
            | ({"ci95": list(self.ties.ci95)} if self.ties.ci95 else {}),
            "effects": {name: one.as_json(lang) for name, one in self.effects.items()},
            "connected": [list(group) for group in self.groups],
            "wins": self.won.astype(int).tolist(),
            "clusters": list(self.clusters),
            "log_likelihood": self.log_likelihood,
            "separable": self.separable,
            "why": self.why.say(lang) if self.why else None,
        }
