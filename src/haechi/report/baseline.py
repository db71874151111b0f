"""What a study is held against: another study, or what an earlier run of a command wrote about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import orjson
import polars as pl
from pydantic import BaseModel, Field, FiniteFloat, TypeAdapter, ValidationError

from haechi.errors import HaechiError
from haechi.items import read_rows
from haechi.report.change import ScoreChange, score_changes
from haechi.report.compared_items import grouped_items
from haechi.report.comparison import compare
from haechi.report.document import Estimate
from haechi.report.gathered import StudyFigures
from haechi.report.panel import panel_means
from haechi.report.score_sources import score_study
from haechi.stats import Figure, holm
from haechi.stats.two_samples import Moments, welch_t
from haechi.text import Text

_MEAN = "mean:"
_SHOWN = 60
_EXPECTED = Text(
    "스터디 폴더, 보고서 폴더, scores.csv, summary.csv, 또는 haechi score·check·report --json의 출력 파일",
    "a study, the folder of a report, scores.csv, summary.csv, or what haechi score, check or report --json wrote",
)


@dataclass(frozen=True)
class Baseline:
    """The scores of items, one row each; or, where only figures were kept, the moments of every score."""

    rubric: str | None
    items: pl.DataFrame | None = None
    moments: Mapping[str, Moments] = field(default_factory=dict)


class _Entry(BaseModel):
    """An item and rater of `haechi score --json`."""

    item: str
    rater: str
    scores: dict[str, FiniteFloat | None]


class _Saved(BaseModel):
    """A figure by name, as `haechi check --list --json` writes it."""

    value: FiniteFloat | None
    n: Annotated[int, Field(ge=0)]


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


def regression(baseline: Baseline, figures: StudyFigures, name: str) -> tuple[ScoreChange, ...]:
    """How every score of the baseline changed; in pairs where the items are the same."""
    known = baseline.items.columns if baseline.items is not None else baseline.moments
    scores = [score for score in figures.rubric.score_names if score in known]
    if baseline.rubric not in (None, figures.rubric.id) or not scores:
        found = baseline.rubric or ", ".join(list(known)[:5])
        expected = Text(f"{figures.rubric.id}의 점수", f"scores of {figures.rubric.id}")
        raise HaechiError.of(name, found, expected, Text("기준을 확인하세요", "check the baseline"))
    if baseline.items is not None:
        return _of_items(baseline.items.select("item", *scores), figures, scores)
    return _of_moments(baseline.moments, figures, scores)


def _of_items(before: pl.DataFrame, figures: StudyFigures, scores: list[str]) -> tuple[ScoreChange, ...]:
    after = figures.items.select("item", *_columns(figures.items, scores))
    sides = [
        side.with_columns(rater=pl.lit("panel"), study=pl.lit(label))
        for side, label in ((before, "A"), (after, "B"))
    ]
    shared = before.join(after, on="item").height
    rows = pl.concat(sides, how="vertical_relaxed")
    items = grouped_items(figures.rubric, rows, ("study",), (), "item" if shared >= 2 else "none")
    return score_changes(compare(items, figures.seed))


def _columns(frame: pl.DataFrame, names: list[str]) -> list[pl.Expr]:
    """The scores; one that is no longer given is there without a value."""
    return [pl.col(name) if name in frame.columns else pl.lit(None, pl.Float64).alias(name) for name in names]


def _of_moments(
    moments: Mapping[str, Moments], figures: StudyFigures, scores: list[str]
) -> tuple[ScoreChange, ...]:
    tested = {}
    for name in scores:
        group, before = figures.whole.get(name), moments[name]
        mean, sd, n = (group.mean.value, group.sd.value, group.n) if group else (None, None, 0)
        now = Moments(n if mean is not None else 0, mean or 0.0, sd or 0.0)
        tested[name] = Figure(before.mean, before.n), Figure(mean, n), *welch_t(now, before)
    made = [name for name, (*_, test) in tested.items() if test.p is not None]
    corrected = dict(zip(made, holm([tested[name][3].p for name in made]).tolist(), strict=True))
    return tuple(
        ScoreChange(name, before, after, Estimate.of(difference), test.p, corrected.get(name), "Welch t")
        for name, (before, after, difference, test) in tested.items()
    )


def _of_study(folder: Path) -> Baseline:
    scored = score_study(folder, [], (), None, lambda _: None)
    return Baseline(scored.rubric.id, panel_means(pl.concat(scored.batches()), scored.names, ["item"]))


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
        return Baseline(said.get("rubric"), panel_means(frame, names, ["item"]))
    saved = TypeAdapter(dict[str, _Saved]).validate_python(said.get("figures", said))
    spread = {name: saved.get(f"{name}.sd") for name in saved}
    found = {
        name: _moments(path, name, one.n, one.value, sd.value)
        for name, one in saved.items()
        if one.value is not None and (sd := spread[name]) is not None
    }
    return Baseline(said.get("rubric"), moments=found)


def _of_table(path: Path) -> Baseline:
    rows = [
        {key: value if value != "" else None for key, value in row.data.items()} for row in read_rows(path)
    ]
    if any(key.startswith(_MEAN) for key in rows[0]):
        names = [key for key in rows[0] if key.startswith(_MEAN)]
        values = TypeAdapter(list[FiniteFloat | None])
        columns: dict[str, Any] = {
            name.removeprefix(_MEAN): values.validate_python([row.get(name) for row in rows])
            for name in names
        }
        items = {"item": pl.Series([str(row.get("item")) for row in rows])}
        return Baseline(
            None, pl.DataFrame(items | {n: pl.Series(v, dtype=pl.Float64) for n, v in columns.items()})
        )
    found = TypeAdapter(list[_Row]).validate_python(rows)
    whole = [row for row in found if not row.by and row.mean is not None]
    return Baseline(
        None,
        moments={row.score: _moments(path, row.score, row.items, row.mean or 0.0, row.sd) for row in whole},
    )


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
