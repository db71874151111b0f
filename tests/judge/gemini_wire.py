"""Gemini's formats at the test server: generated content, uploaded files and batch jobs.

Its base URL in tests ends in /google.
"""

from __future__ import annotations

import json
import re
from typing import Any

from provider_batches import Batch, of, ok, seen, submitted, text

HAS_ERROR_FILE = False
_STATES = {
    "running": "BATCH_STATE_RUNNING",
    "ended": "BATCH_STATE_SUCCEEDED",
    "expired": "BATCH_STATE_EXPIRED",
    "cancelled": "BATCH_STATE_CANCELLED",
}


def parts(body: dict[str, Any], path: str) -> tuple[str, str, dict[str, Any], str]:
    """System, user, schema and model of a request."""
    system = body["systemInstruction"]["parts"][0]["text"]
    schema = body["generationConfig"]["responseJsonSchema"]
    model = re.sub(r".*models/|:.*", "", path) or "gemini-batch"
    return system, body["contents"][0]["parts"][0]["text"], schema, model


def reply(said: str, model: str, size: int, refused: bool) -> dict[str, Any]:
    """The body of an answer."""
    usage = {"promptTokenCount": size // 2, "candidatesTokenCount": len(said)}
    if refused:
        return {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": model, "usageMetadata": usage}
    candidate = {"content": {"role": "model", "parts": [{"text": said}]}, "finishReason": "STOP"}
    return {"candidates": [candidate], "modelVersion": model, "usageMetadata": usage}


def count_cached(reply: dict[str, Any], tokens: int, known: bool) -> None:
    """Say in an answer how much of its question was in the cache, or was put there."""
    if known:  # a count of nothing is left out
        reply["usageMetadata"]["cachedContentTokenCount"] = tokens


def add_logprobs(reply: dict[str, Any], said: str) -> None:
    """Say how probable every character was."""
    chosen = [
        {"token": sign, "tokenId": 1, "logProbability": -0.01 * (1 + n % 7)} for n, sign in enumerate(said)
    ]
    reply["candidates"][0]["logprobsResult"] = {"chosenCandidates": chosen}


def result_line(name: Any, status: int, answer: dict[str, Any]) -> dict[str, Any]:
    """A line of a result file."""
    return {"metadata": {"key": name}, **({"response": answer} if status == 200 else answer)}


def expired_line(name: Any) -> dict[str, Any]:
    """A line about a request that was not processed in time."""
    return {"key": name, "error": {"code": 4, "message": "deadline"}}


def _shown(batch: Batch) -> dict[str, Any]:
    meta: dict[str, Any] = {"displayName": batch.mark, "state": _STATES[batch.state]}
    meta |= {"createTime": batch.when, "model": "models/g"}
    counts = {
        "requestCount": len(batch.lines),
        "successfulRequestCount": batch.done,
        "failedRequestCount": batch.failed,
        "pendingRequestCount": len(batch.lines) - batch.done - batch.failed,
    }
    # The service writes 64-bit integers as texts, and leaves out those that are 0.
    meta["batchStats"] = {name: str(count) for name, count in counts.items() if count}
    if batch.state in ("ended", "expired"):
        meta["output"] = {"responsesFile": f"files/{batch.id}"}
    return {"name": f"batches/{batch.id}", "metadata": meta}


async def _start(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    name = f"up{len(server.files)}"
    server.files[name] = b""
    address = f"{server.url}/google/gemini-upload/{name}"
    return 200, {"x-goog-upload-url": address, "x-goog-upload-status": "active"}, b"{}", ""


async def _upload(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    server.files[match[1]] += body
    final = "finalize" in headers["x-goog-upload-command"]
    status = {"x-goog-upload-status": "final" if final else "active"}
    return 200, status, json.dumps({"file": {"name": f"files/{match[1]}"}}).encode(), ""


async def _create(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    given = json.loads(body)["batch"]
    file = given["inputConfig"]["fileName"].removeprefix("files/")
    lines = [json.loads(line) for line in server.files[file].splitlines()]
    batch, fault = submitted(server, "gemini", given["displayName"], lines)
    return ok(_shown(batch), fault)


async def _list(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return ok({"operations": [_shown(batch) for batch in of(server, "gemini")]})


async def _get(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return ok(_shown(seen(server, server.batches[match[1]])))


async def _cancel(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    server.batches[match[1]].state = "cancelled"
    return ok({})


async def _download(server: Any, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return text(server.batches[match[1]].results)


ROUTES: list[tuple[str, Any]] = [
    (r"POST /google/upload/v1(?:beta)?/files", _start),
    (r"POST /google/gemini-upload/([^/]+)", _upload),
    (r"POST /google/v1(?:beta)?/models/[^/]+:batchGenerateContent", _create),
    (r"GET /google/v1(?:beta)?/batches", _list),
    (r"GET /google/v1(?:beta)?/batches/([^/]+)", _get),
    (r"POST /google/v1(?:beta)?/batches/([^/]+):cancel", _cancel),
    (r"GET /google/v1(?:beta)?/files/([^/]+):download", _download),
]
