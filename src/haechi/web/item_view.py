"""An item as a rater sees it: its content and nothing about it, so that nobody knows which system it came from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from haechi.data.item import Item
from haechi.prompt.form import Form
from haechi.prompt.material import payload_of, run_texts, turn_of
from haechi.prompt.run_parts import run_parts
from haechi.typeset import TextMark, typeset

Marks = Mapping[int, Sequence[TextMark]]  # by the index of the text, as evidence counts them


def view_of(item: Item, form: Form, marks: Marks | None = None) -> dict[str, Any]:
    """The content of an item, without id and meta; `marks` are put into its texts.

    >>> import haechi
    >>> from haechi.prompt.form import form_of
    >>> form = form_of(haechi.rubric("diary-comment"), "ko")
    >>> view = view_of(Item("d1-model-a", "reply", {"context": "비", "response": "**네**"}, {"system": "A"}), form)
    >>> [part["name"] for part in view["parts"]], view["parts"][1]["text"]
    (['일기', '코멘트'], '**네**')
    >>> view["parts"][1]["html"]
    '<p><strong><span data-at="2">네</span></strong></p>'
    """
    content, marks = item.content, marks or {}
    if item.kind == "dialogue":
        messages = [
            _message(index, message, form, marks.get(index, ()))
            for index, message in enumerate(content["messages"])
        ]
        return {"kind": "dialogue", "messages": messages}
    if item.kind in ("reply", "pair"):
        context, reply = (
            form.context_name or form.speakers["user"],
            form.reply_name or form.speakers["assistant"],
        )
        texts = {context: "context", reply: "response"}
        if item.kind == "pair":
            texts = {context: "context", f"{reply} A": "response_a", f"{reply} B": "response_b"}
        return {
            "kind": item.kind,
            "parts": [
                {"name": name, **_prose(content[key], marks.get(i, ()))}
                for i, (name, key) in enumerate(texts.items())
            ],
        }
    if item.kind == "run":
        run, payload, parts = run_texts(content), payload_of(content), run_parts(item, form.lang)
        laid_out = None if payload is None else json.dumps(payload, ensure_ascii=False, indent=2)
        # An id is shown only where there is nothing else to read: it may name a system.
        asked = (
            {"query": _prose(run.query, marks.get(0, ()))}
            if run.query
            else {"query": None, "query_id": content["query"]}
        )
        return {
            "kind": "run",
            **asked,
            "expected": {"text": run.expected, "lines": list(parts.expected)} if parts.expected else None,
            "message": _prose(run.answer, marks.get(2, ())) if run.answer else None,
            "error": {"text": run.error} if run.error else None,
            "cards": [card._asdict() for card in parts.cards],
            "tools": [tool._asdict() for tool in parts.tools],
            "seconds": parts.seconds,
            "payload": laid_out or run.payload or None,
        }
    return {"kind": "bare"}


def _prose(text: str, marks: Sequence[TextMark] = ()) -> dict[str, str]:
    """A text as it is written, and as its author saw it."""
    return {"text": text, "html": typeset(text, tuple(marks))}


def _message(index: int, message: Mapping[str, Any], form: Form, marks: Sequence[TextMark]) -> dict[str, Any]:
    turn = turn_of(message, form.speakers, form.lang)
    said = message["content"]
    # What a tool answers is no prose: it is shown as it came.
    prose = {"text": said} if message["role"] == "tool" else _prose(said, marks)
    shown = {"index": index, "role": message["role"], "speaker": turn.speaker, **prose}
    return shown | {"time": turn.time, "calls": [{"name": name, "text": text} for name, text in turn.calls]}
