"""What judging costs: dated list prices, and how many tokens a prompt has about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from haechi.errors import HaechiError
from haechi.judge.providers.models import Model
from haechi.text import Text

_FILE = Path(__file__).with_name("prices.yaml")
_DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")


class Price(BaseModel):
    """Dollars per million tokens; `batch` is the share of the price that a batch costs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
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
        cached = min(usage.get("cached", 0), usage["input"])
        reading = self.input if self.cached is None else self.cached
        dollars = (usage["input"] - cached) * self.input + cached * reading + usage["output"] * self.output
        return dollars * (self.batch if batch else 1.0) / 1_000_000


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")

    as_of: str
    models: dict[str, Price]


class Prices:
    """The prices in force: the package's, overridden by the user's.

    >>> prices = Prices.read()
    >>> prices.of(Model("openai", "gpt-5-mini-2025-08-07")).output, prices.of(Model("openai", "gpt-99"))
    (2.0, None)
    """

    def __init__(self, prices: Mapping[str, Price]) -> None:
        self._prices = prices

    @classmethod
    def read(cls, folder: Path | None = None) -> Prices:
        """The package's table, and `prices.yaml` in a study's folder."""
        prices = _read(_FILE)
        own = folder / "prices.yaml" if folder is not None else None
        return cls(prices | (_read(own) if own is not None and own.exists() else {}))

    def names(self) -> list[str]:
        """The models whose price is known.

        >>> "openai:gpt-5-mini" in Prices.read().names()
        True
        """
        return list(self._prices)

    def of(self, model: Model) -> Price | None:
        """The price of a model, also under its dated name; None when nobody stated it.

        The table is about the provider's own service: another server has a price only if the user states it.
        """
        return self._prices.get(model.spec) or self._prices.get(_DATED.sub("", model.spec))


def _read(path: Path) -> dict[str, Price]:
    try:
        data = yaml.safe_load(path.read_text("utf-8-sig"))
        if isinstance(data, dict) and "as_of" in data:
            data["as_of"] = str(data["as_of"])
        table = _Table.model_validate(data)
    except (yaml.YAMLError, ValidationError, UnicodeDecodeError) as error:
        expected = Text(
            "as_of와 models(모델: input, output, …)", "as_of and models (model: input, output, …)"
        )
        todo = Text("파일을 고친 뒤 다시 실행하세요", "correct the file and run again")
        raise HaechiError.of(str(path), str(error)[:300], expected, todo) from None
    return {name: price.model_copy(update={"as_of": table.as_of}) for name, price in table.models.items()}


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
