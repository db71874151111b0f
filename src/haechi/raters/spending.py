"""A limit on what a run may pay: the next request leaves only if even its worst case stays below the line."""

from __future__ import annotations

import json

from haechi.errors import HaechiError
from haechi.providers.base import Request
from haechi.providers.money import Price, at_most_tokens
from haechi.raters.asking import Judge
from haechi.text import Text


class Budget:
    """What was paid in this run, and what the requests on their way may still cost at most.

    >>> budget = Budget(1.0)
    >>> budget.reserve(0.9), budget.reserve(0.2)
    (True, False)
    """

    def __init__(self, most: float | None = None) -> None:
        self.most = most
        self.paid = self._reserved = 0.0

    def bound(self, request: Request, price: Price | None, batch: bool = False) -> float:
        """The most that a request can cost."""
        if self.most is None or price is None:
            return 0.0
        size = at_most_tokens(request.system) + at_most_tokens(request.user)
        size += at_most_tokens(json.dumps(request.schema, ensure_ascii=False))
        return price.cost({"input": size, "output": request.max_tokens}, batch) or 0.0

    def reserve(self, bound: float) -> bool:
        """Whether there is room for a request; if so it is taken."""
        if self.most is not None and self.paid + self._reserved + bound > self.most:
            return False
        self._reserved += bound
        return True

    def settle(self, bound: float, cost: float | None) -> None:
        """A request has ended: what it cost takes the place of what it could have cost.

        Where nobody says what it cost, the line is kept as if it had cost the most that it can.

        >>> budget = Budget(1.0)
        >>> budget.reserve(0.9)
        True
        >>> budget.settle(0.9, None)
        >>> budget.reserve(0.2), budget.paid
        (False, 0.0)
        """
        if cost is not None:
            self._reserved -= bound
            self.paid += cost

    def words(self) -> Text:
        """Why the run stops here."""
        most = f"${self.most or 0:,.2f}"
        paid = f"${self.paid:,.4f}"
        return Text(
            f"--max-cost {most}에 닿기 전에 멈춤(이번에 지불 {paid})",
            f"stopped before --max-cost {most} (paid now {paid})",
        )


def check_price(judge: Judge, most: float | None) -> None:
    """Refuse a limit that cannot be kept because the price is unknown."""
    if most is not None and judge.price is None:
        reference = judge.model.reference
        raise HaechiError.of(
            f"--max-cost, {reference}",
            Text("가격을 모름", "the price is unknown"),
            Text("가격표에 있는 모델", "a model in the price table"),
            Text(
                f"스터디 폴더의 prices.yaml에 {reference}의 가격을 적으세요",
                f"state the price of {reference} in prices.yaml in the study's folder",
            ),
        )
