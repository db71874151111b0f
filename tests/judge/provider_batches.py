"""Batches at the test server, the same for all providers."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from provider_faults import Response, damaged_results

if TYPE_CHECKING:
    from provider_server import Server


@dataclass
class Batch:
    """A batch at one of the providers."""

    id: str
    provider: str
    mark: str
    lines: list[dict[str, Any]]
    results: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    done: int = 0  # as the provider counts, whatever is fetched
    failed: int = 0
    state: str = "running"
    at: float = field(default_factory=time.time)

    @property
    def when(self) -> str:
        """The time of its submission, as Anthropic and Gemini write it."""
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.at))


def submitted(server: Server, provider: str, mark: str, lines: list[dict[str, Any]]) -> tuple[Batch, str]:
    """A new batch, and what goes wrong with its submission."""
    fault = server.batch_faults.popleft() if server.batch_faults else ""
    batch = Batch(f"{provider}-batch-{len(server.batches)}", provider, mark, lines)
    if fault != "refuse-first":
        server.batches[batch.id] = batch
    return batch, fault


def seen(server: Server, batch: Batch) -> Batch:
    """Looking at a batch lets it end, unless the test wants to decide."""
    if batch.state == "running" and server.auto_finish:
        _finish(server, batch)
    return batch


def of(server: Server, provider: str) -> list[Batch]:
    """The batches of a provider, the newest first, as all three list them."""
    if not server.lists:
        return []
    return [batch for batch in reversed(server.batches.values()) if batch.provider == provider]


def ok(value: Any, fault: str = "") -> Response:
    """A value as the body of a response."""
    return 200, {}, json.dumps(value).encode(), fault


def text(lines: list[str]) -> Response:
    """Result lines as the body of a response."""
    return 200, {}, ("\n".join(lines) + "\n").encode(), ""


def _finish(server: Server, batch: Batch) -> None:
    """Run a batch: every request is answered and paid, then the results are shuffled and damaged as wished."""
    wire = server.wires[batch.provider]
    for number, line in enumerate(batch.lines):
        name = line.get("custom_id") or line.get("key")
        if "unprocessed" in server.damage and number % 3 == 0:
            continue
        if "expired" in server.damage and number % 3 == 0:
            failed, written = True, wire.expired_line(name)
        else:
            body = line.get("body") or line.get("params") or line["request"]
            status, answer = server.answer(batch.provider, body)
            failed, written = status != 200, wire.result_line(name, status, answer)
        batch.failed, batch.done = batch.failed + failed, batch.done + (not failed)
        to_errors = failed and wire.HAS_ERROR_FILE
        # As the providers do, without escaping what is not ASCII.
        (batch.errors if to_errors else batch.results).append(json.dumps(written, ensure_ascii=False))
    batch.results = damaged_results(batch.results, server.damage)
    batch.state = "expired" if "unprocessed" in server.damage else "ended"
