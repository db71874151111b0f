"""How often our 95 % intervals hold: samples drawn where the truth is known, in every design that was ever in doubt.

`python -m bench coverage` draws 2,000 samples of every design and writes `docs/statistics/coverage.md`;
`python -m bench coverage 200` draws fewer and prints the table. The slow suite asserts what is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from haechi import stats
from haechi.stats.groups import describe_one
from haechi.stats.population import CrossedSums, clustered_mean, new_raters_interval
from haechi.stats.quantile import InClusters
from haechi.stats.sample import Sample

RUNS = 2_000
SEED = 2026
PAGE = Path(__file__).parents[1] / "docs" / "statistics" / "coverage.md"
MANY = 400_000
POINTS = (1.0, 2.0, 3.0, 4.0, 5.0)

Random = np.random.Generator
Draw = Callable[[Random], stats.Figure]


@dataclass(frozen=True)
class Case:
    """One interval in one design: what draws a sample and gives the figure, and what the figure is an estimate of.

    truth: a number, or what finds it in a very large sample when it is needed.

    lowest, highest: between which the share of intervals that hold must lie, of those that are printed.
    """

    interval: str
    design: str
    draw: Draw
    truth: float | Callable[[], float]
    lowest: float = 0.93
    highest: float = 1.0


@dataclass(frozen=True)
class Coverage:
    """How often an interval was printed, and how often a printed one held; its mean width."""

    case: Case
    runs: int
    printed: int
    held: int
    flat: int
    width: float

    @property
    def share(self) -> float | None:
        """The share of printed intervals that hold; None where none was printed."""
        return self.held / self.printed if self.printed else None

    def is_as_wanted(self) -> bool:
        """Whether the share is as wanted, give or take three standard errors of the simulation; none has no width."""
        if self.share is None:
            return True
        wanted = (self.case.lowest, self.case.highest)
        low, high = (3 * (end * (1 - end) / self.printed) ** 0.5 for end in wanted)
        return wanted[0] - low <= self.share <= wanted[1] + high and self.flat == 0


def simulate(case: Case, runs: int = RUNS, seed: int = SEED) -> Coverage:
    """Draw samples; the same seed gives the same coverage."""
    random = np.random.default_rng([seed, sum(map(ord, case.interval + case.design))])
    truth = case.truth if isinstance(case.truth, float) else case.truth()
    printed = held = flat = 0
    width = 0.0
    for _ in range(runs):
        ends = case.draw(random).ci95
        if ends is None:
            continue
        printed += 1
        held += ends[0] <= truth + 1e-9 and truth - 1e-9 <= ends[1]
        flat += ends[0] == ends[1]
        width += ends[1] - ends[0]
    return Coverage(case, runs, printed, held, flat, width / max(printed, 1))


def likert(random: Random, n: int, raters: int, middle: float = 3.0, noise: float = 0.7) -> np.ndarray:
    """Items of a normal quality that raters see with noise, on a scale of five points."""
    quality = random.normal(size=(n, 1))
    return np.clip(np.rint(middle + quality + random.normal(0, noise, (n, raters))), 1, 5)


def yes_no(random: Random, n: int, raters: int, prevalence: float, kappa: float = 0.7) -> np.ndarray:
    """Raters who see the truth or guess at the rate of its prevalence, so often that κ is as given."""
    truth = random.random((n, 1)) < prevalence
    sees = random.random((n, raters)) < np.sqrt(kappa)
    return np.where(sees, truth, random.random((n, raters)) < prevalence).astype(np.float64)


def _of_raters(
    interval: str,
    compute: Callable[[np.ndarray], stats.Figure],
    designs: Sequence[tuple[str, Callable[..., np.ndarray], tuple]],
) -> Iterator[Case]:
    for words, draw, (n, *rest) in designs:

        def truth(draw=draw, rest=rest) -> float:
            return float(compute(draw(np.random.default_rng(1), MANY, *rest)))

        def sample(random: Random, draw=draw, n=n, rest=rest) -> stats.Figure:
            return compute(draw(random, n, *rest))

        yield Case(interval, f"{words}, {n} × {rest[0]}", sample, truth)


def cases() -> Iterator[Case]:
    """Every interval in every design."""
    yield from _means()
    yield from _populations()
    yield from _slowest()
    yield from _agreement()
    yield from _correlations()
    yield from _runs_and_judges()
    yield from _kept()


def _means() -> Iterator[Case]:
    for n in (3, 5, 6, 8, 12, 20):
        yield Case(
            "group mean",
            f"normal values, n = {n}",
            lambda random, n=n: stats.describe(random.normal(3, 1, n), ["x"] * n)[0].mean,
            3.0,
            highest=0.97,
        )
    for middle, words in ((3.0, "1–5, middle"), (4.5, "1–5, near the top")):
        for n in (3, 5, 6, 8, 12, 20):
            for raters in (1, 3):

                def draw(random: Random, n=n, raters=raters, middle=middle) -> stats.Figure:
                    values = likert(random, n, raters, middle).mean(axis=1)
                    return describe_one("x", Sample.of(values), n, (1, 5)).mean

                def truth(raters=raters, middle=middle) -> float:
                    return float(likert(np.random.default_rng(1), MANY, raters, middle).mean())

                yield Case("group mean", f"{words}, {raters} raters, n = {n}", draw, truth)


def _populations() -> Iterator[Case]:
    """Means for raters like these, and over items that come in clusters."""
    for items, raters, each in ((100, 20, 20), (40, 5, 5), (30, 3, 3), (60, 6, 3), (60, 6, 2)):

        def draw(random: Random, items=items, raters=raters, each=each) -> stats.Figure:
            table = random.normal(size=(items, 1)) + random.normal(0, 0.5, (1, raters))
            table = table + random.normal(0, 0.7, table.shape)
            left_out = np.argsort(random.random(table.shape), axis=1) >= each
            found = new_raters_interval(CrossedSums.of_table(np.where(left_out, np.nan, table)))
            return stats.Figure(0.0, items, None if isinstance(found, stats.Why) else found)

        words = f"{items} items × {raters} raters" + ("" if each == raters else f", {each} each")
        yield Case("mean for new raters", words, draw, 0.0)
    for clusters, most in ((6, 10), (12, 20), (30, 40)):

        def turns(random: Random, clusters=clusters, most=most) -> stats.Figure:
            sizes = random.integers(1, most + 1, clusters)
            own = random.normal(0, 0.5**0.5, clusters)
            sums = [
                (one + random.normal(0, 0.5**0.5, size)).sum() for one, size in zip(own, sizes, strict=True)
            ]
            found = clustered_mean(sums, sizes)
            return stats.Figure(0.0, clusters, found.ci95)

        yield Case("mean over clusters", f"{clusters} clusters of 1 to {most} items", turns, 0.0)


def _slowest() -> Iterator[Case]:
    """Quantiles of response times, of which those of one query are alike."""
    for share, true, designs in (
        (0.5, 0.0, ((10, 5, 0.5), (20, 2, 0.5), (40, 10, 0.5))),
        (0.9, 1.2815515655446004, ((20, 5, 0.3), (60, 3, 0.5), (40, 10, 0.5), (100, 5, 0.8))),
        (0.95, 1.6448536269514722, ((40, 10, 0.5), (100, 5, 0.8))),
    ):
        for queries, runs, alike in designs:

            def draw(random: Random, share=share, queries=queries, runs=runs, alike=alike) -> stats.Figure:
                whose = np.repeat(np.arange(queries), runs)
                own, rest = random.normal(size=queries)[whose], random.normal(size=whose.size)
                values = alike**0.5 * own + (1 - alike) ** 0.5 * rest
                at = float(stats.quantile(values, share))
                return stats.quantile(values, share, InClusters.of(values, whose, at))

            words = f"{queries} queries × {runs} runs, ICC {alike:g}"
            yield Case(f"{100 * share:g} % quantile over clusters", words, draw, true)


def _agreement() -> Iterator[Case]:
    plain = [("1–5", likert, (n, 3)) for n in (10, 15, 20, 30)]
    rare = [
        (f"yes or no, {share:.0%} yes", yes_no, (n, 3, share))
        for share, n in ((0.1, 20), (0.1, 50), (0.3, 20))
    ]
    skewed = [("1–5, near the top", likert, (15, 3, 4.5))]
    two = [("1–5", likert, (n, 2)) for n in (10, 15, 20, 30)]
    alpha_designs = [("1–5", likert, shape) for shape in ((10, 3), (12, 5), (20, 3))]
    poor = [("1–5, noisy", likert, (n, m, 3.0, 2.0)) for n, m in ((10, 3), (12, 5))]
    for level in ("nominal", "ordinal", "interval"):
        yield from _of_raters(
            f"Krippendorff α, {level}",
            lambda x, level=level: stats.krippendorff_alpha(x, level),
            [*alpha_designs, *poor, *skewed, *(rare if level == "nominal" else [])],
        )
    yield from _of_raters("Fleiss κ", stats.fleiss_kappa, [*plain, *rare])
    yield from _of_raters("Gwet AC1", stats.gwet_ac, [*plain, *rare])
    yield from _of_raters("Gwet AC2", lambda x: stats.gwet_ac(x, "quadratic", POINTS), [*plain, *skewed])
    yield from _of_raters("percent agreement", stats.percent_agreement, [*plain, *rare])
    rare_two = [(words, draw, (n, 2, share)) for words, draw, (n, _, share) in rare]
    half = [("yes or no, 50% yes", yes_no, (20, 2, 0.5))]
    yield from _of_raters("Cohen κ", lambda x: stats.cohen_kappa(x[:, 0], x[:, 1]), [*two, *half, *rare_two])
    yield from _of_raters(
        "quadratic κ", lambda x: stats.cohen_kappa(x[:, 0], x[:, 1], "quadratic", POINTS), two
    )


def _correlations() -> Iterator[Case]:
    for name, compute, highest in (
        ("Kendall τ-b", stats.kendall, 0.97),
        ("Spearman ρ", stats.spearman, 1.0),
        ("Pearson r", stats.pearson, 1.0),
    ):
        sizes = (12, 20, 50, 100, 300) if name.startswith("Kendall") else (12, 50)
        found = _of_raters(
            name, lambda x, c=compute: c(x[:, 0], x[:, 1]), [("1–5", likert, (n, 2)) for n in sizes]
        )
        for case in found:
            yield Case(
                case.interval, case.design, case.draw, case.truth, 0.93 if highest < 1 else 0.92, highest
            )


def _runs_and_judges() -> Iterator[Case]:
    for queries, runs, rate, spread in (
        (10, 5, 0.8, 5.0), (10, 3, 0.97, 0.0), (10, 5, 0.97, 0.0), (20, 3, 0.97, 0.0), (20, 5, 0.97, 0.0), (40, 5, 0.8, 5.0),
    ):  # fmt: skip

        def draw(random: Random, queries=queries, runs=runs, rate=rate, spread=spread, k=3) -> stats.Figure:
            own = random.beta(rate * spread, (1 - rate) * spread, (queries, 1)) if spread else rate
            return stats.pass_hat_k((random.random((queries, runs)) < own).astype(float), k)

        def truth(draw=draw) -> float:
            return float(draw(np.random.default_rng(1), queries=MANY))

        words = "queries differ" if spread else "queries alike"
        yield Case("pass^3", f"{queries} queries × {runs} runs, {rate:.0%}, {words}", draw, truth)
    for tuned, sizes in ((False, (5, 10, 20)), (True, (5, 10, 20))):
        for n in sizes:

            def powered(random: Random, n=n, tuned=tuned) -> stats.PredictionPowered:
                quality = random.normal(3, 1, n + 200)
                human = quality + random.normal(0, 0.5, n + 200)
                human[n:] = np.nan
                return stats.prediction_powered_mean(human, quality + random.normal(0.3, 0.7, n + 200), tuned)

            words = "prediction-powered, tuned" if tuned else "prediction-powered"
            yield Case(words, f"{n} people's, 200 the judge's", lambda random, p=powered: p(random).mean, 3.0)
            if not tuned:
                yield Case("people alone", f"n = {n}", lambda random, p=powered: p(random).human_only, 3.0)


def _shared_work() -> Iterator[Case]:
    """ICC where not every rater rated every item; variances of 1 (items), 0.3 (raters) and 0.7."""
    random = np.random.default_rng(SEED)
    often = random.dirichlet(np.full(30, 0.5)) + 0.001
    shared = np.array([random.permutation(np.arange(6) < random.integers(2, 4)) for _ in range(40)])
    crowd = np.zeros((100, 30), dtype=bool)
    for row in crowd:
        row[random.choice(30, 5, replace=False, p=often / often.sum())] = True
    shapes = {
        "40 items, 2 or 3 of 6 raters": (shared, ("ICC(2,1)", "ICC(3,1)")),
        "30 × 3, a fifth missing": (random.random((30, 3)) > 0.2, ("ICC(2,1)",)),
        "100 items, 5 of 30 very unequal raters": (crowd, ("ICC(2,1)",)),
    }
    for design, (rated, forms) in shapes.items():
        for form in forms:

            def draw(random: Random, rated=rated, form=form) -> stats.Figure:
                items, raters = (
                    random.normal(size=(len(rated), 1)),
                    random.normal(0, 0.3**0.5, rated.shape[1]),
                )
                values = items + raters + random.normal(0, 0.7**0.5, rated.shape)
                return stats.icc(np.where(rated, values, np.nan))[form]

            yield Case(f"{form}, incomplete", design, draw, 1 / (1.7 if form == "ICC(3,1)" else 2.0), 0.92)


def _kept() -> Iterator[Case]:
    """Intervals that held before, and go on holding."""
    for form, items, part in (("ICC(2,1)", 20, 0.25), ("ICC(3,1)", 20, 0.0)):

        def rated(random: Random, form=form, items=items, part=part) -> stats.Figure:
            shape = (items, 3)
            raters = random.normal(0, part**0.5, (1, 3))
            return stats.icc(random.normal(size=(items, 1)) + raters + random.normal(0, 0.7, shape))[form]

        yield Case(form, f"{items} × 3", rated, 1 / (1 + part + 0.49), 0.92)
    yield from _shared_work()
    for n in (10, 30):

        def two(random: Random, n=n) -> stats.TwoSamples:
            return stats.two_samples(random.normal(0.5, 1, n), random.normal(0, 1.5, n + 5))

        yield Case(
            "Welch's difference",
            f"n = {n} and {n + 5}",
            lambda random, t=two: t(random).difference,
            0.5,
            0.92,
        )
        yield Case(
            "share (Wilson)",
            f"20 % of {n}",
            lambda random, n=n: stats.wilson(int(random.binomial(n, 0.2)), n),
            0.2,
            0.92,
        )
        yield Case(
            "paired difference",
            f"n = {n}",
            lambda random, n=n: stats.paired(random.normal(0.3, 1, n), np.zeros(n)).difference,
            0.3,
            0.92,
        )


def table(found: Sequence[Coverage]) -> str:
    """The coverage of every case as Markdown."""
    lines = [
        "| interval | design | holds, % | wanted, % | printed, % | mean width |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for one in found:
        case = one.case
        wanted = (
            f"≥ {100 * case.lowest:.0f}"
            if case.highest == 1
            else f"{100 * case.lowest:.0f}–{100 * case.highest:.0f}"
        )
        share = "–" if one.share is None else f"{100 * one.share:.1f}"
        width = f"{one.width:.2f}" if one.printed else "–"
        lines.append(
            f"| {case.interval} | {case.design} | {share} | {wanted} | {100 * one.printed / one.runs:.0f} | {width} |"
        )
    return "\n".join(lines)


TOP = """\
# Do the intervals hold?

[한국어](coverage.ko.md)

A 95 % interval is a promise: of a hundred studies like this one, about 95 have an interval that contains the truth. The
table below keeps us to it. Samples are drawn where the truth is known, the interval is computed by the same functions
that every command uses, and counted is how often it contains the truth. `printed` is how often there was an interval at
all: too few items, too few that differ from the most frequent value, or no spread give none, and the reason stands in
its place (`why_no_ci`).

```python
>>> from haechi import stats
>>> stats.pass_hat_k([[1, 1, 1]] * 20, k=3)  # twenty of twenty are not certain
1.00 [0.84, 1.00]

```

"""
HOW = """
`python -m bench coverage` draws {runs:,} samples of every design (seed {seed}) and writes this page; `make test-slow`
fails when a share is not as wanted, give or take three standard errors of the simulation, or an interval has no width.
"""


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table; with the usual number of samples, write the page."""
    runs = int(arguments[0]) if arguments else RUNS
    found = []
    for case in cases():
        found.append(simulate(case, runs))
        mark = "" if found[-1].is_as_wanted() else "   ← not as wanted"
        print(table(found[-1:]).splitlines()[-1] + mark, flush=True)
    if runs == RUNS:
        PAGE.write_text(TOP + table(found) + "\n" + HOW.format(runs=RUNS, seed=SEED), encoding="utf-8")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
