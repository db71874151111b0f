"""A limit on what a job may pay: the next request leaves only if even its worst case stays below the line."""

from __future__ import annotations

import orjson

from haechi.errors import HaechiError
from haechi.judge.asks import Judge
from haechi.judge.providers.base import Request
from haechi.judge.providers.money import Price, at_most_tokens
from haechi.store.connection import Connection
from haechi.store.holders import new_holder
from haechi.store.jobs import Spending, charge_worst, join_job, leave_job, spending
from haechi.text import Text, dollars


class Budget:
    """The share of one process in a job: all its workers together stay below the line.

    most: dollars; None for no line. job: the job's name; without one the process joins whoever judges the study
    at the same time.

    >>> from haechi.judge.providers.base import Request
    >>> from haechi.judge.providers.money import Price
    >>> request = Request("r1", "", "", {}, max_tokens=100_000)
    >>> round(Budget(1.0).bound(request, Price(input=1, output=5)), 3)
    0.5
    """

    def __init__(self, most: float | None = None, job: str | None = None) -> None:
        self.most, self.job = most, job
        self.worker = new_holder()

    def join(self, connection: Connection) -> None:
        """Begin to work; who worked before goes on in the same job."""
        self.job = join_job(connection, self.worker, self.job)

    def leave(self, connection: Connection) -> None:
        """End the work."""
        leave_job(connection, self.worker)

    def bound(self, request: Request, price: Price | None, batch: bool = False) -> float:
        """The most that a request can cost; nothing where the price is unknown."""
        if price is None:
            return 0.0
        sent = (request.system.encode("utf-8", "replace"), request.user.encode("utf-8", "replace"))
        size = sum(map(at_most_tokens, (*sent, orjson.dumps(request.schema))))
        # The dearest is to be put into the provider's cache, all of it.
        most = {"input": size, "output": request.max_tokens}
        return max(price.cost(one, batch) or 0.0 for one in (most, most | {"cache_write": size}))

    def spent(self, connection: Connection) -> Spending:
        """What the whole job has paid and reserved."""
        return spending(connection, self.job) if self.job is not None else Spending()

    def room(self, connection: Connection) -> float:
        """How much may still be reserved."""
        if self.most is None:
            return float("inf")
        spent = self.spent(connection)
        return self.most - spent.paid - spent.reserved

    def may_ask_again(self, connection: Connection, bound: float) -> bool:
        """A request without an answer may have been paid: count its worst case, and say if another one fits too."""
        if self.job is not None:
            charge_worst(connection, self.job, bound)
        return self.room(connection) >= 0

    def words(self, spent: Spending, next_cost: float) -> Text:
        """Why the work stops here, and what would let it go on."""
        most, paid, worst = f"${self.most or 0:,.2f}", dollars(spent.paid), dollars(next_cost)
        doubtful = dollars(spent.reserved)
        needed = f"{spent.paid + spent.reserved + next_cost:.2f}"
        return Text(
            f"--max-cost {most}에 닿기 전에 멈춤(함께 일한 모든 프로세스가 지불 {paid}, 지불했을 수 있는 것 {doubtful}). "
            f"다음 요청 하나에 최대 {worst}가 듭니다. 이어서 하려면 --max-cost를 {needed}보다 크게 하세요",
            f"stopped before --max-cost {most} (paid by all processes of this job {paid}, perhaps paid {doubtful}). "
            f"The next request could cost up to {worst}: to go on, raise --max-cost above {needed}",
        )


def check_price(judge: Judge, most: float | None) -> None:
    """Refuse a limit that cannot be kept because the price is unknown."""
    if most is not None and judge.price is None:
        spec = judge.model.spec  # by which prices are listed: another server has prices of its own
        raise HaechiError.of(
            f"--max-cost, {spec}",
            Text("가격을 모름", "the price is unknown"),
            Text("가격표에 있는 모델", "a model in the price table"),
            Text(
                f"스터디 폴더의 prices.yaml에 {spec}의 가격을 적으세요",
                f"state the price of {spec} in prices.yaml in the study's folder",
            ),
        )
