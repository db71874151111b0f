"""OpenAI's formats at the test server: chat completions, files and batches."""

from __future__ import annotations

import email.parser
import json
from typing import Any

from provider_batches import Batch, of, ok, seen, submitted, text

HAS_ERROR_FILE = True
_ASKED: dict[str, dict[str, Any]] = {}  # the schema of a question that is asked again without one


def parts(body: dict[str, Any], path: str) -> tuple[str, str, dict[str, Any], str]:
    """System, user, schema and model of a request."""
    system, user = (message["content"] for message in body["messages"])
    return system, user, schema_of(body), body["model"]


def schema_of(body: dict[str, Any]) -> dict[str, Any]:
    """The schema of a question, also when it is asked without one after it was asked with one."""
    form = body.get("response_format", {}).get("json_schema")
    question = body["messages"][1]["content"]
    if form is None:
        return _ASKED[question]
    assert form["strict"] is True
    _ASKED[question] = form["schema"]
    return _ASKED[question]


def reply(said: str, model: str, size: int, refused: bool) -> dict[str, Any]:
    """The body of an answer."""
    message = {"role": "assistant", "content": said, "refusal": "I cannot" if refused else None}
    tokens = {"prompt_tokens": size // 2, "completion_tokens": len(said)}
    usage = {**tokens, "total_tokens": sum(tokens.values())}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    base = {"id": "c", "object": "chat.completion", "created": 0, "model": model}
    return {**base, "choices": [choice], "usage": usage}


def count_cached(reply: dict[str, Any], tokens: int, known: bool) -> None:
    """Say in an answer how much of its question was in the cache, or was put there."""
    reply["usage"]["prompt_tokens_details"] = {"cached_tokens": tokens if known else 0}


def add_logprobs(reply: dict[str, Any], said: str) -> None:
    """Say how probable every two bytes were; Hangul is cut in the middle, as tokens are."""
    raw = said.encode()
    pieces = [raw[at : at + 2] for at in range(0, len(raw), 2)]
    content = [
        {
            "token": piece.decode("utf-8", "replace"),
            "bytes": list(piece),
            "logprob": -0.01 * (1 + n % 7),
            "top_logprobs": [],
        }
        for n, piece in enumerate(pieces)
    ]
    reply["choices"][0]["logprobs"] = {"content": content, "refusal": None}


def result_line(name: Any, status: int, answer: dict[str, Any]) -> dict[str, Any]:
    """A line of a result or error file."""
    return {"custom_id": name, "response": {"status_code": status, "body": answer}, "error": None}


def expired_line(name: Any) -> dict[str, Any]:
    """A line about a request that was not processed in time."""
    gone = {"code": "batch_expired", "message": "too late"}
    return {"custom_id": name, "response": None, "error": gone}


def _shown(batch: Batch) -> dict[str, Any]:
    shown = {"running": "in_progress", "ended": "completed"}.get(batch.state, batch.state)
    base = {"id": batch.id, "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": "f"}
    outcome = {
        "output_file_id": f"{batch.id}.out" if batch.results else None,
        "error_file_id": f"{batch.id}.err" if batch.errors else None,
    }
    counts = {"total": len(batch.lines), "completed": batch.done, "failed": batch.failed}
    more = {"completion_window": "24h", "created_at": int(batch.at), "metadata": {"haechi": batch.mark}}
    return {**base, **outcome, **more, "status": shown, "request_counts": counts}


async def _upload(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    message = email.parser.BytesParser().parsebytes(
        b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n" + body
    )
    part = next(
        p for p in message.get_payload() if p.get_param("name", header="content-disposition") == "file"
    )
    name = f"file-{len(server.files)}"
    server.files[name] = part.get_payload(decode=True)
    about = {"id": name, "object": "file", "bytes": len(server.files[name]), "created_at": 0}
    return ok({**about, "filename": "x", "purpose": "batch", "status": "processed"})


async def _create(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    given = json.loads(body)
    lines = [json.loads(line) for line in server.files[given["input_file_id"]].splitlines()]
    batch, fault = submitted(server, "openai", given["metadata"]["haechi"], lines)
    return ok(_shown(batch), fault)


async def _list(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return ok({"object": "list", "data": [_shown(b) for b in of(server, "openai")], "has_more": False})


async def _get(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return ok(_shown(seen(server, server.batches[match[1]])))


async def _cancel(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    server.batches[match[1]].state = "cancelled"
    return ok(_shown(server.batches[match[1]]))


async def _content(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    batch = server.batches[match[1]]
    return text(batch.results if match[2] == "out" else batch.errors)


ROUTES: list[tuple[str, Any]] = [
    (r"POST /(?:v1|openai)/files", _upload),
    (r"POST /(?:v1|openai)/batches", _create),
    (r"GET /(?:v1|openai)/batches", _list),
    (r"GET /(?:v1|openai)/batches/([^/]+)", _get),
    (r"POST /(?:v1|openai)/batches/([^/]+)/cancel", _cancel),
    (r"GET /(?:v1|openai)/files/([^/]+)\.(out|err)/content", _content),
]
