"""The providers of AI judges: one file each and one line here; an installed package may bring more.

A package brings one by an entry point in the group `haechi.providers` that leads to a `Provider` of that name.
"""

from __future__ import annotations

from typing import Any

from haechi.errors import HaechiError
from haechi.judge.providers import anthropic, azure, bedrock, gemini, local, openai, openrouter, vertex
from haechi.judge.providers.provider import Provider, guarded
from haechi.plugins.registry import Registry
from haechi.text import Text

__all__ = ["PROVIDERS", "Provider", "provider_of"]


def _misfit(name: str, found: Any) -> Text | None:
    if isinstance(found, Provider) and found.name == name:
        return None
    return Text(f'{Provider.__module__}.{Provider.__name__}(name="{name}", …)')


PROVIDERS = Registry[Provider](
    "haechi.providers",
    {
        "openai": openai.PROVIDER,
        "anthropic": anthropic.PROVIDER,
        "gemini": gemini.PROVIDER,
        "azure": azure.PROVIDER,
        "bedrock": bedrock.PROVIDER,
        "vertex": vertex.PROVIDER,
        "openrouter": openrouter.PROVIDER,
        "local": local.PROVIDER,
    },
    _misfit,
    guarded,
)
"""The providers by name."""


def provider_of(name: str) -> Provider:
    """The provider of that name.

    >>> provider_of("anthropic").keys[0]
    'ANTHROPIC_API_KEY'
    """
    found = PROVIDERS.get(name)
    if found is None:
        known = ", ".join(PROVIDERS.names())
        expected = Text(f"다음 중 하나: {known}", f"one of {known}")
        todo = Text("그 제공자를 더하는 패키지를 설치하세요", "install the package that brings this provider")
        raise HaechiError.of("haechi.providers", name, expected, todo)
    return found
