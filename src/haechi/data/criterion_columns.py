"""Which columns of a ratings table hold the criteria of a rubric: by their names, their wording, their order and their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from haechi.data.column_names import (
    EVIDENCE,
    SIGNS,
    SUMMARIES,
    is_name,
    name_cuts,
    path_of,
    reasons_for,
)
from haechi.data.criterion_names import CriterionNames
from haechi.data.names import fold_name
from haechi.data.rated_columns import RatedColumns
from haechi.data.understanding import IGNORED
from haechi.text import Text

_LIKELY, _APART, _ASKED = 0.6, 0.2, 0.35


class CriterionColumns(RatedColumns):
    """Columns that hold one criterion each, found from what is certain to what is not."""

    def _criteria(self, names: CriterionNames) -> None:
        """Columns that hold one criterion each, perhaps of one rater or one item each."""
        parts: dict[str, tuple[str, str]] = {}
        for column in self._open():
            found = _parted(column, names)
            if found is not None:
                parts[column] = found
        if not parts:
            for column, name in names.numbered(list(self._open())).items():
                why = Text("문항 번호", "the number of the question")
                self._put(column, "value", name, certainty=0.9, evidence=why)
            return
        for column, (criterion, rest) in list(parts.items()):
            if fold_name(rest.strip(SIGNS)) in EVIDENCE:
                self._put(column, "evidence", criterion)
                del parts[column]
            elif fold_name(rest) in SUMMARIES:
                self._put(column, IGNORED, criterion, evidence=Text("계산한 값", "a computed figure"))
                del parts[column]
        self._cross(parts, names)

    def _cross(self, parts: Mapping[str, tuple[str, str]], names: CriterionNames) -> None:
        """Columns of criteria; what else their names say is the rater or the item if it tells columns apart."""
        criteria = Counter(criterion for criterion, _ in parts.values())
        rests = Counter(rest for _, rest in parts.values())
        needed = max(criteria.values(), default=0) > 1
        held = self._held() | {one.field for one in self.more}
        other = "item" if "rater" in held or self.rater else "rater"
        told = Counter(parts.values())
        for column, (criterion, rest) in parts.items():
            whole = names.sure(column) is not None
            if (
                needed
                and rest
                and told[criterion, rest] == 1
                and (rests[rest] > 1 or criteria[criterion] > 1)
            ):
                self._put(column, "value", criterion, **{other: rest})
            elif needed and criteria[criterion] > 1:
                self._ask_which([c for c in parts if parts[c][0] == criterion], criterion)
            elif other == "rater" and rest and is_name(rest) and rests[rest] == len(parts) > 1:
                self._put(column, "value", criterion, rater=rest, certainty=0.9)
            elif whole or not rest or rests[rest] == len(parts):
                self._put(column, "value", criterion)

    def _similar(self, names: CriterionNames) -> None:
        """Columns whose words are like those of a question that no column holds yet, and whose values fit it."""
        taken = {one.criterion for one in self.found.values() if one.field == "value"}
        self._in_order(names, taken)
        held = [one for one in self.found.values() if one.field == "value"]
        likely: dict[tuple[str, str], list[tuple[float, float, str, tuple[str, ...]]]] = {}
        for column in self._open():
            about, part = self._part(column)
            told = part.get("rater") or part.get("item") or ""
            taken = {one.criterion for one in held if not told or told in (one.rater, one.item)}
            similar = [one for one in names.similar(about) if one.name not in taken][:3]
            if similar and similar[0].likeness >= _ASKED and self._fits(column, similar[0].name):
                first, second = similar[0].likeness, similar[1].likeness if len(similar) > 1 else 0.0
                others = tuple(one.name for one in similar)
                likely.setdefault((others[0], told), []).append((first, first - second, column, others))
        for (name, _), columns in likely.items():
            first, apart, column, others = max(columns)
            if len(columns) == 1 and first >= _LIKELY and apart >= _APART:
                why = Text(
                    f"문항과 {first:.0%} 비슷하고 값이 척도에 맞음",
                    f"{first:.0%} like the question, and its values fit",
                )
                said = {"certainty": first, "evidence": why, "alternatives": others[1:]}
                self._put(column, "value", name, **self._part(column)[1], **said)
            else:
                for _, _, unsure, others in columns:
                    self._ask_meaning(unsure, others)

    def _in_order(self, names: CriterionNames, taken: set[str | None]) -> None:
        """Questions in words of their own: as many as are left, in their order, each most like the one in its place."""
        asked = [c for c in self._open() if self._is_question(c)]
        left = [name for name in names.counted if name not in taken]
        best = [next(iter(names.similar(column)), None) for column in asked]
        if len(asked) != len(left) or [one.name if one else None for one in best] != left:
            return
        for column, one in zip(asked, best, strict=True):
            if one is not None:
                why = Text("문항과 순서와 낱말이 같음", "in the order of the questions, and like them")
                self._put(column, "value", one.name, certainty=max(one.likeness, _LIKELY), evidence=why)


def _parted(column: str, names: CriterionNames) -> tuple[str, str] | None:
    """The criterion that a column's name tells, and what else it says."""
    about = None if names.is_name(column) else reasons_for(column)
    if about and (found := names.exact(about)):
        return found, column.removeprefix(about)
    whole = names.exact(column)
    if whole:
        return whole, ""
    for tail, rest in path_of(column):
        if found := names.exact(tail):
            return found, rest
    for one, rest in name_cuts(column):
        found = names.sure(one)
        if found and not (rest and names.sure(rest)):
            return found, rest
    found = names.sure(column)
    return (found, "") if found else None
