"""The rows of scores of any source: one per item, rater and replicate, read again and again, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal, Self

import polars as pl

from haechi.data.fields import CRITERION, EVERYTHING, Selection, field_among, field_name, split_fields
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import Batches
from haechi.scoring.clusters import find_cluster
from haechi.scoring.human_scale import PartSource, unknown_part
from haechi.scoring.judge_panel import PanelRater
from haechi.scoring.ratings import KEYS
from haechi.scoring.repeats import PassRule
from haechi.scoring.runs.consistency import REPEATED
from haechi.scoring.runs.points import BESIDE, WITHOUT, in_words
from haechi.scoring.summary_row import SummaryRow
from haechi.text import Lang, Text, did_you_mean

_WHY, _DETAILS = "why:", "details:"


WithoutTexts = Literal["table", "study"]
"""What holds ratings without the texts that were rated."""


@frozen
class ScoreRows:
    """Scores as rows, from memory or from disk, and what they are selected, grouped and clustered by.

    `batches` gives the rows again and again, piece by piece, from memory or from disk: the keys, the meta fields, a
    column per score, `why:NAME` where a score is null or 0 by rule, and `details:NAME` for what stands behind a score.
    `summarise` computes the summary, `rated` gives what was rated (`elements`), `quoted` looks up what the judges of a
    study quote. `place` is what an error calls the source. `cluster_by` names the clusters that were asked for, `none` that
    there be none; None: an obvious field is looked for. `selected` is what the rows were selected by; `of_rows` are the
    columns that tell more about who rated: `stance`, and what raters say about themselves. `beside` are the scores of code
    that raters gave points for as well; these stand in `beside:NAME`. `decided`: raters decided lines of expectations.
    `part` says how the items that people rated were chosen; `passes` from where a score passes. `verdicts` has a row for every criterion
    that an item brings, None where items bring none. `without_texts`: what was rated is not there,
    only the ratings, and whether they are those of a table or a study.
    """

    rubric: Rubric
    batches: Batches
    names: tuple[str, ...]
    rows: int
    raters: int
    missing: Missing
    summarise: Callable[[], Sequence[SummaryRow]]
    meta: tuple[str, ...] = ()
    groupings: tuple[tuple[str, ...], ...] = ()
    excluded: tuple[str, ...] = ()
    rated: Callable[[], pl.DataFrame] | None = None
    quoted: Callable[[], dict[str, Any]] = dict
    place: str = ""
    cluster_by: str | None = None
    selected: Selection = EVERYTHING
    of_rows: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    decided: bool = False
    judges: PanelRater | None = None
    part: PartSource = unknown_part
    passes: Mapping[str, float] = field(default_factory=dict)
    verdicts: pl.DataFrame | None = None
    without_texts: WithoutTexts | None = None

    def __len__(self) -> int:
        """How many rows there are."""
        return self.rows

    def __bool__(self) -> bool:
        """A table is there also when it has no rows."""
        return True

    @cached_property
    def pass_rule(self) -> PassRule | None:
        """When a run passes, which its checks say; None where there is no score of them."""
        checked = self.rubric.checked_criterion
        if checked is None or checked.score not in self.names:
            return None
        return PassRule.of(self.rubric, checked.score, self.passes)

    @cached_property
    def cluster(self) -> str | None:
        """The field whose values make clusters of items: the one that was asked for, else one that obviously does."""
        if self.cluster_by is not None:
            return None if self.cluster_by == "none" else self.cluster_by
        return find_cluster(self.batches, self.meta) if self.rows else None

    @property
    def about_clusters(self) -> Text | None:
        """What whoever shows intervals says of them; None where items do not come in clusters."""
        if self.cluster is None:
            return None
        off = Text(" (--cluster-by none으로 끔)", " (--cluster-by none turns it off)")
        ko, en = ("", "") if self.cluster_by is not None else off
        runs = self.rubric.item == "run"
        return Text(
            f"점수의 구간은 {field_name(self.cluster).ko} 값이 같은 {'실행' if runs else '항목'}을 한 묶음으로 보고 구했습니다{ko}.",
            f"The intervals of scores are over clusters, the {'runs' if runs else 'items'} of one {self.cluster}{en}.",
        )

    def clustered(self, field: str) -> Self:
        """The same scores, whose items come in clusters: those that share the value of a meta field.

        Their intervals are over clusters then, wherever they are shown; with `none` every item stands for itself.
        """
        if field not in ("none", *self.meta):
            names = ", ".join(self.meta) or "–"
            todo = did_you_mean(field, self.meta) or Text("--cluster-by를 고치세요", "correct --cluster-by")
            expected = Text(f"다음 중 하나: {names}", f"one of {names}")
            raise HaechiError.of("--cluster-by", field, expected, todo)
        return replace(self, cluster_by=field)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The keys (item, rater, kind, replicate), what is known of the rater, and a column of numbers per score.

        A verdict on a pair is two rows, one for each system, which are told apart by `system` and `opponent`.
        """
        sides = [name for name in self.meta if name in ("system", "opponent")]
        known = (*self.of_rows, *(sides if self.rubric.item == "pair" else ()))
        return self._columns({name: name for name in (*known, *self.names)}, pl.Float64)

    @property
    def reasons(self) -> pl.DataFrame:
        """The same rows: why a score is null, or 0 by rule, in words."""
        return self._whys.select(*KEYS, *(in_words(name).alias(name) for name in self.names))

    @cached_property
    def _whys(self) -> pl.DataFrame:
        return self._columns({_WHY + name: _WHY + name for name in self.names}, pl.String)

    @cached_property
    def elements(self) -> pl.DataFrame:
        """The same rows: what was rated, one column each."""
        if self.rated is not None:
            return self.rated()
        given = {c.key: c.score for c in self.rubric.criteria if c.rated_by == "rater"}
        return self._columns(given, pl.Float64)

    def _columns(self, columns: dict[str, str], kind: type[pl.DataType]) -> pl.DataFrame:
        places = {place: name for name, place in columns.items() if place != name}
        pieces = [
            piece.rename(places) if places else piece for piece in self.batches([*KEYS, *columns.values()])
        ]
        keys = {key: pl.Int64 if key == "replicate" else pl.String for key in KEYS}
        return pl.concat(pieces) if pieces else pl.DataFrame(schema={**keys, **dict.fromkeys(columns, kind)})

    @property
    def fields(self) -> tuple[str, ...]:
        """What the rows can be grouped and selected by."""
        measured = ("tool_class", "label") if self.rubric.item == "run" else ()
        return (*self.meta, *measured, "rater", "kind", *self.of_rows)

    def of_criteria(self, selection: Selection) -> Self:
        """The same rows with the scores that are wanted; all are computed as ever, whatever is shown of them."""
        if not selection.criteria:
            return replace(self, selected=selection)
        spelt = {criterion.key: criterion.score for criterion in self.rubric.criteria}
        known = dict.fromkeys((*self.names, *(key for key, score in spelt.items() if score in self.names)))
        wanted = {field_among(name, list(known), f"--where, {CRITERION}") for name in selection.criteria}
        names = tuple(
            name for name in self.names if wanted & {name, *(k for k, s in spelt.items() if s == name)}
        )
        return replace(self, names=names, selected=selection)

    def checked(self) -> Self:
        """The table itself; one without any row is refused, with what to do about it."""
        if self.rows:
            return self
        found, expected = Text("평가 없음", "no ratings"), Text("한 건 이상의 평가", "at least one rating")
        todo = Text("haechi import로 평가를 가져오세요", "bring in ratings with haechi import")
        if self.rubric.item == "run":
            found, expected = Text("실행 없음", "no runs"), Text("한 건 이상의 실행", "at least one run")
            todo = Text(f"haechi add {self.place} 파일", f"haechi add {self.place} FILE")
        raise HaechiError.of(self.place, found, expected, todo)

    def items(self) -> Iterator[dict[str, Any]]:
        """One entry per row, as `haechi score --json` shows it."""
        for scored in self.batches():
            frame = scored.with_columns(map(in_words, self.names))
            details = [name for name in frame.columns if name.startswith(_DETAILS)]
            for row in frame.iter_rows(named=True):
                entry = {key: row[key] for key in (*KEYS, *self.of_rows)}
                entry["scores"] = {name: row[name] for name in self.names}
                entry["missing"] = {name: row[_WHY + name] for name in self.names if row[name] is None}
                entry["meta"] = {name: row[name] for name in self.meta}
                given = {name: row[BESIDE + name] for name in self.beside if name in self.names}
                if rated := {name: value for name, value in given.items() if value is not None}:
                    entry["rated"] = rated
                if details:
                    entry["details"] = {name.removeprefix(_DETAILS): row[name] for name in details}
                    by_rule = (name for name in self.names if row[name] is not None and row[_WHY + name])
                    entry["details"]["reasons"] = {name: row[_WHY + name] for name in by_rule}
                yield entry

    def tables(self) -> Iterator[pl.DataFrame]:
        """One row per item and rater, with the reasons for what is missing in words, piece by piece."""
        others = [name for name in self.rubric.score_names if name not in self.names]
        hidden = [column for name in others for column in (name, f"{_WHY}{name}")]
        return (table_of(frame.drop(hidden, strict=False), self.names) for frame in self.batches())


def table_of(frame: pl.DataFrame, names: Sequence[str], lang: Lang | None = None) -> pl.DataFrame:
    """A piece of scored items as the table that is written: one column `missing` instead of a reason per score."""
    missing = pl.concat_str(
        [
            pl.when(pl.col(name).is_null()).then(pl.concat_str([pl.lit(f"{name}: "), in_words(name, lang)]))
            for name in names
        ],
        separator="; ",
        ignore_nulls=True,
    )
    shown = frame.with_columns(missing.alias("missing")).drop(
        pl.selectors.starts_with("why:", WITHOUT, REPEATED)
    )
    own = {name: name.removeprefix("details:").replace(BESIDE, "rated_") for name in shown.columns}
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
    allowed = list(dict.fromkeys([*known, "rater", "kind"]))
    chosen = [
        tuple(dict.fromkeys(field_among(field, allowed, "--by") for field in split_fields(wish)))
        for wish in wished
    ]
    if not chosen:
        chosen = [(field,) for field in rubric.summary_by if field in known]
        chosen += [("rater",)] if raters > 1 else []
    return tuple(chosen)
