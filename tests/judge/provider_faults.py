"""How the test server misbehaves: while it answers, while it sends, and in the results of batches."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os

FAULTS = ("429", "429-after", "500", "529", "disconnect", "drip", "truncated", "not-json")

INSTEAD = {
    "page": b"<html>\n<title>Sign in</title></html>",
    "empty": b"",
    "blank": b" \n",
    "null": b"null",
    "list": b"[]",
    "number": b"42",
    "text": b'"ok"',
    "half-utf8": b'{"a": "\xec\x95',
    "deep": b"[" * 100_000,
    "two-objects": b"{}{}",
}
"""What comes in place of an answer that was paid for."""

Response = tuple[int, dict[str, str], bytes, str]  # status, headers, body, and the fault while sending it


def instead_of_an_answer(fault: str) -> Response | None:
    """What is sent without asking the model, if the fault is of that kind."""
    if fault in ("408", "429", "429-after", "500", "502", "503", "504", "529"):
        more = {"retry-after": "0.05"} if fault == "429-after" else {}
        return int(fault[:3]), more, b'{"error": {"message": "busy", "type": "busy"}}', ""
    if fault in ("401", "404", "400"):
        said = {"message": f"bad key {os.environ.get('OPENAI_API_KEY', '')}", "type": "auth"}
        return int(fault), {}, json.dumps({"error": said}).encode(), ""
    return None


def damaged(fault: str, status: int, text: bytes) -> Response:
    """An answer that was paid for, whole or damaged."""
    if fault == "truncated":
        return 200, {}, text[: len(text) // 2], ""
    if fault == "not-json":
        return 200, {}, b"<html>gateway</html>", ""
    if fault in INSTEAD:
        return 200, {"content-type": "text/html"} if fault == "page" else {}, INSTEAD[fault], ""
    return status, {}, text, fault


async def send(writer: asyncio.StreamWriter, content: bytes, fault: str) -> bool:
    """Send a body; says whether the connection is still good."""
    if fault == "reset":
        return False
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


def bare(line: str) -> str:
    """A result line of which only the request's id is left."""
    return json.dumps(
        {name: part for name, part in json.loads(line).items() if name in ("custom_id", "metadata")}
    )


def damaged_results(results: list[str], damage: set[str]) -> list[str]:
    """Result lines in no particular order, with lines twice, missing or broken as wished."""
    results = sorted(results, key=lambda text: hashlib.sha256(text.encode()).hexdigest())
    if "duplicate" in damage and results:
        results.append(results[0])
    if "missing" in damage:
        results.remove(next(line for line in results[1:-1] if "evidence" in line))
    if "cut-at-line-end" in damage:
        results = results[: len(results) // 2]
    if "no-lines" in damage:
        results = []
    if "bare" in damage:
        results = [bare(results[0]), *results[1:-1], bare(results[-1])]
    if "garbage" in damage:
        results.insert(0, '{"custom_id": "x", "resp')
    return results
