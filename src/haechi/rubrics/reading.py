"""Rubric files: YAML in, a checked rubric out, every mistake with its line."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml

from haechi.errors import HaechiError, Problems
from haechi.rubrics.fault import Fault, Faults, FieldPath, shorten
from haechi.rubrics.model import Rubric
from haechi.text import Text

_LARGEST = 1024 * 1024
_DEEPEST = 40
_LARGEST_NUMBER = 1 << 1000

_FIX = Text(
    "파일을 고친 뒤 `haechi rubrics check`로 다시 확인하세요",
    "correct the file, then run `haechi rubrics check` again",
)
_UTF8 = Text("UTF-8로 저장한 YAML 파일", "a YAML file saved as UTF-8")

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is not everywhere
"""Reads plain YAML, ten times as fast where libyaml is there."""
_NOTHING = object()

T = TypeVar("T")


def read_rubric(path: Path) -> Rubric:
    """Read and check a rubric file; all mistakes are reported together, each with its line."""
    try:
        if path.exists() and not path.is_file():
            raise HaechiError.of(str(path), Text("파일이 아님", "not a file"), _UTF8, _FIX)
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        expected = Text(
            "루브릭 YAML 파일 또는 내장 루브릭의 이름", "a rubric file (YAML) or the id of a built-in rubric"
        )
        todo = Text("`haechi rubrics`로 이름을 확인하세요", "see the ids with `haechi rubrics`")
        raise HaechiError.of(str(path), Text("파일이 없음", "no such file"), expected, todo) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise HaechiError.of(shorten(path), str(error), _UTF8, _FIX) from None
    if len(content) > _LARGEST:
        found = Text("1 MiB 초과", "more than 1 MiB")
        raise HaechiError.of(str(path), found, Text("1 MiB 이하", "at most 1 MiB"), _FIX)
    return parse_rubric(decode_yaml(content, path.name, _FIX), path.name)


def decode_yaml(content: bytes, name: str, fix: Text) -> str:
    """The text of a YAML file, which is UTF-8; `fix` says what to do about what is not.

    >>> decode_yaml("title: 일기".encode(), "study.yaml", Text("고치세요"))
    'title: 일기'
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = Text(
            f"UTF-8이 아닌 바이트 0x{content[error.start]:02X}",
            f"byte 0x{content[error.start]:02X}, not UTF-8",
        )
        raise HaechiError.of(f"{name}:{line}", found, _UTF8, fix) from None


@lru_cache(16)  # a rubric never changes, and most commands ask for that of their study more than once
def parse_rubric(text: str, name: str = "rubric.yaml") -> Rubric:
    """Check a rubric given as YAML text.

    >>> parse_rubric("id: x", "my.yaml")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    haechi.errors.HaechiError: my.yaml:1...
    """
    return parse_yaml(text, name, Rubric.checked, _FIX)


def parse_yaml(text: str, name: str, read: Callable[[Any], T], fix: Text) -> T:
    """Read the plain data of a YAML text; every mistake has its line, and `fix` says what to do about it."""
    reader = _Reader(name, fix)
    data = reader.load(text)
    reader.problems.stop()
    try:
        return read(data)
    except Faults as error:
        for fault in error.faults:
            reader.note(fault)
        reader.problems.stop()
        raise


class _Reader:
    """Turns YAML into plain data, remembers the line of every place in it, and notes what is wrong."""

    def __init__(self, name: str, fix: Text) -> None:
        self.name, self.fix = name, fix
        self.lines: dict[FieldPath, int] = {(): 1}
        self.problems = Problems()

    def load(self, text: str) -> Any:
        """The plain data of a YAML text."""
        try:
            data = self._read(text, LOADER)
        except (yaml.YAMLError, ValueError):
            self.lines, self.problems = {(): 1}, Problems()
            data = self._read_slowly(text)
        if self.problems.found or isinstance(data, dict):
            return data
        empty, other = Text("빈 파일", "an empty file"), Text("목록이나 값", "a list or a value")
        expected = Text("`키: 값`으로 된 사전", "a mapping of `key: value`")
        self._add(1, empty if data is _NOTHING else other, expected)
        return None

    def _read_slowly(self, text: str) -> Any:
        """As the loader written in Python reads it: what is wrong is said in its words, on every machine."""
        try:
            return self._read(text, yaml.SafeLoader)
        except (yaml.YAMLError, ValueError, OverflowError) as error:  # an escape such as \\UFFFFFFFF
            self.problems = Problems()  # what was noted before may only follow from it
            problem = str(getattr(error, "problem", None) or error).splitlines()[0]
            self._add(_line_of(error, text), shorten(problem), Text("올바른 YAML", "well-formed YAML"))
            return None

    def note(self, fault: Fault) -> None:
        """Note what does not fit, at the line where it stands."""
        place = self._existing(fault.at)
        where = ".".join(str(part) for part in place)
        self._add(self.lines[place], fault.found, fault.expected, f", {where}" if where else "")

    def _add(self, line: int, found: str | Text, expected: Text, where: str = "") -> None:
        self.problems.add(f"{self.name}:{line}{where}", found, expected, self.fix)

    def _existing(self, location: FieldPath) -> FieldPath:
        """The part of a location that stands in the file (missing keys do not)."""
        place: FieldPath = ()
        for part in location:
            if (*place, part) in self.lines:
                place = (*place, part)
        return place

    def _read(self, text: str, loader_class: Any) -> Any:
        """The first document, event by event."""
        loader = loader_class(text)
        try:
            loader.get_event()  # the stream begins
            if loader.check_event(yaml.StreamEndEvent):
                return _NOTHING
            loader.get_event()  # the document begins
            data = self._value(loader, loader.get_event(), ())
            loader.get_event()  # the document ends
            if not loader.check_event(yaml.StreamEndEvent):
                raise _refusal("but found another document", loader.get_event())
            return data
        finally:
            loader.dispose()

    def _value(self, loader: Any, event: Any, place: FieldPath) -> Any:
        line = event.start_mark.line + 1
        self.lines.setdefault(place, line)
        if isinstance(event, yaml.AliasEvent):
            # Aliases can make a small file explode, and deep nesting the stack; neither has a use here.
            raise _refusal(f"alias *{event.anchor}: write the text out", event)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(loader, event)
        if len(place) >= _DEEPEST:
            raise _refusal(f"nested deeper than {_DEEPEST}", event)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Any] = []
            while not loader.check_event(yaml.SequenceEndEvent):
                items.append(self._value(loader, loader.get_event(), (*place, len(items))))
            loader.get_event()
            return items
        return self._mapping(loader, place)

    def _mapping(self, loader: Any, place: FieldPath) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        while not loader.check_event(yaml.MappingEndEvent):
            event = loader.get_event()
            line = event.start_mark.line + 1
            key = self._value(loader, event, (*place, None))
            if not isinstance(event, yaml.ScalarEvent):
                kind = "sequence" if isinstance(key, list) else "mapping"
                self._add(line, kind, Text("한 낱말로 된 키", "a key of one word"))
                key = _NOTHING
            elif key in result:
                self._add(
                    line, Text(f"키 {key} 중복", f"key {key} twice"), Text("키는 한 번만", "every key once")
                )
            self.lines[(*place, key)] = line
            result[key] = self._value(loader, loader.get_event(), (*place, key))
        loader.get_event()
        return result

    def _scalar(self, loader: Any, event: Any) -> Any:
        text = str(event.value)
        tag = event.tag
        if tag is None or tag == "!":
            tag = loader.resolve(yaml.ScalarNode, text, event.implicit)
        if tag.removeprefix("tag:yaml.org,2002:") in ("int", "float", "bool", "null"):
            try:
                value = loader.construct_object(yaml.ScalarNode(tag, text))
                if type(value) is int and abs(value) > _LARGEST_NUMBER:  # Python would refuse to print it
                    return math.inf if value > 0 else -math.inf
                return value
            except (ValueError, KeyError, yaml.YAMLError):  # `!!int x`, `!!bool x`
                return text
        if any("\ud800" <= character <= "\udfff" for character in text):
            expected = Text("저장할 수 있는 글자", "characters that can be saved")
            self._add(event.start_mark.line + 1, ascii(text)[:80], expected)
        return text


def _refusal(problem: str, event: yaml.Event) -> yaml.YAMLError:
    error = yaml.MarkedYAMLError(problem=problem)
    error.problem_mark = event.start_mark  # type: ignore[assignment]
    return error


def _line_of(error: Exception, text: str) -> int:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return int(mark.line) + 1
    return text.count("\n", 0, getattr(error, "position", 0)) + 1
