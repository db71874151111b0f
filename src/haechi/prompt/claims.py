"""What a reply claims: the values it gives, element by element, before anyone believes them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from haechi.prompt.latex import escape, restore
from haechi.prompt.naming import EVIDENCE_KEYS, VALUE_KEYS, Names
from haechi.rubrics import Criterion

_DEEPEST = 20
# A lost quote can make a string or a key swallow the border to the next element and leave valid JSON behind.
_SWALLOWED = re.compile(r"\}\s*,\s*[\"'“”‘’]?\w+[\"'“”‘’]?\s*:\s*\{")
_BROKEN_KEY = re.compile(r"[{}:\"'“”\n]")
_VALUE_KEYS, _EVIDENCE_KEYS = frozenset(VALUE_KEYS), frozenset(EVIDENCE_KEYS)


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs: a key that stands there twice is seen twice."""


@dataclass(frozen=True)
class Claim:
    """One value given for one element, as it stands in the reply."""

    value: Any
    evidence: str = ""


@dataclass
class Claims:
    """All that one object of a reply says."""

    of: dict[str, list[Claim]] = field(default_factory=dict)
    extra: list[str] = field(default_factory=list)
    repaired: bool = False
    error: str = ""

    def add(self, name: str, claim: Claim) -> None:
        """Note a claim; several for one name are kept, to be compared."""
        self.of.setdefault(name, []).append(claim)


def clean(text: str) -> str:
    r"""Text that every database and file can hold: no NUL, no half of a surrogate pair.

    >>> clean("a\x00b\ud800")
    'ab�'
    """
    text = text.replace("\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def claims_of(tree: Any, names: Names) -> Claims:
    """The claims of a parsed object."""
    claims = Claims()
    _walk(tree, None, names, claims, 0)
    return claims


def _walk(node: Any, within: Criterion | None, names: Names, claims: Claims, depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(node, list) and not isinstance(node, Pairs):
        for child in node:
            _walk(child, within, names, claims, depth + 1)
    if not isinstance(node, Pairs):
        return
    for key, value in node:
        if _BROKEN_KEY.search(key):
            claims.extra.append(key[:40])
            continue
        criterion, rating = _meant(key, within, names, claims)
        if rating is not None:
            claims.add(rating, _claim(value, claims))
        elif criterion is not None and criterion.scale.parts:
            _walk(value, criterion, names, claims, depth + 1)
        elif criterion is not None:
            claims.add(criterion.key, _claim(value, claims))
        elif names.is_element(key):
            claims.extra.append(key)  # an element in the wrong place belongs to nobody
        elif isinstance(value, list):
            claims.error = claims.error or (_message(value) if key == "error" else "")
            _walk(value, within, names, claims, depth + 1)
        else:
            claims.error = claims.error or (str(value)[:200] if key == "error" and value else "")
            claims.extra.append(key)


def _meant(
    key: str, within: Criterion | None, names: Names, claims: Claims
) -> tuple[Criterion | None, str | None]:
    """The criterion or the rating that a key means: the key asked for, else one that can mean only one thing.

    Elements stay in their criterion.
    """
    criterion, rating = names.criterion(key), names.rating(key, within)
    if criterion is not None or rating is not None or names.is_element(key):
        return criterion, rating
    spoken = names.spoken(key)
    if spoken is None:
        return None, None
    criterion = names.criterion(spoken)
    if criterion is None and within is not None and not spoken.startswith(f"{within.key}."):
        return None, None
    claims.repaired = True
    return criterion, None if criterion is not None else spoken


def _message(node: Any) -> str:
    texts = [value for key, value in node if key == "message"] if isinstance(node, Pairs) else []
    return str(texts[0] if texts else dict(node) if isinstance(node, Pairs) else node)[:200]


def _claim(node: Any, claims: Claims) -> Claim:
    if not isinstance(node, Pairs):
        return Claim(_restored(node, claims))
    values = [value for key, value in node if key.casefold() in _VALUE_KEYS]
    texts = [value for key, value in node if key.casefold() in _EVIDENCE_KEYS and isinstance(value, str)]
    evidence = str(_restored(texts[-1], claims)) if texts else ""
    if not values:
        return Claim(Absent(), evidence)
    differ = len(values) > 1 and len({json.dumps(value, default=str) for value in values}) > 1
    if differ or _swallowed(node):
        return Claim(Contradiction(), evidence)
    return Claim(_restored(values[0], claims), evidence)


def _swallowed(node: Pairs) -> bool:
    """Whether the value may be the next element's: something before it has swallowed the border."""
    for key, value in node:
        if key.casefold() in _VALUE_KEYS:
            return False
        if _BROKEN_KEY.search(key) or (isinstance(value, str) and _SWALLOWED.search(value)):
            return True
    return False


class Absent:
    """The element is named, but no value is given."""


class Contradiction:
    """Two different values are given at once."""


def _restored(value: Any, claims: Claims) -> Any:
    if not isinstance(value, str):
        return value
    restored = restore(value)
    claims.repaired |= restored != value
    return clean(restored)


def decode(inner: str) -> str:
    r"""The inside of a damaged JSON string as text, as well as it can be read.

    >>> decode(r'\frac{1}{2}에서 "x"를')
    '\\frac{1}{2}에서 "x"를'
    """
    escaped = escape(inner).replace('\\"', '"').replace('"', '\\"')
    try:
        text = str(json.loads(f'"{escaped}"', strict=False))
    except ValueError:
        text = inner
    return clean(restore(text))
