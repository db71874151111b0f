"""Rubrics: the model, its YAML form and the built-in instruments."""

from haechi.rubrics.catalog import builtin_ids, builtin_text, find_rubric
from haechi.rubrics.model import Rubric
from haechi.rubrics.parts import Criterion, Derived, Floor, Rateable
from haechi.rubrics.reading import parse_rubric, read_rubric

__all__ = [
    "Criterion",
    "Derived",
    "Floor",
    "Rateable",
    "Rubric",
    "builtin_ids",
    "builtin_text",
    "find_rubric",
    "parse_rubric",
    "read_rubric",
]
