"""The variable of an address: no two addresses share one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

import httpx2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from haechi.judge.providers.keys import variable_of

PIECES = st.lists(st.sampled_from(["", "a", "1", "8443", "api", "com", "ff", "한국"]), min_size=1, max_size=6)
JOINTS = st.lists(st.sampled_from([".", "-", "--", "_", "__", ":", "::", "]:", "ß", "ss"]), max_size=5)


def address(pieces: Sequence[str], joints: Sequence[str], bracket: str) -> str:
    joined = "".join(
        piece + joint for piece, joint in zip_longest(pieces, joints[: len(pieces) - 1], fillvalue="")
    )
    return f"https://{bracket}{joined}/v1"


def variable(url: str) -> str | None:
    """The variable of an address, or None when it is refused."""
    try:
        return variable_of(url)
    except ValueError:
        return None


def connected(url: str) -> bytes | None:
    """What the SDK connects to, or None when it refuses the address."""
    try:
        return httpx2.URL(url).netloc
    except httpx2.InvalidURL:
        return None


@given(PIECES, JOINTS, JOINTS, st.sampled_from(["", "["]), st.sampled_from(["", "["]))
@example(["api", "example", "com"], [".", "."], ["-", "."], "", "")
@example(["host", "8443"], [":"], ["-"], "", "")
@example(["host", "8443"], [":"], ["."], "", "")
@example(["127", "0", "0", "1"], [".", ".", "."], [".", ".", ":"], "", "")
@example(["a", "b"], ["__"], ["--"], "", "")
@example(["a", "", "b"], ["-", "."], [".", "-"], "", "")
@example(["fa", ".de"], ["ß"], ["ss"], "", "")
@example(["-한국", "kr"], ["."], ["."], "", "")
@example(["", "ff", "8443", ""], ["::", "]:"], ["::", ":", "]"], "[", "[")
@example(["", "ff", "8443"], ["::", "]:"], ["-", ":"], "[", "")
def test_no_two_addresses_share_a_variable(pieces, joints, others, bracket, other):
    one, two = address(pieces, joints, bracket), address(pieces, others, other)
    if variable(one) is not None and variable(one) == variable(two):
        # What the SDK connects to is the same, or it connects to nothing.
        places = {connected(url) for url in (one, two)} - {None}
        assert len(places) <= 1


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("localhost:8000", "LOCALHOST_8000"),
        ("127.0.0.1:8000", "127_0_0_1_8000"),
        ("API.example.com", "API_EXAMPLE_COM"),
        ("api-example.com:8443", "API__EXAMPLE_COM_8443"),
        ("my_vllm:8000", "MY___VLLM_8000"),
        ("[::1]:8000", "___1__8000"),
        ("한국.kr", "XN____3E0B707E_KR"),
        ("xn--3e0b707e.kr", "XN____3E0B707E_KR"),
    ],
)
def test_the_variable_of_an_address(host, name):
    assert variable_of(f"https://{host}/v1") == f"HAECHI_KEY_{name}"


@pytest.mark.parametrize(
    "host",
    [
        "h.8443",
        "127.0.0",
        "127.1",
        "a-.b",
        "a.-b",
        "a__b",
        "a-_b",
        "h.",
        "_h",
        "h%2e",
        "faß.de",
        "ａ.com",
        "[fe80::1%25e]",
        "[::ffff:1.2.3.4]",
    ],
)
def test_a_host_that_could_be_taken_for_another_has_none(host):
    with pytest.raises(ValueError):  # noqa: PT011
        variable_of(f"https://{host}/v1")
