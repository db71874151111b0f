"""Keys stay in the environment: whatever is written or shown passes through here first."""

from __future__ import annotations

import os
import re

VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_ADMIN_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
)
_SHORTEST = 8
# What keys of these providers look like, also when it is not the one in the environment.
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk-[A-Za-z0-9_*-]{8,}|AIza[A-Za-z0-9_-]{20,})")
_HIDDEN = "•••"


def mask(text: str) -> str:
    """Text without keys.

    >>> mask("Incorrect API key provided: sk-proj-abcdefgh12345")
    'Incorrect API key provided: •••'
    """
    for variable in VARIABLES:
        key = os.environ.get(variable, "")
        if len(key) >= _SHORTEST:
            text = text.replace(key, _HIDDEN)
    if "sk-" in text or "AIza" in text:  # looking for a few letters is much faster than for a pattern
        text = _LOOKS_LIKE_A_KEY.sub(_HIDDEN, text)
    return text
