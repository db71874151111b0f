"""An item as a rater sees it: its content and nothing about it, so that nobody knows which system it came from."""

from __future__ import annotations

import json
from typing import Any

from haechi.data import Item
from haechi.prompt.form import Form
from haechi.rubrics import Rubric


def view_of(item: Item, form: Form) -> dict[str, Any]:
    """The content of an item, without id and meta.

    >>> import haechi
    >>> from haechi.prompt.form import form_of
    >>> form = form_of(haechi.rubric("diary-comment"), "ko")
    >>> view_of(Item("d1-model-a", "reply", {"context": "비", "response": "네"}, {"system": "A"}), form)
    {'kind': 'reply', 'parts': [{'name': '일기', 'text': '비'}, {'name': '코멘트', 'text': '네'}]}
    """
    content = item.content
    if item.kind == "dialogue":
        messages = [
            {
                "index": index,
                "role": m["role"],
                "speaker": form.speakers.get(m["role"], "system"),
                "text": m["content"],
            }
            for index, m in enumerate(content["messages"])
        ]
        return {"kind": "dialogue", "messages": messages}
    if item.kind == "reply":
        names = (form.context_name or form.speakers["user"], form.reply_name or form.speakers["assistant"])
        texts = (content["context"], content["response"])
        return {"kind": "reply", "parts": [{"name": n, "text": t} for n, t in zip(names, texts, strict=True)]}
    if item.kind == "run":
        payload = _payload(content.get("payload"))
        message = payload.get("assistantMessage") if isinstance(payload, dict) else None
        shown = (
            json.dumps(payload, ensure_ascii=False, indent=2)
            if payload is not None
            else content.get("payload")
        )
        return {
            "kind": "run",
            "query": content.get("query_text"),
            "query_id": content["query"],
            "expected": content.get("expected"),
            "message": message if isinstance(message, str) and message.strip() else content.get("response"),
            "error": content.get("error"),
            "payload": shown,
        }
    return {"kind": "bare"}


def ruled_fields(item: Item, rubric: Rubric) -> dict[str, str]:
    """What a rule of the rubric answers by itself: a failed run has the verdict that the rubric says."""
    if item.kind != "run" or not _failed(item):
        return {}
    return {
        criterion.key: str(criterion.failed_run)
        for criterion in rubric.criteria
        if criterion.rated_by == "rater" and criterion.failed_run is not None
    }


def ruled_floors(item: Item, rubric: Rubric) -> list[str]:
    """The floors that hold for this item whoever rates it."""
    silent = not item.has_assistant_message
    return [floor.key for floor in rubric.floors if floor.rule == "no_assistant_message" and silent]


def _failed(item: Item) -> bool:
    return bool(item.content.get("error")) or _payload(item.content.get("payload")) is None


def _payload(text: Any) -> Any:
    try:
        return json.loads(text) if text else None
    except (json.JSONDecodeError, RecursionError):
        return None
