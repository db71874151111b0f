"""What comes over the wire, as lines and as JSON that can be stored: an odd character must not cost an answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import orjson

_DEEP = 250  # levels that orjson writes, a few left over
_LARGEST = 2**63 - 1  # the integers that databases and orjson hold


async def split_lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The lines of a file that arrives in pieces.

    Only a line feed ends a line. The SDKs' own `iter_lines` also breaks at U+2028 and the like, which JSON
    allows inside a text: such a result would be torn apart, lost and paid for again.
    """
    rest = b""
    async for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace")
    if rest:
        yield rest.decode("utf-8", "replace")


def load(content: str | bytes) -> Any:
    """JSON that can be written again; half of a surrogate pair becomes U+FFFD, a huge number a float.

    Raises JSONDecodeError when it is no JSON, or too deep to be kept.

    >>> load(b'{"said": "\\\\ud83d"}')
    {'said': '�'}
    """
    try:
        found = _read(content)
        if _may_be_deep(content):
            orjson.dumps(found)
    except (RecursionError, TypeError, UnicodeDecodeError) as error:
        raise json.JSONDecodeError(str(error), "", 0) from error
    return found


def _may_be_deep(content: str | bytes) -> bool:
    """Whether JSON may be nested deeper than it can be written again: seldom, so that few are written to find out."""
    written = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return written.count(b"{") + written.count(b"[") >= _DEEP


def verbatim_json(content: bytes) -> Any:
    """JSON for a place in a line where it stands as it came, byte by byte; where it cannot be stored so, as `load` has it.

    >>> orjson.dumps({"body": verbatim_json(b'{"n":  1.0}')})
    b'{"body":{"n":  1.0}}'
    """
    try:
        orjson.loads(content)
    except orjson.JSONDecodeError:
        return load(content)
    return orjson.Fragment(content)


def _read(content: str | bytes) -> Any:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
        return _storable(json.loads(text))


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(one) for key, one in value.items()}
    if isinstance(value, int) and abs(value) > _LARGEST:
        return float(value) if abs(value) < 2**1000 else None
    return value
