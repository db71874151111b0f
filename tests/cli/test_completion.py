"""Tab in a shell: the words that our own parsers know."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from haechi.cli.completion_command import completions


def in_bash(*words: str) -> list[str]:
    """What a real bash fills in for these words, of which the last is being typed."""
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"""source <(haechi completion bash)
    COMP_WORDS=(haechi {quoted}); COMP_CWORD={len(words)}; _haechi; printf '%s\\n' "${{COMPREPLY[@]}}" """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-c", script], check=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    return ran.stdout.split()


def test_bash_fills_in_commands_options_and_rubrics():
    assert in_bash("agr") == ["agree"]
    assert in_bash("score", "x", "--rubr") == ["--rubric"]
    assert "diary-comment" in in_bash("new", "x", "--rubric", "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--lang", "en", "rubr"], ["rubrics"]),
        (["rubrics", "show", "maice"], ["maice-qac"]),
        (["rubrics", "show", "x", "--as", "sch"], ["schema"]),
        (["nonsense", "--"], []),
        (["score", "some-file"], []),
        (["check", "x", "--json", "no-choice"], []),
        ([], completions([""])),
    ],
)
def test_what_fits(words, expected):
    assert completions(words) == expected


def test_every_shell_has_a_script_and_none_is_asked_for_by_name(haechi):
    for shell in ("bash", "zsh", "fish", "powershell"):
        assert "haechi completion --words" in haechi("completion", shell).out
    assert haechi("completion").code == 2
