"""Tables and sentences of a ranking: who is how strong, who won against whom, and what the order of display does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from haechi.korean.particles import particle
from haechi.report.numbers import number, percent
from haechi.report.table import Cell, Column, Estimate, Table, say, table
from haechi.report.words import said
from haechi.stats.figure import Why
from haechi.text import Text, first_few

if TYPE_CHECKING:
    from haechi.analysis.ranking import Ranking

MOST_IN_MATRIX = 12
_ALL = 0.995
"""A share that rounds to all; no number of resamples shows that."""


def ranking_tables(found: Ranking) -> list[Table | str]:
    """The whole ranking: of the main criterion, its groups, and the other criteria."""
    shown: list[Table | str] = [strength_table(found)]
    matrix = win_matrix(found)
    shown += [matrix] if matrix else []
    shown += sentences(found)
    for group in found.groups:
        shown += [strength_table(group), *sentences(group)]
    for other in found.others.values():
        shown += [strength_table(other), *sentences(other)]
    return shown


def title_of(found: Ranking) -> str:
    """What a table of strengths is about."""
    about = [] if found.criterion == "overall" else [found.criterion]
    about += [f"{field}={value}" for field, value in found.group.items()]
    n = found.strengths.n
    head = said(f"순위: 투표 {n:,}건", f"ranking of {n:,} votes")
    return f"{head} · {' · '.join(about)}" if about else head


def strength_table(found: Ranking) -> Table:
    """The systems, strongest first."""
    systems = found.strengths.systems
    columns = [
        Column(said("시스템", "system"), "words"),
        Column(said("강도(로그 오즈)", "strength (log-odds)"), "score", short=said("강도", "strength")),
        Column(said("승률", "win rate"), "share"),
        Column(said("투표", "votes"), "count"),
        Column(said("승", "won"), "count", leave_out=2),
        Column(said("무", "tied"), "count", leave_out=2),
        Column(said("패", "lost"), "count", leave_out=2),
        Column(said("순위 범위", "rank"), "words"),
        Column(said("1위 비율", "first"), "share", leave_out=1),
    ]
    rows: list[tuple[Cell, ...]] = [
        (
            str(one.name),
            Estimate.of(one.strength),
            one.win_rate,
            one.n,
            one.wins,
            one.ties,
            one.losses,
            _range(one.rank),
            one.first,
        )
        for one in systems
    ]
    reference = found.strengths.reference
    note = (
        said(
            f"강도는 {reference}에 대한 로그 오즈이고 [ ]는 95 % 구간입니다. 승률에서 무승부는 반 승입니다.",
            f"Strengths are log-odds above {reference}, with 95 % intervals; in the win rate a tie is half a win.",
        )
        if reference is not None and any(one.strength.value is not None for one in systems)
        else ""
    )
    return table(title_of(found), columns, rows, note)


def _range(rank: tuple[int, int] | None) -> str:
    if rank is None:
        return "–"
    low, high = rank
    return said(f"{low}위", str(low)) if low == high else said(f"{low}–{high}위", f"{low}–{high}")


def win_matrix(found: Ranking) -> Table | None:
    """The share of votes that the system of the row won against that of the column, a tie being half; none for very many."""
    strengths = found.strengths
    names = [str(system.name) for system in strengths.systems]
    if not 2 < len(names) <= MOST_IN_MATRIX:
        return None
    rows: list[list[Cell]] = []
    for i, name in enumerate(names):
        cells: list[Cell] = [name]
        for j in range(len(names)):
            met = strengths.won[i, j] + strengths.won[j, i] + strengths.tied[i, j]
            share = (strengths.won[i, j] + strengths.tied[i, j] / 2) / met if met else None
            cells.append("" if i == j else None if share is None else float(share))
        rows.append(cells)
    title = said("맞대결 승률(줄이 열에 대해)", "win rates, row against column")
    return table(
        title, [Column(said("이긴 쪽", "winner"), "words"), *(Column(name, "share") for name in names)], rows
    )


def ranking_facts(found: Ranking) -> list[tuple[str, str]]:
    """What stands at the top of a report: who seems first, how sure that is, and how far verdicts survive a swap."""
    top, place = found.strengths.systems[0], found.position
    facts = [
        (
            said("가장 강한 시스템", "strongest system"),
            str(top.name) if top.strength.value is not None else "–",
        )
    ]
    if top.first is not None:
        facts.append((said("재표집에서 1위", "first in resamples"), _surely(top.first)))
    facts.append((said("승률", "win rate"), "–" if top.win_rate is None else percent(top.win_rate)))
    if place.same_verdict.value is not None:
        facts.append(
            (said("순서를 바꿔도 같은 판단", "same verdict when swapped"), percent(place.same_verdict.value))
        )
    return facts


def _surely(share: float) -> str:
    return "> 99 %" if share > _ALL else percent(share)


def sentences(found: Ranking) -> list[str]:
    """What may be said, and no more."""
    return [one.say() for one in (*about_ranks(found), *about_order(found), *_about_effects(found))]


def about_ranks(found: Ranking) -> Iterator[Text]:
    """Who is first and how sure that is, or why nobody can tell."""
    strengths = found.strengths
    if strengths.why is not None:
        lacking: dict[Why, list[str]] = {}
        for one in strengths.systems:
            if one.strength.value is None:
                lacking.setdefault(one.strength.why or strengths.why, []).append(str(one.name))
        for why, of in lacking.items():
            names = first_few(of, 5)
            yield Text(
                f"강도를 정할 수 없는 시스템: {names}. {why.ko}.",
                f"No strength can be given to {names}: {why.en}.",
            )
        return
    top = strengths.systems[0]
    if top.first is None or top.rank is None:
        return
    name, sure = str(top.name), top.first > _ALL
    yield Text(
        f"{name}{particle(name, '이/가')} 재표집의 {'99 % 넘는 횟수' if sure else percent(top.first)}에서 1위입니다.",
        f"{name} is first in {'more than 99 %' if sure else percent(top.first)} of resamples.",
    )
    rivals = [str(one.name) for one in strengths.systems[1:] if one.rank and one.rank[0] == 1]
    if rivals:
        also = first_few(rivals, 5)
        yield Text(f"1위일 수 있는 다른 시스템: {also}.", f"Others that may be first: {also}.")


def about_order(found: Ranking) -> Iterator[Text]:
    """How often what was shown first won, and whether verdicts survive a swap."""
    place = found.position
    if place.first_wins.value is not None:
        share = say(Estimate.of(place.first_wins, "share"))
        yield Text(
            f"승부가 난 투표 중 {'먼저 보인 답' if found.knows_order else 'a에 적힌 답'}이 이긴 비율: {share}.",
            f"{'The answer shown first' if found.knows_order else 'The answer written as a'} won {share} of the decided votes.",
        )
    if place.same_verdict.value is not None:
        share, n = say(Estimate.of(place.same_verdict, "share")), place.swapped_pairs
        yield Text(
            f"순서를 바꿔 두 번 물은 {n:,}쌍 중 판단이 같은 비율: {share}.",
            f"Of {n:,} pairs asked in both orders {share} got the same verdict.",
        )


def _about_effects(found: Ranking) -> Iterator[Text]:
    for name, effect in found.strengths.effects.items():
        called = Text("먼저 보임", "being shown first") if name == "position" else Text(name, name)
        if effect.value is None and effect.why is not None:
            yield Text(
                f"{called.ko}: 효과를 추정할 수 없습니다. {effect.why.ko}.",
                f"{called.en}: no effect can be given; {effect.why.en}.",
            )
        elif name != "position":
            sd = number(float(effect.details["sd"]))
            yield Text(
                f"{name}의 차이가 표준편차({sd})만큼 크면 로그 오즈 {say(Estimate.of(effect))}. 강도는 {name}의 차이를 덜어 낸 값입니다.",
                f"{name}: {say(Estimate.of(effect))} log-odds for a difference of one standard deviation ({sd}); strengths are those at equal {name}.",
            )
