"""Scores with what belongs to them: meta fields, reasons, summary; the same for a study and for a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from haechi.errors import HaechiError
from haechi.report.summary import majorities, summarise
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.ratings import KEYS
from haechi.text import Text


@dataclass(frozen=True)
class Scored:
    """Scored items: `frame` has the keys, the meta fields and a column per score; `reasons` why scores are null."""

    rubric: Rubric
    frame: pl.DataFrame
    reasons: pl.DataFrame
    meta: tuple[str, ...]
    groupings: tuple[tuple[str, ...], ...]
    missing: Missing
    excluded: tuple[str, ...] = ()

    def summary(self) -> list[dict[str, Any]]:
        """The summary rows: the whole set first, then every group."""
        return summarise(self.frame, self.rubric, self.groupings)

    def items(self) -> Iterator[dict[str, Any]]:
        """One entry per item and rater."""
        names = [name for name in self.rubric.score_names if name in self.frame.columns]
        details = [name for name in self.frame.columns if name.startswith("details.")]
        for row, why in zip(
            self.frame.iter_rows(named=True), self.reasons.iter_rows(named=True), strict=True
        ):
            entry = {
                "item": row["item"],
                "rater": row["rater"],
                "kind": row["kind"],
                "replicate": row["replicate"],
            }
            entry["scores"] = {name: row[name] for name in names}
            entry["missing"] = {name: why[name] for name in names if row[name] is None}
            entry["meta"] = {name: row[name] for name in self.meta}
            if details:
                entry["details"] = {name.removeprefix("details."): row[name] for name in details}
            yield entry

    def as_json(self) -> dict[str, Any]:
        """The contract of `haechi score --json`."""
        said: dict[str, Any] = {
            "rubric": self.rubric.id,
            "version": self.rubric.version,
            "missing_policy": self.missing,
            "excluded": list(self.excluded),
            "items": list(self.items()),
            "summary": self.summary(),
        }
        panel = majorities(self.frame, self.rubric)
        return said | {"panel": panel} if panel else said

    def table(self) -> pl.DataFrame:
        """One row per item and rater, with the reasons for what is missing in words."""
        names = [name for name in self.rubric.score_names if name in self.frame.columns]
        why = [
            pl.when(pl.col(name).is_not_null()).then(pl.concat_str([pl.lit(f"{name}: "), pl.col(name)]))
            for name in names
        ]
        missing = self.reasons.select(pl.concat_str(why, separator="; ", ignore_nulls=True).alias("missing"))
        return self.frame.rename(lambda name: name.removeprefix("details.")).hstack(missing)


def choose_groupings(
    rubric: Rubric, wished: Sequence[str], known: Sequence[str], raters: int
) -> tuple[tuple[str, ...], ...]:
    """What to group by: what was asked for, else what the rubric proposes; every rater where there are several.

    >>> import haechi
    >>> choose_groupings(haechi.rubric("maice-qac"), [], ["mode", "unit"], raters=2)
    (('mode',), ('rater',))
    >>> choose_groupings(haechi.rubric("maice-qac"), ["mode,level"], ["mode", "level"], raters=1)
    (('mode', 'level'),)
    """
    allowed = [*known, "rater", "kind"]
    chosen = [tuple(part.strip() for part in wish.split(",")) for wish in wished]
    for fields in chosen:
        for field in fields:
            if field not in allowed:
                names = ", ".join(allowed)
                todo = Text("--by를 고치세요", "correct --by")
                raise HaechiError.of("--by", field, Text(f"다음 중 하나: {names}", f"one of {names}"), todo)
    if not chosen:
        chosen = [(field,) for field in rubric.summary_by if field in known]
        chosen += [("rater",)] if raters > 1 else []
    return tuple(chosen)


def order_columns(frame: pl.DataFrame, meta: Sequence[str], rubric: Rubric) -> pl.DataFrame:
    """Keys first, then meta fields, then scores in the rubric's order, then details."""
    names = [name for name in rubric.score_names if name in frame.columns]
    details = [name for name in frame.columns if name.startswith("details.")]
    return frame.select(*KEYS, *meta, *names, *details)
