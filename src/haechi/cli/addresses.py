"""Where a server listens, and how that is said."""

from __future__ import annotations

import errno
import ipaddress
import socket

from haechi.cli.argument_types import refused
from haechi.errors import HaechiError
from haechi.text import Text

_HIGHEST_PORT = 65_535


def port_of(text: str) -> int:
    """A port, 0 for any that is free."""
    if not (text.isascii() and text.isdecimal()) or int(text[:9]) > _HIGHEST_PORT:
        raise refused(text, Text("0부터 65535까지의 정수", "a whole number, 0 to 65535"))
    return int(text)


def network_of(text: str) -> str:
    """An address or a network, such as 10.0.0.0/8.

    >>> network_of("10.0.0.0/8")
    '10.0.0.0/8'
    """
    try:
        ipaddress.ip_network(text)
    except ValueError:
        expected = Text(
            "10.0.0.5 같은 주소나 10.0.0.0/8 같은 대역",
            "an address such as 10.0.0.5 or a network such as 10.0.0.0/8",
        )
        raise refused(text, expected) from None
    return text


def listen(host: str, port: int) -> socket.socket:
    """Take the port, or say who has it."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        busy = error.errno == errno.EADDRINUSE
        found = (
            Text("이미 쓰이는 포트", "a port that is in use") if busy else Text("열 수 없는 주소", str(error))
        )
        expected = Text("이 컴퓨터의 주소와 빈 포트", "an address of this computer and a free port")
        todo = Text(
            f"--port {port + 1}처럼 다른 포트를 쓰세요", f"choose another port, such as --port {port + 1}"
        )
        if not busy:
            todo = Text("--host와 --port를 확인하세요", "check --host and --port")
        raise HaechiError.of(f"{host}:{port}", found, expected, todo) from None


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches it.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def in_address(host: str) -> str:
    """A host as it is written in an address.

    >>> in_address("::1")
    '[::1]'
    """
    return f"[{host}]" if ":" in host else host


def sub_path(path: str) -> str:
    """A sub-path with one slash before and none after.

    >>> sub_path("desk/"), sub_path("/"), sub_path("")
    ('/desk', '', '')
    """
    trimmed = path.strip("/")
    return f"/{trimmed}" if trimmed else ""
