"""Judges by name: a provider, a model, and perhaps an address."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from haechi.errors import HaechiError
from haechi.judge.providers import PROVIDERS, Provider, provider_of
from haechi.judge.providers.addresses import model_key
from haechi.judge.providers.base import Client
from haechi.judge.providers.keys import mask, variable_of
from haechi.text import Text

TIMEOUT = 300.0


class Model(NamedTuple):
    """A judge as it is named on the command line: `PROVIDER:MODEL[@URL]`."""

    provider: str
    name: str
    url: str | None = None

    @property
    def reference(self) -> str:
        """Provider and model, without the address."""
        return f"{self.provider}:{self.name}"

    @property
    def spec(self) -> str:
        """The model as it was named."""
        return f"{self.reference}@{self.url}" if self.url else self.reference

    @property
    def label(self) -> str:
        """The model's name among raters: with the server, unless its maker answers.

        >>> Model("openai", "qwen3", "http://localhost:8000/v1").label, Model("openai", "gpt-5-mini").label
        ('qwen3@localhost:8000', 'gpt-5-mini')
        """
        if self.url is None:
            return f"{self.name}{provider_of(self.provider).sign}"
        parts = urlsplit(self.url)
        path = parts.path.rstrip("/")
        return f"{self.name}@{parts.netloc}{path if path not in ('', '/v1') else ''}"

    @property
    def address(self) -> str:
        """Where it is asked."""
        return self.url or provider_of(self.provider).address

    @property
    def key(self) -> str:
        """The key that it is asked with; a missing one is an error."""
        return model_key(self.provider, self.url, self.address)

    @property
    def is_elsewhere(self) -> bool:
        """Whether others than its maker answer, who may understand less."""
        return self.url is not None or bool(provider_of(self.provider).sign)

    @property
    def sdk(self) -> str | None:
        """The program that asks it, with its version."""
        return provider_of(self.provider).sdk_version

    def client(self, timeout: float = TIMEOUT) -> Client:
        """Connect; the provider's SDK is imported only now."""
        return provider_of(self.provider).connect(self.name, self.url, timeout)

    @property
    def is_trial(self) -> bool:
        """Whether it only tries the wiring, and is no judge."""
        return provider_of(self.provider).trial


def parse_model(text: str) -> Model:
    """Read `PROVIDER:MODEL[@URL]`.

    >>> parse_model("openai:qwen3:8b@http://localhost:11434/v1")
    Model(provider='openai', name='qwen3:8b', url='http://localhost:11434/v1')
    """
    provider, _, rest = text.strip().partition(":")
    name, at, url = rest.partition("@http")
    found = PROVIDERS.get(provider)
    if found is None or not name or any(c.isspace() for c in name) or len(text) > 500:
        raise HaechiError.of("--model", mask(text[:200]), _known(), _CORRECT)
    if at:
        return Model(provider, name, _address(found, f"http{url}"))
    if "@" in name[1:]:  # some servers' names of models begin with it
        expected = Text("@ 뒤에 http:// 또는 https:// 주소", "an address after @: http://… or https://…")
        raise HaechiError.of("--model", mask(f"@{name.rpartition('@')[2]}"), expected, _CORRECT)
    return Model(provider, name)


def talks(text: str) -> bool:
    """Whether this names a model that can be the agent under test, or talk with people.

    >>> talks("openai:qwen3@http://localhost:8000/v1"), talks("anthropic:claude-haiku-4-5"), talks("agent.yaml")
    (True, False, False)
    """
    provider, colon, _ = text.partition(":")
    found = PROVIDERS.get(provider) if colon else None
    return found is not None and found.talks


def talking_models() -> Text:
    """How such a model is named."""
    names = [name for name, one in PROVIDERS.own.items() if one.talks]
    return Text(*(", ".join(f"{name}:{rest}" for name in names) for rest in ("모델[@주소]", "MODEL[@URL]")))


_CORRECT = Text("--model을 고쳐 다시 실행하세요", "correct --model and run again")


def _known() -> Text:
    """How a judge can be named."""
    names = [f"{name}:{one.model}" for name, one in PROVIDERS.own.items()]
    names += [f"{name}:MODEL" for name in PROVIDERS.names()[len(names) :]]
    known, address = ", ".join(names), "openai:MODEL@http://…/v1"
    return Text(f"{known} 또는 {address}", f"{known} or {address}")


def _address(provider: Provider, url: str) -> str:
    """The address of a compatible server; what is wrong with it is said without what may be secret in it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        secret = parts.username or parts.password or parts.query
    except ValueError:  # brackets or a port that are none
        host = secret = None
    if provider.takes_address and host and parts.scheme in {"http", "https"} and not secret:
        _check_host(url, host)
        return url
    found = (
        provider.name
        if not provider.takes_address
        else host or mask(f"@{url.rpartition('@')[2].partition('?')[0]}")
    )
    expected = Text(
        "키나 쿼리 문자열이 없는 openai:MODEL@http://host:port/v1",
        "openai:MODEL@http://host:port/v1 without keys or a query in it",
    )
    raise HaechiError.of("--model", found, expected, _CORRECT)


def _check_host(url: str, host: str) -> None:
    """Only a host that cannot be taken for another one has a key of its own."""
    try:
        variable_of(url)
    except ValueError:
        expected = Text(
            "글자와 숫자를 점, 하이픈 또는 밑줄 하나로 이은 호스트 이름이나 IP 주소",
            "a host name of letters and digits joined by dots, hyphens or one underscore, or an IP address",
        )
        todo = Text(
            "호스트를 고치거나, 영문이 아닌 이름이면 xn--로 시작하는 표기로 바꿔 다시 실행하세요",
            "correct the host, or write a name in other letters than English ones as xn--…, and run again",
        )
        raise HaechiError.of("--model", mask(host), expected, todo) from None
