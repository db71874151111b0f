"""What must fit together across the parts of a rubric; each fault names its place in the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from haechi.rubrics.fault import Fault
from haechi.rubrics.parts import Criterion, Derived, Floor, RunRules
from haechi.text import Text


class RubricParts(Protocol):
    """What is looked at of a rubric."""

    @property
    def item(self) -> str: ...
    @property
    def run(self) -> RunRules | None: ...
    @property
    def criteria(self) -> tuple[Criterion, ...]: ...
    @property
    def scores(self) -> tuple[Derived, ...]: ...
    @property
    def floors(self) -> tuple[Floor, ...]: ...
    def criterion(self, name: str) -> Criterion | None: ...
    def range(self, score: str) -> tuple[float, float]: ...


_OURS = frozenset(
    (
        *("item", "rater", "kind", "replicate", "stance", "criterion", "value", "evidence", "status"),
        *("reason", "rubric", "at", "seconds"),
    )
)
"""Columns beside the scores in tables of ratings and scores: a score of that name could not be told from them."""
_OF_RUNS = frozenset(("place", "missing", "tool_class", "class_by", "label"))
"""Columns that tables of agent runs have, too."""


def check_rubric(rubric: RubricParts) -> None:
    """Refuse names that clash, parts that do not exist, and rules that do not fit the kind of item."""
    seen: set[str] = set()
    _check_columns(rubric)
    for place, criterion in enumerate(rubric.criteria):
        _once(criterion.key, seen, ("criteria", place, "key"))
        if criterion.short is not None and _folded(criterion.short) != _folded(criterion.key):
            _once(criterion.short, seen, ("criteria", place, "short"))
        _check_criterion(criterion, rubric, ("criteria", place))
    if not any(criterion.scale.counted for criterion in rubric.criteria):
        found = Text("글로만 답하는 기준", "open questions only")
        raise Fault(
            found,
            Text("점수가 있는 기준 하나 이상", "at least one criterion that has a score"),
            at=("criteria",),
        )
    _check_scores(rubric, seen)
    _check_floors(rubric, seen)
    _check_pairs(rubric)
    if rubric.run is not None and rubric.item != "run":
        raise Fault(
            rubric.item, Text("`run:`이 있으면 `item: run`", "`item: run` beside `run:`"), at=("run",)
        )


def _check_pairs(rubric: RubricParts) -> None:
    """What compares two answers is for pairs, and pairs are for nothing else; an open question fits everywhere."""
    for place, criterion in enumerate(rubric.criteria):
        if criterion.scale.counted and criterion.scale.compares != (rubric.item == "pair"):
            expected = (
                Text("`item: pair`에는 `type: pairwise` 척도", "a scale of `type: pairwise` for `item: pair`")
                if rubric.item == "pair"
                else Text("`type: pairwise`에는 `item: pair`", "`item: pair` for `type: pairwise`")
            )
            raise Fault(f"item: {rubric.item}", expected, at=("criteria", place, "scale"))


def _once(name: str, seen: set[str], at: tuple[str | int, ...]) -> None:
    if _folded(name) in seen:
        expected = Text(
            "서로 다른 이름(대소문자, _, -만 다르면 같은 이름)",
            "every name once (capitals, _ and - do not tell names apart)",
        )
        raise Fault(name, expected, at=at)
    seen.add(_folded(name))


def _check_columns(rubric: RubricParts) -> None:
    """No score has the name of a column that stands beside it."""
    taken = _OURS | _OF_RUNS if rubric.item == "run" else _OURS
    ours = ", ".join(sorted(taken))
    named: list[tuple[str | None, tuple[str | int, ...]]] = []
    for place, criterion in enumerate(rubric.criteria):
        named += [(getattr(criterion, part), ("criteria", place, part)) for part in ("key", "short")]
    named += [(derived.key, ("scores", place, "key")) for place, derived in enumerate(rubric.scores)]
    named += [(floor.key, ("floors", place, "key")) for place, floor in enumerate(rubric.floors)]
    for name, at in named:
        if name in taken:
            expected = Text(f"표의 다른 열이 쓰지 않는 이름({ours} 외)", f"a name that is none of {ours}")
            raise Fault(name, expected, at=at)


def _folded(name: str) -> str:
    """As names of columns and criteria are compared wherever files are read."""
    return name.casefold().replace("_", "").replace("-", "")


def _check_scores(rubric: RubricParts, seen: set[str]) -> None:
    known = [c.score for c in rubric.criteria if c.scale.counted]
    for place, derived in enumerate(rubric.scores):
        at: tuple[str | int, ...] = ("scores", place)
        for part in derived.parts:
            if part not in known:
                names = ", ".join(known)
                expected = Text(f"앞에 나온 점수: {names}", f"a score defined before: {names}")
                raise Fault(part, expected, at=(*at, "weights" if derived.weights else "of"))
        scales = [rubric.criterion(part) for part in derived.parts]
        if derived.by == "tag" and not (len(scales) == 1 and scales[0] and scales[0].scale.of_items):
            expected = Text("`type: own-criteria`인 기준 하나", "one criterion of `type: own-criteria`")
            raise Fault(", ".join(derived.parts), expected, at=(*at, "of"))
        ranges = [rubric.range(part) for part in derived.parts]
        if derived.by == "share" and (
            min(low for low, _ in ranges) < 0 or not sum(high for _, high in ranges)
        ):
            expected = Text("0 이상의 점수로 된 구성", "parts with points from 0 up")
            raise Fault(derived.key, expected, at=(*at, "of"))
        _once(derived.key, seen, (*at, "key"))
        known.append(derived.key)


def _check_floors(rubric: RubricParts, seen: set[str]) -> None:
    for place, floor in enumerate(rubric.floors):
        at: tuple[str | int, ...] = ("floors", place)
        _once(floor.key, seen, (*at, "key"))
        scales = {c.score: c.scale for c in rubric.criteria}
        for index, name in enumerate(floor.unmet):
            if name not in scales or not scales[name].can_be_unmet:
                expected = Text(
                    "체크리스트나 이진 기준의 점수 이름", "the score of a checklist or binary criterion"
                )
                raise Fault(name, expected, at=(*at, "unmet", index))
        if floor.rule == "no_assistant_message" and rubric.item != "dialogue":
            expected = Text("`item: dialogue`에서만 쓰는 규칙", "a rule for `item: dialogue` only")
            raise Fault(floor.rule, expected, at=(*at, "rule"))


def _check_criterion(criterion: Criterion, rubric: RubricParts, at: tuple[str | int, ...]) -> None:
    by_code = criterion.rated_by == "code"
    if by_code and rubric.run is None:
        expected = Text("code가 매기면 `item: run`과 `run:`", "`item: run` and `run:` for what code rates")
        raise Fault("rated_by: code", expected, at=(*at, "rated_by"))
    for field in ("only", "failed_run"):
        if getattr(criterion, field) is not None and rubric.item != "run":
            raise Fault(
                field, Text("`item: run`에서만 쓰는 키", "a key for `item: run` only"), at=(*at, field)
            )
    if criterion.scale.of_items and rubric.item == "run":
        expected = Text("`item: dialogue` 또는 `item: reply`", "`item: dialogue` or `item: reply`")
        raise Fault(criterion.scale.type, expected, at=(*at, "scale", "type"))
    _below((*at, "scale"), criterion.scale.refuse_measures, by_code)
    if criterion.scale.counted:
        _check_range(criterion, (*at, "scale"))
    if criterion.failed_run is not None:
        _below((*at, "failed_run"), criterion.scale.points_by_rule, criterion.failed_run)


def _check_range(criterion: Criterion, at: tuple[str | int, ...]) -> None:
    """Refuse a scale on which everything is worth the same: it tells nothing apart."""
    low, high = criterion.scale.range
    if not low < high:
        found = Text(f"모든 값이 {low:g}점", f"every value is worth {low:g}")
        raise Fault(found, Text("서로 다른 점수 둘 이상", "two different points or more"), at=at)


def _below(at: tuple[str | int, ...], check: Callable[[Any], object], given: Any) -> None:
    """Let a scale check something; what it finds is at a place below this one."""
    try:
        check(given)
    except Fault as fault:
        raise fault.below(at) from None
