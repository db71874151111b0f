"""What an installed package does when it is called: an error of its own names the package and the next step."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.text import Text, cut

_LINE = 200


@frozen
class Guard:
    """Makes functions of one package safe to call.

    at: the kind, the name and where it stands in the package; known: errors that whoever calls understands; without: takes
    secrets out of what was said.

    >>> half = Guard("haechi.shapes: half = shapes:half", "shapes").of(lambda number: 1 / number)
    >>> half(2)
    0.5
    >>> try:
    ...     half(0)
    ... except HaechiError as error:
    ...     print(error.problems[0].found, "·", error.problems[0].todo.en)
    ZeroDivisionError: division by zero · update or uninstall the package shapes
    """

    at: str
    package: str
    known: tuple[type[Exception], ...] = ()
    without: Callable[[str], str] = str

    def of(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same function; also what it gives bit by bit or later is looked after."""
        return _Guarded(self, call)

    @contextmanager
    def named(self) -> Iterator[None]:
        """Whatever goes wrong meanwhile is the package's fault, unless it says itself what is wrong."""
        try:
            yield
        except Exception as error:
            if isinstance(error, (HaechiError, *self.known)):
                raise
            said = cut(self.without(f"{type(error).__name__}: {error}"), _LINE)
            expected = Text("오류 없이 끝나는 실행", "that it runs without an error")
            todo = Text(
                f"패키지 {self.package}을(를) 업데이트하거나 제거하세요",
                f"update or uninstall the package {self.package}",
            )
            raise HaechiError.of(self.at, said, expected, todo) from error


@frozen
class _Guarded:
    """A function that is looked after; an object and no closure, because what packages bring goes to other processes too."""

    guard: Guard
    call: Callable[..., Any]

    def __call__(self, *args: Any, **named: Any) -> Any:
        with self.guard.named():
            found = self.call(*args, **named)
        if isinstance(found, Iterator):
            return self._each(found)
        if isinstance(found, AsyncIterator):
            return self._each_later(found)
        return self._later(found) if isinstance(found, Awaitable) else found

    def _each(self, found: Iterator[Any]) -> Iterator[Any]:
        while True:
            with self.guard.named():
                try:
                    one = next(found)
                except StopIteration:
                    return
            yield one  # outside: what the reader of it does wrong is not the package's fault

    async def _each_later(self, found: AsyncIterator[Any]) -> AsyncIterator[Any]:
        while True:
            with self.guard.named():
                try:
                    one = await anext(found)
                except StopAsyncIteration:
                    return
            yield one

    async def _later(self, found: Awaitable[Any]) -> Any:
        with self.guard.named():
            return await found
