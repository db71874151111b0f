"""Google Vertex: Gemini through Google's client, Claude through Anthropic's, both with a Google Cloud project."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from haechi.judge.providers import anthropic, gemini
from haechi.judge.providers.addresses import check_plain
from haechi.judge.providers.base import Client, Misconfigured, need_address, need_sdk
from haechi.judge.providers.gemini_lines import LINES as GEMINI
from haechi.judge.providers.lines import Lines, Record
from haechi.judge.providers.provider import Provider
from haechi.text import Text

if TYPE_CHECKING:
    import httpx2

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_CLAUDE = anthropic.LINES


def connect(model: str, url: str | None, timeout: float) -> Client:  # noqa: ARG001 - the region is the address
    """A judge at Vertex; the credentials are those that Google's tools use, and are tried at once."""
    project = os.environ.get("GOOGLE_CLOUD_PROJECT") or ""
    if not project:
        raise need_address("vertex", "GOOGLE_CLOUD_PROJECT", "my-project")
    check_plain(PROVIDER.address, "GOOGLE_APPLICATION_CREDENTIALS")
    credentials = _credentials()
    if model.startswith("claude"):
        return Claude(project, credentials, timeout, model)
    gemini.import_sdk()
    from google import genai

    options = gemini.http_options(_other_address(), PROVIDER.address, timeout)
    client = genai.Client(
        vertexai=True,
        project=project,
        location=_location(),
        credentials=credentials,
        http_options=options,
    )
    return gemini.Gemini(client, model, "vertex")


def _location() -> str:
    return os.environ.get("GOOGLE_CLOUD_LOCATION") or "global"


def _other_address() -> str | None:
    return os.environ.get("GOOGLE_VERTEX_BASE_URL") or None


def _home() -> str:
    location = _location()
    return f"https://{'' if location == 'global' else f'{location}-'}aiplatform.googleapis.com"


def _credentials() -> Any:
    try:
        import google.auth
        from google.auth.exceptions import GoogleAuthError
        from google.auth.transport.requests import Request
    except ImportError as missing:
        raise need_sdk("google-auth") from missing
    try:
        credentials, _ = google.auth.default(scopes=[_SCOPE])
        credentials.refresh(Request())  # type: ignore[no-untyped-call]
    except (GoogleAuthError, ValueError, OSError) as error:
        raise Misconfigured.by(
            "vertex",
            str(error),
            Text("Google Cloud 인증 정보", "credentials for Google Cloud"),
            Text(
                "`gcloud auth application-default login`을 실행하거나 GOOGLE_APPLICATION_CREDENTIALS에 "
                "서비스 계정 파일을 지정하세요",
                "run `gcloud auth application-default login`, or name a service account's file in "
                "GOOGLE_APPLICATION_CREDENTIALS",
            ),
        ) from error
    return credentials


class Claude(anthropic.Anthropic):
    """A Claude model that Google serves."""

    server = "vertex"

    def __init__(self, project: str, credentials: Any, timeout: float, model: str) -> None:
        self._project, self._credentials = project, credentials
        super().__init__(PROVIDER.address, timeout, model)

    def _connected(self, http: httpx2.AsyncClient) -> Any:
        import anthropic as sdk

        return sdk.AsyncAnthropicVertex(
            region=_location(),
            project_id=self._project,
            credentials=self._credentials,
            base_url=f"{self._address.rstrip('/')}/v1",
            timeout=self._timeout,
            max_retries=0,
            http_client=http,
        )


def _lines(record: Record) -> Lines:
    return _CLAUDE if _CLAUDE.fits(record) else GEMINI


LINES = Lines(
    fits=lambda record: _CLAUDE.fits(record) or GEMINI.fits(record),
    answer=lambda record: _lines(record).answer(record),
    is_result=lambda record: _lines(record).is_result(record),
    is_done=lambda record: _lines(record).is_done(record),
    where="key",
    id_of=lambda record: _lines(record).identifier(record),
    body_of=lambda line: (_CLAUDE if line.startswith('{"custom_id"') else GEMINI).body(line),
)
PROVIDER = Provider(
    "vertex",
    connect,
    LINES,
    keys=("GOOGLE_APPLICATION_CREDENTIALS",),
    batches=False,
    home=_home,
    address_variable="GOOGLE_VERTEX_BASE_URL",
    sign="@vertex",
    sdk="google-genai",
    takes=frozenset({"temperature", "seed", "effort", "logprobs"}),
)
