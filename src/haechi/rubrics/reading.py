"""Rubric files: YAML in, a checked rubric out, every mistake with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from haechi.errors import HaechiError, Problems
from haechi.rubrics.model import Rubric
from haechi.text import Text

_LARGEST = 4 * 1024 * 1024
_DEEPEST = 40

_FIX = Text(
    "파일을 고친 뒤 `haechi rubrics check`로 다시 확인하세요",
    "correct the file, then run `haechi rubrics check` again",
)

Path_ = tuple[str | int, ...]


def read_rubric(path: Path) -> Rubric:
    """Read and check a rubric file; all mistakes are reported together, each with its line."""
    try:
        size = path.stat().st_size
        text = path.read_text("utf-8-sig") if size <= _LARGEST else None
    except FileNotFoundError:
        expected = Text(
            "루브릭 YAML 파일 또는 내장 루브릭의 이름", "a rubric file (YAML) or the id of a built-in rubric"
        )
        todo = Text("`haechi rubrics`로 이름을 확인하세요", "see the ids with `haechi rubrics`")
        raise HaechiError.of(str(path), Text("파일이 없음", "no such file"), expected, todo) from None
    except (OSError, UnicodeDecodeError) as error:
        raise HaechiError.of(
            str(path), str(error), Text("UTF-8 YAML 파일", "a UTF-8 YAML file"), _FIX
        ) from None
    if text is None:
        raise HaechiError.of(str(path), f"{size} bytes", Text("4 MiB 이하", "at most 4 MiB"), _FIX)
    return parse_rubric(text, path.name)


def parse_rubric(text: str, name: str = "rubric.yaml") -> Rubric:
    """Check a rubric given as YAML text.

    >>> parse_rubric("id: x", "my.yaml")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    haechi.errors.HaechiError: my.yaml:1...
    """
    problems = Problems()
    data, lines = _load(text, name, problems)
    problems.stop()
    try:
        return Rubric.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            _note(detail, name, lines, problems)
        problems.stop()
        raise


def _load(text: str, name: str, problems: Problems) -> tuple[Any, dict[Path_, int]]:
    """The plain data of a YAML text and the line of every path in it."""
    try:
        _refuse_anchors(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = str(getattr(error, "problem", None) or error)
        problems.add(f"{name}:{line}", problem, Text("올바른 YAML", "well-formed YAML"), _FIX)
        return None, {}
    lines: dict[Path_, int] = {(): 1}
    if not isinstance(node, yaml.MappingNode):
        found = Text(
            "빈 파일" if node is None else "목록이나 값",
            "an empty file" if node is None else "a list or a value",
        )
        expected = Text("`id:`, `title:` … 로 된 사전", "a mapping with `id:`, `title:` and so on")
        problems.add(f"{name}:1", found, expected, _FIX)
        return None, lines
    return _plain(node, (), lines, name, problems), lines


def _refuse_anchors(text: str) -> None:
    """Aliases can make a small file explode, and deep nesting the stack; neither has a use here."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise _refusal(f"alias *{event.anchor}: write the text out", event)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise _refusal(f"nested deeper than {_DEEPEST}", event)


def _refusal(problem: str, event: yaml.Event) -> yaml.YAMLError:
    error = yaml.MarkedYAMLError(problem=problem)
    error.problem_mark = event.start_mark  # type: ignore[assignment]
    return error


def _plain(node: yaml.Node, path: Path_, lines: dict[Path_, int], name: str, problems: Problems) -> Any:
    lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [
            _plain(child, (*path, index), lines, name, problems) for index, child in enumerate(node.value)
        ]
    if isinstance(node, yaml.MappingNode):
        result: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = _scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else str(key_node)
            line = key_node.start_mark.line + 1
            if key in result:
                expected = Text("키는 한 번만", "every key once")
                problems.add(f"{name}:{line}", Text(f"키 {key} 중복", f"key {key} twice"), expected, _FIX)
            lines[(*path, key)] = line
            result[key] = _plain(value_node, (*path, key), lines, name, problems)
        return result
    return _scalar(node)


def _scalar(node: yaml.Node) -> Any:
    if node.tag in (
        "tag:yaml.org,2002:int",
        "tag:yaml.org,2002:float",
        "tag:yaml.org,2002:bool",
        "tag:yaml.org,2002:null",
    ):
        try:
            loader = yaml.SafeLoader("")
            return loader.construct_object(node)
        except (ValueError, yaml.YAMLError):
            return str(node.value)
    return str(node.value)


def _note(detail: Any, name: str, lines: dict[Path_, int], problems: Problems) -> None:
    location = tuple(part for part in detail["loc"] if not (isinstance(part, str) and part.endswith("]")))
    path = _existing(location, lines)
    where = ".".join(str(part) for part in path) or Text("맨 위", "the top level").say()
    at = f"{name}:{lines[path]}, {where}"
    missing = str(detail["loc"][-1]) if detail["loc"] else ""
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        found = Text(f"모르는 키 {missing}", f"unknown key {missing}")
        problems.add(
            at,
            found,
            Text(
                "루브릭 형식의 키(docs/rubric-format.md)",
                "a key of the rubric format (docs/rubric-format.md)",
            ),
            _FIX,
        )
    elif kind == "missing":
        problems.add(
            at, Text(f"{missing} 없음", f"no {missing}"), Text(f"`{missing}:`", f"`{missing}:`"), _FIX
        )
    elif kind == "value_error":
        message = str(context.get("error", detail["msg"]))
        problems.add(at, _shorten(detail["input"]), Text(message, message), _FIX)
    else:
        problems.add(at, _shorten(detail["input"]), Text(detail["msg"], detail["msg"]), _FIX)


def _existing(location: tuple[str | int, ...], lines: dict[Path_, int]) -> Path_:
    """The longest part of a location that stands in the file (scale types and missing keys do not)."""
    path: Path_ = ()
    for part in location:
        if (*path, part) in lines:
            path = (*path, part)
    return path


def _shorten(value: Any) -> str:
    text = repr(value) if not isinstance(value, dict | list | tuple) else type(value).__name__
    return text if len(text) <= 80 else text[:77] + "…"
