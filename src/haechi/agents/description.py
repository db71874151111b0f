"""An agent's description: a small YAML file that says how it is asked and where in its answers what stands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from haechi.agents.reply import Places
from haechi.agents.template import named_in, unknown_in, variables_in
from haechi.errors import HaechiError
from haechi.judge.providers import PROVIDERS
from haechi.judge.providers.addresses import PLAIN_HTTP, is_here
from haechi.judge.providers.keys import keep_secret, variable_of
from haechi.rubrics.fault import Fault, shorten
from haechi.rubrics.fields import Frozen, Many
from haechi.rubrics.reading import parse_yaml
from haechi.text import Text

_LARGEST = 1024 * 1024
_FIX = Text("파일을 고쳐 다시 실행하세요", "correct the file and run again")
_VALUES = Text(
    "$query, $messages, $context, $session, $id, $turn (달러 기호는 $$)",
    "$query, $messages, $context, $session, $id or $turn (a dollar sign is $$)",
)


def _anything(given: Any) -> Any:
    return given


class Description(Frozen):
    """How an agent is asked: over HTTP (`url`), or as a program (`command`) that reads JSON and writes JSON.

    >>> text = "url: http://localhost:8000/chat\\nbody: {q: $query}\\nanswer: {message: data.text}"
    >>> parse_description(text, "agent.yaml").answer.message
    'data.text'
    >>> parse_description("url: http://localhost/\\nbody: $user", "agent.yaml")
    Traceback (most recent call last):
    ...
    haechi.errors.HaechiError: agent.yaml:2, body: $user — 필요한 값: $query, $messages, $context, $session, $id, $turn (달러 기호는 $$). 해결 방법: 파일을 고쳐 다시 실행하세요
    """

    known_keys: ClassVar[Text] = Text(
        "name, url, method, headers, body, command, answer (message, payload, tools 등은 answer 아래)",
        "name, url, method, headers, body, command or answer (message, payload, tools … stand below answer)",
    )
    name: str | None = None
    url: str | None = None
    method: Literal["GET", "POST", "PUT", "PATCH"] = "POST"
    headers: dict[str, str] = {}  # noqa: RUF012 - a part never changes
    body: Annotated[Any, _anything] = None
    command: Annotated[tuple[str, ...], Many(1, 100)] | None = None
    answer: Places = Places()

    def check(self) -> None:
        if (self.url is None) == (self.command is None):
            expected = Text("`url:` 또는 `command:` 가운데 하나", "either `url:` or `command:`")
            raise Fault(Text("둘 다이거나 둘 다 없음", "both or neither"), expected)
        for name in ("url", "headers", "body"):
            for word in unknown_in(getattr(self, name)):
                raise Fault(f"${word}", _VALUES, at=(name,))
        if self.url is not None:
            _check_address(self.url)
            if self.body is not None and not {"query", "messages", "id"} & named_in(
                [self.url, self.headers, self.body]
            ):
                unasked = Text("질의가 들어갈 자리가 없음", "no place for the query")
                raise Fault(unasked, Text("$query 또는 $messages", "$query or $messages"), at=("body",))

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that are sent to the agent."""
        return variables_in([self.url, self.headers, self.body])


def _check_address(url: str) -> None:
    """The host stands in the file, and no query and no variable can name another one."""
    try:
        parts = urlsplit(url)
        host, _, clean = parts.hostname, parts.port, "$" not in parts.netloc and "@" not in parts.netloc
        variable_of(url)
    except ValueError:  # brackets or a port that are none, or a host that could be taken for another
        host, clean = None, False
    if not host or not clean or parts.scheme not in {"http", "https"}:
        expected = Text(
            "http:// 또는 https:// 주소 (호스트에는 $도 @도 없이)",
            "an address http://… or https://… whose host has no $ or @",
        )
        raise Fault(shorten(url.partition("?")[0]), expected, at=("url",))


def parse_description(text: str, name: str) -> Description:
    """Check a description given as YAML text."""
    return parse_yaml(text, name, Description.checked, _FIX)


def read_description(path: Path) -> Description:
    """Read and check a description; its variables must be there, and may leave for its host."""
    content = path.read_bytes()[: _LARGEST + 1]
    try:
        text = content.decode("utf-8-sig") if len(content) <= _LARGEST else None
    except UnicodeDecodeError:
        text = None
    if text is None:
        expected = Text(
            "UTF-8로 저장한 1 MiB 이하의 YAML 파일", "a YAML file of at most 1 MiB, saved as UTF-8"
        )
        raise HaechiError.of(
            str(path), Text("읽을 수 없는 파일", "a file that cannot be read"), expected, _FIX
        )
    found = parse_description(text, path.name)
    _check_variables(found, path.name)
    keep_secret(f"agent {path.name}", found.variables)
    return found


def _check_variables(found: Description, place: str) -> None:
    """A key leaves only for the host it was made for, and not unencrypted; a file of a stranger may name any."""
    missing = [name for name in found.variables if not os.environ.get(name)]
    if missing:
        names = ", ".join(missing)
        todo = Text(f"`export {missing[0]}=…` 뒤에 다시 실행하세요", f"`export {missing[0]}=…` and run again")
        expected = Text(f"환경 변수 {names}", f"the environment variable {names}")
        raise HaechiError.of(place, Text("값이 없음", "not set"), expected, todo)
    url = found.url or ""
    for name in found.variables:
        if not os.environ[name].isprintable():
            expected = Text("한 줄의 글", "one line of text")
            todo = Text("줄바꿈을 빼고 다시 넣으세요", "set it again without the line break")
            control = Text("줄바꿈이나 제어 문자", "a line break or a control character")
            raise HaechiError.of(f"{place}, ${{{name}}}", control, expected, todo)
        if name in _keys_of_providers() or (name.startswith("HAECHI_KEY_") and name != variable_of(url)):
            own = variable_of(url)
            expected = Text(f"이 주소의 키: {own}", f"this address's own key: {own}")
            todo = Text(
                f"그 에이전트의 키를 {own} 또는 다른 이름의 변수에 넣고 파일을 고치세요",
                f"put the agent's key into {own} or a variable of another name, and correct the file",
            )
            raise HaechiError.of(
                f"{place}, ${{{name}}}", Text("다른 곳의 키", "a key for another host"), expected, todo
            )
    if (
        found.variables
        and urlsplit(url).scheme != "https"
        and not is_here(url)
        and os.environ.get(PLAIN_HTTP) != "1"
    ):
        expected = Text("https:// 주소 또는 이 컴퓨터의 주소", "an https:// address, or one on this machine")
        todo = Text(
            f"주소를 https://로 바꾸거나, 믿을 수 있는 네트워크라면 `export {PLAIN_HTTP}=1` 뒤에 다시 실행하세요",
            f"change the address to https://, or, on a network you trust, `export {PLAIN_HTTP}=1` and run again",
        )
        words = Text("변수의 값을 암호화 없이 보내게 됨", "variables would be sent unencrypted")
        raise HaechiError.of(f"{place}, url", words, expected, todo)


def _keys_of_providers() -> set[str]:
    known = (PROVIDERS.get(name) for name in PROVIDERS.names())
    return {key for provider in known if provider is not None for key in provider.keys}
