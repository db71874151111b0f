"""The AI under test as a partner in conversation: it is told what was said and replies piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import cast

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.providers.base import Talker
from haechi.judge.providers.models import Model, parse_model, talking_models, talks
from haechi.judge.providers.money import Price, at_most_tokens
from haechi.judge.providers.prices import Prices
from haechi.text import Text

_TIMEOUT = 120.0
SaidTurn = tuple[str, str]
"""Who said it (`user`, `assistant`), and what."""


@frozen
class Partner:
    """Somebody to talk with: `openai:MODEL[@URL]`, told who it is by `system`; `longest` is that of a reply, in tokens."""

    model: Model
    price: Price | None
    system: str | None = None
    longest: int = 1000

    @classmethod
    def named(
        cls, spec: str, folder: Path, system: str | None = None, max_cost: float | None = None
    ) -> Partner:
        """The partner of a name; one whose price nobody knows cannot be held to a limit of costs.

        >>> Partner.named("openai:qwen3@http://localhost:8000/v1", Path()).model.name
        'qwen3'
        """
        model = parse_model(spec)
        if not talks(spec):
            todo = Text("--talk을 고치세요", "correct --talk")
            raise HaechiError.of("--talk", spec[:200], talking_models(), todo)
        price = Prices.read(folder).of(model)
        if max_cost is not None and price is None:
            expected = Text("가격표에 있는 모델", "a model in the price table")
            todo = Text(
                f"스터디 폴더의 prices.yaml에 {model.spec}의 가격을 적으세요",
                f"state the price of {model.spec} in prices.yaml in the study's folder",
            )
            raise HaechiError.of(
                "--talk-max-cost", Text("가격을 모름", "the price is unknown"), expected, todo
            )
        return cls(model, price, system)

    def told(self, said: Sequence[SaidTurn]) -> list[dict[str, str]]:
        """The conversation as the AI is told it."""
        before = [{"role": "system", "content": self.system}] if self.system else []
        return before + [{"role": role, "content": content} for role, content in said]

    def at_most(self, said: Sequence[SaidTurn]) -> float | None:
        """What the next reply costs at most, in dollars; None where nobody knows the price."""
        if self.price is None:
            return None
        tokens = sum(at_most_tokens(one["content"].encode()) for one in self.told(said))
        return self.price.cost({"input": tokens, "output": self.longest})

    def connect(self) -> Talker:
        """The connection to its server; its key is looked up now, and a missing one is an error."""
        return cast("Talker", self.model.client(_TIMEOUT))

    async def reply(self, client: Talker, said: Sequence[SaidTurn]) -> AsyncIterator[str | dict[str, int]]:
        """The reply, piece by piece; at the end the tokens it took, if the server counts them."""
        async for piece in client.talk(self.told(said), self.longest):
            yield piece
