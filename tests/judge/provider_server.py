"""A small server that speaks the three providers' interfaces, live and batch, and can be told to misbehave.

It answers by the schema it is sent, and keeps a ledger of everything it was paid for.
"""

from __future__ import annotations

import asyncio
import email.parser
import hashlib
import json
import os
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

ITEM = re.compile(r"항목<([^>]+)>")  # the tests' items carry their id in their text
FAULTS = ("429", "429-after", "500", "529", "disconnect", "drip", "truncated", "not-json")


@dataclass
class Batch:
    """A batch at one of the providers."""

    id: str
    provider: str
    mark: str
    lines: list[dict[str, Any]]
    results: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    state: str = "running"
    at: float = field(default_factory=time.time)


@dataclass
class Server:
    """What the server does, and what it saw."""

    latency: float = 0.0
    faults: deque[str] = field(default_factory=deque)  # one per live request, "" is none
    batch_faults: deque[str] = field(default_factory=deque)  # one per submission
    damage: set[str] = field(default_factory=set)  # of batch results: duplicate, missing, expired, garbage
    odd: dict[str, str] = field(default_factory=dict)  # item → refusal, empty, partial, fenced, context
    auto_finish: bool = True
    paid: Counter[tuple[str, str]] = field(default_factory=Counter)  # (item, what was asked) → times
    seen: Counter[str] = field(default_factory=Counter)
    busiest: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, Batch] = field(default_factory=dict)
    headers: list[dict[str, str]] = field(default_factory=list)
    keep_headers: bool = False
    url: str = ""
    _now: int = 0

    async def handle(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes, str]:
        """One request: status, headers, body, and how to misbehave while sending it."""
        self.seen[re.sub(r"[a-f0-9-]{16,}", "…", f"{method} {path.split('?', maxsplit=1)[0]}")] += 1
        if self.keep_headers:
            self.headers.append(headers)
        bare = path.split("?", maxsplit=1)[0]
        if method == "POST" and (
            bare.endswith("/chat/completions")
            or bare.endswith("/messages")
            or bare.endswith(":generateContent")
        ):
            return await self._live(bare, body)
        for pattern, answer in ROUTES:
            match = re.fullmatch(pattern, f"{method} {bare}")  # Gemini's base URL in tests ends in /google
            if match:
                return await answer(self, match, headers, body)
        return 404, {}, json.dumps({"error": {"message": f"no {path}"}}).encode(), ""

    async def _live(self, path: str, body: bytes) -> tuple[int, dict[str, str], bytes, str]:
        fault = self.faults.popleft() if self.faults else ""
        self._now += 1
        self.busiest = max(self.busiest, self._now)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
        finally:
            self._now -= 1
        if fault in ("429", "429-after", "500", "529"):
            more = {"retry-after": "0.05"} if fault == "429-after" else {}
            return int(fault[:3]), more, b'{"error": {"message": "busy", "type": "busy"}}', ""
        if fault in ("401", "404", "400"):
            said = {"message": f"bad key {os.environ.get('OPENAI_API_KEY', '')}", "type": "auth"}
            return int(fault), {}, json.dumps({"error": said}).encode(), ""
        provider = (
            "openai" if "completions" in path else "anthropic" if path.endswith("/messages") else "gemini"
        )
        status, answer = self.answer(provider, json.loads(body), path)
        text = json.dumps(answer, ensure_ascii=False).encode()
        if fault == "truncated":
            return 200, {}, text[: len(text) // 2], ""
        if fault == "not-json":
            return 200, {}, b"<html>gateway</html>", ""
        return status, {}, text, fault

    def answer(self, provider: str, body: dict[str, Any], path: str = "") -> tuple[int, dict[str, Any]]:
        """What the model says to a request; this is what costs money."""
        system, user, schema, model = _parts(provider, body, path)
        found = ITEM.search(user)
        item = found[1] if found else "?"
        odd = self.odd.get(item, "")
        if odd == "context":
            said = {"message": "prompt is too long: context_length_exceeded", "type": "invalid_request_error"}
            return 400, {
                "error": {"code": 400 if provider == "gemini" else "context_length_exceeded", **said}
            }
        self.paid[item, ",".join(schema["properties"])] += 1
        text = json.dumps(_value(schema, item), ensure_ascii=False)
        if odd == "partial":
            text = text[: text.rindex('"value"')]
            self.odd.pop(item)
        if odd == "once-empty":
            text = ""
            self.odd.pop(item)
        if odd == "fenced":
            text = f"```json\n{text}\n```\n끝."
        if odd == "refusal":
            text = ""
        return 200, _body(provider, text, model, len(system) + len(user), odd == "refusal")


def _parts(provider: str, body: dict[str, Any], path: str) -> tuple[str, str, dict[str, Any], str]:
    if provider == "openai":
        form = body["response_format"]["json_schema"]
        assert form["strict"] is True
        return body["messages"][0]["content"], body["messages"][1]["content"], form["schema"], body["model"]
    if provider == "anthropic":
        return (
            body["system"],
            body["messages"][0]["content"],
            body["output_config"]["format"]["schema"],
            body["model"],
        )
    system = body["systemInstruction"]["parts"][0]["text"]
    config = body["generationConfig"]
    model = re.sub(r".*models/|:.*", "", path) or "gemini-batch"
    return system, body["contents"][0]["parts"][0]["text"], config["responseJsonSchema"], model


def _value(schema: dict[str, Any], seed: str) -> Any:
    if schema["type"] == "object":
        return {name: _value(part, f"{seed}/{name}") for name, part in schema["properties"].items()}
    if "enum" in schema:
        pick = int(hashlib.sha256(seed.encode()).hexdigest(), 16)
        return schema["enum"][pick % len(schema["enum"])]
    return "메시지[0]에서 '인용'을 근거로 함"


def _body(provider: str, text: str, model: str, size: int, refused: bool) -> dict[str, Any]:
    if provider == "openai":
        message = {"role": "assistant", "content": text, "refusal": "I cannot" if refused else None}
        usage = {
            "prompt_tokens": size // 2,
            "completion_tokens": len(text),
            "total_tokens": size // 2 + len(text),
        }
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {
            "id": "c",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [choice],
            "usage": usage,
        }
    if provider == "anthropic":
        usage = {"input_tokens": size // 2, "output_tokens": len(text)}
        blocks = [] if refused else [{"type": "text", "text": text}]
        stop = "refusal" if refused else "end_turn"
        base = {"id": "m", "type": "message", "role": "assistant", "model": model}
        return {**base, "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": usage}
    usage = {"promptTokenCount": size // 2, "candidatesTokenCount": len(text)}
    if refused:
        return {"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": model, "usageMetadata": usage}
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}
    return {"candidates": [candidate], "modelVersion": model, "usageMetadata": usage}


# ---- batches


def _finish(server: Server, batch: Batch) -> None:
    """Run a batch: every request is answered and paid, then the results are shuffled and damaged as wished."""
    for number, line in enumerate(batch.lines):
        name = line.get("custom_id") or line.get("key")
        if "expired" in server.damage and number % 3 == 0:
            gone = {"code": "batch_expired", "message": "too late"}
            if batch.provider == "openai":
                batch.errors.append(json.dumps({"custom_id": name, "response": None, "error": gone}))
            elif batch.provider == "anthropic":
                batch.results.append(json.dumps({"custom_id": name, "result": {"type": "expired"}}))
            else:
                batch.results.append(json.dumps({"key": name, "error": {"code": 4, "message": "deadline"}}))
            continue
        body = line.get("body") or line.get("params") or line["request"]
        status, answer = server.answer(batch.provider, body)
        if batch.provider == "openai":
            whole = {"custom_id": name, "response": {"status_code": status, "body": answer}, "error": None}
            (batch.results if status == 200 else batch.errors).append(json.dumps(whole))
        elif batch.provider == "anthropic":
            result = (
                {"type": "succeeded", "message": answer}
                if status == 200
                else {"type": "errored", "error": answer}
            )
            batch.results.append(json.dumps({"custom_id": name, "result": result}))
        else:
            inner = {"response": answer} if status == 200 else answer
            batch.results.append(json.dumps({"metadata": {"key": name}, **inner}))
    batch.results.sort(key=lambda text: hashlib.sha256(text.encode()).hexdigest())
    if "duplicate" in server.damage and batch.results:
        batch.results.append(batch.results[0])
    if "missing" in server.damage:
        batch.results.remove(next(line for line in batch.results[1:-1] if "evidence" in line))
    if "garbage" in server.damage:
        batch.results.insert(0, '{"custom_id": "x", "resp')
    batch.state = "ended"


def _submitted(server: Server, provider: str, mark: str, lines: list[dict[str, Any]]) -> tuple[Batch, str]:
    fault = server.batch_faults.popleft() if server.batch_faults else ""
    batch = Batch(f"{provider}-batch-{len(server.batches)}", provider, mark, lines)
    if fault != "refuse-first":
        server.batches[batch.id] = batch
    return batch, fault


def _seen(server: Server, batch: Batch) -> Batch:
    """Looking at a batch lets it end, unless the test wants to decide."""
    if batch.state == "running" and server.auto_finish:
        _finish(server, batch)
    return batch


def _ok(value: Any, fault: str = "") -> tuple[int, dict[str, str], bytes, str]:
    return 200, {}, json.dumps(value).encode(), fault


def _openai_batch(server: Server, batch: Batch) -> dict[str, Any]:
    shown = {"running": "in_progress", "ended": "completed"}.get(batch.state, batch.state)
    base = {"id": batch.id, "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": "f"}
    outcome = {
        "output_file_id": f"{batch.id}.out" if batch.results else None,
        "error_file_id": f"{batch.id}.err" if batch.errors else None,
    }
    counts = {"total": len(batch.lines), "completed": len(batch.results), "failed": len(batch.errors)}
    more = {"completion_window": "24h", "created_at": int(batch.at), "metadata": {"haechi": batch.mark}}
    return {**base, **outcome, **more, "status": shown, "request_counts": counts}


async def _openai_upload(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    message = email.parser.BytesParser().parsebytes(
        b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n" + body
    )
    part = next(
        p for p in message.get_payload() if p.get_param("name", header="content-disposition") == "file"
    )
    name = f"file-{len(server.files)}"
    server.files[name] = part.get_payload(decode=True)
    return _ok(
        {
            "id": name,
            "object": "file",
            "bytes": len(server.files[name]),
            "created_at": 0,
            "filename": "x",
            "purpose": "batch",
            "status": "processed",
        }
    )


async def _openai_create(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    given = json.loads(body)
    lines = [json.loads(line) for line in server.files[given["input_file_id"]].splitlines()]
    batch, fault = _submitted(server, "openai", given["metadata"]["haechi"], lines)
    return _ok(_openai_batch(server, batch), fault)


async def _openai_list(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    mine = [b for b in server.batches.values() if b.provider == "openai"]
    return _ok(
        {"object": "list", "data": [_openai_batch(server, b) for b in reversed(mine)], "has_more": False}
    )


async def _openai_get(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return _ok(_openai_batch(server, _seen(server, server.batches[match[1]])))


async def _openai_cancel(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    server.batches[match[1]].state = "cancelled"
    return _ok(_openai_batch(server, server.batches[match[1]]))


async def _openai_content(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    batch = server.batches[match[1]]
    lines = batch.results if match[2] == "out" else batch.errors
    return 200, {}, ("\n".join(lines) + "\n").encode(), ""


def _anthropic_batch(server: Server, batch: Batch) -> dict[str, Any]:
    ended = batch.state in ("ended", "cancelled")
    counts = {
        "processing": 0 if ended else len(batch.lines),
        "succeeded": len(batch.results) if ended else 0,
        "errored": 0,
        "canceled": 0,
        "expired": 0,
    }
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch.at))
    base = {
        "id": batch.id,
        "type": "message_batch",
        "created_at": when,
        "expires_at": when,
        "archived_at": None,
        "cancel_initiated_at": None,
    }
    url = f"{server.url}/anthropic-results/{batch.id}" if ended else None
    return {
        **base,
        "ended_at": when if ended else None,
        "processing_status": "ended" if ended else "in_progress",
        "request_counts": counts,
        "results_url": url,
    }


async def _anthropic_create(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    batch, fault = _submitted(server, "anthropic", "", json.loads(body)["requests"])
    return _ok(_anthropic_batch(server, batch), fault)


async def _anthropic_list(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    mine = [
        _anthropic_batch(server, _seen(server, b))
        for b in server.batches.values()
        if b.provider == "anthropic"
    ]
    return _ok({"data": mine[::-1], "has_more": False, "first_id": None, "last_id": None})


async def _anthropic_get(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return _ok(_anthropic_batch(server, _seen(server, server.batches[match[1]])))


async def _anthropic_cancel(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    batch = server.batches[match[1]]
    batch.state = "cancelled"
    batch.results = [
        json.dumps({"custom_id": line["custom_id"], "result": {"type": "canceled"}}) for line in batch.lines
    ]
    return _ok(_anthropic_batch(server, batch))


async def _anthropic_results(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return 200, {}, ("\n".join(server.batches[match[1]].results) + "\n").encode(), ""


def _gemini_batch(server: Server, batch: Batch) -> dict[str, Any]:
    state = {
        "running": "BATCH_STATE_RUNNING",
        "ended": "BATCH_STATE_SUCCEEDED",
        "cancelled": "BATCH_STATE_CANCELLED",
    }
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(batch.at))
    meta: dict[str, Any] = {
        "displayName": batch.mark,
        "state": state[batch.state],
        "createTime": when,
        "model": "models/g",
    }
    if batch.state == "ended":
        meta["output"] = {"responsesFile": f"files/{batch.id}"}
    return {"name": f"batches/{batch.id}", "metadata": meta}


async def _gemini_start(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    name = f"up{len(server.files)}"
    server.files[name] = b""
    return (
        200,
        {"x-goog-upload-url": f"{server.url}/google/gemini-upload/{name}", "x-goog-upload-status": "active"},
        b"{}",
        "",
    )


async def _gemini_upload(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    server.files[match[1]] += body
    final = "finalize" in headers["x-goog-upload-command"]
    status = {"x-goog-upload-status": "final" if final else "active"}
    return 200, status, json.dumps({"file": {"name": f"files/{match[1]}"}}).encode(), ""


async def _gemini_create(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    given = json.loads(body)["batch"]
    lines = [
        json.loads(line)
        for line in server.files[given["inputConfig"]["fileName"].removeprefix("files/")].splitlines()
    ]
    batch, fault = _submitted(server, "gemini", given["displayName"], lines)
    return _ok(_gemini_batch(server, batch), fault)


async def _gemini_list(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return _ok(
        {
            "operations": [
                _gemini_batch(server, b) for b in server.batches.values() if b.provider == "gemini"
            ][::-1]
        }
    )


async def _gemini_get(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return _ok(_gemini_batch(server, _seen(server, server.batches[match[1]])))


async def _gemini_cancel(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    server.batches[match[1]].state = "cancelled"
    return _ok({})


async def _gemini_download(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return 200, {}, ("\n".join(server.batches[match[1]].results) + "\n").encode(), ""


async def _ledger(server: Server, match: Any, headers: dict[str, str], body: bytes) -> Any:
    return _ok([[item, asked, times] for (item, asked), times in server.paid.items()])


ROUTES: list[tuple[str, Any]] = [
    (r"POST /v1/files", _openai_upload),
    (r"POST /v1/batches", _openai_create),
    (r"GET /v1/batches", _openai_list),
    (r"GET /v1/batches/([^/]+)", _openai_get),
    (r"POST /v1/batches/([^/]+)/cancel", _openai_cancel),
    (r"GET /v1/files/([^/]+)\.(out|err)/content", _openai_content),
    (r"POST /v1/messages/batches", _anthropic_create),
    (r"GET /v1/messages/batches", _anthropic_list),
    (r"GET /v1/messages/batches/([^/]+)", _anthropic_get),
    (r"POST /v1/messages/batches/([^/]+)/cancel", _anthropic_cancel),
    (r"GET /anthropic-results/([^/]+)", _anthropic_results),
    (r"POST /google/upload/v1(?:beta)?/files", _gemini_start),
    (r"POST /google/gemini-upload/([^/]+)", _gemini_upload),
    (r"POST /google/v1(?:beta)?/models/[^/]+:batchGenerateContent", _gemini_create),
    (r"GET /google/v1(?:beta)?/batches", _gemini_list),
    (r"GET /google/v1(?:beta)?/batches/([^/]+)", _gemini_get),
    (r"POST /google/v1(?:beta)?/batches/([^/]+):cancel", _gemini_cancel),
    (r"GET /google/v1(?:beta)?/files/([^/]+):download", _gemini_download),
    (r"GET /ledger", _ledger),
]


# ---- HTTP, just enough of it


async def _serve(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while await _one(server, reader, writer):
            pass
    except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
        pass
    finally:
        writer.close()


async def _one(server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
    }
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    else:
        body = await reader.readexactly(int(headers.get("content-length", 0)))
    status, more, content, fault = await server.handle(method, path, headers, body)
    if fault in ("accept-then-hang", "refuse-first"):
        await asyncio.sleep(3600)
    lines = [f"HTTP/1.1 {status} X", "content-type: application/json", f"content-length: {len(content)}"]
    lines += [f"{name}: {value}" for name, value in more.items()]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    if fault == "disconnect":
        writer.write(content[: len(content) // 2])
        await writer.drain()
        return False
    if fault == "drip":
        for byte in content:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.2)
    else:
        writer.write(content)
    await writer.drain()
    return True


async def _listen(server: Server, ready: threading.Event, stop: asyncio.Event) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _serve(server, reader, writer)

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**28)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    ready.set()
    await stop.wait()
    listening.close()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """Run the server in a thread of its own."""
    ready, loop, stop = threading.Event(), asyncio.new_event_loop(), asyncio.Event()
    thread = threading.Thread(
        target=lambda: loop.run_until_complete(_listen(server, ready, stop)), daemon=True
    )
    thread.start()
    ready.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


if __name__ == "__main__":  # the benchmark runs it in a process of its own
    import sys

    async def alone() -> None:
        server, ready = Server(latency=float(sys.argv[1])), threading.Event()
        task = asyncio.create_task(_listen(server, ready, asyncio.Event()))
        while not ready.is_set():
            await asyncio.sleep(0.01)
        print(server.url, flush=True)
        await task

    asyncio.run(alone())
