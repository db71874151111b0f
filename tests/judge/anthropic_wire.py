"""Anthropic's formats at the test server: messages and message batches."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

from provider_batches import Batch, of, ok, seen, submitted, text

HAS_ERROR_FILE = False
_ASKED: dict[str, dict[str, Any]] = {}  # the schema of a question that is asked again without one


def parts(body: dict[str, Any], path: str) -> tuple[str, str, dict[str, Any], str]:
    """System, user, schema and model of a request."""
    # In clouds the model stands in the path.
    model = body.get("model") or re.sub(r".*/models?/|(?::rawPredict|/invoke)$", "", unquote(path))
    return body["system"][0]["text"], body["messages"][0]["content"], schema_of(body), model


def schema_of(body: dict[str, Any]) -> dict[str, Any]:
    """The schema of a question, also when it is asked without one after it was asked with one."""
    question = body["messages"][0]["content"]
    if "format" in body.get("output_config", {}):
        _ASKED[question] = body["output_config"]["format"]["schema"]
    return _ASKED[question]


def reply(said: str, model: str, size: int, refused: bool) -> dict[str, Any]:
    """The body of an answer."""
    usage = {"input_tokens": size // 2, "output_tokens": len(said)}
    blocks = [] if refused else [{"type": "text", "text": said}]
    stop = "refusal" if refused else "end_turn"
    base = {"id": "m", "type": "message", "role": "assistant", "model": model}
    return {**base, "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def count_cached(reply: dict[str, Any], tokens: int, known: bool) -> None:
    """Say in an answer how much of its question was in the cache, or was put there."""
    usage = reply["usage"]
    usage["input_tokens"] -= tokens  # the cached ones are counted beside the others
    usage["cache_read_input_tokens"] = tokens if known else 0
    usage["cache_creation_input_tokens"] = 0 if known else tokens


def result_line(name: Any, status: int, answer: dict[str, Any]) -> dict[str, Any]:
    """A line of a result file."""
    succeeded, errored = {"type": "succeeded", "message": answer}, {"type": "errored", "error": answer}
    return {"custom_id": name, "result": succeeded if status == 200 else errored}


def expired_line(name: Any) -> dict[str, Any]:
    """A line about a request that was not processed in time."""
    return {"custom_id": name, "result": {"type": "expired"}}


def _shown(server: Any, batch: Batch) -> dict[str, Any]:
    ended = batch.state in ("ended", "expired", "cancelled")
    rest = {"expired": "expired", "cancelled": "canceled"}.get(batch.state, "processing")
    counts = {"processing": 0, "succeeded": batch.done, "errored": batch.failed, "canceled": 0, "expired": 0}
    counts[rest] = len(batch.lines) - batch.done - batch.failed
    base = {"id": batch.id, "type": "message_batch", "created_at": batch.when, "expires_at": batch.when}
    more = {"archived_at": None, "cancel_initiated_at": None, "request_counts": counts}
    return {
        **base,
        **more,
        "ended_at": batch.when if ended else None,
        "processing_status": "ended" if ended else "in_progress",
        "results_url": f"{server.url}/anthropic-results/{batch.id}" if ended else None,
    }


async def _create(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    batch, fault = submitted(server, "anthropic", "", json.loads(body)["requests"])
    return ok(_shown(server, batch), fault)


async def _list(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    shown = [_shown(server, seen(server, batch)) for batch in of(server, "anthropic")]
    return ok({"data": shown, "has_more": False, "first_id": None, "last_id": None})


async def _get(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return ok(_shown(server, seen(server, server.batches[match[1]])))


async def _cancel(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    batch = server.batches[match[1]]
    batch.state = "cancelled"
    canceled = {"type": "canceled"}
    batch.results = [json.dumps({"custom_id": line["custom_id"], "result": canceled}) for line in batch.lines]
    return ok(_shown(server, batch))


async def _results(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return text(server.batches[match[1]].results)


ROUTES: list[tuple[str, Any]] = [
    (r"POST /v1/messages/batches", _create),
    (r"GET /v1/messages/batches", _list),
    (r"GET /v1/messages/batches/([^/]+)", _get),
    (r"POST /v1/messages/batches/([^/]+)/cancel", _cancel),
    (r"GET /anthropic-results/([^/]+)", _results),
]
