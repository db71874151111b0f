"""Tables of scores: the whole set, and the means of every group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from haechi.analysis.zero_by_rule import WITHOUT
from haechi.report.numbers import NOTHING, number, scale_end, span
from haechi.report.table import Cell, Column, Estimate, ScoreName, Table, say, table
from haechi.report.tables.comparison import means_table, share_rows
from haechi.report.tables.human_scale import human_groups_table, human_sentence
from haechi.report.words import INTERVAL, UNIT, UNIT_OF_ONE, UNIT_OF_RUNS, said, score_label, score_name
from haechi.rubrics import Rubric
from haechi.scoring.population import PANELS, POOLED
from haechi.scoring.score_table import ScoreTable
from haechi.scoring.summary_row import OverItems, ScoreFigures, SummaryRow
from haechi.stats.figure import Why
from haechi.stats.groups import Group
from haechi.text import Text, language, plural

FEW = 0.5
"""A mean of less than this share of the items says little about the rest."""
_BARS = "▁▂▃▄▅▆▇█"
_MOST_BARS = 10
_MEAN = Text("항목 단위 평균", "mean over items")


def score_table(scored: ScoreTable, seconds: Mapping[str, Group] | None) -> Table:
    """Every score: over the items n, mean, spread and range; of all ratings the mean; what is missing.

    seconds: response times of all runs under "", of a tool class under the name of its latency score; None where only a
    summary is at hand, as a cluster counts it.
    """
    rubric, row = scored.rubric, scored.summary[0]
    ratings = row.n_items != row.n or any(rubric.is_met(name) for name in row.scores)
    columns = [
        Column(said("점수", "score"), "words"),
        Column(said("이름", "name"), "words", leave_out=4, terminal_only=True),
        Column(said("항목 수", "items"), "count", short="n", leave_out=6),
        Column(INTERVAL.say(), short=said("항목 단위 평균\n[95 % 구간]", "mean over items\n[95 % interval]")),
        Column("SD", leave_out=2),
        Column(said("중앙값", "median"), leave_out=1),
        *(_rating_columns() if ratings else []),
        Column(said("범위", "range"), leave_out=3),
        Column(said("분포", "distribution"), "words", leave_out=7, terminal_only=True),
        Column(said("결측", "missing"), "count"),
    ]
    rows: list[list[Cell]] = []
    for name, of in row.scores.items():
        rows.append(_row(rubric, name, of, ratings))
        rows += _without_row(rubric, name, of, ratings)
    rows += [
        _time_row(rubric, name, [*_described(group), *_gap(ratings), group.n_missing])
        for name, group in one_class_each(seconds or {}).items()
    ]
    if not seconds:
        rows += [_time_row(rubric, name, [one.n, one.mean]) for name, one in row.seconds_by_class.items()]
    about = [words.say() for words in scored.about]
    note = " ".join([*(about if seconds is None else _for_whom(scored)), *about_times(row)])
    return table(_title(scored), columns, rows, note)


def _for_whom(scored: ScoreTable) -> list[str]:
    """For whom the means speak: for these raters, for raters like them; and what people and AI judges say each."""
    main = scored.rubric.main_score(scored.names)
    of = scored.populations.get(main)
    code_alone = of is None and scored.rubric.item == "run"
    words = [(UNIT_OF_RUNS if code_alone else _unit(scored)).say()] if _has_means(scored) else []
    words += [about.say() for about in scored.about]
    words += [_ruled(scored)] if scored.rubric.item == "run" else []
    if of is None:
        return words
    label = score_label(scored.rubric, main)
    if not isinstance(of.new_raters, Why):
        low, high = map(number, of.new_raters)
        words.append(
            said(
                f"이들과 비슷한 다른 평가자까지 생각하면 {label} 구간은 [{low}, {high}]입니다.",
                f"For other raters like them the interval of {label} is [{low}, {high}].",
            )
        )
    if of.by_kind:
        people, judges = (of.by_kind[kind] for kind in PANELS)
        words.append(
            said(
                f"{POOLED.ko} {label}: 사람 {_mean_of(people)}(항목 {people.n:,}개), "
                f"AI 평가자 {_mean_of(judges)}(항목 {judges.n:,}개).",
                f"{POOLED.en} {label}: people {_mean_of(people)} ({people.n:,} items), "
                f"AI judges {_mean_of(judges)} ({judges.n:,} items).",
            )
        )
    if scored.human.is_there and not scored.human.is_all:  # where people rated everything, their mean says it
        words.append(human_sentence(scored.rubric, scored.human, main))
    return words


def _has_means(scored: ScoreTable) -> bool:
    return any(scored.rubric.has_mean(name) and of.n for name, of in scored.summary[0].scores.items())


def _unit(scored: ScoreTable) -> Text:
    return UNIT_OF_ONE if scored.raters == 1 else UNIT


def _ruled(scored: ScoreTable) -> str:
    """Which means hold zeros by rule, which are no measurements."""
    listed = [
        said(
            f"{score_label(scored.rubric, name)} {of.zeros_by_rule:,}/{of.n:,}건({of.why_by_rule})",
            f"{score_label(scored.rubric, name)} in {of.zeros_by_rule:,} of {of.n:,} runs ({of.why_by_rule})",
        )
        for name, of in scored.summary[0].scores.items()
        if of.zeros_by_rule
    ]
    if not listed:
        return ""
    return said(
        f"잴 것이 없어 규칙에 따라 0점인 값도 평균에 들어 있습니다: {', '.join(listed)}.",
        f"Means hold zeros by rule, where there was nothing to measure: {', '.join(listed)}.",
    )


def _mean_of(items: OverItems) -> str:
    return say(Estimate(items.mean, *(items.ci95 or (None, None))))


def one_class_each(seconds: Mapping[str, Group]) -> dict[str, Group]:
    """Response times that can be compared: of every tool class that has runs, or of all where there are no classes."""
    classes = {name: group for name, group in seconds.items() if name and group.n + group.n_missing}
    return classes or dict(seconds)


def about_times(row: SummaryRow) -> list[str]:
    """Which runs are not among the response times, and which are there only because of a rule."""
    notes = []
    if row.seconds is not None and row.seconds.without_time:
        n = row.seconds.without_time
        notes.append(
            said(
                f"시간이 기록되지 않은 실행 {n:,}건은 응답 시간의 평균에 들어가지 않습니다. 실패한 실행도 시간이 있으면 들어갑니다.",
                f"Response times leave out {n:,} runs without a recorded time; failed runs that have one are counted.",
            )
        )
    if row.class_unknown:
        n = row.class_unknown
        notes.append(
            said(
                f"도구 구간을 알려 주는 기록이 없는 실패한 실행 {n:,}건은 규칙에 따라 기본(단일 도구) 구간으로 셌습니다.",
                f"{n:,} failed runs whose tool class nothing tells count as single tool, by rule.",
            )
        )
    return notes


def _title(scored: ScoreTable) -> str:
    title, row = scored.rubric.title, scored.summary[0]
    if scored.rubric.item == "run":
        return said(f"{title.ko} · 실행 {row.n:,}건", f"{title.say('en')} · {row.n:,} runs")
    return said(
        f"{title.ko} · 항목 {row.n_items:,}개, 평가자 {scored.raters}명",
        f"{title.say('en')} · {row.n_items:,} items, {plural(scored.raters, 'rater')}",
    )


def _rating_columns() -> list[Column]:
    return [
        Column(
            said("평가 단위 평균", "mean of ratings"),
            short=said("평가 단위\n평균", "mean of\nratings"),
            brief=True,
        ),
        Column(said("평가 수", "ratings"), "count", leave_out=5),
    ]


def _row(rubric: Rubric, name: str, of: ScoreFigures, ratings: bool) -> list[Cell]:
    low, high = rubric.range(name)
    lost = Estimate(of.missing, kind="count", tone="caution" if of.missing else "plain")
    rated: list[Cell] = [of.mean, of.n] if ratings else []
    return [
        score_name(rubric, name),
        rubric.name(name).say(),
        *_over_items(of),
        *rated,
        span(low, high) if rubric.has_mean(name) else NOTHING,
        _spark(of.distribution, low, high),
        None if is_partial(rubric, name) else lost,
    ]


def _without_row(rubric: Rubric, name: str, of: ScoreFigures, ratings: bool) -> list[list[Cell]]:
    """A total without what is 0 by rule, under the total itself."""
    without = of.without_zero_by_rule
    if without is None:
        return []
    words = said("규칙에 따른 0점 제외", "without zeros by rule")
    label = ScoreName(name + WITHOUT, f"{score_label(rubric, name)} · {words}", computed=True)
    low, high = rubric.range(name)
    mean = Estimate(without.mean, *(without.ci95 or (None, None)))
    return [
        [
            label,
            words,
            without.n,
            mean,
            without.sd,
            without.median,
            *_gap(ratings)[:-2],
            span(low, high),
            "",
            None,
        ]
    ]


def _over_items(of: ScoreFigures) -> list[Cell]:
    items, why = of.over_items, of.why
    low, high = items.ci95 or (None, None)
    mean = Estimate(items.mean, low, high, why.say(language()) if why else "")
    return [items.n, mean, items.sd, items.median]


def _described(group: Group) -> list[Cell]:
    return [group.n, Estimate.of(group.mean), group.sd.value, group.median.value]


def _gap(ratings: bool) -> list[Cell]:
    """What response times have not: ratings, a range and points."""
    return [*(["", ""] if ratings else []), NOTHING, ""]


def _time_row(rubric: Rubric, name: str, cells: Sequence[Cell]) -> list[Cell]:
    words = said("응답 시간(초)", "response time (s)")
    label = f"{words} · {score_label(rubric, name)}" if name else words
    return [ScoreName(f"{name}.seconds" if name else "seconds", label), words, *cells]


def is_partial(rubric: Rubric, name: str) -> bool:
    """Whether a score exists only for some items by design, so that its absence elsewhere is no loss."""
    criterion = rubric.criterion(name)
    of_tag = any(derived.key == name and derived.by == "tag" for derived in rubric.scores)
    return of_tag or (criterion is not None and criterion.only is not None)


def few_scores(rubric: Rubric, known: Mapping[str, int], n_items: int) -> list[str]:
    """The scores that most items lack, so that their means say little; known: how many items have each score.

    >>> import haechi
    >>> few_scores(haechi.rubric("maice-qac"), {"A1": 12, "C1": 2}, n_items=12)
    ['C1']
    """
    return [name for name, n in known.items() if 0 < n < FEW * n_items and not is_partial(rubric, name)]


def beside_table(scored: ScoreTable) -> Table | None:
    """What people and AI judges gave for what code measures, beside what code measured; None if nobody did."""
    found = scored.rated_beside
    if not found:
        return None
    kinds = [kind for kind in ("ai", "human") if any(kind in sides for sides in found.values())]
    columns = [Column(said("지표", "metric"), "words"), *_beside_columns(said("코드", "code"))]
    for kind in kinds:
        who = said("AI", "AI") if kind == "ai" else said("사람", "people")
        columns += [*_beside_columns(who), Column(said(f"{who} − 코드", f"{who} − code"))]
    rows: list[list[Cell]] = []
    for name, sides in found.items():
        row: list[Cell] = [score_name(scored.rubric, name), sides["code"].mean, sides["code"].n]
        for kind in kinds:
            side = sides.get(kind)
            row += ["", "", ""] if side is None else [side.mean, side.n, side.difference]
        rows.append(row)
    note = said(
        "점수는 코드가 잰 값이고, 평가자가 준 값은 곁에 둘 뿐 점수에 들어가지 않습니다. 차이는 양쪽 값이 다 있는 실행만의 평균입니다.",
        "Scores are what code measured; what raters gave stands beside and enters no score. Differences are means over the "
        "runs that have both.",
    )
    return table(said("코드와 평가자", "Code and raters"), columns, rows, note)


def _beside_columns(who: str) -> list[Column]:
    return [Column(said(f"{who} 평균", f"{who} mean")), Column("n", "count")]


def grouped_tables(scored: ScoreTable) -> list[Table]:
    """The means of every grouping, over items; of yes-or-no criteria the share of all ratings too."""
    tables = []
    for fields in scored.groupings:
        groups = [row for row in scored.summary[1:] if tuple(row.by) == fields]
        if all(value is None for row in groups for value in row.by.values()):
            continue  # no item has the field
        labels = [" · ".join(NOTHING if v is None else str(v) for v in row.by.values()) for row in groups]
        means = {name: [row.scores[name].over_items.mean for row in groups] for name in scored.names}
        more = [*share_rows(scored.rubric, [row.scores for row in groups]).values()]
        for name in groups[0].seconds_by_class:
            times = [row.seconds_by_class[name].mean for row in groups]
            more.append([*_time_row(scored.rubric, name, [])[:1], *times])
        counts = [row.n_items for row in groups]
        tables.append(means_table(scored.rubric, fields, labels, counts, means, more, _MEAN))
        tables += _had_people_rated(scored, fields)
    return tables


def _had_people_rated(scored: ScoreTable, fields: tuple[str, ...]) -> list[Table]:
    """The main score of every group as people would have given it; nothing where it cannot be said of any."""
    human, name = scored.human, scored.rubric.main_score(scored.names)
    if not human.is_there or human.is_all or fields not in scored.item_groupings:
        return []
    groups = {" · ".join(key): human.of(name, items) for key, items in human.groups(fields).items()}
    if all(found.mean.value is None for found in groups.values()):
        return []
    return [human_groups_table(scored.rubric, name, fields, groups, {})]


def _spark(distribution: Mapping[str, int] | None, low: float, high: float) -> str:
    """Bars for the distribution; many different values are gathered into ten stretches of the range."""
    if not distribution or not any(distribution.values()):
        return ""
    counts = list(distribution.values())
    if len(counts) > _MOST_BARS:
        counts = [0] * _MOST_BARS
        for value, count in distribution.items():
            counts[min(int((float(value) - low) / (high - low) * _MOST_BARS), _MOST_BARS - 1)] += count
    most = max(counts)
    bars = (_BARS[round(count / most * (len(_BARS) - 1))] if count else "·" for count in counts)
    return f"{scale_end(low)} {''.join(bars)} {scale_end(high)}"
