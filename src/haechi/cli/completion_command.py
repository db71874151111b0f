"""`haechi completion`: what the shell may fill in when Tab is pressed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from haechi.cli.output import Output
from haechi.text import Text

DESCRIPTION = Text(
    "셸이 haechi의 명령과 옵션, 루브릭 이름을 자동으로 채우게 합니다. 출력된 글을 셸의 설정에 넣으세요. bash, zsh, fish에서는 직접 눌러 시험했고, PowerShell용은 "
    "문서를 보고 썼을 뿐 실행해 보지 못했습니다.",
    "Let the shell fill in commands, options and rubrics. Put what is printed into the shell's settings. Tried by hand in bash, zsh and fish; "
    "the one for PowerShell follows its documentation and was never run.",
)
EXAMPLE = """
haechi completion bash >> ~/.bashrc
haechi completion zsh >> ~/.zshrc
haechi completion fish > ~/.config/fish/completions/haechi.fish
haechi completion powershell >> $PROFILE
"""
# Each asks us for the words that fit, one a line, and falls back on names of files where there are none.
_SHELLS = {
    "bash": r"""_haechi() {
  local IFS=$'\n'
  COMPREPLY=($(haechi completion --words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -o bashdefault -F _haechi haechi
""",
    "zsh": r"""_haechi() {
  local -a found
  found=("${(@f)$(haechi completion --words "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then compadd -a found; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _haechi haechi
""",
    "fish": r"""function __haechi_words
  set -l given (commandline -opc) (commandline -ct)
  haechi completion --words $given[2..-1] 2>/dev/null
end
complete -c haechi -a '(__haechi_words)'
""",
    "powershell": r"""Register-ArgumentCompleter -Native -CommandName haechi -ScriptBlock {
  param($word, $line, $cursor)
  $given = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $given += '""' }
  haechi completion --words @given 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
""",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "shell", nargs="?", choices=tuple(_SHELLS), help=Text("쓰는 셸", "the shell you use").say()
    )
    words = Text(
        "지금까지 입력한 낱말에 이어질 수 있는 낱말 (셸이 부름)", "words that may follow (asked by the shell)"
    )
    parser.add_argument("--words", nargs=argparse.REMAINDER, metavar="WORD", help=words.say())


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    if chosen.words is not None:
        fitting = completions([word.strip('"') for word in chosen.words])
        output.result({"words": fitting}) if output.as_json else output.say(*fitting)
        return 0
    if chosen.shell is None:
        shells = ", ".join(_SHELLS)
        output.note(Text(f"쓰는 셸을 적어 주세요: {shells}", f"Name your shell: {shells}"))
        return 2
    script = _SHELLS[chosen.shell]
    output.result({"script": script}) if output.as_json else output.say(*script.splitlines())
    return 0


def completions(words: Sequence[str]) -> list[str]:
    """The words that can stand where the last one stands, which may be half a word or nothing.

    >>> completions(["sc"]), completions(["rubrics", "sh"]), completions(["score", "x", "--rubric", "ub"])
    (['score'], ['show'], ['ubica'])
    >>> completions(["agree", "--lab"])
    ['--labels']
    """
    from haechi.cli.start import COMMANDS, command_parser

    *before, last = words or [""]
    while before and before[0].startswith("--lang"):
        before = before[1 if "=" in before[0] else 2 :]
    if not before:
        return [name for name in COMMANDS if name.startswith(last)]
    if before[0] not in COMMANDS:
        return []
    actions = command_parser(before[0])[0]._actions
    if last.startswith("-"):
        return [name for action in actions for name in action.option_strings if name.startswith(last)]
    return [value for value in _values(actions, before[1:]) if value.startswith(last)]


def _values(actions: Sequence[argparse.Action], before: Sequence[str]) -> list[str]:
    """The values that the option before the cursor takes, or else the first argument."""
    named = next((one for one in actions if before and before[-1] in one.option_strings), None)
    if named is None:
        places = [one for one in actions if not one.option_strings]
        plain = [word for word in before if not word.startswith("-")]
        named = places[len(plain)] if len(plain) < len(places) else None
    if named is None or named.nargs == 0:
        return []
    if named.choices is not None:
        return [str(choice) for choice in named.choices]
    return _rubrics() if named.dest == "rubric" else []


def _rubrics() -> list[str]:
    from haechi.rubrics import builtin_ids

    return list(builtin_ids())
