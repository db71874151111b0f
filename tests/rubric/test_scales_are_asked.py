"""Outside the room of rubrics nobody asks of which kind a scale is: the scale is asked instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from haechi.rubrics import scales
from haechi.rubrics.scales import Scale

SOURCE = Path(__file__).parents[2] / "src" / "haechi"
PARTS = {name: getattr(scales, name) for name in scales.__all__}
KINDS = {name for name, part in PARTS.items() if isinstance(part, type) and issubclass(part, Scale)} - {
    "Scale"
}


def type_tests(tree: ast.AST) -> Iterator[int]:
    """The lines on which a kind of scale is imported, or a scale's type is looked at."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("haechi.rubrics"):
                if KINDS & {alias.name for alias in names}:
                    yield node.lineno
            case ast.Attribute(value=value, attr="type") if _is_scale(value):
                yield node.lineno
            case ast.Call(func=ast.Name(id="isinstance" | "type"), args=[first, *_]) if _is_scale(first):
                yield node.lineno
            case ast.Match(subject=subject) if _is_scale(subject):
                yield node.lineno


def _is_scale(node: ast.expr) -> bool:
    return ast.unparse(node).rpartition(".")[2] in ("scale", "part_scale")


def test_the_kinds_are_known() -> None:
    assert {
        "Likert",
        "Binary",
        "Checklist",
        "Verdict",
        "Bands",
        "Computed",
        "PointScale",
        "NameScale",
        "Open",
        "Pairwise",
        "OwnCriteria",
    } == KINDS


@pytest.mark.parametrize(
    "code",
    [
        "from haechi.rubrics.scales import Scale, Likert",
        "isinstance(criterion.scale, Likert)",
        "isinstance(scale, anything)",
        "criterion.scale.type == 'text'",
        "type(rateable.scale) is kind",
        "match c.scale:\n    case _: pass",
    ],
)
def test_type_tests_are_seen(code: str) -> None:
    assert list(type_tests(ast.parse(code)))


def test_no_module_outside_asks_for_the_kind_of_a_scale() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] != "rubrics"
        for line in type_tests(ast.parse(path.read_text("utf-8")))
    ]
    assert found == []
