"""What a new version of a rubric gained: old judge against new judge, on items that nobody looked at."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from haechi.analysis.alignment import Alignment, distances
from haechi.analysis.rating_sources import study_ratings
from haechi.analysis.rating_table import RatingTable
from haechi.analysis.study_beside import study_beside
from haechi.data.judging_protocol import JudgingProtocol
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.judge.asks import Judge
from haechi.judge.judges import judges_of
from haechi.judge.providers.models import Model, parse_model
from haechi.rubrics import Rubric, read_rubric
from haechi.stats.cohen import cohen_kappa
from haechi.stats.figure import Figure, Lang
from haechi.stats.gain import Gain, paired_gain
from haechi.stats.ratings import Floats
from haechi.store.alignment import keep_look
from haechi.store.judging_protocols import asked_ways
from haechi.study.study import Study
from haechi.text import Text

FOLDER = "aligned"


@frozen
class CriterionGain:
    """One criterion on the held-out items, for orientation: both distances, the gain, and of categories both kappas."""

    name: str
    gain: Gain
    kappa_before: Figure | None
    kappa_after: Figure | None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        figures = {name: getattr(self.gain, name).as_json(lang) for name in ("before", "after", "gain")}
        kappas = {
            name: kappa.as_json(lang) if kappa is not None else None
            for name, kappa in (("kappa_before", self.kappa_before), ("kappa_after", self.kappa_after))
        }
        return {"criterion": self.name, **figures, **kappas}


@frozen
class AlignmentGain:
    """What the new version came to: over all criteria, which decides, and one by one."""

    judge: str
    old: str
    new: str
    held_out: int
    total: Gain
    criteria: tuple[CriterionGain, ...]
    cluster: str | None

    def as_json(self, lang: Lang = "en") -> dict[str, Any]:
        """For machines."""
        about = {"judge": self.judge, "old": self.old, "new": self.new, "held_out": self.held_out}
        criteria = [one.as_json(lang) for one in self.criteria]
        return {**about, "cluster": self.cluster, **self.total.as_json(lang), "criteria": criteria}


def aligned_study(alignment: Alignment, path: Path) -> Study:
    """The study beside in which the held-out items are judged with a new version of the rubric; made once for every version."""
    study = alignment.study
    rubric = read_rubric(path)
    check_versions(study.rubric, rubric, str(path))
    wanted = {alignment.ids[at] for at in alignment.rows_of("held_out")}
    items = [item for item in study.items(wanted) if item.kind == study.rubric.item]
    return study_beside(study, study.folder / FOLDER / rubric.version, items, path.read_text("utf-8-sig"))


def check_versions(old: Rubric, new: Rubric, place: str) -> None:
    """Refuse what cannot be compared: the same version, or other criteria and scales."""
    todo = Text(
        "haechi align --propose로 만든 파일에서 안내와 예시만 고치세요",
        "start from haechi align --propose, and change guidance and examples only",
    )
    if new.version == old.version:
        found = Text(f"같은 버전 {new.version}", f"the same version, {new.version}")
        raise HaechiError.of(place, found, Text("고친 루브릭", "a changed rubric"), todo)
    if new.item != old.item or _asked(new) != _asked(old):
        found = Text("기준이나 척도가 다름", "other criteria or scales")
        raise HaechiError.of(
            place,
            found,
            Text("같은 기준과 척도, 다른 안내", "the same criteria and scales, other guidance"),
            todo,
        )


def _asked(rubric: Rubric) -> dict[str, Any]:
    return {
        name: (one.scale.level, one.scale.points, one.scale.range if one.scale.counted else None)
        for name, one in rubric.rateables.items()
    }


def new_judge(alignment: Alignment, made: Study, model: str, judge: str | None = None) -> tuple[str, Judge]:
    """The old judge of a model, and the new one: asked just as the old one was, apart from the rubric."""
    with alignment.study.database.read() as connection:
        ways = {one.rater: one.asking for one in asked_ways(connection)}
    named = parse_model(model)
    own = [
        name
        for name in alignment.judges
        if name == judge or (judge is None and _is(name, ways.get(name), named))
    ]
    if len(own) != 1:
        found = Text(f"{model}의 평가자로 보이는 AI {len(own)}명", f"{len(own)} judges that could be {model}")
        known = ", ".join(alignment.judges)
        expected = Text(f"이 스터디의 AI 평가자 하나: {known}", f"one judge of this study: {known}")
        todo = Text("--judge로 이전 평가자를 고르세요", "choose the old judge with --judge")
        raise HaechiError.of("--model", found, expected, todo)
    asking = ways.get(own[0])
    if asking is not None and asking.examples is not None:
        found = Text("예시를 보고 평가한 AI", "a judge that was shown examples")
        expected = Text("예시 없이 평가한 AI", "a judge without examples")
        todo = Text("--examples 없이 평가한 AI를 고르세요", "choose one that was asked without --examples")
        raise HaechiError.of("--judge", found, expected, todo)
    per = "criterion" if asking is not None and asking.per == "criterion" else "rubric"
    lang = "en" if asking is not None and asking.lang == "en" else "ko"
    decoding = asking.decoding if asking is not None else None
    (made_judge,) = judges_of(made, [model], per, lang, decoding=decoding)  # type: ignore[arg-type]
    return own[0], made_judge


def _is(name: str, asking: JudgingProtocol | None, model: Model) -> bool:
    """Whether a rater is this model, by how it was asked, else by its name."""
    if asking is None:
        return name == model.label
    return asking.model == model.reference and asking.address == model.address


def common_judge(alignment: Alignment, made: Study, judge: str | None) -> str:
    """The judge that rated in both studies: the one that is named, or the only one."""
    there = study_ratings(made, elements=True).kinds
    common = [name for name in alignment.judges if there.get(name) == "ai" and judge in (None, name)]
    if len(common) == 1:
        return common[0]
    found = Text(
        f"두 스터디에 모두 있는 AI 평가자 {len(common)}명", f"{len(common)} judges that are in both studies"
    )
    expected = Text("하나", "one")
    todo = Text("--judge로 고르세요", "choose one with --judge")
    raise HaechiError.of(str(made.folder), found, expected, todo)


def alignment_gain(alignment: Alignment, made: Study, old: str, new: str) -> AlignmentGain:
    """Compare both judges with people on the held-out items; this look is counted."""
    table = study_ratings(made, elements=True)
    rows = alignment.rows_of("held_out")
    names = [name for name in alignment.names if name in table.criteria]
    given = {
        name: (_column(alignment.table, name, old)[rows], _found(alignment, table, name, new)[rows])
        for name in names
    }
    apart = {
        name: [distances(one, alignment.people(name)[rows], alignment.table.declared[name]) for one in both]
        for name, both in given.items()
    }
    groups = np.array(alignment.groups)[rows] if len(rows) else np.array([])
    before, after = _over(apart, rows.size)
    known = ~(np.isnan(before) | np.isnan(after))
    values = [alignment.people(name)[rows] for name in names]
    shown = _fingerprint(
        [alignment.ids[at] for at in rows], [*given.values(), *values], made.rubric.version, new
    )
    with alignment.study.database.write_alone() as connection:
        look = keep_look(connection, shown, made.rubric.version, new, int(known.sum())).number
    total = paired_gain(before, after, _twice(alignment, old, names), look, groups)
    criteria = [
        CriterionGain(
            name,
            paired_gain(apart[name][0], apart[name][1], look=look, clusters=groups),
            *(_kappa(one, alignment.people(name)[rows], alignment, name) for one in given[name]),
        )
        for name in names
    ]
    return AlignmentGain(
        new,
        alignment.study.rubric.version,
        made.rubric.version,
        rows.size,
        total,
        tuple(criteria),
        alignment.cluster,
    )


def _column(table: RatingTable, name: str, rater: str) -> Floats:
    rated = table.rated(name)
    if rater not in rated.raters:
        return np.full(table.n_items, np.nan)
    return rated.ratings[:, rated.raters.index(rater)]


def _found(alignment: Alignment, table: RatingTable, name: str, rater: str) -> Floats:
    """What a rater of another study gave, in the order of this one's items."""
    values = _column(table, name, rater)
    place = {table.item_name(at): at for at in range(table.n_items)}
    return np.array([values[place[item]] if item in place else np.nan for item in alignment.ids])


def _over(apart: dict[str, list[Floats]], n: int) -> tuple[Floats, Floats]:
    """The mean distances of both judges over the criteria that both and people rated, item by item."""
    if not apart:
        return np.full(n, np.nan), np.full(n, np.nan)
    both = np.array(list(apart.values()))  # names, judges, items
    known = ~np.isnan(both).any(axis=1)
    with np.errstate(invalid="ignore"):
        sums = np.where(known[:, None, :], both, 0.0).sum(axis=0) / known.sum(axis=0)
    return sums[0], sums[1]


def _twice(alignment: Alignment, judge: str, names: list[str]) -> Floats | None:
    """The distances of the old judge that judged twice, wherever it did: how much it varies is no secret of the held-out part."""
    apart = {}
    for name in names:
        rated = alignment.table.rated(name)
        if judge in rated.replicates:
            own = rated.replicates[judge]
            apart[name] = [distances(own[:, k], alignment.people(name), rated.declared) for k in (0, 1)]
    return np.column_stack(_over(apart, alignment.table.n_items)) if apart else None


def _kappa(given: Floats, people: Floats, alignment: Alignment, name: str) -> Figure | None:
    """κ of a judge with people where all people gave the same; None where values are amounts."""
    if alignment.table.declared[name].level != "nominal":
        return None
    low, high = np.where(np.isnan(people), np.inf, people), np.where(np.isnan(people), -np.inf, people)
    least, most = low.min(axis=1, initial=np.inf), high.max(axis=1, initial=-np.inf)
    agreed = np.where(least == most, most, np.nan)
    return cohen_kappa(given, agreed)


def _fingerprint(items: list[str], arrays: list[Any], version: str, rater: str) -> str:
    """The same for the same values of the same items."""
    parts = hashlib.sha256("\0".join([version, rater, *items]).encode())
    for array in arrays:
        parts.update(np.ascontiguousarray(array, np.float64).tobytes())
    return parts.hexdigest()
