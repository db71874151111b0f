"""Reading what a study is held against: another study, or what an earlier run of a command wrote about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, Field, FiniteFloat, TypeAdapter, ValidationError

from haechi.analysis.analysis import Analysis
from haechi.analysis.bridges import Bridge
from haechi.analysis.comparability import Ways, comparability
from haechi.analysis.named_figures import BY_RATER
from haechi.analysis.regression import Baseline, KeptFigures
from haechi.analysis.sides import Side
from haechi.data.files import open_text
from haechi.data.json_files import parse_json
from haechi.data.readers import read_rows
from haechi.errors import HaechiError
from haechi.scoring.batches import in_memory
from haechi.scoring.rule_zeros import UNMEASURED, nothing_measured
from haechi.stats.two_samples import Moments
from haechi.text import Text

_MEAN = "mean:"
_PIECE = 50_000
_SHOWN = 60
_EXPECTED = Text(
    "스터디 폴더, 보고서 폴더, scores.csv, summary.csv, 또는 haechi score·check·report --json의 출력 파일",
    "a study, the folder of a report, scores.csv, summary.csv, or what haechi score, check or report --json wrote",
)


class _Entry(BaseModel):
    """An item and rater of `haechi score --json`."""

    item: str
    rater: str
    kind: str | None = None
    scores: dict[str, FiniteFloat | None]
    meta: dict[str, Any] = Field(default_factory=dict)


class _Score(BaseModel):
    """A score of a group in `haechi score --json`."""

    why_no_ci95: str | None = None


class _Group(BaseModel):
    """A group in the summary of `haechi score --json`."""

    scores: dict[str, _Score]


class _Saved(BaseModel):
    """A figure by name, as `haechi check --list --json` writes it."""

    value: FiniteFloat | None
    n: Annotated[int, Field(ge=0)]
    sd: FiniteFloat | None = None
    why_no_ci: str | None = None
    cluster_by: str | None = None
    clusters: Annotated[int, Field(ge=2)] | None = None
    clusters_se: Annotated[FiniteFloat, Field(ge=0)] | None = None
    panel: dict[str, str] | None = None
    one_item_each: bool = False
    items: list[str] | None = None
    asked: dict[str, dict[str, tuple[str, ...]]] = Field(default_factory=dict)


class _Row(BaseModel):
    """A row of summary.csv."""

    by: str | None
    score: str
    items: Annotated[int, Field(ge=0)]
    mean: FiniteFloat | None
    sd: FiniteFloat | None
    why_no_ci95: str | None = None


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
        raise _refused(path, Text("그런 폴더나 파일이 없음", "nothing there"))
    try:
        return _of_json(path) if path.suffix.lower() == ".json" else _of_table(path)
    except (ValidationError, UnicodeError) as error:
        raise _refused(path, _first_line(error)) from error


def _of_study(folder: Path) -> Baseline:
    study = Analysis(folder)
    return Baseline(study.rubric.id, study.names, study.side)


def _of_json(path: Path) -> Baseline:
    with open_text(path) as file:
        said = parse_json(file.read(), str(path))
    if not isinstance(said, dict):
        raise _refused(path, Text("객체가 아닌 JSON", "JSON that is no object"))
    if "items" in said:
        entries = TypeAdapter(list[_Entry]).validate_python(said["items"])
        names = list(dict.fromkeys(name for one in entries for name in one.scores))
        ours = [name for name in names if name in ("item", "rater")]
        if ours:
            raise _refused(path, Text(f"점수 이름 {ours[0]}", f"a score named {ours[0]}"))
        meta = list(dict.fromkeys(name for one in entries for name in one.meta))
        meta = [name for name in meta if name not in ("item", "rater", *names)]
        rows = [
            {"item": one.item, "rater": one.rater, **_texts(one.meta, meta), **one.scores} for one in entries
        ]
        texts = dict.fromkeys(["item", "rater", *meta], pl.String)
        frame = pl.DataFrame(rows, schema=texts | dict.fromkeys(names, pl.Float64))
        whole = TypeAdapter(list[_Group]).validate_python(said.get("summary", []))[:1]
        ruled = _ruled({name: of.why_no_ci95 for group in whole for name, of in group.scores.items()})
        raters = {one.rater: one.kind for one in entries}
        side = Side(raters, in_memory(frame), meta=tuple(meta), ruled=ruled)
        return Baseline(said.get("rubric"), tuple(names), side)
    saved = TypeAdapter(dict[str, _Saved]).validate_python(said.get("figures", said))
    found: dict[str, Moments] = {}
    by_rater: dict[str, dict[str, Moments]] = {}
    clustered: dict[str, dict[str, Moments]] = {}
    for name, one in saved.items():
        score, of, rater = name.partition(BY_RATER)
        spread = saved.get(f"{name}.sd")
        if one.value is not None and of:
            by_rater.setdefault(rater, {})[score] = _moments(path, name, one.n, one.value, one.sd)
        elif one.value is not None and spread is not None:
            found[name] = _moments(path, name, one.n, one.value, spread.value)
            if one.cluster_by and one.clusters and one.clusters_se is not None:
                sd = one.clusters_se * one.clusters**0.5
                clustered.setdefault(one.cluster_by, {})[name] = Moments(one.clusters, one.value, sd)
    who = saved.get("raters")
    panel = who.panel if who else None
    if panel is not None and len(panel) == 1:
        by_rater = dict.fromkeys(panel, found)
    own = frozenset(who.items) if who and who.one_item_each and who.items is not None else None
    ways = who.asked if who else {}
    bridge, ruled = _bridge(path.parent, ways), _ruled({name: one.why_no_ci for name, one in saved.items()})
    figures = KeptFigures(found, by_rater, panel, clustered, own, ways, bridge, ruled)
    return Baseline(said.get("rubric"), tuple(found), figures=figures)


def _ruled(whys: Mapping[str, str | None]) -> frozenset[str]:
    """The scores that were 0 by rule on all runs, which is why they have no interval, whatever language was spoken."""
    return frozenset(name for name, why in whys.items() if why in nothing_measured())


def _bridge(folder: Path, ways: Ways) -> Bridge | None:
    """Of figures that lie in the folder of their study: its anchors, while its judges are those of the figures."""
    if not ways or not (folder / "study.yaml").exists():
        return None
    side = Analysis(folder).side
    return side.bridge if not comparability(ways, side.ways).differences else None


def _of_table(path: Path) -> Baseline:
    first = next(_rows(path), {})
    means = [key for key in first if key.startswith(_MEAN)]
    if means:
        names = [mean.removeprefix(_MEAN) for mean in means]
        cells = _rater_columns(list(first), names)
        raters = dict.fromkeys(rater for rater, _ in cells.values()) if cells else None
        rows = partial(_item_rows, path, cells or {mean: ("", mean.removeprefix(_MEAN)) for mean in means})
        meta = tuple(
            takewhile(lambda key: not key.startswith(_MEAN), (key for key in first if key != "item"))
        )
        ruled = frozenset(str(first.get(UNMEASURED) or "").split(", ")).intersection(names)
        return Baseline(None, tuple(names), Side(raters, rows, meta=meta, ruled=ruled))
    found = TypeAdapter(list[_Row]).validate_python(list(_rows(path)))
    whole = [row for row in found if not row.by and row.mean is not None]
    moments = {row.score: _moments(path, row.score, row.items, row.mean or 0.0, row.sd) for row in whole}
    ruled = _ruled({row.score: row.why_no_ci95 for row in whole})
    return Baseline(None, tuple(moments), figures=KeptFigures(moments, ruled=ruled))


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


def _texts(meta: Mapping[str, Any], names: Sequence[str]) -> dict[str, str | None]:
    return {name: _text(meta.get(name)) for name in names}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


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
        scores = {score for _, score in cells.values()}
        others = [name for name in columns or () if name not in ("item", "rater", *scores)]
        meta = {name: pl.Series([_text(row.get(name)) for row in piece], dtype=pl.String) for name in others}
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
            frame = pl.DataFrame({"item": [str(row.get("item")) for row in piece]} | meta | given)
            made.append(frame.with_columns(pl.lit(rater).alias("rater")))
        together = pl.concat(made, how="diagonal")
        rated = together.filter(pl.any_horizontal(pl.exclude("item", "rater", *others).is_not_null()))
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
