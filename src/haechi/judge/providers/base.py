"""What all providers have in common: a request, what a batch is doing, and two ways to fail."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from haechi.data.judging_protocol import Decoding
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.providers.keys import mask, variable_of
from haechi.text import Text


@frozen
class Request:
    """One question to a judge; `id` comes back with the answer. Of the decoding, `max_tokens` is always said."""

    id: str
    system: str
    user: str
    schema: dict[str, Any]
    max_tokens: int
    decoding: Decoding = field(default_factory=Decoding)


class TryAgain(Exception):
    """The provider is busy, out of reach, or answered with something damaged; `after` is its wish in seconds.

    `doubtful` says that the request may have been carried out, and paid, although no answer arrived.
    """

    def __init__(
        self, words: str | Text, after: float | None = None, busy: bool = False, doubtful: bool = False
    ) -> None:
        self.words = Text(*map(mask, words)) if isinstance(words, Text) else Text(mask(words))
        super().__init__(self.words.say())
        self.after, self.busy, self.doubtful = after, busy, doubtful


class Misconfigured(HaechiError):
    """The user's key, model or settings are wrong: asking again will not help."""

    @classmethod
    def by(cls, at: str, words: str, expected: Text, todo: Text) -> Misconfigured:
        """The error with what the provider said, without keys."""
        return cls(HaechiError.of(at, mask(words)[:500], expected, todo).problems)


class Limits(NamedTuple):
    """How much one batch may hold."""

    requests: int
    bytes: int


@frozen
class BatchState:
    """How far a batch is: `running`, `ended` (there are results), `failed` or `cancelled` (there are none).

    `whole` says that every request has its line in the results; `done` how many requests the provider has
    answered, as far as it tells.
    """

    state: Literal["running", "ended", "failed", "cancelled"]
    words: str = ""
    whole: bool = False
    done: int | None = None


class Client(Protocol):
    """A judge model at a provider. Answers are lines as they stand in the provider's own result files."""

    limits: Limits

    async def ask(self, request: Request) -> dict[str, Any]:
        """One answer, now."""
        ...

    def line(self, request: Request) -> bytes:
        """A request as it stands in a batch."""
        ...

    async def submit(self, requests: Path, mark: str) -> str:
        """Send a file of request lines as a batch; gives the provider's id for it."""
        ...

    async def find(self, mark: str, since: float, is_ours: Callable[[str], bool]) -> str | None:
        """The batch that was submitted with this mark, if it ever arrived."""
        ...

    async def look(self, remote: str) -> BatchState:
        """How far a batch is."""
        ...

    def results(self, remote: str) -> AsyncIterator[str]:
        """The result lines of a batch that has ended, in any order."""
        ...

    async def cancel(self, remote: str) -> None:
        """Stop a batch; what is done already is kept by the provider."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class Talker(Protocol):
    """A model that talks with people."""

    def talk(self, messages: list[dict[str, str]], longest: int) -> AsyncIterator[str | dict[str, int]]:
        """The next message of a conversation, piece by piece; at the end its usage, if the server tells it."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


def need_sdk(package: str) -> Misconfigured:
    """The provider's SDK is not installed."""
    return Misconfigured.by(
        "haechi judge",
        Text(f"패키지 {package} 없음", f"no module {package}").say(),
        Text("AI 평가자용 추가 패키지", "the extra packages for judges"),
        Text("`pip install 'haechi[judges]'`를 실행하세요", "run `pip install 'haechi[judges]'`"),
    )


def need_key(provider: str) -> Misconfigured:
    """No key is in the environment."""
    variable = variable_of(provider)
    return Misconfigured.by(
        provider,
        Text("API 키가 없음", "no key").say(),
        Text(f"환경 변수 {variable}", f"the environment variable {variable}"),
        Text(f"`export {variable}=…` 뒤에 다시 실행하세요", f"`export {variable}=…` and run again"),
    )


def need_address(provider: str, variable: str, example: str) -> Misconfigured:
    """Where the provider is asked is not said."""
    return Misconfigured.by(
        provider,
        Text("주소나 지역이 없음", "no address or region").say(),
        Text(f"환경 변수 {variable}", f"the environment variable {variable}"),
        Text(
            f"`export {variable}={example}`처럼 지정한 뒤 다시 실행하세요",
            f"`export {variable}={example}` or the like, and run again",
        ),
    )


def need_extra(package: str, extra: str, variable: str) -> Misconfigured:
    """Something more must be installed, or a variable set that makes it needless."""
    return Misconfigured.by(
        extra,
        Text(f"패키지 {package} 없음", f"no module {package}").say(),
        Text(
            f"환경 변수 {variable}, 또는 추가 패키지 haechi[{extra}]",
            f"the environment variable {variable}, or the extra haechi[{extra}]",
        ),
        Text(
            f"`export {variable}=…` 또는 `pip install 'haechi[{extra}]'` 뒤에 다시 실행하세요",
            f"`export {variable}=…` or `pip install 'haechi[{extra}]'`, and run again",
        ),
    )


def refused_setup(server: str, status: int, words: str) -> Misconfigured:
    """The provider, or the server at an address, does not accept the key, the model or the account."""
    key = variable_of(server)
    meaning = {
        401: Text(f"환경 변수 {key}에 유효한 API 키", f"a valid API key in the environment variable {key}"),
        403: Text("이 모델을 쓸 권한", "permission to use this model"),
        404: Text("제공자에 있는 모델 이름과 주소", "a model and address that the provider knows"),
    }.get(status, Text("올바른 설정과 잔액", "correct settings and credit"))
    todo = Text(
        "키·모델 이름·주소·잔액을 확인한 뒤 다시 실행하세요. 저장된 것은 그대로입니다",
        "check the key, model, address and credit, and run again; nothing stored was lost",
    )
    return Misconfigured.by(server, f"HTTP {status}: {words}", meaning, todo)
