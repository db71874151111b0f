"""How a judge was asked: everything beside the item that decides its ratings, as one object."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, field, fields
from functools import cached_property
from typing import Any, Literal

import orjson

from haechi.frozen import frozen
from haechi.text import Text

Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
EFFORTS: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
TEMPERATURES = (0.0, 2.0)
LARGEST_SEED = 2**31 - 1
BACKWARDS = "/backwards"
"""What the name of a judge ends in that is asked the criteria in the reverse of their order."""


@frozen
class Decoding:
    """How a model forms its answer; what is None is left to the provider, and not sent.

    >>> Decoding(temperature=0.0).given
    {'temperature': 0.0}
    """

    temperature: float | None = None
    seed: int | None = None
    effort: Effort | None = None
    max_tokens: int | None = None
    logprobs: bool | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What is set."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@frozen
class JudgingProtocol:
    """One way of asking a judge. Two ratings are comparable as measurements if theirs is the same.

    rubric: its version; model and address: as named, and where it was asked; prompt: the hash of what the judge is told,
    without the item; per: whether the rubric was asked whole or by criterion; orders: of a pair, whether it was
    shown in `both` orders or in `one`; examples: the hash of the rated items shown to it; sdk: the program that sent it; price: of the table that was used.

    >>> one = JudgingProtocol("diary-comment@1", "openai:gpt-5-mini", "https://api.openai.com/v1", "ko", "rubric", "1f2e")
    >>> JudgingProtocol.read(one.written) == one, len(one.hash)
    (True, 16)
    """

    rubric: str
    model: str
    address: str
    lang: str
    per: str
    prompt: str
    decoding: Decoding = field(default_factory=Decoding)
    orders: str | None = None
    examples: str | None = None
    sdk: str | None = None
    price: dict[str, Any] | None = None

    @cached_property
    def written(self) -> str:
        """As JSON, always the same for the same."""
        return orjson.dumps(asdict(self), option=orjson.OPT_SORT_KEYS).decode()

    @cached_property
    def hash(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of it."""
        return hashlib.sha256(self.written.encode()).hexdigest()[:16]

    @classmethod
    def read(cls, written: str) -> JudgingProtocol:
        """What was written; fields that a later version added are left out."""
        found = orjson.loads(written)
        found["decoding"] = Decoding(**found.get("decoding") or {})
        return cls(**{one.name: found[one.name] for one in fields(cls) if one.name in found})

    @property
    def parts(self) -> dict[str, Any]:
        """What decides ratings, by name, decoding among the rest."""
        whole = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "decoding"}
        return whole | asdict(self.decoding)


WORDS = {
    "rubric": Text("루브릭 버전", "rubric version"),
    "version": Text("응답한 모델 버전", "model version that answered"),
    "model": Text("모델", "model"),
    "address": Text("주소", "address"),
    "lang": Text("프롬프트 언어", "language of the prompt"),
    "per": Text("한 번에 묻는 단위", "asked at a time"),
    "prompt": Text("프롬프트", "prompt"),
    "temperature": Text("temperature", "temperature"),
    "seed": Text("시드", "seed"),
    "effort": Text("추론 강도", "reasoning effort"),
    "max_tokens": Text("토큰 한도", "token limit"),
    "logprobs": Text("토큰 확률", "token probabilities"),
    "orders": Text("두 답을 보인 순서", "orders of the two answers"),
    "examples": Text("예시", "examples"),
    "sdk": Text("SDK", "SDK"),
    "price": Text("가격표", "price table"),
}
"""What may change between two ways of asking, in words; the model that answered is known from its answer."""
