"""Replies without JSON: lines such as `key: value`, as lists, headings or YAML, and Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from haechi.prompt.claims import Claim, Claims, claims_of
from haechi.prompt.naming import EVIDENCE_KEYS, VALUE_KEYS, Names
from haechi.prompt.objects import Pairs, storable_text
from haechi.regex import regex
from haechi.rubrics import Criterion

_SIGNS = regex(r"^(?:\s|[-•+>]\s|#{1,6}\s|\d{1,2}[.)]\s|\*\s)+")
_LINE = regex(r"(?P<key>[^:：=|]{1,140}?)\s*(?:[:：=]\s*(?P<rest>.*))?$")
_EVIDENCE = "|".join(EVIDENCE_KEYS)
# The words behind a value: `1 (근거: …)`, `1 — …`. Another number there may be the value as well.
_BEHIND = regex(
    rf"(?P<value>\S{{1,30}})\s*(?:[(（]\s*(?:{_EVIDENCE})\s*[:：]\s*(?P<bracketed>.*)[)）]|[-–—|]\s+(?P<dashed>\D.*\D.*))$",
    re.IGNORECASE,
)
_RULE = regex(r"\|?[\s:|-]+\|?")


def read_lines(text: str, names: Names) -> Claims:
    """What a reply without an object claims, line by line.

    >>> import haechi
    >>> names = Names.of(haechi.rubric("diary-comment"))
    >>> claims = read_lines("- **sensibleness**: 1 (근거: 말이 됨)\\n구체성:\\n  value: 0", names)
    >>> claims.of["sensibleness"], claims.of["specificity"]
    ([Claim(value='1', evidence='말이 됨')], [Claim(value='0', evidence='')])
    """
    claims = claims_of(list(_rows(text)), names)
    within: Criterion | None = None
    pending: str | None = None
    for line in text.splitlines():
        found = _LINE.fullmatch(_SIGNS.sub("", line.replace("**", "").replace("`", "")).strip())
        if found is None:
            continue
        key, rest = found["key"].strip(" \"'"), (found["rest"] or "").strip().strip("\"'").strip()
        word = key.casefold()
        if pending is not None and rest and word in VALUE_KEYS:
            claims.add(pending, _claim(rest))
        elif pending is not None and rest and word in EVIDENCE_KEYS and claims.of.get(pending):
            last = claims.of[pending].pop()
            claims.add(pending, Claim(last.value, storable_text(rest)))
        elif word not in VALUE_KEYS and word not in EVIDENCE_KEYS:
            name = _name(key, within, names)
            within = name if isinstance(name, Criterion) else within
            pending = name if isinstance(name, str) else None
            if pending is not None and rest:
                claims.add(pending, _claim(rest))
        if word in EVIDENCE_KEYS and rest.endswith((":", "：")):
            pending = None  # the next key was swallowed: what follows is about that one
    claims.repaired = True
    return claims


def _name(key: str, within: Criterion | None, names: Names) -> str | Criterion | None:
    """The rating that a key means, or the criterion whose elements follow."""
    criterion = names.criterion(key)
    spoken = criterion.key if criterion is not None else names.rating(key, within) or names.spoken(key)
    criterion = names.criterion(spoken) if spoken is not None else None
    return criterion if criterion is not None and criterion.scale.parts else spoken


def _claim(rest: str) -> Claim:
    behind = _BEHIND.fullmatch(rest)
    if behind is None:
        return Claim(storable_text(rest))
    return Claim(behind["value"], storable_text((behind["bracketed"] or behind["dashed"]).strip()))


def _rows(text: str) -> Iterator[Pairs]:
    """The rows of Markdown tables, as objects."""
    head: list[str] | None = None
    for line in text.splitlines():
        row = line.strip()
        if not row.startswith("|"):
            head = None
        elif not _RULE.fullmatch(row):
            cells = [cell.strip(" *`") for cell in row.strip("|").split("|")]
            if head is None:
                head = cells
            elif len(cells) == len(head):
                yield Pairs(zip(head, cells, strict=True))
