"""A study as one works with it in a notebook: what the commands do, as methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from haechi.data.arguments import check_above_zero, check_word
from haechi.errors import HaechiError
from haechi.study import study
from haechi.text import Text, plural

if TYPE_CHECKING:
    import polars as pl

    from haechi.agents.suite_run import SuiteRunResult
    from haechi.analysis.alignment import Cluster
    from haechi.analysis.audit import Audit
    from haechi.analysis.proposed_rubric import RubricProposal
    from haechi.data.fields import Where
    from haechi.data.frames import Columns, Frame
    from haechi.data.judging_protocol import Effort
    from haechi.export.evaluations import ExportResult
    from haechi.judge.asks import Per
    from haechi.judge.records import JudgeResult
    from haechi.report.agreement_result import AgreementResult
    from haechi.report.comparison_result import ComparisonResult
    from haechi.report.document import Report
    from haechi.report.gates import GateResults
    from haechi.rubrics.model import Missing
    from haechi.stats.corrections import Correction
    from haechi.stats.human_scale import HumanScale
    from haechi.stats.ratings import Level
    from haechi.text import Lang

_NO_LIMITS: Mapping[str, float] = {}


class Study(study.Study):
    """A study folder: items, ratings, scores, and how sure one can be of them.

    >>> import tempfile
    >>> study = Study.new(tempfile.mkdtemp() + "/diaries", "diary-comment")
    >>> study.add({"id": ["d1", "d2"], "context": ["비가 왔다.", "시험을 봤다."], "response": ["우산은요?", "고생했어요."]}).new
    2
    >>> study.import_ratings({"item": ["d1", "d2"], "rater": ["kim", "kim"], "sympathy": [0, 1]}).new
    2
    >>> study, study.scores().frame["sympathy"].to_list()
    (<Study diaries: diary-comment, 2 items>, [0.0, 1.0])
    """

    def ratings(self) -> pl.DataFrame:
        """The ratings in force; `value` is what was rated, as text, and `number` the same where it is a number."""
        import polars as pl

        number = pl.col("value").cast(pl.Float64, strict=False)
        return super().ratings().with_columns(number.alias("number"))

    def agree(
        self,
        *,
        elements: bool = False,
        level: Level | None = None,
        epsilon: float = 0.2,
        where: Where | None = None,
    ) -> AgreementResult:
        """How far the raters agree, and AI judges with people; see `haechi.agree`."""
        from haechi.report.agreement_result import agree

        return agree(self, elements=elements, level=level, epsilon=epsilon, where=where)

    def human_scale(self, score: str | None = None, where: Where | None = None) -> HumanScale:
        """What people would have given for a score (the main one), from the random part that they rated: `.mean`, its `ci95`.

        `draw` draws such a part, `declare_drawn` says that one is; without either there is a reason in place of the number.
        """
        from haechi.data.fields import field_among

        scored = self.scores(where=where)
        name = (
            self.rubric.main_score(scored.names)
            if score is None
            else field_among(score, scored.names, "score")
        )
        return scored.human[name]

    def align(self, judge: str | None = None) -> list[Cluster]:
        """Where AI judges differ from people who agree, the criterion with the largest distance first, each with its cases.

        Half of the items that people rated are set aside at the first call, kept so, and never shown here; `haechi align --with` measures on them.
        """
        from haechi.analysis.alignment import Alignment

        return Alignment(self).clusters(judge)

    def propose_rubric(
        self,
        out: str | Path,
        *,
        judge: str | None = None,
        model: str | None = None,
        max_cost: float | None = None,
    ) -> RubricProposal:
        """Write a version of the rubric with guidance for the criteria on which judges are furthest from people, to be read and edited.

        model: PROVIDER:MODEL[@URL] that writes the guidance; without one the cases themselves are quoted.
        """
        from haechi.analysis.alignment import Alignment
        from haechi.analysis.proposed_rubric import propose
        from haechi.analysis.written_guidance import writer_of

        made = propose(Alignment(self), judge, writer_of(self, model, max_cost))
        Path(out).write_text(made.text, "utf-8")
        return made

    def audit(self, where: Where | None = None, score: str | None = None) -> Audit | None:
        """What moves the AI judges, from what is stored: length, language, manner of speech and other traits of the answers; None without one.

        score: of which score, a criterion's for instance; the main one if not said. `haechi judge --audit` asks about items with
        one change each, which shows the cause.
        """
        from haechi.analysis.audit import audit

        return audit(self.selecting(where) if where else self, score)

    def compare(
        self,
        by: str | Sequence[str] = (),
        pair: str | None = None,
        exclude: tuple[str, ...] = (),
        where: Where | None = None,
        *,
        cluster_by: str | None = None,
        order: Sequence[str] | None = None,
        correct: Correction = "holm",
        margin: float | Mapping[str, float] | None = None,
        outside: str | Sequence[str] = (),
        first_last: bool = False,
    ) -> ComparisonResult:
        """Whether groups of items differ; see `haechi.compare`."""
        from haechi.report.comparison_result import compare

        return compare(
            self,
            by,
            None,
            pair,
            exclude,
            where=where,
            cluster_by=cluster_by,
            order=order,
            correct=correct,
            margin=margin,
            outside=outside,
            first_last=first_last,
        )

    def check(
        self,
        *,
        min: Mapping[str, float] = _NO_LIMITS,
        max: Mapping[str, float] = _NO_LIMITS,
        min_lower: Mapping[str, float] = _NO_LIMITS,
        max_upper: Mapping[str, float] = _NO_LIMITS,
        max_drop: Mapping[str, float] = _NO_LIMITS,
        no_regression: str | Path | None = None,
        baseline: str | Path | None = None,
        looks: int = 1,
        by: str | Sequence[str] = (),
        where: Where | None = None,
        cluster_by: str | None = None,
    ) -> GateResults:
        """Whether figures keep within limits, such as `min={"total": 25}`; names are those of `haechi check --list`.

        `min_lower` and `max_upper` are for the ends of the 95 % interval, `no_regression` is a baseline than which no score
        may be clearly worse, `max_drop` the loss that must be ruled out since it or since `baseline`. `looks` is how often
        the gates are asked, `by` are the fields of group figures, `where` is what to look at. Items that share the value of
        `cluster_by` are one cluster for the intervals of scores and of their changes; `none` for no clusters.
        """
        from haechi.analysis.analysis import Analysis
        from haechi.analysis.gates import Gate
        from haechi.report.gates import check

        gates = [
            *(Gate("min", name, limit) for name, limit in min.items()),
            *(Gate("max", name, limit) for name, limit in max.items()),
            *(Gate("min-lower", name, limit) for name, limit in min_lower.items()),
            *(Gate("max-upper", name, limit) for name, limit in max_upper.items()),
            *(Gate("max-drop", name, limit) for name, limit in max_drop.items()),
        ]
        wrong = [f"{gate.name}: {gate.limit!r}" for gate in gates if not _is_number(gate.limit)]
        wrong += [f"max_drop: {dict(max_drop)!r}"] if max_drop and not (baseline or no_regression) else []
        wrong += [f"looks: {looks!r}"] if looks < 1 else []
        if wrong or not (gates or no_regression):
            found = ", ".join(wrong) if wrong else Text("통과 기준 없음", "no gate")
            expected = Text(
                "이름과 수, 예: min={'total': 25}. max_drop에는 baseline도, looks는 1 이상",
                "names and numbers, such as min={'total': 25}; with max_drop a baseline too, looks of 1 or more",
            )
            todo = Text(
                "haechi check DIR --list로 이름을 보세요", "see the names with haechi check DIR --list"
            )
            raise HaechiError.of("Study.check", found, expected, todo)
        given = no_regression or baseline
        figures = Analysis(self, [by] if isinstance(by, str) else by, where=where, cluster_by=cluster_by)
        against = None if given is None else Path(given)
        return check(figures, gates, against, no_regression=no_regression is not None, looks=looks)

    def report(
        self,
        out: str | Path,
        *,
        by: str | Sequence[str] = (),
        exclude: tuple[str, ...] = (),
        missing: Missing | None = None,
        anonymous: bool = False,
        where: Where | None = None,
        cluster_by: str | None = None,
    ) -> Report:
        """Write the report into a folder: report.md, report.html, tables and a workbook.

        Items that share the value of `cluster_by` are one cluster: intervals and tests are over clusters.
        """
        from haechi.analysis.analysis import Analysis
        from haechi.report.folder import check_folder, write_report

        check_folder(Path(out))
        fields = [by] if isinstance(by, str) else by
        figures = Analysis(self, fields, exclude, missing, anonymous, where=where, cluster_by=cluster_by)
        return write_report(figures, Path(out))

    def export(
        self,
        out: str | Path,
        format: Literal["langfuse", "otel", "hf", "trl", "healthbench", "rar"],
        where: Where | None = None,
    ) -> ExportResult:
        """Write ratings and scores for another tool: a file for `langfuse`, `otel` and `rar`, a new folder for the others."""
        from haechi.export import FORMATS

        check_word(format, FORMATS, "format")
        return FORMATS[format](self.selecting(where) if where else self, Path(out))

    def judge(
        self,
        models: str | Sequence[str],
        *,
        repeat: int = 1,
        limit: int | None = None,
        max_cost: float | None = None,
        per: Per = "rubric",
        prompt_lang: Lang = "ko",
        temperature: float | None = None,
        seed: int | None = None,
        reasoning_effort: Effort | None = None,
        max_tokens: int | None = None,
        logprobs: bool = False,
        both_orders: bool = True,
        examples: int | None = None,
    ) -> list[JudgeResult]:
        """Ask AI judges, named PROVIDER:MODEL[@URL], what lacks their values; each says what it came to.

        The same call again asks only what is left. `haechi judge --dry-run` estimates calls and cost beforehand.
        What decides an answer is set as by the options of `haechi judge`, which have these names, and kept with every call; what
        is not set is left to the provider. Asking otherwise than before is a warning, and a judge that does, or answers by a new version, is asked about the anchors too. both_orders: of a pair; examples: so many
        items that people rated are shown, and not asked about.
        """
        from dataclasses import replace

        from haechi.analysis.anchor_looks import look_where_new
        from haechi.analysis.judge_changes import changes
        from haechi.data.judging_protocol import Decoding
        from haechi.errors import tell
        from haechi.judge.asks import Per
        from haechi.judge.budget import Budget
        from haechi.judge.examples import examples_for
        from haechi.judge.judges import ask_judges, judges_of
        from haechi.store.judging_protocols import asked_ways

        check_above_zero(repeat=repeat, limit=limit, examples=examples)
        check_word(per, get_args(Per), "per")
        check_word(prompt_lang, ("ko", "en"), "prompt_lang")
        decoding = Decoding(temperature, seed, reasoning_effort, max_tokens, logprobs or None)
        named = [models] if isinstance(models, str) else list(models)
        judges = judges_of(self, named, per, prompt_lang, both_orders=both_orders, decoding=decoding)
        if examples is not None:
            shown = examples_for(self, examples, prompt_lang)
            judges = [replace(judge, examples=shown) for judge in judges]
        with self.database.read() as connection:
            changed = changes(asked_ways(connection), {judge.rater: judge.asking for judge in judges})
        for one in changed:
            tell(one.words)
        budget = Budget(max_cost)
        done = ask_judges(self, judges, repeat, limit, budget)
        look_where_new(self, judges, done, budget)
        return done

    def run(
        self,
        agent: str | Path,
        suite: str | Path | Frame | Columns | None = None,
        *,
        rounds: int = 1,
        version: str | None = None,
        at_once: int = 4,
        rate: float | None = None,
        timeout: float = 120.0,
        limit: int | None = None,
        retry_failed: bool = False,
    ) -> SuiteRunResult:
        """Ask the agent under test a suite of queries; what comes back becomes items at once, failures too.

        agent: `openai:MODEL[@URL]`, or a YAML file that describes it (docs/running-agents.md). suite: a table of queries,
        by default those of the study. The same call again asks only what has no answer yet, with `retry_failed` only what
        has failed. `haechi run --dry-run` shows beforehand what would be sent where.
        """
        from haechi.agents.run import RunOptions, ask, cases_of, plan_run
        from haechi.agents.spec import agent_of
        from haechi.data.frames import as_files
        from haechi.judge.attempts import Pace

        check_above_zero(rounds=rounds, at_once=at_once, rate=rate, timeout=timeout, limit=limit)
        if suite is None:
            cases = cases_of(self, None)
        else:
            with as_files(suite) as files:
                cases = cases_of(self, Path(files[0]))
        source = Path(suite) if isinstance(suite, str | Path) else None  # a frame has no name in the history
        wish = RunOptions(cases, source, rounds, version, retry_failed, limit)
        asked = agent_of(str(agent))
        pace = Pace(at_once=at_once, timeout=timeout, rate=rate)
        return ask(self, asked, wish, pace, plan_run(self, asked, wish, kept=True))

    def __repr__(self) -> str:
        return f"<Study {self.folder.resolve().name}: {self.rubric.id}, {plural(self.count_items(), 'item')}>"

    def _repr_html_(self) -> str:
        """For notebooks: the rubric, how many items there are, and who rated how often."""
        from haechi.report.html_parts import as_html
        from haechi.report.table import Column, table

        heads = [
            Text("평가자", "rater"),
            Text("종류", "kind"),
            Text("항목", "items"),
            Text("평가", "ratings"),
        ]
        columns = [Column(head.say(), "words" if place < 2 else "count") for place, head in enumerate(heads)]
        rows = self._raters().rows()
        return as_html([repr(self)[1:-1], table(self.rubric.title.say(), columns, rows)])

    def _raters(self) -> pl.DataFrame:
        import polars as pl

        raters = super().ratings().group_by("rater", "kind", maintain_order=True)
        return raters.agg(pl.col("item").n_unique().alias("items"), pl.len().alias("ratings"))


def _is_number(limit: object) -> bool:
    return isinstance(limit, int | float) and isfinite(limit)
