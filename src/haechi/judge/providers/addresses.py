"""Servers that are named by their address: each has a key of its own, and nothing of the account at OpenAI."""

from __future__ import annotations

import ipaddress
import os
from urllib.parse import urlsplit

from haechi.judge.providers.base import Misconfigured, need_key
from haechi.judge.providers.keys import variable_of
from haechi.text import Text

PLAIN_HTTP = "HAECHI_PLAIN_HTTP"
"""The variable by which somebody says that a key may cross the network unencrypted."""
_NO_KEY = "none"  # servers without keys take any


def address_key(url: str) -> str:
    """The key for an address, from the variable that belongs to it alone, or a placeholder.

    A key does not leave this machine unencrypted, unless `HAECHI_PLAIN_HTTP=1` allows it.

    >>> address_key("http://localhost:8000/v1")
    'none'
    """
    variable = variable_of(url)
    key = os.environ.get(variable)
    if not key:
        return _NO_KEY
    check_plain(url, variable)
    return key


def model_key(provider: str, url: str | None, home: str) -> str:
    """The key for a model: its provider's at home, from the usual variable, or that of another address; a missing one is an error.

    >>> model_key("openai", "http://localhost:8000/v1", "https://api.openai.com/v1")
    'none'
    """
    if url is not None:
        return address_key(url)
    variable = variable_of(provider)
    key = os.environ.get(variable)
    if not key:
        raise need_key(provider)
    check_plain(home, variable)
    return key


def check_plain(url: str, variable: str, key: str = "key") -> None:
    """Refuse to send the key of a variable over the network unencrypted, unless somebody allows it."""
    if key == _NO_KEY or urlsplit(url).scheme == "https" or is_here(url) or os.environ.get(PLAIN_HTTP) == "1":
        return
    raise Misconfigured.by(
        url,
        Text(
            f"{variable}의 키를 암호화 없이 보내게 됨", f"the key in {variable} would be sent unencrypted"
        ).say(),
        Text("https:// 주소 또는 이 컴퓨터의 주소", "an https:// address, or one on this machine"),
        Text(
            f"주소를 https://로 바꾸거나, 믿을 수 있는 네트워크라면 `export {PLAIN_HTTP}=1` 뒤에 다시 실행하세요",
            f"change the address to https://, or, on a network you trust, `export {PLAIN_HTTP}=1` and run again",
        ),
    )


def account_headers() -> set[str]:
    """The names of the headers that OpenAI's SDK would add for the account in the environment."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    custom = {line.partition(":")[0].strip() for line in lines if ":" in line}
    return {"OpenAI-Organization", "OpenAI-Project"} | custom


def is_here(url: str) -> bool:
    """Whether an address is on this machine.

    >>> is_here("http://[::1]:8000/v1"), is_here("http://models.example.com/v1")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
