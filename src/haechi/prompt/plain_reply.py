"""A reply that is exactly what was asked for, read without the caution that damaged ones need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from haechi.prompt.cache import once_per_rubric
from haechi.prompt.latex import restore
from haechi.prompt.naming import asked_parts
from haechi.prompt.objects import storable_text
from haechi.rubrics import Rubric


class GivenValue(NamedTuple):
    """A value on its scale, and the words that support it."""

    value: str
    evidence: str = ""


_new = tuple.__new__  # what a NamedTuple calls itself, without the call in between


class _Form(NamedTuple):
    """The form of a plain reply, and how many keys and texts it has; nothing where a value is not one of a list.

    values: the name of each, its criterion and perhaps its element, and what every value is kept as; words: the names of
    open comments, which stand for themselves, and their criteria.
    """

    values: tuple[tuple[str, str, str | None, Mapping[Any, str]], ...]
    words: tuple[tuple[str, str], ...] = ()
    keys: int = 0
    texts: int = 0


def read_plain(text: str, rubric: Rubric, only: tuple[str, ...] | None) -> dict[str, GivenValue] | None:
    r"""The values of a reply with every key once, in its place and with a value of the scale; None for any other reply.

    Without a backslash every quote begins or ends a key or a text, and there are just so many of them: a key that stands there
    twice, or an extra one, makes it another reply. With one, a quote inside a text has it before itself, and `":` is
    counted once for every key. LaTeX that JSON has read as something else makes it another reply, too.

    >>> import haechi
    >>> rubric, said = haechi.rubric("diary-comment"), '{"sympathy": {"evidence": "위로함", "value": 1}}'
    >>> read_plain(said, rubric, ("sympathy",)), read_plain(said, rubric, None)
    ({'sympathy': GivenValue(value='1', evidence='위로함')}, None)
    """
    form = _form(rubric, only)
    if text.startswith("```json\n"):
        text = text[8:].rstrip().removesuffix("```")
    # Bytes are searched several times as fast as a text with Hangul in it, and are what orjson reads.
    written = text.encode("utf-8", "surrogatepass")
    escaped = b"\\" in written
    if not form.values or not _is_of(form, written, escaped):
        return None
    try:
        values = {}
        tree = orjson.loads(written)
        for name, criterion, element, kept in form.values:
            node = tree[criterion] if element is None else tree[criterion][element]
            value, evidence = node["value"], node["evidence"]
            if type(evidence) is not str or type(value) is bool:
                return None
            values[name] = _new(GivenValue, (kept[value], evidence))
        for name, criterion in form.words:
            words = tree[criterion]
            if type(words) is not str or not words.strip():
                return None
            values[name] = GivenValue(words.strip())
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    if escaped and any(storable_text(restore(said)) != said for given in values.values() for said in given):
        return None
    return values


def value_order(text: str, rubric: Rubric, only: tuple[str, ...] | None) -> list[str] | None:
    """The names of the values of a plain reply in the order in which it writes them; None for any other reply.

    >>> import haechi
    >>> said = '{"specificity": {"evidence": "", "value": 0}, "sensibleness": {"evidence": "", "value": 1}}'
    >>> value_order(said, haechi.rubric("diary-comment"), ("sensibleness", "specificity"))
    ['specificity', 'sensibleness']
    """
    if read_plain(text, rubric, only) is None:
        return None
    form = _form(rubric, only)
    names = {(criterion, element): name for name, criterion, element, _ in form.values}
    names |= {(criterion, None): name for name, criterion in form.words}
    tree = orjson.loads(text[8:].rstrip().removesuffix("```") if text.startswith("```json\n") else text)
    order = []
    for criterion, node in tree.items():
        if (criterion, None) in names:
            order.append(names[criterion, None])
        else:
            order += [names[criterion, element] for element in node]
    return order


def _is_of(form: _Form, written: bytes, escaped: bool) -> bool:
    """Whether a reply has as many keys as the form, if it has them at all."""
    if escaped:
        return written.count(b'":') - written.count(b'\\":') == form.keys
    return written.count(b'"') == 2 * (form.keys + form.texts)


@once_per_rubric
def _form(rubric: Rubric, only: tuple[str, ...] | None) -> _Form:
    values: list[tuple[str, str, str | None, Mapping[Any, str]]] = []
    words: list[tuple[str, str]] = []
    seen: set[str] = set()
    keys = texts = 0
    for name, rateable in asked_parts(rubric, only).items():
        choices = rateable.scale.value_schema().get("enum")
        if rateable.criterion is not None and not rateable.scale.counted and rateable.element is None:
            words.append((name, rateable.criterion.key))
            keys, texts = keys + 1, texts + 1
            continue
        if rateable.criterion is None or not choices or len({isinstance(one, str) for one in choices}) > 1:
            return _Form(())
        kept = {choice: rateable.scale.read_reply(choice) for choice in choices}
        criterion, element = rateable.criterion.key, rateable.element.key if rateable.element else None
        keys += 3 + (element is not None and criterion not in seen)
        texts += 1 + isinstance(choices[0], str)
        seen.add(criterion)
        values.append((name, criterion, element, kept))
    return _Form(tuple(values), tuple(words), keys, texts)
