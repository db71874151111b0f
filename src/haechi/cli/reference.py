"""The command-line reference in `docs/`, written from the commands themselves: `make docs`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from haechi.cli.start import COMMANDS, command_parser, root_parser
from haechi.text import Lang, Text, choose_language

_PAGES: dict[Lang, str] = {"en": "cli.md", "ko": "cli.ko.md"}


def reference(lang: Lang) -> str:
    """The reference page in one language.

    >>> "## haechi score" in reference("en")
    True
    """
    choose_language(lang)
    width = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "100"  # argparse wraps to the terminal; the page must not depend on it
    try:
        intro = Text(
            "명령에서 만들어진 문서입니다. 고치려면 명령을 고치고 `make docs`를 실행하세요.",
            "Made from the commands; to change it, change the commands and run `make docs`.",
        )
        title = Text("# 명령줄", "# Command line").say()
        parts = [title, intro.say(), _block(root_parser().format_help())]
        for name in COMMANDS:
            parts += [f"## haechi {name}", _block(command_parser(name)[0].format_help())]
    finally:
        choose_language(None)
        os.environ.pop("COLUMNS")
        if width is not None:
            os.environ["COLUMNS"] = width
    return "\n\n".join(parts) + "\n"


def _block(text: str) -> str:
    return f"```text\n{text.strip()}\n```"


if __name__ == "__main__":
    for language, page in _PAGES.items():
        (Path(sys.argv[1]) / page).write_text(reference(language), "utf-8")
