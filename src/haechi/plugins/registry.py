"""What can be added: our own things by name, and those that installed packages bring by entry points."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from haechi.errors import HaechiError
from haechi.plugins.guard import Guard
from haechi.text import Text, cut

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

T = TypeVar("T")
_LINE = 80


class Registry(Generic[T]):
    """Things of one kind by name. A package brings more by entry points in `group`, under their names.

    own: ours, in their order.
    misfit: what is expected instead of a thing that a package brings; None when it fits.
    guarded: the same thing with its functions guarded, so that their errors name the package.

    >>> shapes = Registry("haechi.shapes", {"round": 1}, lambda name, found: None)
    >>> shapes.get("round"), shapes.get("square"), shapes.names()
    (1, None, ('round',))
    """

    def __init__(
        self,
        group: str,
        own: Mapping[str, T],
        misfit: Callable[[str, Any], Text | None],
        guarded: Callable[[T, Guard], T] = lambda found, _guard: found,
    ) -> None:
        self.group, self.own, self._misfit, self._guarded = group, own, misfit, guarded
        self._brought: dict[str, T] = {}
        self._looked_in: list[str] = []
        self._found: tuple[EntryPoint, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Our own names, then those of installed packages."""
        return tuple(dict.fromkeys([*self.own, *sorted(point.name for point in self._points())]))

    def get(self, name: str) -> T | None:
        """The thing of that name; None if there is none."""
        if name in self.own:
            return self.own[name]
        if name not in self._brought:
            return self._only([point for point in self._points() if point.name == name])
        return self._brought[name]

    def all(self) -> dict[str, T]:
        """Our own things, then those of all installed packages."""
        points = self._points()
        found = dict(self.own)
        for name in self.names()[len(self.own) :]:
            brought = self._only([point for point in points if point.name == name])
            if brought is not None:
                found[name] = brought
        return found

    def _points(self) -> tuple[EntryPoint, ...]:
        if self._looked_in != sys.path:
            found = _installed(tuple(sys.path)).select(group=self.group)
            self._looked_in, self._found = [*sys.path], tuple(found)
        points = self._found
        ours = [point for point in points if point.name in self.own]
        if ours:
            named = Text("Haechi에 없는 이름", "a name that Haechi does not use itself")
            raise HaechiError.of(f"{self.group}: {ours[0].name}", _packages(ours), named, _mend(ours[0]))
        return points

    def _only(self, points: list[EntryPoint]) -> T | None:
        if not points:
            return None
        point = points[0]
        if len(points) > 1:
            one = Text(f"{point.name}을(를) 제공하는 패키지 하나", f"one package that brings {point.name}")
            todo = Text("나머지를 제거하세요", "uninstall the others")
            raise HaechiError.of(f"{self.group}: {point.name}", _packages(points), one, todo)
        if point.name not in self._brought:
            self._brought[point.name] = self._load(point)
        return self._brought[point.name]

    def _load(self, point: EntryPoint) -> T:
        expected: Text | None
        at = f"{self.group}: {point.name} = {point.value}"
        try:
            found = point.load()
        except Exception as error:  # noqa: BLE001 - whatever somebody else's package does when it is imported
            found = f"{type(error).__name__}: {error}"
            expected = Text("불러올 수 있는 패키지", "a package that can be imported")
        else:
            expected = self._misfit(point.name, found)
        if expected is None:
            return self._guarded(found, Guard(at, _package(point)))
        shown = str(found)
        shown = cut(shown, _LINE)
        raise HaechiError.of(at, shown, expected, _mend(point))


@lru_cache(maxsize=1)
def _installed(_path: tuple[str, ...]) -> EntryPoints:
    """What installed packages bring: looking through all of them takes a while, and is done once for all registries.

    Of packages that do not name us nothing is read but that; of one that is there twice the first on the path counts.
    """
    from importlib.metadata import Distribution, EntryPoints, distributions

    found: dict[str, Distribution] = {}
    for package in distributions():
        if "haechi." in (package.read_text("entry_points.txt") or ""):
            found.setdefault(package.name, package)
    return EntryPoints(point for package in found.values() for point in package.entry_points)


def not_callable(_name: str, found: Any) -> Text | None:
    """What is expected where a thing has to be a function.

    >>> not_callable("plus", sum), not_callable("plus", 3).en
    (None, 'a function')
    """
    return None if callable(found) else Text("함수", "a function")


def not_a(kind: type) -> Callable[[str, Any], Text | None]:
    """What is expected where a thing has to be of a kind.

    >>> not_a(int)("three", 3), not_a(int)("three", "3").say()
    (None, 'builtins.int(…)')
    """
    expected = Text(f"{kind.__module__}.{kind.__name__}(…)")
    return lambda _name, found: None if isinstance(found, kind) else expected


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def _packages(points: Iterable[EntryPoint]) -> str:
    return ", ".join(map(_package, points))


def _mend(point: EntryPoint) -> Text:
    package = _package(point)
    return Text(f"패키지 {package}을(를) 고치거나 제거하세요", f"mend or uninstall the package {package}")
