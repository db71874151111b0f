"""Keys stay in the environment: whatever is written or shown passes through here first."""

from __future__ import annotations

import ipaddress
import json
import os
import re
from functools import lru_cache
from itertools import chain
from urllib.parse import quote, urlsplit

_OF_PROVIDERS: dict[str, tuple[str, ...]] = {}
_OF_ADDRESSES = "HAECHI_KEY_"
_IPV6 = re.compile(r"[0-9a-f]*:[0-9a-f:]*")
_NAME = re.compile(r"[a-z0-9]+(?:(?:\.|-+|_)[a-z0-9]+)*")  # one kind of sign at a time
_SIGNS = str.maketrans({".": "_", "-": "__", "_": "___"})
_SHORTEST = 8
# What keys of these providers look like, also when it is not the one in the environment.
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk-[A-Za-z0-9_*-]{8,}|AIza[A-Za-z0-9_-]{20,})")
_HIDDEN = "•••"


def keep_secret(provider: str, variables: tuple[str, ...]) -> None:
    """The environment variables of a provider's keys, the usual one first."""
    if variables:
        _OF_PROVIDERS[provider] = variables


def variable_of(server: str) -> str:
    """The environment variable that holds the key for a provider, or for one host and port and no other.

    A host that could be taken for another one is a ValueError.

    >>> variable_of("openai"), variable_of("http://localhost:8000/v1")
    ('OPENAI_API_KEY', 'HAECHI_KEY_LOCALHOST_8000')
    >>> variable_of("https://api.example.com/v1"), variable_of("https://api-example.com/v1")
    ('HAECHI_KEY_API_EXAMPLE_COM', 'HAECHI_KEY_API__EXAMPLE_COM')
    """
    if server in _OF_PROVIDERS:
        return _OF_PROVIDERS[server][0]
    parts = urlsplit(server)
    port = "" if parts.port is None else f"_{parts.port}"
    return _OF_ADDRESSES + _spelled(parts.hostname or "").upper() + port


def _spelled(host: str) -> str:
    """A host with nothing but letters, digits and `_`, such that no two are spelled alike, nor one like another's port."""
    if _IPV6.fullmatch(host):
        return f"_{host.replace(':', '_')}_"  # no name begins with `_`; the brackets end it before the port
    name = host.encode("idna").decode()
    # ß becomes ss here, but not where the SDK connects: what does not come back the same may be another host.
    changed = not host.isascii() and name.encode().decode("idna") != host
    if not _NAME.fullmatch(name) or changed or any(part.strip("-") != part for part in host.split(".")):
        raise ValueError(host)
    if name.rpartition(".")[
        2
    ].isdigit():  # as everywhere on the web: what ends in a number is an IPv4 address
        ipaddress.IPv4Address(name)
    return name.translate(_SIGNS)


@lru_cache(maxsize=100)
def _ways(key: str) -> tuple[str, ...]:
    """How a key is written as it is, in JSON, and in an address.

    >>> _ways('pass "word"')
    ('pass "word"', 'pass \\\\"word\\\\"', 'pass%20%22word%22')
    """
    return tuple(dict.fromkeys((key, json.dumps(key, ensure_ascii=False)[1:-1], quote(key, safe=""))))


def keys_here() -> tuple[str, ...]:
    """The keys that are in the environment now, as they may be written: for whoever masks many texts."""
    addresses = (name for name in os.environ if name.startswith(_OF_ADDRESSES))
    keys = (os.environ.get(name, "").strip() for name in (*chain(*_OF_PROVIDERS.values()), *addresses))
    return tuple(written for key in keys if len(key) >= _SHORTEST for written in _ways(key))


def mask(text: str, keys: tuple[str, ...] | None = None) -> str:
    """Text without keys; those of the environment, unless they are known already.

    >>> mask("Incorrect API key provided: sk-proj-abcdefgh12345")
    'Incorrect API key provided: •••'
    """
    for written in keys_here() if keys is None else keys:
        text = text.replace(written, _HIDDEN)
    if "sk-" in text or "AIza" in text:  # looking for a few letters is much faster than for a pattern
        text = _LOOKS_LIKE_A_KEY.sub(_HIDDEN, text)
    return text
