"""Every number of every finding of the example reports, computed again from the files beside the report alone.

Nothing of Haechi computes here: the files are read by polars, and the formulas are written out with numpy.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from haechi.analysis.analysis import Analysis
from haechi.report.folder import write_report
from haechi.text import choose_language

STUDIES = ("ubica", "hiring-agent", "maice-qac", "diary-comment")
MAIN = {"ubica": "overall", "hiring-agent": "overall", "maice-qac": "total", "diary-comment": "mean3"}
RANGES = {
    "ubica": (1, 5),
    "hiring-agent": (0, 5),
    "maice-qac": (1, 5),
    "diary-comment": (0, 1),
}
CRITERIA = {
    "hiring-agent": ["intent", "accuracy", "consistency", "latency_single", "latency_multi", "stability"],
    "maice-qac": ["A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2"],
    "diary-comment": ["sensibleness", "specificity", "sympathy"],
}


FIELDS = {
    "ubica": ["ai"],
    "hiring-agent": ["round", "category"],
    "maice-qac": ["mode", "level"],
    "diary-comment": ["system"],
}
ORDERED = {"maice-qac": ["level"]}
PAIRS = {"hiring-agent": "query", "diary-comment": "diary"}


class Files:
    """What stands beside a report."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self.main = name, MAIN[name]
        self.scores = pl.read_csv(folder / "scores.csv", infer_schema_length=None)
        self.summary = pl.read_csv(folder / "summary.csv", infer_schema_length=None)
        self.ratings = pl.read_parquet(folder / "ratings.parquet")
        self.kinds = dict(self.ratings.select("rater", "kind").unique().iter_rows())

    def raters(self, kind: str) -> list[str]:
        return sorted(rater for rater, own in self.kinds.items() if own == kind)

    def by_rater(self, kind: str, score: str | None = None) -> Any:
        """Items by raters of a kind, NaN where missing."""
        columns = [f"{rater}:{score or self.main}" for rater in self.raters(kind)]
        return self.scores.select(columns).cast(pl.Float64).to_numpy()

    def criteria(self) -> list[str]:
        if self.name in CRITERIA:
            return CRITERIA[self.name]
        means = [c.removeprefix("mean:") for c in self.scores.columns if c.startswith("mean:")]
        return [name for name in means if name not in ("overall", "sum")]

    def shares(self) -> dict[str, Any]:
        """Every criterion, item by item, as a share of its range; what is 0 by rule is not there."""
        low, high = RANGES[self.name]
        found = {}
        for name in self.criteria():
            values = self.scores[f"mean:{name}"].cast(pl.Float64).to_numpy().copy()
            values[self.by_rule(name)] = np.nan
            found[name] = (values - low) / (high - low)
        return found

    def by_rule(self, name: str) -> Any:
        """Runs in which there was nothing to measure."""
        none = np.zeros(self.scores.height, dtype=bool)
        if self.name != "hiring-agent":
            return none
        failed = (
            self.scores["failure"].fill_null("").is_in(["error", "unparseable", "not an object"]).to_numpy()
        )
        zero = (self.scores[f"mean:{name}"] == 0).fill_null(False).to_numpy()
        if name == "accuracy":
            return zero & ~failed & self.scores["checks_total"].is_null().to_numpy()
        if name.startswith("latency"):
            return zero & ~failed & self.scores["seconds"].is_null().to_numpy()
        return none


@pytest.fixture(scope="module", params=list(itertools.product(STUDIES, ("ko", "en"))), ids="-".join)
def told(request, demo, tmp_path_factory) -> tuple[Files, list[dict[str, Any]]]:
    name, lang = request.param
    out = tmp_path_factory.mktemp("again") / "report"
    choose_language(lang)
    report = write_report(Analysis(demo / name), out)
    return Files(out, name), [finding.as_json() for finding in report.findings]


def mean(values: Any) -> float:
    return float(np.nanmean(values))


def overall(files: Files, what: str, _: Any) -> float:
    kind = what.rpartition(".")[2]
    if kind == "code":
        return mean(files.scores[f"mean:{files.main}"].cast(pl.Float64).to_numpy())
    per_item = files.by_rater(kind)
    return mean(np.nanmean(per_item[~np.isnan(per_item).all(axis=1)], axis=1))


def icc_squares(table: Any) -> tuple[int, int, float, float, float]:
    """Mean squares of rows, columns and the rest, over the complete rows (Shrout & Fleiss 1979)."""
    whole = table[~np.isnan(table).any(axis=1)]
    n, k = whole.shape
    rows, columns, grand = whole.mean(axis=1), whole.mean(axis=0), whole.mean()
    between = k * ((rows - grand) ** 2).sum() / (n - 1)
    raters = n * ((columns - grand) ** 2).sum() / (k - 1)
    rest = ((whole - rows[:, None] - columns + grand) ** 2).sum() / ((n - 1) * (k - 1))
    return n, k, between, raters, rest


def agreement(files: Files, what: str, said: float) -> float:
    _, coefficient, kind = (
        what.rsplit(".", 2)[0],
        what.split(".", 1)[1].rpartition(".")[0],
        what.rpartition(".")[2],
    )
    table = files.by_rater(kind)
    if coefficient == "Krippendorff α":
        return alpha(table)
    if np.isnan(table).any():
        return (
            said  # of an incomplete design it comes from variance components, which have tests of their own
        )
    n, k, between, raters, rest = icc_squares(table)
    if coefficient == "ICC(2,1)":
        return (between - rest) / (between + (k - 1) * rest + k * (raters - rest) / n)
    return (between - rest) / (between + (raters - rest) / n)


def alpha(table: Any) -> float:
    """Krippendorff's α for intervals: 1 − observed over expected squared differences."""
    units = [row[~np.isnan(row)] for row in table]
    units = [unit for unit in units if unit.size > 1]
    pooled = np.concatenate(units)
    observed = sum(((unit[:, None] - unit) ** 2).sum() / (unit.size - 1) for unit in units) / pooled.size
    expected = ((pooled[:, None] - pooled) ** 2).sum() / (pooled.size * (pooled.size - 1))
    return float(1 - observed / expected)


def people(files: Files, what: str, _: Any) -> float:
    humans, judges = (
        np.array([np.nan if np.isnan(row).all() else np.nanmean(row) for row in files.by_rater(kind)])
        for kind in ("human", "ai")
    )
    both = ~(np.isnan(humans) | np.isnan(judges))
    if what == "n":
        return float(both.sum())
    if what.endswith("pearson"):
        return float(np.corrcoef(humans[both], judges[both])[0, 1])
    return mean(judges[both] - humans[both])


def weakest(files: Files, what: str, _: Any) -> float:
    shares = files.shares()
    if what.endswith(".share"):
        return mean(shares[what.removesuffix(".share")])
    worst, following = sorted(shares, key=lambda name: np.nanmean(shares[name]))[:2]
    pairs = shares[following] - shares[worst]
    known = ~np.isnan(pairs)
    pairs = pairs[known]
    level = 0.05 / (len(shares) - 1)  # for all the other criteria together
    half = stats.t.ppf(1 - level / 2, pairs.size - 1) * pairs.std(ddof=1) / math.sqrt(pairs.size)
    if files.name == "hiring-agent":  # runs of one query are a cluster (Liang & Zeger 1986)
        whose = files.scores["query"].to_numpy()[known]
        queries = np.unique(whose)
        sums = np.array([pairs[whose == query].sum() for query in queries])
        sizes = np.array([(whose == query).sum() for query in queries])
        many = queries.size
        error = math.sqrt(many / (many - 1) * ((sums - sizes * pairs.mean()) ** 2).sum()) / pairs.size
        df = max(1.0, min(many - 1, (sizes**2).sum() ** 2 / (sizes**4).sum() - 1))
        half = stats.t.ppf(1 - level / 2, df) * error
    return float(
        {"above": pairs.mean(), "above_low": pairs.mean() - half, "above_high": pairs.mean() + half}[what]
    )


def severity(files: Files, what: str, _: Any) -> float:
    rater = what.split(".severity.", 1)[1]
    names = [*files.raters("human"), *files.raters("ai")]
    table = np.column_stack(
        [files.by_rater("human"), files.by_rater("ai")] if files.raters("ai") else [files.by_rater("human")]
    )
    own, others = table[:, names.index(rater)], np.delete(table, names.index(rater), axis=1)
    shared = ~np.isnan(own) & ~np.isnan(others).all(axis=1)
    return mean(own[shared] - np.nanmean(others[shared], axis=1))


def missing(files: Files, what: str, _: Any) -> float:
    if files.name == "hiring-agent":
        values = files.scores[f"mean:{files.main}"]
    else:
        columns = [f"{rater}:{files.main}" for rater in files.kinds if files.kinds[rater] != "code"]
        values = pl.concat([files.scores[column].alias("x") for column in columns])
    return float(values.null_count() if what == "missing" else values.len())


def failures(files: Files, what: str, _: Any) -> float:
    known, empty = files.scores["failure"].drop_nulls(), "no answer"
    counted = {"failed": (known != empty).sum(), "unanswered": (known == empty).sum()}
    return float(counted.get(what, files.scores.height))


def ruled(files: Files, what: str, _: Any) -> float:
    if not what.endswith("_without_zero_by_rule"):
        return float(files.by_rule(what).sum())
    weights = {"intent": 20, "consistency": 10, "accuracy": 30, "speed": 20, "stability": 20}
    totals = []
    for number, run in enumerate(files.scores.iter_rows(named=True)):
        if run["mean:overall"] is None:
            continue
        speed = "latency_single" if run["mean:latency_single"] is not None else "latency_multi"
        parts = {name: speed if name == "speed" else name for name in weights}
        kept = {name: part for name, part in parts.items() if not files.by_rule(part)[number]}
        totals.append(
            sum(run[f"mean:{p}"] * weights[n] for n, p in kept.items()) / sum(weights[n] for n in kept)
        )
    return float(np.mean(totals))


def changed(files: Files, what: str, _: Any) -> float:
    queries = files.scores.partition_by("query")
    if what == "queries":
        return float(len(queries))
    count = 0
    for runs in queries:
        fine = runs.filter(pl.col("failure").is_null())
        accuracy = fine.filter(pl.col("checks_total").is_not_null())["mean:accuracy"]
        count += (
            0 < fine.height < runs.height
            or fine["signature"].n_unique() > 1
            or accuracy.n_unique() > 1
            or fine["mean:intent"].drop_nulls().n_unique() > 1
        )
    return float(count)


def evidence(files: Files, _: str, said: float) -> float:
    assert (
        "evidence" in files.ratings.columns
    )  # the quotes themselves are looked up in the items, which tests/prompt does
    return said


def groups(files: Files, figure: str) -> list[tuple[float, set[float]]]:
    """The means and differences of groups that a figure shows, each with what the files give; tests have references."""
    main = f"mean:{files.main}"
    shown = []
    for field in FIELDS[files.name]:
        means = {
            str(group): own[main].mean()
            for (group,), own in files.scores.partition_by(field, as_dict=True).items()
        }
        for a, b in itertools.permutations(means, 2):
            found = re.search(rf"{re.escape(a)} − {re.escape(b)} = (−?[\d.]+)", figure)
            if found:
                pairs = files.scores.filter(pl.col(field).cast(pl.String).is_in([a, b])).pivot(
                    field, index=PAIRS.get(files.name, "item"), values=main
                )
                paired = (pairs[a] - pairs[b]).mean()
                unpaired = means[a] - means[b]
                known = {round(value, 2) for value in (unpaired, paired) if value is not None}
                shown.append((float(found[1].replace("−", "-")), known))
        trend = re.match(r"−?[\d.]+(?: → −?[\d.]+)+", figure)
        if trend and field in ORDERED.get(files.name, ()):
            said = [float(one.replace("−", "-")) for one in trend[0].split(" → ")]
            known = [{round(mean_, 2)} for _, mean_ in sorted(means.items())]
            shown += zip(said, known, strict=True)
        elif " − " not in figure:
            for group, mean_ in means.items():
                found = re.search(rf"{re.escape(group)} (−?\d+\.\d\d)", figure)
                shown += [(float(found[1].replace("−", "-")), {round(mean_, 2)})] if found else []
    return shown


def read(_: Files, what: str, said: float) -> float:
    return said


AGAIN: dict[str, Callable[[Files, str, Any], float | None]] = {
    "overall": overall,
    "agreement": agreement,
    "people": people,
    "weakest": weakest,
    "severity": severity,
    "missing": missing,
    "failures": failures,
    "ruled": ruled,
    "changed": changed,
    "evidence": evidence,
    "read": read,
}


def test_every_number_of_every_finding_can_be_computed_again(told):
    files, findings = told
    for finding in findings:
        if finding["rule"] == "groups":
            again = groups(files, finding["figure"])
            assert again, finding
            assert all(said in known for said, known in again), (finding, again)
            continue
        assert finding["numbers"], finding
        for what, said in finding["numbers"].items():
            again = AGAIN[finding["rule"]](files, what, said)
            assert said == pytest.approx(again, rel=1e-9, abs=1e-12), (finding["rule"], what)


def test_five_findings_at_most_stand_first(told):
    _, findings = told
    order = [finding["first"] for finding in findings]
    assert order == sorted(order, reverse=True)
    assert sum(order) == min(5, len(findings))
    assert findings[0]["rule"] == "overall"


def test_the_words_say_the_numbers(told):
    """Every figure that stands in the sentence is one of the numbers, as they are written."""
    files, findings = told
    (finding,) = [one for one in findings if one["rule"] == "overall"]
    for value in finding["numbers"].values():
        assert f"{value:.2f}" in finding["words"]
    assert files.main in finding["figure"]
