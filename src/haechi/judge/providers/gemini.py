"""Google's Gemini: generated content and batch jobs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from haechi.data.judging_protocol import Decoding
from haechi.judge.providers.addresses import check_plain
from haechi.judge.providers.base import BatchState, Limits, Request, TryAgain, need_key, need_sdk
from haechi.judge.providers.exchange import hooks, note_received
from haechi.judge.providers.faults import (
    RefusedRequest,
    check_settings,
    no_answer,
    translate_faults,
    translate_free,
    translate_whole,
)
from haechi.judge.providers.gemini_lines import LINES
from haechi.judge.providers.provider import Provider
from haechi.judge.providers.wire import verbatim_json

if TYPE_CHECKING:
    from google import genai
    from google.genai import errors, types

_DAY = 86_400
_STATES = {
    "JOB_STATE_SUCCEEDED": "ended",
    "JOB_STATE_PARTIALLY_SUCCEEDED": "ended",
    "JOB_STATE_EXPIRED": "ended",
    "JOB_STATE_FAILED": "failed",
    "JOB_STATE_CANCELLED": "ended",
}


def import_sdk() -> None:
    """Import what is needed to ask."""
    # It takes long to import, and is needed to ask, not to read answers.
    global genai, errors, types  # noqa: PLW0603 - what an import at the top would bind
    try:
        from google import genai
        from google.genai import errors, types
    except ImportError as missing:
        raise need_sdk("google-genai") from missing


def connect(model: str, url: str | None, timeout: float) -> Gemini:
    """A judge at Google."""
    import_sdk()
    if not (os.environ.get("GEMINI_API_KEY") or os.environ.get("GOOGLE_API_KEY")):
        raise need_key("gemini")
    check_plain(PROVIDER.address, "GEMINI_API_KEY")
    return Gemini(genai.Client(http_options=http_options(url, PROVIDER.address, timeout)), model)


def http_options(url: str | None, address: str, timeout: float) -> types.HttpOptions:
    """How the SDK sends: one attempt, since waiting and asking again is decided in one place for all providers."""
    return types.HttpOptions(
        base_url=url,
        timeout=int(timeout * 1000),
        retry_options=types.HttpRetryOptions(attempts=1),
        async_client_args={"event_hooks": hooks(address)},
    )


class Gemini:
    """A judge model behind generateContent."""

    limits = Limits(50_000, 500_000_000)

    def __init__(self, client: genai.Client, model: str, server: str = "gemini") -> None:
        self._client, self._model, self._server = client, model, server

    async def ask(self, request: Request) -> dict[str, Any]:
        """One generated content."""
        config = types.GenerateContentConfig(
            system_instruction=request.system,
            max_output_tokens=request.max_tokens,
            response_mime_type="application/json",
            response_json_schema=request.schema,
            should_return_http_response=True,
            temperature=request.decoding.temperature,
            seed=request.decoding.seed,
            response_logprobs=request.decoding.logprobs,
            logprobs=5 if request.decoding.logprobs else None,
            thinking_config=_thinking(request.decoding),
        )
        answer: dict[str, Any]
        try:
            with _undamaged(), translate_faults(self._server, errors.APIError):
                response = await self._client.aio.models.generate_content(
                    model=self._model, contents=request.user, config=config
                )
                http = response.sdk_http_response
                body = ((http.body if http else None) or "").encode("utf-8", "surrogatepass")
                answer = {"response": verbatim_json(note_received(body))}
        except RefusedRequest as refused:
            check_settings(self._server, refused, request.decoding)
            answer = {"error": _error(refused)}
        return {"key": request.id, **answer}

    def line(self, request: Request) -> bytes:
        """A line of a batch job's input file."""
        given = request.decoding
        wished: dict[str, Any] = {"temperature": given.temperature, "seed": given.seed}
        wished |= {"responseLogprobs": True, "logprobs": 5} if given.logprobs else {}
        if given.effort is not None:
            wished["thinkingConfig"] = {"thinkingLevel": given.effort.upper()}
        inner = {
            "contents": [{"role": "user", "parts": [{"text": request.user}]}],
            "systemInstruction": {"parts": [{"text": request.system}]},
            "generationConfig": {
                "maxOutputTokens": request.max_tokens,
                "responseMimeType": "application/json",
                "responseJsonSchema": request.schema,
                **{name: value for name, value in wished.items() if value is not None},
            },
        }
        return orjson.dumps({"key": request.id, "request": inner}) + b"\n"

    async def submit(self, requests: Path, mark: str) -> str:
        """Upload the file and start the job; the mark is its display name."""
        with translate_free(), _whole():
            file = await self._client.aio.files.upload(
                file=requests, config={"mime_type": "application/jsonl", "display_name": mark}
            )
            if not file.name:
                raise no_answer("no name")
        with _whole():
            job = await self._client.aio.batches.create(
                model=self._model, src=file.name, config={"display_name": mark}
            )
            if not job.name:
                raise no_answer("no name")
            return job.name

    async def find(self, mark: str, since: float, is_ours: Callable[[str], bool]) -> str | None:  # noqa: ARG002
        """The job whose display name is the mark."""
        with _whole():
            async for job in await self._client.aio.batches.list(config={"page_size": 100}):
                if job.display_name == mark:
                    return job.name
                if job.create_time and job.create_time.timestamp() < since - _DAY:
                    break
        return None

    async def look(self, remote: str) -> BatchState:
        """The state of a job."""
        with _whole():
            job = await self._client.aio.batches.get(name=remote)
        if not job.state:
            raise no_answer("no state")
        name, whole = job.state.value, job.state.value == "JOB_STATE_SUCCEEDED"
        state = _STATES.get(name, "running")
        results = job.dest and (job.dest.file_name or job.dest.inlined_responses)
        if state == "ended" and not (results or whole):
            state = "cancelled" if name == "JOB_STATE_CANCELLED" else "failed"
        words = f"{name} {job.error.message if job.error else ''}".strip()
        done = await self._count_done(remote) if state == "ended" and not whole else None
        return BatchState(state, words, whole, done)  # type: ignore[arg-type]

    async def _count_done(self, remote: str) -> int | None:
        """How many requests Google says it answered.

        The SDK leaves the counts out of its batch jobs; it keeps them where the same job is read as an operation.
        """
        with _whole():
            job = types.GenerateVideosOperation.model_validate({"name": remote})
            counts = ((await self._client.aio.operations.get(job)).metadata or {}).get("batchStats")
            return int(counts.get("successfulRequestCount", 0)) if counts else None  # a 0 is not written

    async def results(self, remote: str) -> AsyncIterator[str]:
        """The lines of the responses file; inlined responses are written as such lines."""
        with _whole():
            job = await self._client.aio.batches.get(name=remote)
            dest = job.dest or types.BatchJobDestination()
            for inlined in dest.inlined_responses or ():
                yield inlined.model_dump_json(by_alias=True, exclude_none=True)
            if dest.file_name:
                with tempfile.TemporaryFile() as file:
                    await self._client.aio.files.download(file=dest.file_name, destination=file)
                    file.seek(0)
                    for line in file:
                        yield line.decode("utf-8", "replace")

    async def cancel(self, remote: str) -> None:
        """Stop a job."""
        with _whole():
            await self._client.aio.batches.cancel(name=remote)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aio.aclose()


def _thinking(given: Decoding) -> types.ThinkingConfig | None:
    level = None if given.effort is None else types.ThinkingLevel(given.effort.upper())
    return None if level is None else types.ThinkingConfig(thinking_level=level)


def _error(refused: RefusedRequest) -> Any:
    body = refused.body
    return (
        body.get("error", body) if isinstance(body, dict) else {"code": refused.status, "message": str(body)}
    )


@contextmanager
def _undamaged() -> Iterator[None]:
    # The SDK reports a damaged body as a ValueError or an error of its own.
    try:
        yield
    except (errors.UnknownApiResponseError, ValueError) as error:
        raise TryAgain(str(error), doubtful=True) from error


@contextmanager
def _whole() -> Iterator[None]:
    with _undamaged(), translate_whole("gemini", errors.APIError):
        yield


PROVIDER = Provider(
    "gemini",
    connect,
    LINES,
    keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    home="https://generativelanguage.googleapis.com",
    address_variable="GOOGLE_GEMINI_BASE_URL",
    sdk="google-genai",
    takes=frozenset({"temperature", "seed", "effort", "logprobs"}),
)
