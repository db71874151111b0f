"""An item: what is judged."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import orjson

from haechi.frozen import frozen

_DIGITS = 12
"""Of a content's hash in an id: among a million conversations two agree once in 560 times."""

AnyItemKind = Literal["dialogue", "reply", "run", "pair", "bare"]


@frozen
class Item:
    """A dialogue, a context with its reply or with two (a pair), or an agent run; `bare` when only its ratings are known.

    >>> item = Item("d1", "reply", {"context": "일기", "response": "코멘트"}, {"system": "A"})
    >>> item.digest == Item("d1", "reply", {"response": "코멘트", "context": "일기"}, {"system": "A"}).digest
    True
    """

    id: str
    kind: AnyItemKind
    content: Mapping[str, Any]
    meta: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """The same for the same content, whatever the order of keys."""
        canonical = orjson.dumps([self.kind, self.content, self.meta], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(canonical).hexdigest()

    @property
    def plain(self) -> Item | None:
        """A dialogue without names, times and tools, as earlier versions kept it; None where that is all it has."""
        messages = self.content["messages"] if self.kind == "dialogue" else ()
        if all(len(message) == 2 and message["role"] != "tool" for message in messages):
            return None
        kept = [
            {"role": "system" if m["role"] == "tool" else m["role"], "content": m["content"]}
            for m in messages
        ]
        return Item(self.id, self.kind, {**self.content, "messages": kept}, self.meta)

    @property
    def tests_attention(self) -> bool:
        """Whether its answers are known and it only tests who rates it: nothing is measured by it.

        >>> Item("g1", "reply", {"context": "비", "response": "네"}, {"attention": {"sympathy": 1}}).tests_attention
        True
        """
        return "attention" in self.meta

    @property
    def has_assistant_message(self) -> bool:
        """Whether the AI said anything at all."""
        if self.kind == "dialogue":
            said = (m for m in self.content["messages"] if m["role"] == "assistant")
            return any(m["content"].strip() for m in said)
        return self.kind != "reply" or bool(str(self.content["response"]).strip())


def content_id(content: Mapping[str, Any], meta: Mapping[str, Any] = MappingProxyType({})) -> str:
    """An id for content that came without one: the same content has the same id, whenever it is read.

    Of two systems that give the same short reply each has an item of its own.

    >>> content_id({"messages": [{"role": "user", "content": "안녕"}]})
    'c-782779cca7c3'
    >>> comment = {"context": "비가 왔다", "response": "네"}
    >>> content_id(comment, {"system": "A"}) == content_id(comment, {"system": "B"})
    False
    """
    by = {"system": meta["system"]} if "messages" not in content and "system" in meta else {}
    canonical = orjson.dumps({**content, **by}, option=orjson.OPT_SORT_KEYS)
    return f"c-{hashlib.sha256(canonical).hexdigest()[:_DIGITS]}"
