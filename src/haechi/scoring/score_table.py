"""Scores with what belongs to them: meta fields, reasons, summary; the same for a study and for a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import polars as pl

from haechi.errors import HaechiError
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import Batches
from haechi.scoring.ratings import KEYS
from haechi.text import Text

Evidence = Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Scored:
    """Scored items and their summary.

    `batches` gives the items again and again, piece by piece: the keys, the meta fields, a column per score,
    `why:NAME` where a score is null or 0 by rule, and `details:NAME` for what stands behind a score.
    `evidence` looks up what the judges of a study quote; a file has no texts to look in.
    """

    rubric: Rubric
    batches: Batches
    summary: list[dict[str, Any]]
    raters: int
    meta: tuple[str, ...]
    groupings: tuple[tuple[str, ...], ...]
    missing: Missing
    excluded: tuple[str, ...] = ()
    panel: tuple[dict[str, Any], ...] = ()
    evidence: Evidence = dict

    @property
    def names(self) -> tuple[str, ...]:
        """The scores that there are."""
        return tuple(self.summary[0]["scores"])

    def items(self) -> Iterator[dict[str, Any]]:
        """One entry per item and rater."""
        for frame in self.batches():
            details = [name for name in frame.columns if name.startswith("details:")]
            for row in frame.iter_rows(named=True):
                entry = {key: row[key] for key in KEYS}
                entry["scores"] = {name: row[name] for name in self.names}
                entry["missing"] = {name: row[f"why:{name}"] for name in self.names if row[name] is None}
                entry["meta"] = {name: row[name] for name in self.meta}
                if details:
                    entry["details"] = {name.removeprefix("details:"): row[name] for name in details}
                    by_rule = (name for name in self.names if row[name] is not None and row[f"why:{name}"])
                    entry["details"]["reasons"] = {name: row[f"why:{name}"] for name in by_rule}
                yield entry

    def write_json(self, write: Callable[[str], Any]) -> None:
        """The contract of `haechi score --json`, written item by item so that memory stays bounded."""
        about = {
            "rubric": self.rubric.id,
            "version": self.rubric.version,
            "missing_policy": self.missing,
            "excluded": list(self.excluded),
        }
        write(orjson.dumps(about).decode()[:-1] + ',\n"items": [')
        for number, entry in enumerate(self.items()):
            write(("," if number else "") + "\n" + orjson.dumps(entry).decode())
        rest: dict[str, Any] = {"summary": self.summary}
        more = {"panel": list(self.panel), "evidence": self.evidence()}
        rest |= {name: value for name, value in more.items() if value}
        write("\n],\n" + orjson.dumps(rest, option=orjson.OPT_INDENT_2).decode()[1:] + "\n")

    def tables(self) -> Iterator[pl.DataFrame]:
        """One row per item and rater, with the reasons for what is missing in words, piece by piece."""
        return (table_of(frame, self.names) for frame in self.batches())


def table_of(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """A piece of scored items as the table that is written: one column `missing` instead of a reason per score."""
    missing = pl.concat_str(
        [
            pl.when(pl.col(name).is_null()).then(pl.concat_str([pl.lit(f"{name}: "), pl.col(f"why:{name}")]))
            for name in names
        ],
        separator="; ",
        ignore_nulls=True,
    )
    shown = frame.with_columns(missing.alias("missing")).drop(pl.selectors.starts_with("why:"))
    own = {name: name.removeprefix("details:") for name in shown.columns}
    return shown.rename({name: short for name, short in own.items() if short not in shown.columns})


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
