"""What commands print: tables and words for people, pure JSON for machines."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from haechi.errors import Problem, unique_problems
from haechi.text import Text, quoted, readable

if TYPE_CHECKING:
    from haechi.report.table import Table
    from haechi.report.terminal import Line

_LISTED = 20
_PIPE = 200
"""How wide tables may be where nothing says it: a pipe has no width."""
_NEWS = 0.5
"""After how many seconds a count is said, and said anew."""


class Output:
    """Results go to stdout; messages, errors and progress to stderr.

    A quiet one keeps messages back: who asks for it wants the result, or the reason why there is none.
    """

    def __init__(self, as_json: bool, quiet: bool = False) -> None:
        self.as_json, self.is_quiet = as_json, quiet
        self._kept: list[Text] = []

    def result(self, value: Any) -> None:
        """Print a result as JSON."""
        import orjson

        option = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
        try:
            written = orjson.dumps(value, option=option)
        except orjson.JSONEncodeError:  # the name of a file that is no text
            written = orjson.dumps(_readable(value), option=option)
        sys.stdout.write(written.decode() + "\n")

    def say(self, *words: str) -> None:
        """Print words as they are; they may hold names from files."""
        self.show(*words)

    def show(self, *things: Table | Line | str) -> None:
        """Print tables, lines with colours, and words."""
        from haechi.report.table import Table
        from haechi.report.terminal import line, table_lines

        for thing in things:
            if isinstance(thing, Table):
                _print(sys.stdout, *table_lines(thing, _width(sys.stdout)))
            else:
                _print(sys.stdout, line(thing) if isinstance(thing, str) else thing)

    def show_figures(self, tables: Iterable[Table | Line | str], notes: Iterable[Text], seed: int) -> None:
        """Print tables of figures, what a reader must know of them, and how to have them again."""
        self.show(*tables)
        for note in notes:
            self.note(note)
        self.note(
            Text(
                f"난수 시드 {seed}. 모든 수치와 이유는 --json에 있습니다.",
                f"Random seed {seed}. --json has every figure and reason.",
            )
        )

    def note(self, text: Text) -> None:
        """Say something beside the result."""
        if self.is_quiet:
            self._kept.append(text)
        else:
            _print(sys.stderr, ((text.say(), "dim"),))

    def end(self, code: int) -> int:
        """The end of a command: what was kept back is said where something went wrong."""
        if code:
            _print(sys.stderr, *(((text.say(), "dim"),) for text in self._kept))
        return code

    def problems(self, problems: Iterable[Problem]) -> None:
        """Say what is wrong, where, and what to do."""
        problems = list(problems)
        if self.as_json:
            self.result({"error": [_without_language(problem) for problem in problems]})
        for problem in problems:
            said = problem.as_json()
            _print(sys.stderr, ((f"✗ {said['at']}", "red"),))
            words = (Text("문제", "found"), Text("필요한 값", "expected"), Text("해결 방법", "next"))
            for word, key in zip(words, ("found", "expected", "next"), strict=True):
                _print(sys.stderr, ((f"  {word.say()}: {said[key]}", ""),))

    def skipped(self, problems: Sequence[Problem]) -> None:
        """List what was left out, every mistake once."""
        if not problems:
            return
        count = len(problems)
        self.note(Text(f"건너뛴 줄 {count:,}개:", f"{count:,} rows left out:"))
        mistakes = unique_problems(problems)
        self.problems(mistakes[:_LISTED])
        if len(mistakes) > _LISTED:
            rest = len(mistakes) - _LISTED
            self.note(
                Text(
                    f"… 그 밖에 {rest:,}개 (--json에 전부 있습니다)", f"… and {rest:,} more (--json has all)"
                )
            )

    @contextmanager
    def working(self, text: Text) -> Iterator[Callable[[int], None]]:
        """A count that grows on a terminal while something long is read; quiet elsewhere."""
        if self.is_quiet or not sys.stderr.isatty():
            yield lambda _: None
            return
        begun = said = time.monotonic()
        total = 0

        def advance(count: int) -> None:
            nonlocal total, said
            total += count
            now = time.monotonic()
            if now - said > _NEWS:
                said = now
                sys.stderr.write(f"\r{text.say()} {total:,} · {now - begun:.0f} s\x1b[K")
                sys.stderr.flush()

        try:
            yield advance
        finally:
            if said > begun:
                sys.stderr.write("\r\x1b[K")


def are_alone(given: Mapping[str, object], other: str, output: Output) -> bool:
    """Whether options are given without the one that they go with, which is said: alone they would change nothing."""
    lone = [option for option, value in given.items() if value]
    if lone:
        names = ", ".join(lone)
        goes = "goes" if len(lone) == 1 else "go"
        output.note(Text(f"{names} 옵션은 {other} 옵션과 함께 씁니다.", f"{names} {goes} with {other}."))
    return bool(lone)


def say_number(number: int | None, folder: Path, output: Output) -> None:
    """Say by which number something that came in can be taken back."""
    if number is not None:
        output.note(
            Text(
                f"이력 {number}번. 되돌리려면: haechi undo {quoted(folder)} {number}",
                f"number {number} of the history; to take it back: haechi undo {quoted(folder)} {number}",
            )
        )


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        return {_readable(key): _readable(one) for key, one in value.items()}
    return [_readable(one) for one in value] if isinstance(value, list | tuple) else value


def _print(stream: TextIO, *lines: Line) -> None:
    from haechi.report.terminal import fold_line, paint_line

    colours, width = _has_colours(stream), _width(stream) if stream.isatty() else None
    # In a pipe a line stays whole, so that what looks for words finds them.
    shown = lines if width is None else (piece for line in lines for piece in fold_line(line, width))
    stream.write("".join(f"{paint_line(line, colours)}\n" for line in shown))


def _width(stream: TextIO) -> int:
    """How many columns there are; `COLUMNS` says it too."""
    if not stream.isatty():
        return _PIPE
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(stream.fileno()).columns) or _PIPE
    except (OSError, ValueError):
        return _PIPE


def _has_colours(stream: TextIO) -> bool:
    """Whether to colour what is written there: a terminal, unless NO_COLOR or TERM=dumb ask for none."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _without_language(problem: Problem) -> dict[str, str]:
    said = problem.as_json()
    del said["language"]
    return said
