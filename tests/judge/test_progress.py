"""The bar on a real terminal, wide and narrow, in two languages; and nothing where nobody watches."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable

import pytest
from provider_settings import KEYS, MODELS, addresses
from rich.cells import cell_len

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(width: int, environment: dict[str, str], *arguments: object) -> list[str]:
    """What a command draws on a terminal of this width, line by line as it is drawn over."""
    terminal, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    command = [sys.executable, "-m", "haechi.cli.start", *map(str, arguments)]
    settings = {**os.environ, **environment, "TERM": "xterm-256color"}
    settings.pop("COLUMNS", None)  # the terminal itself says how wide it is
    process = subprocess.Popen(command, stdin=end, stdout=end, stderr=end, env=settings)
    os.close(end)
    drawn = b""
    while True:
        try:
            drawn += os.read(terminal, 65536)
        except OSError:  # how a terminal says that its last process is gone
            break
    os.close(terminal)
    assert process.wait() == 1, drawn.decode()
    lines = (ESCAPES.sub("", line) for line in re.split(r"[\r\n]|\x1b\[2K", drawn.decode()))
    return [line.rstrip() for line in lines if line.strip()]


@pytest.fixture
def watch(server, make_study) -> Callable[..., list[str]]:
    study = make_study(24)
    server.latency, server.odd = 0.1, {"d3": "refusal"}

    def watched(width: int, lang: str, model: str = MODELS[1]) -> list[str]:
        environment = {**KEYS, **addresses(server.url), "HAECHI_LANG": lang}
        return on_a_terminal(
            width, environment, "judge", study.folder, "--model", model, "--at-once", 2, "--timeout", 60
        )

    return watched


@pytest.mark.parametrize(("width", "lang"), [(60, "ko"), (60, "en"), (120, "ko")])
def test_the_bar_fits_and_says_everything(watch, width, lang):
    lines = watch(width, lang)
    failed, left = {"ko": ("실패", "0:00:00 남음"), "en": ("failed", "0:00:00 left")}[lang]
    bars = [line for line in lines if "/24 · " in line]
    assert all(cell_len(line) <= width for line in bars)
    assert not any("·  ·" in line for line in bars), "no hole where a figure is not known yet"
    assert re.search(rf" 0/24 · {failed} 0 · \$0\.0000 · -:--:-- ", bars[0])
    assert re.search(rf"24/24 · {failed} 1 · \d+\.\d/s · \$0\.0\d+ · {left}", bars[-1])
    assert bars[-1].startswith("claude-haiku-4-5 " if width == 120 else "claude")
    assert any("━" in line for line in bars) == (width == 120), "the bar itself only where there is room"
    assert len({line.split("/24")[0] for line in bars}) > 2, "it moves"


def test_an_unknown_price_is_said_on_the_bar(watch):
    bars = [line for line in watch(80, "en", "openai:gpt-99") if "/24 · " in line]
    assert "cost unknown" in bars[-1]
    assert "$" not in bars[-1]


def test_nothing_is_drawn_where_nobody_watches(server, make_study, haechi):
    done = haechi("judge", make_study(3).folder, "--model", MODELS[0])
    assert "\x1b" not in done.err + done.out
    assert "/3" not in done.err + done.out
