"""OpenRouter: models of many makers behind one address, in OpenAI's interface."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

from haechi.judge.providers.addresses import model_key
from haechi.judge.providers.base import Request
from haechi.judge.providers.bodies import Answer, value_at
from haechi.judge.providers.lines import Record
from haechi.judge.providers.openai import OpenAI
from haechi.judge.providers.openai_lines import LINES
from haechi.judge.providers.provider import Provider


class OpenRouter(OpenAI):
    """A judge model at OpenRouter, which tells with every answer what it charged."""

    def _body(self, request: Request) -> dict[str, Any]:
        return {**super()._body(request), "usage": {"include": True}}


def _answer(record: Record) -> Answer:
    answer = LINES.answer(record)
    cost = value_at(record, "response", "body", "usage", "cost")
    known = isinstance(cost, int | float) and not isinstance(cost, bool) and isfinite(cost) and cost >= 0
    return replace(answer, cost=float(cost)) if known else answer


def connect(model: str, url: str | None, timeout: float) -> OpenRouter:  # noqa: ARG001 - it has no other address
    """A judge at OpenRouter."""
    home = PROVIDER.address
    return OpenRouter(model_key("openrouter", None, home), home, timeout, model, server="openrouter")


PROVIDER = Provider(
    "openrouter",
    connect,
    replace(LINES, answer=_answer),
    keys=("OPENROUTER_API_KEY",),
    batches=False,
    model="MAKER/MODEL",
    home="https://openrouter.ai/api/v1",
    address_variable="OPENROUTER_BASE_URL",
    sign="@openrouter",
    sdk="openai",
    takes=frozenset({"temperature", "seed", "effort", "logprobs"}),
)
