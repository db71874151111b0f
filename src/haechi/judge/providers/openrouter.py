"""OpenRouter: models of many makers behind one address, in OpenAI's interface."""

from __future__ import annotations

import os

from haechi.judge.providers.addresses import check_plain
from haechi.judge.providers.base import need_key
from haechi.judge.providers.openai import OpenAI
from haechi.judge.providers.openai_lines import LINES
from haechi.judge.providers.provider import Provider


def connect(model: str, url: str | None, timeout: float) -> OpenAI:  # noqa: ARG001 - it has no other address
    """A judge at OpenRouter."""
    key = os.environ.get("OPENROUTER_API_KEY")
    if not key:
        raise need_key("openrouter")
    check_plain(PROVIDER.address, "OPENROUTER_API_KEY")
    return OpenAI(key, PROVIDER.address, timeout, model, server="openrouter")


PROVIDER = Provider(
    "openrouter",
    connect,
    LINES,
    keys=("OPENROUTER_API_KEY",),
    batches=False,
    model="MAKER/MODEL",
    home="https://openrouter.ai/api/v1",
    address_variable="OPENROUTER_BASE_URL",
    sign="@openrouter",
    sdk="openai",
    takes=frozenset({"temperature", "seed", "effort", "logprobs"}),
)
