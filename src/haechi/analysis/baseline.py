"""What a study is held against: another study, or what an earlier run of a command wrote about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import orjson
import polars as pl
from pydantic import BaseModel, Field, FiniteFloat, TypeAdapter, ValidationError

from haechi.analysis.analysis import Analysis
from haechi.analysis.counts import Counted
from haechi.analysis.named_figures import BY_RATER
from haechi.analysis.panel_change import PanelChange, code_scores, panel_change
from haechi.analysis.score_change import (
    Given,
    ScoreChange,
    corrected,
    moments_of,
    refused_change,
    same_shares,
    unpaired_change,
)
from haechi.analysis.sides import Side, Sides
from haechi.data import read_rows
from haechi.errors import HaechiError
from haechi.scoring.batches import in_memory
from haechi.stats.sample import Sample
from haechi.stats.two_samples import Moments
from haechi.text import Text

_MEAN = "mean:"
_PIECE = 50_000
_SHOWN = 60
_EXPECTED = Text(
    "스터디 폴더, 보고서 폴더, scores.csv, summary.csv, 또는 haechi score·check·report --json의 출력 파일",
    "a study, the folder of a report, scores.csv, summary.csv, or what haechi score, check or report --json wrote",
)


@dataclass(frozen=True)
class KeptFigures:
    """The moments of every score, of all raters and of each; who rated (None where that was not kept)."""

    moments: Mapping[str, Moments]
    by_rater: Mapping[str, Mapping[str, Moments]] = field(default_factory=dict)
    raters: Mapping[str, str | None] | None = None
    own_items: frozenset[str] | None = None
    """Of raters with one item each these items, None where raters have more or the items were not kept."""


@dataclass(frozen=True)
class Baseline:
    """The names of the scores, and the scores of items; or, where only figures were kept, those."""

    rubric: str | None
    names: tuple[str, ...]
    items: Side | None = None
    figures: KeptFigures | None = None


@dataclass(frozen=True)
class Regression:
    """How every score changed, and what is not the same about the raters."""

    scores: tuple[ScoreChange, ...]
    panel: PanelChange


class _Entry(BaseModel):
    """An item and rater of `haechi score --json`."""

    item: str
    rater: str
    kind: str | None = None
    scores: dict[str, FiniteFloat | None]


class _Saved(BaseModel):
    """A figure by name, as `haechi check --list --json` writes it."""

    value: FiniteFloat | None
    n: Annotated[int, Field(ge=0)]
    sd: FiniteFloat | None = None
    panel: dict[str, str] | None = None
    one_item_each: bool = False
    items: list[str] | None = None


class _Row(BaseModel):
    """A row of summary.csv."""

    by: str | None
    score: str
    items: Annotated[int, Field(ge=0)]
    mean: FiniteFloat | None
    sd: FiniteFloat | None


def read_baseline(path: Path) -> Baseline:
    """Read a baseline, whatever it was kept as."""
    if path.is_dir():
        if (path / "study.yaml").exists():
            return _of_study(path)
        kept = [path / name for name in ("scores.csv", "summary.csv") if (path / name).exists()]
        if not kept:
            raise _refused(
                path,
                Text(
                    "study.yaml도 scores.csv도 summary.csv도 없음", "no study.yaml, scores.csv or summary.csv"
                ),
            )
        path = kept[0]
    if not path.exists():
        raise _refused(path, Text("없음", "nothing"))
    try:
        return _of_json(path) if path.suffix.lower() == ".json" else _of_table(path)
    except (ValidationError, orjson.JSONDecodeError, UnicodeDecodeError) as error:
        raise _refused(path, _first_line(error)) from error


def regression(baseline: Baseline, figures: Analysis, name: str) -> Regression:
    """How every score of the baseline changed, over common raters; in pairs where the items are the same."""
    scores = [score for score in figures.rubric.score_names if score in baseline.names]
    if baseline.rubric not in (None, figures.rubric.id) or not scores:
        found = baseline.rubric or ", ".join(baseline.names[:5])
        expected = Text(f"{figures.rubric.id}의 점수", f"scores of {figures.rubric.id}")
        raise HaechiError.of(name, found, expected, Text("기준을 확인하세요", "check the baseline"))
    if baseline.items is not None:
        sides = Sides.of(figures.rubric, scores, baseline.items, _after(figures, scores))
        return Regression(sides.changes(figures.seed), sides.panel)
    return _of_figures(baseline.figures or KeptFigures({}), figures, scores)


def _after(figures: Analysis, scores: Sequence[str]) -> Side:
    """The study of today; a score that is no longer given is there without a value."""
    gone = [pl.lit(None, pl.Float64).alias(name) for name in scores if name not in figures.names]

    def rows(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        wanted = columns or ["item", "rater", *scores]
        known = [name for name in wanted if name not in scores or name in figures.names]
        return (frame.with_columns(gone).select(wanted) for frame in figures.batches(known))

    samples = {name: figures.samples.get(name, Sample.of([])) for name in scores}
    return replace(figures.side, rows=rows, counted=Counted(figures.n_rated, samples))


def _of_figures(kept: KeptFigures, figures: Analysis, scores: list[str]) -> Regression:
    today = figures.by_rater if kept.raters is not None else {}
    one_each = kept.own_items is not None and figures.one_item_each
    nested = one_each and (kept.own_items or frozenset()).isdisjoint(figures.rated_items)
    panel = panel_change(kept.raters, figures.side.raters or {}, nested)
    code = code_scores(figures.rubric, scores)
    changes = []
    for name in scores:
        if panel.how == "none" and name not in code:
            changes.append(refused_change(name))
            continue
        whole = moments_of(figures.samples.get(name, Sample.of([])))
        before = {who: of[name] for who in panel.common if name in (of := kept.by_rater.get(who, {}))}
        own = {who: today[who].scores.get(name) for who in panel.common}
        now = {who: moments_of(sample) for who, sample in own.items() if sample and sample.n}
        first, second = Given(kept.moments[name], before), Given(whole, now)
        same = panel.how == "same" and (one_each or same_shares(first, second))
        free = name in code or panel.how in ("unknown", "people")
        changes.append(unpaired_change(name, first, second, whole=free or same))
    return Regression(corrected(changes, figures.rubric.main_score(scores)), panel)


def _of_study(folder: Path) -> Baseline:
    study = Analysis(folder)
    return Baseline(study.rubric.id, study.names, study.side)


def _of_json(path: Path) -> Baseline:
    said = orjson.loads(path.read_bytes())
    if not isinstance(said, dict):
        raise _refused(path, Text("객체가 아닌 JSON", "JSON that is no object"))
    if "items" in said:
        entries = TypeAdapter(list[_Entry]).validate_python(said["items"])
        names = list(dict.fromkeys(name for one in entries for name in one.scores))
        ours = [name for name in names if name in ("item", "rater")]
        if ours:
            raise _refused(path, Text(f"점수 이름 {ours[0]}", f"a score named {ours[0]}"))
        rows = [{"item": one.item, "rater": one.rater, **one.scores} for one in entries]
        frame = pl.DataFrame(
            rows, schema={"item": pl.String, "rater": pl.String} | dict.fromkeys(names, pl.Float64)
        )
        side = Side({one.rater: one.kind for one in entries}, in_memory(frame))
        return Baseline(said.get("rubric"), tuple(names), side)
    saved = TypeAdapter(dict[str, _Saved]).validate_python(said.get("figures", said))
    found: dict[str, Moments] = {}
    by_rater: dict[str, dict[str, Moments]] = {}
    for name, one in saved.items():
        score, of, rater = name.partition(BY_RATER)
        spread = saved.get(f"{name}.sd")
        if one.value is not None and of:
            by_rater.setdefault(rater, {})[score] = _moments(path, name, one.n, one.value, one.sd)
        elif one.value is not None and spread is not None:
            found[name] = _moments(path, name, one.n, one.value, spread.value)
    who = saved.get("raters")
    raters = who.panel if who else None
    if raters is not None and len(raters) == 1:
        by_rater = dict.fromkeys(raters, found)
    own = frozenset(who.items) if who and who.one_item_each and who.items is not None else None
    figures = KeptFigures(found, by_rater, raters, own)
    return Baseline(said.get("rubric"), tuple(found), figures=figures)


def _of_table(path: Path) -> Baseline:
    first = next(_rows(path), {})
    means = [key for key in first if key.startswith(_MEAN)]
    if means:
        names = [mean.removeprefix(_MEAN) for mean in means]
        cells = _rater_columns(list(first), names)
        raters = dict.fromkeys(rater for rater, _ in cells.values()) if cells else None
        rows = partial(_item_rows, path, cells or {mean: ("", mean.removeprefix(_MEAN)) for mean in means})
        return Baseline(None, tuple(names), Side(raters, rows))
    found = TypeAdapter(list[_Row]).validate_python(list(_rows(path)))
    whole = [row for row in found if not row.by and row.mean is not None]
    moments = {row.score: _moments(path, row.score, row.items, row.mean or 0.0, row.sd) for row in whole}
    return Baseline(None, tuple(moments), figures=KeptFigures(moments))


def _rater_columns(columns: list[str], names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The rater and score of the columns of scores.csv that follow the means, `RATER:SCORE` or `RATER#2:SCORE`."""
    last = max(number for number, name in enumerate(columns) if name.startswith(_MEAN))
    found: dict[str, tuple[str, str]] = {}
    for column in columns[last + 1 :]:
        label, _, score = column.rpartition(":")
        rater, _, replicate = label.rpartition("#")
        again = replicate.isdecimal() and any(one == rater for one, _ in found.values())
        if score in names:
            found[column] = (rater if again else label), score
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for row in read_rows(path):
        yield {key: value if value != "" else None for key, value in row.data.items()}


def _item_rows(
    path: Path, cells: Mapping[str, tuple[str, str]], columns: Sequence[str] | None = None
) -> Iterator[pl.DataFrame]:
    """The rows of scores.csv, one for each item and rater, piece by piece; `cells`: whose score a column has."""
    values, rows = TypeAdapter(list[FiniteFloat | None]), _rows(path)
    labels = {column: column.rpartition(":")[0] for column in cells}
    while piece := list(islice(rows, _PIECE)):
        made = []
        for label in dict.fromkeys(labels.values()):
            own = {column: cells[column] for column, one in labels.items() if one == label}
            given = {}
            for column, (_, score) in own.items():
                try:
                    found = values.validate_python([row.get(column) for row in piece])
                except ValidationError as error:
                    raise _refused(path, _first_line(error)) from error
                given[score] = pl.Series(found, dtype=pl.Float64)
            rater = next(iter(own.values()))[0]
            frame = pl.DataFrame({"item": [str(row.get("item")) for row in piece]} | given)
            made.append(frame.with_columns(pl.lit(rater).alias("rater")))
        together = pl.concat(made, how="diagonal")
        rated = together.filter(pl.any_horizontal(pl.exclude("item", "rater").is_not_null()))
        yield rated.select(columns or pl.all())


def _moments(path: Path, name: str, n: int, mean: float, sd: float | None) -> Moments:
    """One value has no deviation; of several it must be known, or any change would look certain."""
    if n > 1 and (sd is None or sd < 0):
        said = "" if sd is None else f"{sd:g}"
        raise _refused(
            path,
            Text(f"{name}의 표준편차 없음 {said}".strip(), f"{name}: no standard deviation {said}".strip()),
        )
    return Moments(n, mean, sd or 0.0)


def _refused(path: Path, found: str | Text) -> HaechiError:
    todo = Text(
        "기준을 다시 만드세요: haechi check 스터디 --list --json > baseline.json",
        "make the baseline again: haechi check STUDY --list --json > baseline.json",
    )
    return HaechiError.of(str(path), found, _EXPECTED, todo)


def _first_line(error: ValidationError | ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    what = first["msg"].partition(" or instance")[0]  # of a class of ours, which nobody knows
    return f"{place}: {str(first['input'])[:_SHOWN]}. {what}"
