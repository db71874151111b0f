"""The signature of an answer: two runs with the same signature did the same, whatever they said about it."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from haechi.expectations.values import canonical

EMPTY = "EMPTY"


Sign = Callable[[dict[str, Any], list[Any], list[Any]], str]


def signer(keys: tuple[str, ...]) -> Sign:
    """A function from a payload, its entries and their `uiValue`s to a signature over the keys of the rubric.

    Keys are read from an entry's `uiValue` where that is an object, else from the entry; those without a dot
    are read from the payload as well, where `setting` and `filterType` may stand. Null is the same as absent,
    an entry that is no object counts by its content. The order of entries and of keys does not matter, and the
    digest is the same on every machine.

    >>> sign = signer(("formType", "value.nodeId", "setting"))
    >>> one, two = {"formType": "A", "value": {"nodeId": 1}}, {"formType": "B"}
    >>> sign({}, [{"uiValue": one}, two], [one, None]) == sign({}, [two, one], [None, None])
    True
    >>> sign({}, [one], [None]) == sign({"setting": {}}, [one], [None])
    False
    >>> sign({}, [], [])
    'EMPTY'
    """
    plain = tuple(key for key in keys if "." not in key)
    dotted: dict[tuple[str, ...], list[str]] = {}
    for first, *way, last in (key.split(".") for key in keys if "." in key):
        dotted.setdefault((first, *way), []).append(last)
    inner = [(first, way, tuple(lasts), [None] * len(lasts)) for (first, *way), lasts in dotted.items()]
    digests: dict[bytes, str] = {}  # repeats of a query stand close together, and mostly do the same

    def sign(payload: dict[str, Any], entries: list[Any], shown: list[Any]) -> str:
        if not entries:
            return EMPTY
        cores: list[Any] = []
        for entry, value in zip(entries, shown):  # noqa: B905 - same length, and the keyword takes time
            source = value if type(value) is dict else entry
            if type(source) is not dict:
                cores.append(source)
                continue
            get = source.get
            core = [*map(get, plain)]
            for first, way, lasts, absent in inner:
                node = get(first)
                for key in way:
                    node = node.get(key) if type(node) is dict else None
                core += map(node.get, lasts) if type(node) is dict else absent
            cores.append(core)
        if len(cores) > 1:
            cores.sort(key=canonical)
        cores.append([*map(payload.get, plain)])
        content = canonical(cores)
        known = digests.get(content)
        if known is None:
            known = digests[content] = digest(content)
        return known

    return sign


def digest(content: bytes) -> str:
    """The digest of what is signed.

    >>> digest(b"[]")
    '7ebb3c7c2a87b1a2f8a7ed729ecb040d'
    """
    return blake2b(content, digest_size=16).hexdigest()
