"""Tests that count clusters: several contrasts at once, McNemar's; what they say, and how often they say it of nothing."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats

from haechi import stats
from haechi.stats.clusters import Clustered, _wishart
from haechi.stats.interaction import _differences, interaction_of_clusters
from haechi.stats.mcnemar import mcnemar, mcnemar_of_clusters
from haechi.stats.sample import Sample


def counted(cluster, group, values, shape):
    n, total = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    np.add.at(n, (cluster, group), 1)
    np.add.at(total, (cluster, group), values)
    return Clustered(n, total)


def test_one_value_of_every_cluster_in_every_group_is_hotelling():
    values = np.random.default_rng(1).normal(size=(9, 3))
    found = Clustered(np.ones((9, 3), dtype=np.int64), values).omnibus()
    apart = values[:, :2] - values[:, 1:]
    mean, covariance = apart.mean(axis=0), np.cov(apart.T)
    t2 = 9 * mean @ np.linalg.solve(covariance, mean)
    f = t2 * (9 - 2) / (2 * (9 - 1))
    assert found.statistic == pytest.approx(f)
    assert found.df == pytest.approx((2, 7))
    assert found.p == pytest.approx(scipy.stats.f.sf(f, 2, 7))


def test_degrees_of_freedom_by_the_definition():
    """Tipton & Pustejovsky's η from the variances of all entries of the estimated variance, cluster by cluster."""
    random = np.random.default_rng(2)
    cells, contrasts = random.integers(0, 4, (7, 4)).astype(float), _differences(2, 2)
    contrasts = np.vstack([contrasts, [1.0, 0.0, -1.0, 0.0]])
    sizes, q = cells.sum(axis=0), 2
    # Every value is one error; the matrices that make the scores of a cluster of all errors.
    whose = [(c, g) for c in range(7) for g in range(4) for _ in range(int(cells[c, g]))]
    made = np.zeros((7, q, len(whose)))
    for c in range(7):
        for g in range(4):
            own = np.array([float(one == (c, g)) for one in whose])
            mean = np.array([float(one[1] == g) for one in whose]) / sizes[g]
            score = (own - cells[c, g] * mean) / sizes[g] / np.sqrt(1 - cells[c, g] / sizes[g])
            made[c] += np.outer(contrasts[:, g], score)
    expected = sum(one @ one.T for one in made)
    half = np.linalg.inv(np.linalg.cholesky(expected))
    made = np.array([half @ one for one in made])
    total = 0.0
    for c, d in itertools.product(range(7), repeat=2):
        together = made[c] @ made[d].T
        total += sum(
            together[s, s] * together[t, t] + together[s, t] * together[t, s]
            for s in range(q)
            for t in range(q)
        )
    assert _wishart(cells, contrasts) == pytest.approx(q * (q + 1) / total)


def test_of_one_contrast_it_is_the_contrast():
    random = np.random.default_rng(3)
    own = counted(random.integers(0, 8, 60), random.integers(0, 4, 60), random.normal(size=60), (8, 4))
    weights = (1.0, -1.0, -1.0, 1.0)
    _, tested = own.contrast(weights)
    found = own.wald(np.array([weights]), "cluster_f")
    assert (found.statistic, found.df[1], found.p) == pytest.approx(
        (tested.statistic**2, tested.df[0], tested.p)
    )
    assert interaction_of_clusters(own, 2, 2).clustered.p == pytest.approx(tested.p)


@pytest.mark.parametrize(("clusters", "rows", "columns"), [(12, 2, 3), (20, 3, 4)])
def test_interaction_says_it_of_nothing_in_a_twentieth(clusters, rows, columns):
    """Clusters that differ, also in what the cells mean to them; 14 % of 20 clusters were called an interaction by F with clusters − 1."""
    random, hits = np.random.default_rng(4), 0
    for _ in range(500):
        cluster = np.repeat(np.arange(clusters), 12)
        group = random.integers(0, rows * columns, cluster.size)
        own = random.normal(0, 0.7, clusters)[cluster]
        own = own + random.normal(0, 0.4, (clusters, rows * columns))[cluster, group]
        values = own + random.normal(size=cluster.size)
        found = counted(cluster, group, values, (clusters, rows * columns))
        hits += interaction_of_clusters(found, rows, columns).clustered.p < 0.05
    assert hits / 500 <= 0.08


def test_an_interaction_that_is_there_is_found():
    random = np.random.default_rng(5)
    cluster, group = np.repeat(np.arange(20), 12), np.tile(np.arange(4), 60)
    values = random.normal(0, 0.7, 20)[cluster] + random.normal(size=240) + 1.5 * (group == 3)
    found = interaction_of_clusters(counted(cluster, group, values, (20, 4)), 2, 2)
    assert found.clustered.p < 0.001
    assert found.difference.ci95[0] < 1.5 < found.difference.ci95[1]


def test_mcnemar_of_clusters_of_one_item():
    for b, c in ((9, 2), (5, 5), (1, 0), (12, 3)):
        plain = mcnemar(20, b, c, 5)
        found = mcnemar_of_clusters(plain, Sample.of([1] * b + [-1] * c + [0] * 25))
        assert (found.exact.p, found.mid_p.p) == pytest.approx((plain.exact.p, plain.mid_p.p))


def test_mcnemar_of_clusters_is_all_patterns_of_signs():
    changes = np.array([3, -1, 2, 2, -2, 1, 4, 0])
    sums = np.array([signs @ changes for signs in itertools.product((-1, 1), repeat=8)])
    found = mcnemar_of_clusters(mcnemar(10, 12, 3, 4), Sample.of(changes))
    seen = abs(changes.sum())
    assert found.exact.p == pytest.approx((np.abs(sums) >= seen).mean())
    assert found.mid_p.p == pytest.approx(
        (np.abs(sums) > seen).mean() / 2 + (np.abs(sums) >= seen).mean() / 2
    )
    assert found.odds_ratio.value == 4
    assert "independent" in found.odds_ratio.why_no_ci.en


def test_mcnemar_of_very_many_clusters_is_normal(monkeypatch):
    changes = Sample.of(np.random.default_rng(6).integers(-3, 4, 400) + (np.arange(400) % 5 == 0))
    plain = mcnemar(300, 500, 300, 300)
    mid = mcnemar_of_clusters(plain, changes).mid_p.p
    monkeypatch.setitem(mcnemar_of_clusters.__globals__, "_MOST_STEPS", 0)
    # Obuchowski's statistic as Yang, Sun & Hardin simplify it: (Σ d)² / Σ d², χ² with one degree of freedom
    d = np.repeat(changes.values, changes.count)
    expected = scipy.stats.chi2.sf(d.sum() ** 2 / (d @ d), 1)
    assert mcnemar_of_clusters(plain, changes).exact.p == pytest.approx(expected)
    assert mid == pytest.approx(expected, rel=0.1)


def test_mcnemar_says_it_of_nothing_in_a_twentieth():
    """Two systems alike; students differ in whom they prefer: items as independent find a difference far too often."""
    random = np.random.default_rng(7)
    by_clusters = alone = 0
    for _ in range(400):
        leaning = random.normal(0, 1.5, 15)
        changed = random.random((15, 8)) < 0.5
        first = random.random((15, 8)) < 1 / (1 + np.exp(-leaning[:, None]))
        b, c = int((changed & first).sum()), int((changed & ~first).sum())
        plain = mcnemar(30, b, c, 30)
        net = (changed & first).sum(axis=1) - (changed & ~first).sum(axis=1)
        by_clusters += mcnemar_of_clusters(plain, Sample.of(net)).exact.p < 0.05
        alone += plain.exact.p < 0.05
    assert by_clusters / 400 <= 0.075
    assert alone / 400 > 0.1


def test_public_result_has_its_clusters():
    found = stats.same_items(
        [[1, 0], [1, 0], [0, 1], [1, 1]], binary=True, changes={(0, 1): Sample.of([2, -1, 0])}
    )
    assert found.pairs[0].mcnemar.as_json()["clusters"] == 2
