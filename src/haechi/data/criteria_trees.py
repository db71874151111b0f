"""A tree of requirements, as PaperBench has it: its leaves are criteria, and each weighs what its branch leaves to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_BRANCHES = "sub_tasks"
_DEEPEST = 50


def is_tree(given: Any) -> bool:
    """Whether it is a node with further nodes below it."""
    return isinstance(given, Mapping) and isinstance(given.get(_BRANCHES), list)


def leaves(tree: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The leaves as criteria; points are the share of the whole in percent, so that earned of possible is the tree's own score.

    A node is the mean of those below it by their weights; 0 or 1 at every leaf makes that the sum of the leaves' shares.

    >>> below = [{"id": "x", "requirements": "Trains", "weight": 3, "sub_tasks": []}, {"id": "y", "requirements": "Plots", "weight": 1}]
    >>> [(one["text"], one["points"], one["key"]) for one in leaves({"requirements": "Paper", "weight": 1, "sub_tasks": below})]
    [('Trains', 75.0, 'n-x'), ('Plots', 25.0, 'n-y')]
    """
    return list(_below(tree, 100.0, _DEEPEST))


def _below(node: Any, share: float, depth: int) -> Iterator[dict[str, Any]]:
    if not is_tree(node) or not node[_BRANCHES] or not depth:
        yield _leaf(node, share)
        return
    weights = [_weight(one) for one in node[_BRANCHES]]
    whole = sum(weights)
    for one, weight in zip(node[_BRANCHES], weights, strict=True):
        yield from _below(one, share * weight / whole if whole else 0.0, depth - 1)


def _weight(node: Any) -> float:
    given = node.get("weight", 1) if isinstance(node, Mapping) else 1
    known = isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given < float("inf")
    return float(given) if known else 1.0


def _leaf(node: Any, share: float) -> dict[str, Any]:
    """A leaf in the fields of a criterion; what is no leaf is left to be refused there."""
    if not isinstance(node, Mapping):
        return {"text": node, "points": share}
    made: dict[str, Any] = {"text": node.get("requirements"), "points": share}
    made |= {"axis": kind} if (kind := node.get("task_category")) else {}
    key = re.sub(r"[^A-Za-z0-9_-]", "-", str(node.get("id") or ""))[:60]
    return made | ({"key": f"n-{key}"} if key else {})
