"""What commands print: tables and words for people, pure JSON for machines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from haechi.errors import Problem
from haechi.text import Text, readable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_LISTED = 20


class Output:
    """Results go to stdout; messages, errors and progress to stderr."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

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
        console = self._console(stderr=False)
        for text in words:
            console.print(text, markup=False, highlight=False)

    def show(self, *things: RenderableType) -> None:
        """Print tables, and words with markup of our own."""
        console = self._console(stderr=False)
        for thing in things:
            console.print(thing)

    def note(self, text: Text) -> None:
        """Say something beside the result."""
        self._console(stderr=True).print(text.say(), style="dim", markup=False, highlight=False)

    def problems(self, problems: Iterable[Problem]) -> None:
        """Say what is wrong, where, and what to do."""
        problems = list(problems)
        if self.as_json:
            self.result({"error": [_without_language(problem) for problem in problems]})
        console = self._console(stderr=True)
        for problem in problems:
            said = problem.as_json()
            console.print(f"✗ {said['at']}", style="bold red", markup=False, highlight=False)
            words = (Text("문제", "found"), Text("필요한 값", "expected"), Text("해결 방법", "next"))
            for word, key in zip(words, ("found", "expected", "next"), strict=True):
                console.print(f"  {word.say()}: {said[key]}", markup=False, highlight=False)

    def skipped(self, problems: Sequence[Problem]) -> None:
        """List what was left out, the first of it in full."""
        if not problems:
            return
        count = len(problems)
        self.note(Text(f"건너뛴 줄 {count:,}개:", f"{count:,} rows left out:"))
        self.problems(problems[:_LISTED])
        if count > _LISTED:
            rest = count - _LISTED
            self.note(
                Text(
                    f"… 그 밖에 {rest:,}개 (--json에 전부 있습니다)", f"… and {rest:,} more (--json has all)"
                )
            )

    @contextmanager
    def working(self, text: Text) -> Iterator[Callable[[int], None]]:
        """A count that grows on a terminal while something is read; quiet elsewhere."""
        if not sys.stderr.isatty():
            yield lambda _: None
            return
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description} {task.completed:,.0f}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=self._console(stderr=True), transient=True) as progress:
            task = progress.add_task(text.say(), total=None)
            yield lambda count: progress.advance(task, count)

    def _console(self, stderr: bool) -> Console:
        from rich.console import Console

        # A pipe has no width; tables are then as wide as they need.
        stream = sys.stderr if stderr else sys.stdout
        width = None if stream.isatty() else 200
        # A name such as :bug: is not ours to turn into a picture.
        console = Console(stderr=stderr, width=width, soft_wrap=not stream.isatty(), emoji=False)
        console.on_broken_pipe = _nobody_reads  # type: ignore[method-assign]
        return console


def say_number(number: int | None, folder: Path, output: Output) -> None:
    """Say by which number something that came in can be taken back."""
    if number is not None:
        output.note(
            Text(
                f"이력 {number}번. 되돌리려면: haechi undo {folder} {number}",
                f"number {number} of the history; to take it back: haechi undo {folder} {number}",
            )
        )


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        return {_readable(key): _readable(one) for key, one in value.items()}
    return [_readable(one) for one in value] if isinstance(value, list | tuple) else value


def _nobody_reads() -> NoReturn:
    """What `| head` cut off is no failure; rich would end with 1, which means "no" here."""
    raise BrokenPipeError


def _without_language(problem: Problem) -> dict[str, str]:
    said = problem.as_json()
    del said["language"]
    return said
