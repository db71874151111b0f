"""The kernel in C, where it could be compiled: see docs/decisions/0034-a-small-kernel-in-c.md."""

from collections.abc import Mapping
from typing import Any

Program = tuple[Mapping[int, int], *tuple[tuple[bytes, bytes, Mapping[bytes, bool]], ...]]
Plan = tuple[tuple[bytes, ...], tuple[bytes, ...], tuple[bytes, ...], Mapping[bytes, str], str, str]

def read_payloads(
    payloads: list[bytes | None],
    latencies: list[float | None],
    programs: list[Program | bool | None],
    plan: Plan,
) -> list[list[Any]]: ...
def read_lines(block: bytes, keys: tuple[bytes, ...], kinds: bytes) -> list[list[Any]] | None: ...
