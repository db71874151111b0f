"""Keys stay in the environment: whatever is written or shown passes through here first."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
)
_OF_PROVIDERS = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
}
_OF_ADDRESSES = "HAECHI_KEY_"
_SHORTEST = 8
# What keys of these providers look like, also when it is not the one in the environment.
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk-[A-Za-z0-9_*-]{8,}|AIza[A-Za-z0-9_-]{20,})")
_HIDDEN = "•••"


def variable_of(server: str) -> str:
    """The environment variable that holds the key for a provider, or for one address and no other.

    >>> variable_of("openai"), variable_of("https://api.example.com/v1"), variable_of("http://localhost:8000/v1")
    ('OPENAI_API_KEY', 'HAECHI_KEY_API_EXAMPLE_COM', 'HAECHI_KEY_LOCALHOST_8000')
    """
    if server in _OF_PROVIDERS:
        return _OF_PROVIDERS[server]
    parts = urlsplit(server)
    host = (parts.hostname or "").encode("idna").decode()  # names in Hangul would all be the same otherwise
    place = host if parts.port is None else f"{host}_{parts.port}"
    return _OF_ADDRESSES + re.sub(r"[^A-Z0-9]", "_", place.upper())


def mask(text: str) -> str:
    """Text without keys.

    >>> mask("Incorrect API key provided: sk-proj-abcdefgh12345")
    'Incorrect API key provided: •••'
    """
    addresses = (name for name in os.environ if name.startswith(_OF_ADDRESSES))
    for variable in (*VARIABLES, *addresses):
        key = os.environ.get(variable, "")
        if len(key) >= _SHORTEST:
            text = text.replace(key, _HIDDEN)
    if "sk-" in text or "AIza" in text:  # looking for a few letters is much faster than for a pattern
        text = _LOOKS_LIKE_A_KEY.sub(_HIDDEN, text)
    return text
