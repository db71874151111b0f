"""What judging costs and will cost, in words: estimates, old prices, savings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from haechi.text import Text, dollars

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from haechi.cli.output import Output
    from haechi.judge.asks import Judge
    from haechi.judge.estimates import CostEstimate
    from haechi.judge.providers.money import CacheSavings
    from haechi.judge.records import JudgingTotals
    from haechi.report.table import Table

_ENOUGH = 3  # answers, from which an average is one
_WORTH_SAYING = 0.00005  # dollars: less is printed as nothing


class CallCosts(Protocol):
    """What is known of the calls of a run: how many have ended, how many of them in vain, and what they cost."""

    @property
    def calls(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def cost(self) -> float: ...
    @property
    def money(self) -> str: ...


def money(amount: float | None) -> str:
    """Dollars, or that nobody knows.

    >>> money(1.5)
    '$1.5000'
    """
    return Text("모름", "unknown").say() if amount is None else dollars(amount)


def say_saved(saved: CacheSavings) -> str:
    """What cache and batch saved, as the end of a line; empty if it is nothing.

    >>> from haechi.judge.providers.money import CacheSavings
    >>> say_saved(CacheSavings(cache=1.2)), say_saved(CacheSavings())
    (' · 캐시로 $1.2000 절약', '')
    """
    told = [
        (saved.cache, Text(f"캐시로 {money(saved.cache)} 절약", f"cache saved {money(saved.cache)}")),
        (saved.batch, Text(f"배치로 {money(saved.batch)} 절약", f"batch saved {money(saved.batch)}")),
    ]
    return "".join(f" · {words.say()}" for dollars, words in told if dollars >= _WORTH_SAYING)


def warn_of_old_prices(judges: list[Judge], folder: Path, output: Output) -> list[str]:
    """Say which prices should be looked up again; gives the models."""
    from haechi.judge.providers.prices import Prices

    prices, old = Prices.read(folder), []
    for judge in judges:
        found = prices.find(judge.model)
        if found is not None and found.is_old and (found.price.input or found.price.output):
            reference, age = judge.model.reference, found.age()
            old.append(reference)
            ko, en = (f"{age}일 전", f"{age} days old") if age is not None else ("날짜 없음", "undated")
            output.note(
                Text(
                    f"! {reference}의 가격은 {found.price.as_of or '?'} 기준({ko})입니다. 지금의 가격을 확인하고 "
                    f"haechi prices --set {reference} input=… output=…으로 적으세요.",
                    f"! the price of {reference} is of {found.price.as_of or '?'} ({en}). Look it up, and state it with "
                    f"haechi prices --set {reference} input=… output=….",
                )
            )
    return old


def estimates_table(found: list[CostEstimate]) -> Table:
    """What judges would take, one row each."""
    from haechi.report.table import Column, table

    columns = [
        Column("", "words"),
        Column(Text("호출", "calls").say(), "count"),
        Column(Text("입력 토큰", "tokens in").say(), "count", leave_out=2),
        Column(Text("출력 토큰", "tokens out").say(), "count", leave_out=3),
        Column(Text("실시간", "live").say()),
        Column(Text("배치", "batch").say()),
        Column(Text("최대", "at most").say()),
        Column(Text("가격 기준일", "prices of").say(), leave_out=1),
    ]
    rows = [
        (
            *(one.rater, one.calls, one.input_tokens, one.output_tokens),
            *(money(one.cost), money(one.batch_cost), money(one.at_most), one.as_of or ""),
        )
        for one in found
    ]
    return table(Text("추정", "Estimate").say(), columns, rows)


def say_basis(found: list[CostEstimate], output: Output) -> None:
    """Say from what the estimates are."""
    for one in found:
        if one.answers:
            share = f"{one.cached:.0%}".replace("%", " %")
            output.note(
                Text(
                    f"{one.rater}: 출력은 이 평가자의 응답 {one.answers:,}건의 평균(추론 토큰 포함)이고, 입력의 {share}는 캐시에서 온 것으로 추정했습니다.",
                    f"{one.rater}: output as in its {one.answers:,} answers so far (thinking included); {share} of the input from the cache.",
                )
            )
    if not all(one.answers for one in found):
        output.note(
            Text(
                "응답이 아직 없는 평가자의 출력에는 추론(thinking) 토큰이 빠져 있습니다. --limit 10으로 먼저 물으면 그 응답으로 다시 추정합니다. "
                "'최대'는 모든 응답이 한도까지 길 때입니다.",
                "Thinking tokens are not in the output of a judge that has not answered yet; ask a few first (--limit 10), and they are "
                "estimated from those. 'At most' is when every answer is as long as allowed.",
            )
        )


def forecast_cost(cost: float, calls: int, total: int) -> float | None:
    """What all calls will have cost if the rest is like those that have ended; None while there are too few.

    >>> forecast_cost(0.5, 10, 100), forecast_cost(0.01, 1, 100)
    (5.0, None)
    """
    return cost / calls * max(total, calls) if calls >= _ENOUGH else None


class CostForecast:
    """Says once, after the first answers, what all of them will cost."""

    AFTER = 10  # answers

    def __init__(
        self, rater: str, left: Callable[[], int], limits: tuple[int | None, float | None], output: Output
    ) -> None:
        self._rater, self._left, self._output = rater, left, output
        self._limit, self._most = limits
        self._said = False

    def __call__(self, done: JudgingTotals) -> None:
        """Look at what was done so far."""
        if self._said or done.calls < self.AFTER or done.without_price:
            return
        self._said = True
        every = done.calls + self._left()
        total = every if self._limit is None else min(self._limit, every)
        cost = forecast_cost(done.cost, done.calls, total)
        if cost is None or total <= 2 * done.calls:
            return
        beyond = self._most is not None and cost > self._most
        ko, en = (
            (f" --max-cost ${self._most:,.2f}보다 많습니다.", f" More than --max-cost ${self._most:,.2f}.")
            if beyond
            else ("", "")
        )
        self._output.note(
            Text(
                f"{self._rater}: 처음 응답 {done.calls:,}건으로 다시 추정하면 {total:,}건에 약 ${cost:,.2f}입니다.{ko}",
                f"{self._rater}: by the first {done.calls:,} answers, {total:,} will cost about ${cost:,.2f}.{en}",
            )
        )
