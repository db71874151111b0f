"""Scores of any source as one table: a row per item, rater and replicate, read piece by piece, and their summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson
import polars as pl

from haechi.data.fields import CRITERION, EVERYTHING, Selection, field_among, field_name, split_fields
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.notebook import html_table
from haechi.rubrics import Rubric
from haechi.rubrics.model import Missing
from haechi.scoring.batches import Batches, no_items
from haechi.scoring.beside import Side, as_json, beside_code
from haechi.scoring.clusters import clustered_means, find_cluster
from haechi.scoring.human_scale import HumanScores, Part, unknown_part
from haechi.scoring.judge_panel import JudgePanel
from haechi.scoring.own_figures import OwnFigures, own_figures
from haechi.scoring.panel import majorities
from haechi.scoring.population import Population, not_of_clusters, populations
from haechi.scoring.ratings import KEYS
from haechi.scoring.repeats import CHECKED, repeats
from haechi.scoring.runs.points import BESIDE, WITHOUT, totals_of_runs
from haechi.scoring.summary import MOST_INTERVALS, Summary
from haechi.scoring.summary_row import SummaryRow
from haechi.scoring.unmeasured import unmeasured
from haechi.text import Text, did_you_mean, plural

if TYPE_CHECKING:
    from haechi.scoring.run_counts import RunCounts
    from haechi.stats.figure import Figure

_WHY, _DETAILS = "why:", "details:"
_LABELS = Text(
    "범주형(명목) 기준은 이름이지 양이 아니므로 평균을 내지 않습니다.",
    "Labels are names, not amounts: they have no mean.",
)


def floors_not_applied(rubric: Rubric) -> list[Text]:
    """What a rule would say of dialogues, which a table of ratings does not hold.

    >>> import haechi
    >>> len(floors_not_applied(haechi.rubric("maice-qac"))), floors_not_applied(haechi.rubric("ubica"))
    (1, [])
    """
    return [
        Text(
            f"{floor.name.say('ko')}: 평가표에는 대화가 없어, AI의 답이 하나도 없는 대화에 규칙으로 적용하는 최저점은 적용하지 않았습니다. "
            "적용하려면 대화를 넣은 스터디로 이 평가를 가져오세요(haechi add, haechi import).",
            f"{floor.name.say('en')}: not applied by rule to dialogues without an answer of the AI, since a table of ratings holds no "
            "dialogues. To apply it, import these ratings into a study that has them (haechi add, haechi import).",
        )
        for floor in rubric.floors
        if floor.rule
    ]


@frozen
class ScoreTable:
    """The scores of a study, a ratings table or agent runs, wherever they were computed.

    `batches` gives the rows again and again, piece by piece, from memory or from disk: the keys, the meta fields, a
    column per score, `why:NAME` where a score is null or 0 by rule, and `details:NAME` for what stands behind a score.
    `summarise` computes the summary, `rated` gives what was rated (`elements`), `quoted` looks up what the judges of a
    study quote. `place` is what an error calls the source. `cluster_by` names the clusters that were asked for, `none` that
    there be none; None: an obvious field is looked for. `selected` is what the rows were selected by; `of_rows` are the
    columns that tell more about who rated: `stance`, and what raters say about themselves. `beside` are the scores of code
    that raters gave points for as well; these stand in `beside:NAME`. `decided`: raters decided lines of expectations.
    `part` says how the items that people rated were chosen; `passes` from where a score passes. `verdicts` has a row for every criterion
    that an item brings, None where items bring none. `without_texts`: what was rated is not there, only the ratings.

    >>> import haechi
    >>> rows = {"item": ["d1"] * 2, "criterion": ["sensibleness", "specificity"], "rater": ["r1"] * 2, "value": [1, 0]}
    >>> scores = haechi.score(pl.DataFrame(rows), rubric="diary-comment")
    >>> scores
    <ScoreTable diary-comment: 1 row, 1 rater; sensibleness, specificity, sympathy, ssa, mean3>
    >>> scores.frame["ssa"].to_list(), scores.summary[0].scores["ssa"].mean
    ([0.5], 0.5)
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
    judges: JudgePanel | None = None
    part: Part = unknown_part
    passes: Mapping[str, float] = field(default_factory=dict)
    verdicts: pl.DataFrame | None = None
    without_texts: bool = False

    def __len__(self) -> int:
        """How many rows there are."""
        return self.rows

    def __bool__(self) -> bool:
        """A table is there also when it has no rows."""
        return True

    @cached_property
    def summary(self) -> tuple[SummaryRow, ...]:
        """The whole set first, then every group of every grouping."""
        rows = self.summarise()
        if self.selected.criteria:
            rows = [replace(row, scores={name: row.scores[name] for name in self.names}) for row in rows]
        if self.cluster is None:
            return tuple(rows)
        sizes = Counter(tuple(row.by) for row in rows)
        known = {by: self.over_clusters(by) if n <= MOST_INTERVALS else {} for by, n in sizes.items()}
        return tuple(row.over_clusters(known[tuple(row.by)].get(tuple(row.by.values()), {})) for row in rows)

    @cached_property
    def populations(self) -> Mapping[str, Population]:
        """Every score of the whole set for raters like these, and for people and AI judges on their own."""
        amounts = [name for name in self.names if self.rubric.has_mean(name)]
        found = populations(self.batches, self.rubric, amounts) if self.rows and amounts else {}
        if (
            self.cluster is not None
        ):  # crossed sums take items for independent: the interval would be too narrow
            found = {
                name: replace(of, new_raters=not_of_clusters(self.cluster)) for name, of in found.items()
            }
        if not any(of.by_kind for of in found.values()):
            return found
        kinds = self.over_clusters(("kind",))
        return {
            name: replace(
                of, by_kind={k: one.over_clusters(kinds[(k,)][name]) for k, one in of.by_kind.items()}
            )
            if kinds
            else of
            for name, of in found.items()
        }

    @cached_property
    def human(self) -> HumanScores:
        """What people would have given, where they rated a part and AI judges more."""
        more = (self.cluster, self.beside, self.passes)
        return HumanScores(self.batches, self.rubric, self.names, self.part, *more)

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

    @property
    def about(self) -> list[Text]:
        """All that whoever shows figures says of how they were made."""
        judges = self.judges.about if self.judges is not None else None
        labels = None if all(map(self.rubric.has_mean, self.names)) else _LABELS
        floors = floors_not_applied(self.rubric) if self.without_texts else []
        return [words for words in (judges, self.about_clusters, labels, *floors) if words is not None]

    def over_clusters(
        self, by: tuple[str, ...] = ()
    ) -> Mapping[tuple[str | None, ...], Mapping[str, Figure]]:
        """Of every group the means with intervals over clusters, totals without what is 0 by rule included; nothing without clusters."""
        if self.cluster is None or not self.rows:
            return {}
        if by not in self._over_clusters:
            totals = [WITHOUT + name for name in totals_of_runs(self.rubric) if name in self.names]
            self._over_clusters[by] = clustered_means(
                self.batches, self.rubric, [*self.names, *totals], self.cluster, by
            )
        return self._over_clusters[by]

    @cached_property
    def _over_clusters(self) -> dict[tuple[str, ...], Mapping[tuple[str | None, ...], Mapping[str, Figure]]]:
        return {}

    def unmeasured(self, by: tuple[str, ...] = ()) -> Mapping[tuple[str | None, ...], frozenset[str]]:
        """Of every group the scores that are 0 by rule on all its runs."""
        if by not in self._unmeasured:
            self._unmeasured[by] = unmeasured(self.batches, self.rubric, self.names, by) if self.rows else {}
        return self._unmeasured[by]

    @cached_property
    def _unmeasured(self) -> dict[tuple[str, ...], Mapping[tuple[str | None, ...], frozenset[str]]]:
        return {}

    def clustered(self, field: str) -> ScoreTable:
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

    @cached_property
    def reasons(self) -> pl.DataFrame:
        """The same rows: why a score is null, or 0 by rule."""
        return self._columns({name: _WHY + name for name in self.names}, pl.String)

    @cached_property
    def elements(self) -> pl.DataFrame:
        """The same rows: what was rated, one column each."""
        if self.rated is not None:
            return self.rated()
        given = {c.key: c.score for c in self.rubric.criteria if c.rated_by == "rater"}
        return self._columns(given, pl.Float64)

    @cached_property
    def panel(self) -> tuple[dict[str, Any], ...]:
        """What most raters said about each item, for yes-or-no criteria that three or more raters judged."""
        return () if self.rubric.item == "run" else tuple(majorities(self.frame, self.rubric))

    @cached_property
    def counts(self) -> RunCounts | None:
        """How the scores of runs came about; None where code reads no runs, or the items were left on a cluster."""
        measured = self.rubric.item == "run" and self.rubric.run is not None
        known = measured and self.rows and self.batches is not no_items
        if not known:
            return None
        from haechi.scoring.run_counts import run_counts

        return run_counts(self.batches, self.decided)

    def _columns(self, columns: dict[str, str], kind: type[pl.DataType]) -> pl.DataFrame:
        places = {place: name for name, place in columns.items() if place != name}
        pieces = [
            piece.rename(places) if places else piece for piece in self.batches([*KEYS, *columns.values()])
        ]
        keys = {key: pl.Int64 if key == "replicate" else pl.String for key in KEYS}
        return pl.concat(pieces) if pieces else pl.DataFrame(schema={**keys, **dict.fromkeys(columns, kind)})

    @cached_property
    def own(self) -> tuple[OwnFigures, ...]:
        """What the criteria that items bring come to, a list of them each."""
        return own_figures(self.verdicts, self.rubric, self.missing)

    @cached_property
    def rated_beside(self) -> Mapping[str, Mapping[str, Side]]:
        """What people and AI judges gave for what code measures, beside what code measured; nothing if nobody did."""
        names = [name for name in self.beside if name in self.names]
        return beside_code(self.batches, names, self.summary[0].scores) if names else {}

    @property
    def fields(self) -> tuple[str, ...]:
        """What the rows can be grouped and selected by."""
        measured = ("tool_class", "label") if self.rubric.item == "run" else ()
        return (*self.meta, *measured, "rater", "kind", *self.of_rows)

    def of_criteria(self, selection: Selection) -> ScoreTable:
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

    def checked(self) -> ScoreTable:
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
        for frame in self.batches():
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

    def as_json(self) -> dict[str, Any]:
        """The contract of `haechi score --json`, whole; `write_json` writes it in bounded memory."""
        return {**self._about(), "items": list(self.items()), **self._rest()}

    def write_json(self, write: Callable[[str], object], more: Mapping[str, object] | None = None) -> None:
        """The contract of `haechi score --json`, written item by item so that memory stays bounded; `more` is said at the end."""
        write(orjson.dumps(self._about()).decode()[:-1] + ',\n"items": [')
        for number, entry in enumerate(self.items()):
            write(("," if number else "") + "\n" + orjson.dumps(entry).decode())
        write(
            "\n],\n"
            + orjson.dumps({**self._rest(), **(more or {})}, option=orjson.OPT_INDENT_2).decode()[1:]
            + "\n"
        )

    def _about(self) -> dict[str, Any]:
        return {
            "rubric": self.rubric.id,
            "version": self.rubric.version,
            "missing_policy": self.missing,
            "excluded": list(self.excluded),
            **({"where": dict(self.selected.wanted)} if self.selected else {}),
            **({"cluster_by": self.cluster} if self.cluster else {}),
            **({"ai_panel": self.judges.as_json()} if self.judges else {}),
        }

    def _rest(self) -> dict[str, Any]:
        more = {"panel": list(self.panel), "evidence": self.quoted()}
        summary = [row.as_json() for row in self.summary]
        for name, of in self.populations.items() if summary else ():
            summary[0]["scores"][name] |= of.as_json()
        if summary and self.own:
            summary[0]["own_criteria"] = {one.criterion.score: one.as_json() for one in self.own}
        if summary and self.human.is_there:
            summary[0]["human_part"] = self.human.as_json()
            self._add_human(summary)
        if summary and self.rubric.item == "run" and CHECKED in self.names:
            summary[0]["repeats"] = repeats(self.batches, self.rubric)
        if summary and self.counts is not None:
            summary[0] |= self.counts.as_json()
        if summary and self.rated_beside:
            summary[0]["rated"] = as_json(self.rated_beside)
        return {"summary": summary, **{name: value for name, value in more.items() if value}}

    def _add_human(self, summary: list[dict[str, Any]]) -> None:
        """What people would have given, of the whole set and of every group of items."""
        whole: dict[tuple[str, ...], frozenset[str] | None] = {(): None}
        known = {by: self.human.groups(by) for by in self.item_groupings}
        for row in summary:
            own = known.get(tuple(row["by"]), {}) if row["by"] else whole
            key = tuple(map(str, row["by"].values()))
            for name in self.names if key in own else ():
                row["scores"][name]["human_scale"] = self.human.said_of(name, own[key])

    @property
    def item_groupings(self) -> list[tuple[str, ...]]:
        """The groupings that make groups of items, not of raters, and not very many."""
        sizes = Counter(tuple(row.by) for row in self.summary)
        return [by for by in self.groupings if sizes[by] <= MOST_INTERVALS and set(by) <= set(self.meta)]

    def tables(self) -> Iterator[pl.DataFrame]:
        """One row per item and rater, with the reasons for what is missing in words, piece by piece."""
        others = [name for name in self.rubric.score_names if name not in self.names]
        hidden = [column for name in others for column in (name, f"{_WHY}{name}")]
        return (table_of(frame.drop(hidden, strict=False), self.names) for frame in self.batches())

    def __repr__(self) -> str:
        rows, raters = plural(self.rows, "row"), plural(self.raters, "rater")
        return f"<ScoreTable {self.rubric.id}: {rows}, {raters}; {', '.join(self.names)}>"

    def _repr_html_(self) -> str:
        """For notebooks: every score over the items."""
        heads = [Text("점수", "score"), Text("항목 수", "items"), Text("항목 단위 평균", "mean over items")]
        heads += [Text("95 % 구간", "95 % interval"), Text("표준편차", "SD")]
        cells = []
        for name, figures in self.summary[0].scores.items() if self.rows else ():
            n, mean, sd, ends, _ = figures.over_items
            interval = f"[{ends[0]:.2f}, {ends[1]:.2f}]" if ends else "–"
            cells.append([name, f"{n:,}", _shown(mean), interval, _shown(sd)])
        return html_table(repr(self)[1:-1], [head.say() for head in heads], cells)


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


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
    shown = frame.with_columns(missing.alias("missing")).drop(pl.selectors.starts_with("why:", WITHOUT))
    own = {name: name.removeprefix("details:").replace(BESIDE, "rated_") for name in shown.columns}
    return shown.rename({name: short for name, short in own.items() if short not in shown.columns})


def summary_of(table: ScoreTable, groupings: Sequence[tuple[str, ...]]) -> list[SummaryRow]:
    """The summary of all rows of ratings, read once more."""
    summary = Summary(table.rubric, groupings, table.names)
    fields = (field for fields in groupings for field in fields)
    for batch in table.batches(list(dict.fromkeys(["item", "rater", *fields, *table.names]))):
        summary.add(batch)
    return summary.rows()


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
