"""What judging costs: the price of a model, and how many tokens a prompt has about."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from haechi.frozen import frozen

MILLION = 1_000_000


@frozen
class CacheSavings:
    """Dollars that an answer would have cost more: without the provider's cache, and outside of a batch."""

    cache: float = 0.0
    batch: float = 0.0

    def __add__(self, other: CacheSavings) -> CacheSavings:
        """Both together, each for itself."""
        return CacheSavings(self.cache + other.cache, self.batch + other.batch)


NOTHING_SAVED = CacheSavings()


class Price(BaseModel):
    """Dollars per million tokens; `batch` is the share of the price that a batch costs.

    cached: of input that the provider had in its cache; cache_write: of input that it put there. Without them both
    cost what input costs.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)
    batch: float = Field(default=1.0, gt=0, le=1)
    window: int | None = Field(default=None, gt=0)
    as_of: str = ""

    def cost(self, usage: Mapping[str, int], batch: bool = False) -> float | None:
        """What an answer cost; None when the provider did not count its tokens.

        >>> Price(input=1, output=5, batch=0.5).cost({"input": 2_000_000, "output": 1_000_000}, batch=True)
        3.5
        """
        if "input" not in usage or "output" not in usage:
            return None
        dollars = self._reading(usage) + usage["output"] * self.output
        return dollars * (self.batch if batch else 1.0) / MILLION

    def saved(self, usage: Mapping[str, int], batch: bool = False) -> CacheSavings:
        """What the cache and the batch made cheaper; below 0 where more was put into the cache than taken from it.

        >>> usage = {"input": 1_000_000, "cached": 800_000, "output": 100_000}
        >>> saved = Price(input=1, cached=0.1, output=5, batch=0.5).saved(usage, batch=True)
        >>> round(saved.cache, 2), round(saved.batch, 2)
        (0.36, 0.39)
        """
        if "input" not in usage or "output" not in usage:
            return NOTHING_SAVED
        share, reading = self.batch if batch else 1.0, self._reading(usage)
        cache = (usage["input"] * self.input - reading) * share
        rest = (reading + usage["output"] * self.output) * (1.0 - share)
        return CacheSavings(cache / MILLION, rest / MILLION)

    def _reading(self, usage: Mapping[str, int]) -> float:
        """A million times what the input cost, live."""
        cached = min(usage.get("cached", 0), usage["input"])
        written = min(usage.get("cache_write", 0), usage["input"] - cached)
        from_cache = self.input if self.cached is None else self.cached
        to_cache = self.input if self.cache_write is None else self.cache_write
        return (usage["input"] - cached - written) * self.input + cached * from_cache + written * to_cache


def about_tokens(text: str) -> int:
    """About how many tokens a text has: Korean takes most of a token a character, English a quarter.

    >>> about_tokens("이차함수의 꼭짓점"), about_tokens("the vertex of a parabola")
    (7, 6)
    """
    narrow = len(text.encode("ascii", "ignore"))
    return round((len(text) - narrow) * 0.85 + narrow * 0.25)


def at_most_tokens(text: bytes) -> int:
    """More tokens than a text can have with today's tokenizers: one for two bytes of UTF-8."""
    return len(text) // 2 + 16
