"""How the scores of agent runs came about: who decided checks, where labels come from, and the halves of consistency."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import polars as pl

from haechi.frozen import frozen
from haechi.scoring.open_lines import DECIDED
from haechi.scoring.runs.failures import answered, failed
from haechi.scoring.runs.labels import NONE, ONE, SEVERAL
from haechi.scoring.runs.signature import EMPTY
from haechi.text import Text

_NAMES = ("failure", "checks_total", "checks_open", "label_by", "ratio_a", "ratio_b", "signature")


@frozen
class RunCounts:
    """Checks by who decided them, labels by how they came about, and the mean shares of both halves of consistency."""

    by_code: int
    by_raters: int
    open: int
    labels: dict[str, int]
    ratio_a: float | None
    ratio_b: float | None
    repeated: int
    without_data: int = 0

    def as_json(self) -> dict[str, Any]:
        """As the first row of a summary has it."""
        total = self.by_code + self.by_raters + self.open
        checks = {"total": total, "by_code": self.by_code, "by_raters": self.by_raters, "open": self.open}
        halves = {
            "ratio_a": self.ratio_a,
            "ratio_b": self.ratio_b,
            "n": self.repeated,
            "without_data": self.without_data,
        }
        return {"checks": checks, "labels": self.labels, "halves": halves}

    @property
    def guessed(self) -> int:
        """How many labels the table of words guessed."""
        return sum(self.labels.get(how, 0) for how in (ONE, SEVERAL, NONE))

    @property
    def about_checks(self) -> Text | None:
        """Who decides the checks; None where code decides them all."""
        if not self.by_raters and not self.open:
            return None
        total = self.by_code + self.by_raters + self.open
        ko, en = [f"{self.by_code:,}개는 코드가 확인"], [f"{self.by_code:,} of {total:,} checks by code"]
        ko += [f"{self.by_raters:,}개는 평가자가 확인"] if self.by_raters else []
        en += [f"{self.by_raters:,} by raters"] if self.by_raters else []
        ko += [f"{self.open:,}개는 미정"] if self.open else []
        en += [f"{self.open:,} open"] if self.open else []
        more = Text(
            " 통과한 비율은 정해진 체크만으로 셉니다. 미정인 줄은 haechi checks --open으로 봅니다.",
            " The share that passed is of the decided ones; haechi checks --open lists the others.",
        )
        rest = more if self.open else Text("", "")
        return Text(f"체크 {total:,}개 중 {', '.join(ko)}.{rest.ko}", f"{', '.join(en)}.{rest.say('en')}")

    @property
    def about_labels(self) -> Text | None:
        """How certain the labels are that consistency rests on; None where none is guessed, or nothing was repeated."""
        if not self.guessed or not self.repeated:
            return None
        one, several, none = (self.labels.get(how, 0) for how in (ONE, SEVERAL, NONE))
        known = sum(self.labels.values()) - self.guessed
        return Text(
            f"의도 라벨 {known + self.guessed:,}개 중 {self.guessed:,}개는 낱말로 추정한 것입니다(한 라벨의 낱말만 {one:,}, 여러 라벨의 낱말 {several:,}, "
            f"맞는 낱말 없음 {none:,}). 일관성의 절반(ratio_a)이 라벨에 달려 있습니다.",
            f"{self.guessed:,} of {known + self.guessed:,} intent labels are guessed from words (words of one label {one:,}, of several "
            f"{several:,}, no word {none:,}); half of consistency (ratio_a) rests on them.",
        )

    @property
    def about_halves(self) -> Text | None:
        """The two halves of consistency; None where no query was run twice."""
        if self.ratio_a is None or self.ratio_b is None:
            return None
        a, b, rest = f"{self.ratio_a:.2f}", f"{self.ratio_b:.2f}", self._about_nothing
        return Text(
            f"일관성의 두 절반: 의도 라벨의 일치율 ratio_a {a}, 화면 데이터의 일치율 ratio_b {b} (되풀이한 실행 {self.repeated:,}건의 평균).{rest.ko}",
            f"The halves of consistency: labels alike ratio_a {a}, data alike ratio_b {b} (means over {self.repeated:,} repeated runs).{rest.say('en')}",
        )

    @property
    def _about_nothing(self) -> Text:
        """That data which are not there are alike by rule, not by what the agent did."""
        if not self.without_data:
            return Text("", "")
        n = f"{self.without_data:,}"
        return Text(
            f" 그중 {n}건은 성공했지만 화면 데이터(dataUIList)가 없습니다. 데이터가 없는 실행끼리는 규칙에 따라 같다고 세므로, 이런 실행의 ratio_b는 하는 일이 한결같다는 "
            "뜻이 아닙니다. 도구 호출이 한결같은지는 기대 결과의 문장(예: search_jobs 도구를 호출하는가)으로 확인합니다.",
            f" {n} of them succeeded without data (dataUIList): runs without any count as alike by rule, so their ratio_b does not say that the agent does the same "
            "each time. Whether its calls of tools stay the same is for sentences of the expectation to ask (search_jobs is called).",
        )


def run_counts(batches: Callable[[Sequence[str]], Iterable[pl.DataFrame]], decided: bool) -> RunCounts:
    """Count every run once; `decided`: whether there are lines that raters decided. Failed runs need no checks.

    >>> runs = {"item": ["a", "b"], "details:failure": [None, "error"], "details:checks_total": [3.0, None]}
    >>> runs |= {"details:checks_open": [1, None], "details:label_by": ["words", "failure"]}
    >>> runs |= {"details:ratio_a": [0.5, 0.5], "details:ratio_b": [1.0, 1.0], "details:signature": ["EMPTY", "EMPTY"]}
    >>> found = run_counts(lambda columns: [pl.DataFrame(runs).select(columns)], decided=False)
    >>> found.about_checks.say("en").partition(".")[0], found.labels, found.ratio_a
    ('3 of 4 checks by code, 1 open', {'words': 1, 'failure': 1}, 0.5)
    """
    columns = [f"details:{name}" for name in (*_NAMES, *([DECIDED] if decided else []))]
    labels, sums = Counter[str](), defaultdict[str, float](float)
    for frame in batches(["item", *columns]):
        runs = frame.unique("item", keep="first", maintain_order=True)
        for how, n in runs.group_by("details:label_by", maintain_order=True).len().iter_rows():
            labels[how] += n
        repeated = runs.drop_nulls(["details:ratio_a", "details:ratio_b"])
        sums["repeated"] += repeated.height
        with_answer = repeated.filter(answered())
        sums["without_data"] += int((with_answer["details:signature"] == EMPTY).sum())
        for name in ("ratio_a", "ratio_b"):
            sums[name] += float(repeated[f"details:{name}"].sum())
        checked = runs.filter(~failed())
        for name in ("checks_total", "checks_open", *([DECIDED] if decided else [])):
            sums[name] += float(checked[f"details:{name}"].sum())
    n = int(sums["repeated"])
    return RunCounts(
        by_code=round(sums["checks_total"] - sums[DECIDED]),
        by_raters=int(sums[DECIDED]),
        open=int(sums["checks_open"]),
        labels=dict(labels),
        ratio_a=sums["ratio_a"] / n if n else None,
        ratio_b=sums["ratio_b"] / n if n else None,
        repeated=n,
        without_data=int(sums["without_data"]),
    )
