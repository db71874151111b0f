"""What a reply claims: the values it gives, element by element, before anyone believes them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from haechi.frozen import frozen
from haechi.prompt.latex import escape, restore
from haechi.prompt.naming import EVIDENCE_KEYS, VALUE_KEYS, Names, fold_key
from haechi.prompt.objects import Pairs, in_string, storable_text
from haechi.regex import regex
from haechi.rubrics import Criterion

_DEEPEST = 20
# A lost quote can make a string or a key swallow the border to the next element and leave valid JSON behind.
_SWALLOWED = regex(r"\}\s*,\s*[\"'“”‘’]?\w+[\"'“”‘’]?\s*:\s*\{")
_BROKEN_KEY = regex(r"[{}\"'“”\n]|:[^:]*[,:]|:\s*[\d.]+\s*$")
_VALUE_KEYS, _EVIDENCE_KEYS = frozenset(VALUE_KEYS), frozenset(EVIDENCE_KEYS)
# A row of a list says itself what it rates: by its criterion, its element, or one name for both.
_GROUP_KEYS = frozenset(
    [
        "criterion",
        "criteria",
        "item",
        "category",
        "metric",
        "dimension",
        "기준",
        "항목",
        "지표",
        "평가기준",
        "평가항목",
        "평가_기준",
        "평가_항목",
    ]
)
_PART_KEYS = frozenset(
    [
        "element",
        "sub_criterion",
        "subcriterion",
        "check",
        "question",
        "key",
        "name",
        "id",
        "code",
        "요소",
        "세부요소",
        "세부_요소",
        "세부항목",
        "키",
        "이름",
        "코드",
    ]
)
_OPPOSITE = frozenset(
    ["unmet", "not_met", "missing", "미충족", "불충족"]
)  # what stands there is not said to be so
_MARKUP = regex(r"^[*_`\s]+|[*_`\s]+$")
_SCALAR = regex(r"[\d.\s점/]*")


@frozen
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
    within_strings: list[Any] = field(default_factory=list)
    """Objects that stand as text under keys nobody asked for: an answer only if nothing else is one."""

    def add(self, name: str, claim: Claim) -> None:
        """Note a claim; several for one name are kept, to be compared."""
        self.of.setdefault(name, []).append(claim)


def claims_of(tree: Any, names: Names) -> Claims:
    """The claims of a parsed object."""
    claims = Claims()
    _walk(tree, None, names, claims, 0)
    return claims


def _walk(node: Any, within: Criterion | None, names: Names, claims: Claims, depth: int) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(node, str) and within is not None and (inner := in_string(node)) is not None:
        claims.repaired = True
        node = inner
    if isinstance(node, list) and not isinstance(node, Pairs):
        for child in node:
            _walk(child, within, names, claims, depth + 1)
    if not isinstance(node, Pairs) or _is_row(node, within, names, claims, depth):
        return
    numbered = names.numbered([key for key, _ in node], within)
    claims.repaired |= bool(numbered)
    for key, value in node:
        if _BROKEN_KEY.search(key):
            claims.extra.append(key[:40])
            continue
        criterion, rating = _meant(numbered.get(key, key), within, names, claims)
        if rating is not None:
            claims.add(rating, _claim(value, claims))
        elif criterion is not None and criterion.scale.parts:
            _walk(value, criterion, names, claims, depth + 1)
        elif criterion is not None:
            claims.add(criterion.key, _claim(value, claims))
        else:
            _walk_unknown(key, value, within, names, claims, depth)


def _walk_unknown(
    key: str, value: Any, within: Criterion | None, names: Names, claims: Claims, depth: int
) -> None:
    """What stands under a key that nobody asked for: perhaps the answer one level down."""
    error = _message(value) if isinstance(value, list) else str(value)[:200] if value else ""
    if names.is_element(key):
        claims.extra.append(key)  # an element in the wrong place belongs to nobody
        return
    claims.error = claims.error or (error if key == "error" else "")
    if isinstance(value, list) and fold_key(key) not in _OPPOSITE:
        _walk(value, within, names, claims, depth + 1)
        return
    claims.extra.append(key)
    if isinstance(value, str) and (inner := in_string(value)) is not None:
        claims.within_strings.append(inner)


def _is_row(node: Pairs, within: Criterion | None, names: Names, claims: Claims, depth: int) -> bool:
    """Whether an object says itself what it rates, as the rows of a list do; its claim is noted then."""
    said = {fold_key(key): str(value) for key, value in node if isinstance(value, str | int)}
    group = next((value for key, value in said.items() if key in _GROUP_KEYS), None)
    part = next((value for key, value in said.items() if key in _PART_KEYS), None)
    if group is None and part is None:
        return False
    criterion, rating = _meant(group, within, names, claims) if group is not None else (within, None)
    if group is not None and criterion is None and rating is None:
        return False
    if rating is None and part is not None and (criterion is None or criterion.scale.parts):
        inner, rating = _meant(part, criterion, names, claims)
        criterion = criterion or inner
        if rating is None and inner is None:
            return False
    if rating is None and criterion is not None and criterion.scale.parts:
        for key, value in node:
            if fold_key(key) not in _GROUP_KEYS | _PART_KEYS and isinstance(value, list):
                _walk(value, criterion, names, claims, depth + 1)
        return criterion is not within
    name = rating or (criterion.key if criterion is not None else None)
    if name is None or not any(key.casefold() in _VALUE_KEYS for key, _ in node):
        return False
    claims.repaired = True
    claims.add(name, _claim(node, claims))
    return True


def _meant(
    key: str, within: Criterion | None, names: Names, claims: Claims
) -> tuple[Criterion | None, str | None]:
    """The criterion or the rating that a key means: the key asked for, else one that can mean only one thing.

    Elements stay in their criterion.
    """
    criterion, rating = names.criterion(key), names.rating(key, within)
    if criterion is not None or rating is not None or names.is_element(key):
        return criterion, rating
    spoken = names.spoken(key) or names.mistyped(key, within)
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
        return _bare(node, claims)
    values = [value for key, value in node if key.casefold() in _VALUE_KEYS]
    if len(values) > 1:  # beside a value, a label is only what the element is called
        values = [value for key, value in node if key.casefold() in _VALUE_KEYS - {"label"}]
    texts = [value for key, value in node if key.casefold() in _EVIDENCE_KEYS and isinstance(value, str)]
    evidence = str(_restored(texts[-1], claims)) if texts else ""
    if not values:
        return Claim(AbsentClaim(), evidence)
    differ = len(values) > 1 and len({json.dumps(value, default=str) for value in values}) > 1
    if differ or _swallowed(node):
        return Claim(Contradiction(), evidence)
    inner = _claim(values[0], claims)
    return Claim(inner.value, evidence or inner.evidence)


def _bare(node: Any, claims: Claims) -> Claim:
    """A value that stands alone, marked up, or in a list with nothing or its evidence beside it."""
    if isinstance(node, list) and node and not isinstance(node[0], list):
        evidence = node[1] if len(node) == 2 and isinstance(node[1], str) else None
        if len(node) == 1 or (evidence is not None and not _SCALAR.fullmatch(evidence)):
            claims.repaired = True
            return Claim(_bare(node[0], claims).value, str(_restored(evidence or "", claims)))
    if isinstance(node, str) and (bare := _MARKUP.sub("", node)) != node.strip():
        claims.repaired = True
        node = bare
    return Claim(_restored(node, claims))


def _swallowed(node: Pairs) -> bool:
    """Whether the value may be the next element's: something before it has swallowed the border."""
    for key, value in node:
        if key.casefold() in _VALUE_KEYS:
            return False
        if _BROKEN_KEY.search(key) or (isinstance(value, str) and _SWALLOWED.search(value)):
            return True
    return False


class AbsentClaim:
    """The element is named, but no value is given."""


class Contradiction:
    """Two different values are given at once."""


def _restored(value: Any, claims: Claims) -> Any:
    if not isinstance(value, str):
        return value
    restored = restore(value)
    claims.repaired |= restored != value
    return storable_text(restored)


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
    return storable_text(restore(text))
