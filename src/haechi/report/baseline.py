"""What a study is held against: another study, or what an earlier run of a command wrote about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import orjson
import polars as pl
from pydantic import BaseModel, Field, FiniteFloat, TypeAdapter, ValidationError

from haechi.analysis.analysis import StudyFigures
from haechi.analysis.comparison import compare
from haechi.analysis.counts import ComparedGroup, GroupCounts
from haechi.analysis.score_sources import score_study
from haechi.analysis.shared_items import compared_sides, item_scores
from haechi.data import read_rows
from haechi.errors import HaechiError
from haechi.report.change import ScoreChange, score_changes
from haechi.report.table import Estimate
from haechi.scoring.batches import Batches, in_memory
from haechi.scoring.panel import panel_means
from haechi.stats import Figure, holm
from haechi.stats.sample import Sample
from haechi.stats.two_samples import Moments, welch_t
from haechi.text import Text

_MEAN = "mean:"
_PIECE = 50_000
_SHOWN = 60
_EXPECTED = Text(
    "스터디 폴더, 보고서 폴더, scores.csv, summary.csv, 또는 haechi score·check·report --json의 출력 파일",
    "a study, the folder of a report, scores.csv, summary.csv, or what haechi score, check or report --json wrote",
)


@dataclass(frozen=True)
class Baseline:
    """The scores of items, one row each, piece by piece; or, where only figures were kept, the moments of every score."""

    rubric: str | None
    items: Batches | None = None
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
    known = next(baseline.items()).columns if baseline.items is not None else list(baseline.moments)
    scores = [score for score in figures.rubric.score_names if score in known]
    if baseline.rubric not in (None, figures.rubric.id) or not scores:
        found = baseline.rubric or ", ".join(known[:5])
        expected = Text(f"{figures.rubric.id}의 점수", f"scores of {figures.rubric.id}")
        raise HaechiError.of(name, found, expected, Text("기준을 확인하세요", "check the baseline"))
    if baseline.items is not None:
        return _of_items(baseline.items, figures, scores)
    return _of_moments(baseline.moments, figures, scores)


def _of_items(before: Batches, figures: StudyFigures, scores: list[str]) -> tuple[ScoreChange, ...]:
    # A score that is no longer given is there without a value.
    given = [name for name in scores if name in figures.names]
    gone = [pl.lit(None, pl.Float64).alias(name) for name in scores if name not in given]
    after = (frame.with_columns(gone) for frame in item_scores(figures.batches, given))
    counted = GroupCounts(scores, [])
    for frame in before(["item", *scores]):
        counted.add(frame)
    kept = counted.groups()[()]
    now = {name: figures.samples.get(name, Sample.of([])) for name in scores}
    groups = [
        ComparedGroup({"study": "A"}, kept.n, kept.scores),
        ComparedGroup({"study": "B"}, figures.n_rated, now),
    ]
    sides = (before(["item", *scores]), (frame.select("item", *scores) for frame in after))
    items, _ = compared_sides(figures.rubric, scores, groups, sides)
    return score_changes(compare(items, figures.seed))


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

    def items(columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        names = list(scored.names) if columns is None else [name for name in columns if name != "item"]
        return item_scores(scored.batches, names)

    return Baseline(scored.rubric.id, items)


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
        return Baseline(said.get("rubric"), in_memory(panel_means(frame, names, ["item"])))
    saved = TypeAdapter(dict[str, _Saved]).validate_python(said.get("figures", said))
    spread = {name: saved.get(f"{name}.sd") for name in saved}
    found = {
        name: _moments(path, name, one.n, one.value, sd.value)
        for name, one in saved.items()
        if one.value is not None and (sd := spread[name]) is not None
    }
    return Baseline(said.get("rubric"), moments=found)


def _of_table(path: Path) -> Baseline:
    first = next(_rows(path), {})
    names = [key for key in first if key.startswith(_MEAN)]
    if names:
        return Baseline(None, partial(_item_rows, path, names))
    rows = list(_rows(path))
    found = TypeAdapter(list[_Row]).validate_python(rows)
    whole = [row for row in found if not row.by and row.mean is not None]
    return Baseline(
        None,
        moments={row.score: _moments(path, row.score, row.items, row.mean or 0.0, row.sd) for row in whole},
    )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for row in read_rows(path):
        yield {key: value if value != "" else None for key, value in row.data.items()}


def _item_rows(path: Path, means: list[str], columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
    """The rows of scores.csv, piece by piece."""
    values, rows = TypeAdapter(list[FiniteFloat | None]), _rows(path)
    while piece := list(islice(rows, _PIECE)):
        items = {"item": pl.Series([str(row.get("item")) for row in piece])}
        try:
            given = {
                mean.removeprefix(_MEAN): pl.Series(
                    values.validate_python([row.get(mean) for row in piece]), dtype=pl.Float64
                )
                for mean in means
            }
        except ValidationError as error:
            raise _refused(path, _first_line(error)) from error
        yield pl.DataFrame(items | given).select(columns or pl.all())


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
