"""The parser of arguments, in two languages: argparse has no Korean, and does not guess what was meant."""

from __future__ import annotations

import argparse
import os
import sys

from haechi.text import TYPE_CHECKING, Text, did_you_mean, language

if TYPE_CHECKING:
    from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Says what is wrong in the language of the process, and what may have been meant."""

    def error(self, message: str) -> NoReturn:
        """Wrong usage, said in the language of the process; of an unknown option what may have been meant."""
        unknown, known = message.removeprefix(_UNKNOWN).split(), self._option_string_actions
        if message.startswith(_UNKNOWN) and unknown[0].startswith("-"):
            ask = did_you_mean(unknown[0].partition("=")[0], known)
            message += f". {ask.say()}" if ask else ""
        if language() == "ko":
            for english, korean in _USAGE:
                message = message.replace(english, korean)
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {Text('오류', 'error').say()}: {message}\n")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            ask = did_you_mean(str(value), map(str, action.choices or ()))
            if ask:
                error.message = f"{error.message}. {ask.say()}"
            raise


_UNKNOWN = "unrecognized arguments:"
# argparse has no Korean; these are the mistakes that people make.
_USAGE = (
    ("the following arguments are required:", "빠진 인자:"),
    (_UNKNOWN, "모르는 인자:"),
    ("expected one argument", "값이 하나 필요합니다"),
    ("expected at least one argument", "값이 하나 이상 필요합니다"),
    ("invalid choice:", "쓸 수 없는 값:"),
    ("choose from", "다음 중 하나:"),
    ("invalid int value:", "정수가 아닌 값:"),
    ("invalid float value:", "수가 아닌 값:"),
    ("argument ", "인자 "),
)


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Help in the language of the process, as wide as the terminal, 100 columns at most."""

    def __init__(self, prog: str) -> None:
        # argparse would import shutil, with three compression libraries, to learn the width.
        try:
            width = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (OSError, ValueError):
            width = 100
        super().__init__(prog, width=min(width, 100) - 2)

    def add_usage(self, usage: object, actions: object, groups: object, prefix: str | None = None) -> None:
        words = Text("사용법: ", "usage: ").say()
        super().add_usage(usage, actions, groups, prefix or words)  # type: ignore[arg-type]

    def start_section(self, heading: str | None) -> None:
        korean = {"options": "옵션", "positional arguments": "인자"}
        super().start_section(korean.get(heading or "", heading) if language() == "ko" else heading)


class Version(argparse.Action):
    """`--version`."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from haechi.version import __version__

        print(f"haechi {__version__}")
        parser.exit()
