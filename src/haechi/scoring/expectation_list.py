"""What became of every expectation of agent runs, before anything is scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from haechi.data.item import Item
from haechi.expectations.checks import PreparedChecks, read
from haechi.expectations.values import text
from haechi.scoring.run_sources import run_row


@dataclass
class Expectation:
    """One expectation, the runs and the queries that have it, and its checks; None where there is nothing to check."""

    expected: str
    checks: PreparedChecks | None
    question: str
    queries: dict[str, None] = field(default_factory=dict)
    items: list[str] = field(default_factory=list)

    @property
    def lines(self) -> list[dict[str, str | None]]:
        """Every line with what became of it: a check by its name, open, or a heading."""
        if self.checks is None:
            return []
        return [{"text": line.text, "kind": line.kind, "check": line.name} for line in self.checks.lines]

    @property
    def editable(self) -> str:
        """Its checks as a person edits them, and as the column `accuracyChecks` is read again."""
        if self.checks is None or any(line.written is not None for line in self.checks.lines):
            return f"기대 결과:\n{self.expected}" if self.expected.lstrip().startswith("{") else self.expected
        asked = [line.text for line in self.checks.lines if line.kind != "heading"]
        return "\n".join(f"{number}) {line}" for number, line in enumerate(asked, start=1))

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        counted, waiting = (len(self.checks.checks), len(self.checks.waiting)) if self.checks else (0, 0)
        return {
            "queries": list(self.queries),
            "runs": len(self.items),
            "expected": self.expected,
            "checks": counted,
            "open": waiting,
            "lines": self.lines,
        }


def expectations_of(items: Iterable[Item]) -> list[Expectation]:
    """The different expectations of runs, in the order in which they come; those of no words at the end count too.

    >>> run = {"query": "q1", "expected": "1) 답변이 친절한가", "payload": "{}"}
    >>> [one.as_json()["open"] for one in expectations_of([Item("r1", "run", run, {}), Item("r2", "run", run, {})])]
    [1]
    """
    found: dict[tuple[str, str], Expectation] = {}
    for item in items:
        row = run_row(item)
        expected, listed = text(row.get("expected")) or "", _listed(row)
        key = (expected, listed)
        if key not in found:
            written = listed if listed.strip() else expected
            found[key] = Expectation(
                written, read(expected, listed or None), text(row.get("query_text")) or ""
            )
        found[key].items.append(item.id)
        found[key].queries[text(row.get("query")) or ""] = None
    return list(found.values())


def editable_rows(items: Iterable[Item]) -> list[dict[str, str]]:
    """Checks for editing, as `haechi add --join` takes them back: a row for every query.

    Where a query has runs with different expectations, a row for every run, with its id.

    >>> run = {"query": "q1", "query_text": "일정", "expected": "1) 답변이 친절한가", "payload": "{}"}
    >>> editable_rows([Item("r1", "run", run, {}), Item("r2", "run", run, {})])
    [{'Query ID': 'q1', '질의': '일정', '기대결과': '1) 답변이 친절한가', 'accuracyChecks': '1) 답변이 친절한가'}]
    """
    found: dict[tuple[str, str, str], tuple[list[str], dict[str, str]]] = {}
    for item in items:
        row = run_row(item)
        query, expected = text(row.get("query")) or "", text(row.get("expected")) or ""
        key = (query, expected, _listed(row))
        if key not in found:
            (one,) = expectations_of([item])
            cells = {"Query ID": query, "질의": one.question, "기대결과": expected}
            found[key] = ([], cells | {"accuracyChecks": one.editable})
        found[key][0].append(item.id)
    if len({query for query, _, _ in found}) == len(found):
        return [cells for _, cells in found.values()]
    return [{"Item ID": run, **cells} for runs, cells in found.values() for run in runs]


def _listed(row: Mapping[str, Any]) -> str:
    return text(row.get("accuracy_checks")) or ""
