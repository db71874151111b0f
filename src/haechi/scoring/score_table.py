"""Scores of any source as one table: a row per item, rater and replicate, read piece by piece, and their summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson

from haechi.frozen import frozen
from haechi.notebook import html_table
from haechi.rubrics import Rubric
from haechi.scoring.batches import no_items
from haechi.scoring.clusters import clustered_means
from haechi.scoring.code_comparison import CodeDifference, as_json, beside_code
from haechi.scoring.human_scale import HumanScores
from haechi.scoring.own_figures import OwnFigures, own_figures
from haechi.scoring.panel import majorities
from haechi.scoring.population import Population, not_of_clusters, populations
from haechi.scoring.repeats import repeats
from haechi.scoring.rule_zeros import unmeasured_scores
from haechi.scoring.runs.points import WITHOUT, totals_of_runs
from haechi.scoring.score_rows import ScoreRows, WithoutTexts
from haechi.scoring.summary import MOST_INTERVALS, Summary
from haechi.scoring.summary_row import SummaryRow
from haechi.text import Text, plural

if TYPE_CHECKING:
    from haechi.scoring.run_counts import RunCounts
    from haechi.stats.figure import Figure

_LABELS = Text(
    "범주형(명목) 기준은 이름이지 양이 아니므로 평균을 내지 않습니다.",
    "Labels are names, not amounts: they have no mean.",
)


def floors_not_applied(rubric: Rubric, without: WithoutTexts = "table") -> list[Text]:
    """What a rule would say of dialogues, which a table of ratings does not hold, nor a study into which none were brought.

    >>> import haechi
    >>> len(floors_not_applied(haechi.rubric("maice-qac"))), floors_not_applied(haechi.rubric("ubica"))
    (1, [])
    """
    holder, todo = {
        "table": (
            Text("평가표에는", "a table of ratings holds"),
            Text(
                "대화를 넣은 스터디로 이 평가를 가져오세요(haechi add, haechi import)",
                "import these ratings into a study that has them (haechi add, haechi import)",
            ),
        ),
        "study": (
            Text("이 스터디의 항목에는", "the items of this study hold"),
            Text("스터디에 대화를 넣으세요(haechi add)", "add them to the study (haechi add)"),
        ),
    }[without]
    return [
        Text(
            f"{floor.name.say('ko')}: {holder.ko} 대화가 없어, AI의 답이 하나도 없는 대화에 규칙으로 적용하는 최저점은 "
            f"적용하지 않았습니다. 적용하려면 {todo.ko}.",
            f"{floor.name.say('en')}: not applied by rule to dialogues without an answer of the AI, since {holder.en} no "
            f"dialogues. To apply it, {todo.en}.",
        )
        for floor in rubric.floors
        if floor.rule
    ]


@frozen
class ScoreTable(ScoreRows):
    """The scores of a study, a ratings table or agent runs, wherever they were computed.

    >>> import haechi
    >>> rows = {"item": ["d1"] * 2, "criterion": ["sensibleness", "specificity"], "rater": ["r1"] * 2, "value": [1, 0]}
    >>> scores = haechi.score(rows, rubric="diary-comment")
    >>> scores
    <ScoreTable diary-comment: 1 row, 1 rater; sensibleness, specificity, sympathy, ssa, mean3>
    >>> scores.frame["ssa"].to_list(), scores.summary[0].scores["ssa"].mean
    ([0.5], 0.5)
    """

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

    @property
    def about(self) -> list[Text]:
        """All that whoever shows figures says of how they were made."""
        judges = self.judges.about if self.judges is not None else None
        labels = None if all(map(self.rubric.has_mean, self.names)) else _LABELS
        floors = floors_not_applied(self.rubric, self.without_texts) if self.without_texts else []
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
            self._unmeasured[by] = (
                unmeasured_scores(self.batches, self.rubric, self.names, by) if self.rows else {}
            )
        return self._unmeasured[by]

    @cached_property
    def _unmeasured(self) -> dict[tuple[str, ...], Mapping[tuple[str | None, ...], frozenset[str]]]:
        return {}

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

    @cached_property
    def own(self) -> tuple[OwnFigures, ...]:
        """What the criteria that items bring come to, a list of them each."""
        return own_figures(self.verdicts, self.rubric, self.missing)

    @cached_property
    def rated_beside(self) -> Mapping[str, Mapping[str, CodeDifference]]:
        """What people and AI judges gave for what code measures, beside what code measured; nothing if nobody did."""
        names = [name for name in self.beside if name in self.names]
        return beside_code(self.batches, names, self.summary[0].scores) if names else {}

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
        if summary and self.pass_rule is not None:
            summary[0]["repeats"] = repeats(self.batches, self.pass_rule)
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


def summary_of(table: ScoreTable, groupings: Sequence[tuple[str, ...]]) -> list[SummaryRow]:
    """The summary of all rows of ratings, read once more."""
    summary = Summary(table.rubric, groupings, table.names)
    fields = (field for fields in groupings for field in fields)
    for batch in table.batches(list(dict.fromkeys(["item", "rater", *fields, *table.names]))):
        summary.add(batch)
    return summary.rows()
