"""Which system is the stronger: strengths, ranks and the effect of the order, from votes between two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from haechi.analysis.vote_columns import clusters_of, codes_of, difference_of
from haechi.data.fields import EVERYTHING, Selection, field_among
from haechi.data.group_order import group_orders, in_order
from haechi.data.votes import VoteTable
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.stats.bootstrap import SEED
from haechi.stats.bradley_terry import bradley_terry
from haechi.stats.figure import Lang, Why
from haechi.stats.position import Position, position
from haechi.stats.strengths import BradleyTerry
from haechi.stats.votes import Votes
from haechi.text import Text, plural

if TYPE_CHECKING:
    import polars as pl

OVERALL = "overall"
_NAMED = 5


@frozen
class RankingOptions:
    """What somebody wants to know: the reference, groups, clusters, and numbers whose part is to be taken out."""

    reference: str | None = None
    by: tuple[str, ...] = ()
    cluster_by: tuple[str, ...] | None = None
    adjust: tuple[str, ...] = ()
    where: Selection = EVERYTHING
    seed: int = SEED
    place: str = ""
    """What an error calls the source."""


@frozen
class Ranking:
    """The systems of one criterion: strengths, the effect of the order, what the intervals are over; and of groups the same."""

    strengths: BradleyTerry
    position: Position
    criterion: str = OVERALL
    knows_order: bool = True
    clustered_by: tuple[str, ...] = ()
    without_verdict: int = 0
    contradicting: tuple[tuple[str, str, str, str | None], ...] = ()
    """Item, a, b and rater of every pair whose two orders got two verdicts."""
    notes: tuple[Why, ...] = ()
    group: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[Ranking, ...] = ()
    others: Mapping[str, Ranking] = field(default_factory=dict)
    seed: int = SEED

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines: the contract of `haechi rank`."""
        found = self.strengths.as_json(lang)
        effects = found.pop("effects")
        said: dict[str, Any] = {"criterion": self.criterion, **found}
        said["position"] = self.position.as_json(lang) | {
            "effect": effects.pop("position", None),
            "order_known": self.knows_order,
            "contradicting": [
                dict(zip(("item", "a", "b", "rater"), one, strict=True)) for one in self.contradicting
            ],
        }
        said |= {
            "adjusted": effects,
            "clustered_by": list(self.clustered_by),
            "without_verdict": self.without_verdict,
            "notes": [note.say(lang) for note in self.notes],
            "seed": self.seed,
        }
        if self.group:
            said = {"by": dict(self.group), **said}
        if self.groups:
            said["groups_by"] = [one.as_json(lang) for one in self.groups]
        if self.others:
            said["criteria"] = {name: one.as_json(lang) for name, one in self.others.items()}
        return said


def ranking(table: VoteTable, asked: RankingOptions = RankingOptions()) -> Ranking:  # noqa: B008 - frozen
    """The ranking of all votes; of several criteria the overall one, or the first, with the others beside it.

    >>> from haechi.data.votes import read_votes
    >>> votes = {"item": [*"1234"], "a": [*"xyxy"], "b": [*"yxyx"], "winner": ["a", "a", "x", "tie"]}
    >>> [system.name for system in ranking(read_votes(votes)).strengths.systems]
    ['x', 'y']
    """
    import polars as pl

    if not table.frame.height:
        raise HaechiError.of(
            asked.place,
            Text("투표 없음", "no votes"),
            Text("한 건 이상의 투표", "at least one vote"),
            Text(
                "haechi judge, haechi serve, 또는 haechi import --as votes",
                "haechi judge, haechi serve, or haechi import --as votes",
            ),
        )
    known = [column for column in table.frame.columns if column not in ("won", "a_first")]
    frame = asked.where.among(known).rows_in(table.frame) if asked.where else table.frame
    table = replace(table, frame=frame)
    by = tuple(field_among(name, known, "--by") for name in asked.by)
    if frame.height and (frame["criterion"] != frame["criterion"][0]).any():
        names = frame["criterion"].unique(maintain_order=True).to_list()
        parts = {name: replace(table, frame=frame.filter(pl.col("criterion") == name)) for name in names}
        main = OVERALL if OVERALL in parts else names[0]
        rankings = {name: _grouped(part, by, asked) for name, part in parts.items()}
        return replace(rankings.pop(main), others=rankings)
    return _grouped(table, by, asked)


def _grouped(table: VoteTable, by: tuple[str, ...], asked: RankingOptions) -> Ranking:
    whole = _ranking(table, asked)
    if not by:
        return whole
    placed = table.frame.drop_nulls(by)
    parts = placed.partition_by(by, as_dict=True, maintain_order=True)
    groups: list[Ranking] = []
    for values in in_order(parts, group_orders(by, parts)):
        part = replace(table, frame=parts[values])
        there = set(part.frame["a"].unique()) | set(part.frame["b"].unique())
        own = replace(asked, reference=asked.reference if asked.reference in there else None)
        group = dict(zip(by, map(str, values), strict=True))
        groups.append(replace(_ranking(part, own), group=group))
    lost = table.frame.height - placed.height
    left_out = Why(
        f"{', '.join(by)} 값이 없어 어느 집단에도 들지 않은 투표: {lost:,}건.",
        f"{lost:,} votes have no {', '.join(by)} and belong to no group.",
    )
    return replace(whole, groups=tuple(groups), notes=(*whole.notes, *([left_out] if lost else [])))


def _ranking(table: VoteTable, asked: RankingOptions) -> Ranking:
    frame = table.frame
    _known_reference(frame, asked.reference)
    names, shown, straight = _as_shown(frame)
    repeated = frame["item"].n_unique() < frame.height
    clusters, notes = clusters_of(frame, asked.cluster_by, len(names), repeated)
    adjust = {name: difference_of(frame, name) * np.where(straight, 1.0, -1.0) for name in asked.adjust}
    shared = [codes_of(frame, name) for name in clusters]
    votes = Votes.of(*shown, adjust, shared, names)
    all_seen = frame["a_first"].null_count() == 0
    strengths = bradley_terry(
        votes,
        reference=asked.reference,
        position=table.knows_order and all_seen and not _one_sided(votes),
        seed=asked.seed,
    )
    unit = codes_of(frame, "item", "rater") if repeated else None
    order, at = _position(frame, shown, unit, shared)
    apart = tuple(frame.select("item", "a", "b", "rater")[at].iter_rows()) if at.size else ()
    notes += [*_about_order(table), *([_contradicting(apart)] if apart else [])]
    return Ranking(
        strengths,
        order,
        frame["criterion"][0] if frame.height else OVERALL,
        table.knows_order,
        clusters,
        frame["won"].null_count(),
        apart,
        tuple(notes),
        seed=asked.seed,
    )


def _as_shown(frame: pl.DataFrame) -> tuple[list[str], tuple[Any, Any, Any], Any]:
    """The systems that were voted on; which was first, which second, what the first won; and whether a was the first."""
    known = frame["a"].dtype.categories.to_list()  # type: ignore[attr-defined]
    a, b = (frame[side].to_physical().to_numpy().astype(np.int64) for side in ("a", "b"))
    used = (np.bincount(a, minlength=len(known)) + np.bincount(b, minlength=len(known))) > 0
    if not used.all():
        place = np.cumsum(used) - 1
        a, b = place[a], place[b]
    names = [name for name, there in zip(known, used.tolist(), strict=True) if there]
    straight, won = frame["a_first"].fill_null(value=True).to_numpy(), frame["won"].to_numpy()
    if straight.all():
        return names, (a, b, won), straight
    turned = (np.where(straight, a, b), np.where(straight, b, a), np.where(straight, won, 1 - won))
    return names, turned, straight


def _about_order(table: VoteTable) -> list[Why]:
    """What is not known about the order, and what that means."""
    unknown = table.frame["a_first"].null_count()
    if not table.knows_order:
        return [
            Why(
                "어느 답을 먼저 보였는지 적혀 있지 않아, 순서 효과는 a를 먼저 보인 것으로 보고 셌고 강도에는 넣지 않았습니다.",
                "Nothing says which answer was shown first: for the order a counts as first, and strengths leave it out.",
            )
        ]
    if not unknown:
        return []
    return [
        Why(
            f"보인 순서를 모르는 투표 {unknown:,}건이 있어, 순서 효과는 나머지에서 셌고 강도에는 넣지 않았습니다.",
            f"Nobody knows the order of {unknown:,} votes: its effect is that of the others, and strengths leave it out.",
        )
    ]


def _position(
    frame: pl.DataFrame, columns: Sequence[Any], unit: Any, shared: Sequence[Any]
) -> tuple[Position, Any]:
    """The effect of the order in the votes whose order is known, and the rows whose verdict a swap changed."""
    seen: Any = slice(None)
    if frame["a_first"].null_count():
        seen = frame["a_first"].is_not_null().to_numpy()
    first, second, won = (column[seen] for column in columns)
    clusters = [codes[seen] for codes in shared]
    found = position(first, second, won, None if unit is None else unit[seen], clusters)
    rows = np.arange(frame.height)[seen]
    return found, rows[[one for one, _ in found.contradicting]]


def _one_sided(votes: Votes) -> bool:
    """Whether every two systems met in one order only, so that nothing tells the order from the systems."""
    k = len(votes.names)
    return not np.isin(votes.first * k + votes.second, votes.second * k + votes.first).any()


def _known_reference(frame: pl.DataFrame, reference: str | None) -> None:
    if reference is None:
        return
    there = sorted({*frame["a"].unique(), *frame["b"].unique()})
    if reference not in there:
        shown = ", ".join(there[:20])
        expected = Text(f"다음 시스템 중 하나: {shown}", f"one of the systems {shown}")
        raise HaechiError.of(
            "--reference", reference, expected, Text("--reference를 고치세요", "correct --reference")
        )


def _contradicting(apart: Sequence[tuple[str, str, str, str | None]]) -> Why:
    shown = (
        f"{item} ({', '.join(filter(None, (f'{a}–{b}', rater)))})" for item, a, b, rater in apart[:_NAMED]
    )
    named = ", ".join(shown) + (" …" if len(apart) > _NAMED else "")
    return Why(
        f"순서를 바꾸자 판단이 달라진 쌍 {len(apart):,}개: {named}. 두 투표 모두 셌습니다.",
        f"The verdict changed when the two were swapped: {plural(len(apart), 'pair')}, {named}; both votes count.",
    )
