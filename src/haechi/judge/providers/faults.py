"""What a failed HTTP request means: try again, wrong settings, or this one request was refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from haechi.data.judging_protocol import Decoding
from haechi.judge.providers.base import Misconfigured, TryAgain, refused_setup
from haechi.judge.providers.keys import mask
from haechi.text import Text

_SETUP = frozenset({401, 402, 403, 404})
_BUSY = frozenset({429, 503, 529})
_BETWEEN = frozenset({408, 502, 504})  # said by what stands between: the provider may have done the work
# Out of credit is reported as 429 by OpenAI and as 400 by others; waiting does not fill an account. Gemini mentions
# billing in every 429, also where it only asks for a minute of patience.
_NO_CREDIT = {
    400: re.compile(r"credit balance is too low|billing", re.IGNORECASE),
    429: re.compile(r"insufficient_quota|billing_hard_limit|billing_not_active", re.IGNORECASE),
}


class RefusedRequest(Exception):
    """This one request was not accepted: too long, or against the provider's rules."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status)
        self.status, self.body = status, body


@contextmanager
def translate_faults(server: str, *sdk_errors: type[Exception]) -> Iterator[None]:
    """Turns what an SDK raises into `TryAgain`, `Misconfigured` or `RefusedRequest`."""
    import httpx2

    known: tuple[type[Exception], ...] = (*sdk_errors, httpx2.HTTPError, json.JSONDecodeError)
    try:
        yield
    except known as error:
        if isinstance(error.__cause__, Misconfigured):  # said by our own hooks, inside of the SDK
            raise error.__cause__ from None
        response = getattr(error, "response", None)
        status = getattr(response, "status_code", None)
        if not isinstance(status, int) or status < 400:
            cause = error.__cause__ or error
            never_left = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout)
            late = isinstance(cause, httpx2.TimeoutException | TimeoutError)
            raise TryAgain(_broken(error, never_left, late), doubtful=not never_left) from error
        body = getattr(error, "body", None) or getattr(error, "details", None) or str(error)
        found = status_error(server, status, body, getattr(response, "headers", {}))
        raise (found or RefusedRequest(status, body)) from error


def _broken(error: Exception, never_left: bool, late: bool) -> Text:
    """A connection that gave no answer; what the SDK says of it, which is English, stands in brackets."""
    detail = str(error) or type(error).__name__
    if never_left:
        return Text(f"서버에 연결할 수 없음({detail})", f"the server cannot be reached ({detail})")
    if late:
        return Text(f"응답이 제때 오지 않음({detail})", f"no answer in time ({detail})")
    return Text(f"연결이 끊겼거나 응답이 깨짐({detail})", f"the connection or the answer broke ({detail})")


_NAMED = {
    "temperature": ("--temperature", re.compile(r"temperature", re.IGNORECASE)),
    "seed": ("--seed", re.compile(r"\bseed\b", re.IGNORECASE)),
    "effort": ("--reasoning-effort", re.compile(r"effort|thinking", re.IGNORECASE)),
    "logprobs": ("--logprobs", re.compile(r"log.?prob", re.IGNORECASE)),
}


def check_settings(server: str, refused: RefusedRequest, given: Decoding) -> None:
    """A refusal that names a setting which was given is about all requests alike: asking on would be in vain."""
    words = error_text(refused.body)
    for name in given.given:
        option, pattern = _NAMED.get(name, ("", None))
        if pattern is not None and pattern.search(words):
            raise Misconfigured.by(
                f"{option}, {server}",
                f"HTTP {refused.status}: {words}",
                Text("이 모델이 받는 설정", "a setting that this model takes"),
                Text(f"{option} 없이 다시 실행하세요", f"run again without {option}"),
            ) from refused


@contextmanager
def translate_free() -> Iterator[None]:
    """For what costs nothing, such as an upload: a failure leaves no doubt whether something was paid."""
    try:
        yield
    except TryAgain as error:
        error.doubtful = False
        raise


@contextmanager
def translate_whole(server: str, *sdk_errors: type[Exception]) -> Iterator[None]:
    """For everything that is not one judgement, such as a batch: a refusal is then about the settings."""
    try:
        with translate_faults(server, *sdk_errors):
            yield
    except RefusedRequest as refused:
        raise refused_setup(server, refused.status, error_text(refused.body)) from refused
    except (AttributeError, TypeError, LookupError) as error:
        # The SDKs do not check what they are given: where a login page stands for an answer, they stumble.
        raise no_answer(str(error)) from error


def no_answer(words: str) -> TryAgain:
    """Something came that is not what was asked for; what was asked may have been done all the same."""
    found = Text(f"요청한 답이 아닌 다른 내용이 옴({words})", f"something else than an answer came ({words})")
    return TryAgain(found, doubtful=True)


def status_error(
    server: str, status: int, body: Any, headers: Mapping[str, str]
) -> TryAgain | Misconfigured | None:
    """The error for an HTTP status, or None when only this request was refused (400, 413, 422).

    >>> status_error("openai", 429, {}, {"retry-after": "2"}).after
    2.0
    >>> [status_error("openai", status, {}, {}).doubtful for status in (500, 504)]
    [False, True]
    """
    words = error_text(body)
    if status in _SETUP or (status in _NO_CREDIT and _NO_CREDIT[status].search(words)):
        return refused_setup(server, status, words)
    if status in (400, 413, 422):
        return None
    after = wait_wished(headers, body)
    return TryAgain(f"HTTP {status}: {words}", after, busy=status in _BUSY, doubtful=status in _BETWEEN)


def error_text(body: Any) -> str:
    """The start of a provider's error body; keys are masked before it is cut, so that no half of one is left."""
    return mask(_whole_text(body))[:300]


def _whole_text(body: Any) -> str:
    if isinstance(body, bytes):
        return body.decode("utf-8", "replace")
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)


def wait_wished(headers: Mapping[str, str], body: Any = None) -> float | None:
    """How long the provider asks to wait: `retry-after-ms`, `retry-after`, or Gemini's `retryDelay`.

    >>> wait_wished({"retry-after-ms": "1500"}), wait_wished({}, '"retryDelay": "7s"'), wait_wished({})
    (1.5, 7.0, None)
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*", headers.get(name) or "")
        if found:
            return float(found[1]) * scale
    delay = re.search(r'"?retryDelay"?\W+(\d+(?:\.\d+)?)s', _whole_text(body) if body is not None else "")
    return float(delay[1]) if delay else None
