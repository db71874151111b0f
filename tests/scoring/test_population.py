"""For whom a mean speaks: these raters, raters like them, people and AI judges."""

import numpy as np
import polars as pl
import pytest
import scipy.stats

import haechi as api
from haechi import stats
from haechi.analysis.analysis import Analysis
from haechi.analysis.range_shares import weakest
from haechi.analysis.response_times import times_over_clusters
from haechi.report.group_findings import group_findings
from haechi.report.sections.groups import group_sections
from haechi.report.words import groups_key
from haechi.scoring.batches import in_memory
from haechi.scoring.clusters import clustered_means
from haechi.scoring.population import POOLED
from haechi.stats.population import EQUAL_CLUSTERS, CrossedSums, clustered_mean, new_raters_interval
from haechi.study.study import Study
from haechi.testing import assert_score


def crossed(items: int, raters: int, seed: int = 1, rater_sd: float = 0.5) -> np.ndarray:
    random = np.random.default_rng(seed)
    both = random.normal(size=(items, 1)) + random.normal(0, rater_sd, (1, raters))
    return 3 + both + random.normal(0, 0.7, (items, raters))


def test_complete_ratings_give_the_mean_squares_of_the_textbook():
    table = crossed(30, 4)
    n, k = table.shape
    rows, columns = table.mean(axis=1), table.mean(axis=0)
    rest = table - rows[:, None] - columns + table.mean()
    items, raters = k * rows.var(ddof=1), n * columns.var(ddof=1)
    error = (rest**2).sum() / ((n - 1) * (k - 1))
    variance = (items + raters - error) / (n * k)
    df = variance**2 / ((items / n / k) ** 2 / (n - 1) + (raters / n / k) ** 2 / (k - 1))
    half = float(scipy.stats.t.ppf(0.975, df)) * variance**0.5
    found = new_raters_interval(CrossedSums.of_table(table))
    assert found == pytest.approx((table.mean() - half, table.mean() + half), rel=1e-9)


def test_many_items_do_not_make_other_raters_certain():
    table = crossed(4_000, 20, rater_sd=0.3)
    (group,) = stats.describe(table.mean(axis=1), ["x"] * 4_000)
    low, high = new_raters_interval(CrossedSums.of_table(table))
    assert high - low > 3 * (group.mean.ci95[1] - group.mean.ci95[0])
    assert low < table.mean() < high


def test_gaps_and_pieces_change_nothing_but_what_is_missing():
    table = crossed(60, 6)
    table[np.random.default_rng(2).random(table.shape) < 0.5] = np.nan
    whole = CrossedSums.of_table(table)
    parts = CrossedSums.of_table(table[:25, :4]) + CrossedSums.of_table(table[25:])
    assert parts.rated.sum() == whole.rated.sum() - (~np.isnan(table[:25, 4:])).sum()
    both = CrossedSums.of_table(table[:25]) + CrossedSums.of_table(table[25:])
    assert new_raters_interval(both) == pytest.approx(new_raters_interval(whole))


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ([[1.0], [2.0]], "at least two raters"),
        ([[1.0, 2.0], [2.0, 4.0]], "at least 3 raters"),
        ([[1.0, None, None], [None, 2.0, None], [None, None, 4.0]], "every item has one rater"),
        ([[None, None, None]], "no rating"),
    ],
)
def test_no_interval_without_raters_who_share_items(table, why):
    assert why in new_raters_interval(CrossedSums.of_table(table)).en


def test_clusters_of_one_are_students_interval():
    values = np.random.default_rng(3).normal(3, 1, 15)
    (group,) = stats.describe(values, ["x"] * 15)
    assert clustered_mean(values, np.ones(15)).ci95 == pytest.approx(group.mean.ci95)
    twice = clustered_mean(2 * values, np.full(15, 2)).ci95
    assert twice == pytest.approx(group.mean.ci95)  # said twice is not known better


def rows(kinds: dict[str, str], items: int, part: int) -> pl.DataFrame:
    random = np.random.default_rng(5)
    return pl.DataFrame(
        [
            (f"d{i}", criterion, rater, kind, int(random.random() < 0.6 + 0.2 * (kind == "ai")))
            for i in range(items)
            for rater, kind in kinds.items()
            if kind == "ai" or i < part
            for criterion in ("sensibleness", "specificity", "sympathy")
        ],
        schema=["item", "criterion", "rater", "kind", "value"],
        orient="row",
    )


def test_people_and_judges_stand_side_by_side(tmp_path, haechi):
    file = tmp_path / "r.csv"
    rows({"kim": "human", "lee": "human", "gpt": "ai", "claude": "ai"}, 40, 10).write_csv(file)
    told = haechi("score", file, "--rubric", "diary-comment", "--json").json["summary"][0]["scores"]["mean3"]
    assert (told["by_kind"]["human"]["n"], told["by_kind"]["ai"]["n"]) == (10, 40)
    table = api.score(file, rubric="diary-comment")
    of = table.populations["mean3"]
    assert told["ci95_new_raters"] == list(of.new_raters)
    assert told["by_kind"]["ai"]["mean_over_items"] == of.by_kind["ai"].mean
    low, high = told["ci95_new_raters"]
    assert 0 <= low < told["mean_over_items"] < high <= 1
    said = haechi("score", file, "--rubric", "diary-comment", "--lang", "en").out
    assert "Means pool people and AI judges." in said
    assert "(10 items), AI judges" in " ".join(said.split())
    assert "For other raters like them the interval of" in said


def test_whoever_compares_means_says_that_they_pool_people_and_judges(demo, haechi):
    study = demo / "maice-qac"

    def notes(*asked):
        return haechi("compare", study, *asked, "--lang", "en", "--json").json["notes"]

    pooled = "Means pool people and AI judges."
    assert pooled in " ".join(haechi("score", study, "--lang", "en").out.split())
    assert pooled in notes("--by", "mode")
    assert pooled not in notes("--by", "mode", "--where", "kind=human")
    assert pooled not in notes("--by", "kind")
    figures = Analysis(Study(study))
    (mode,) = (one for one in group_findings(figures) if one.section == groups_key(("mode",)))
    assert POOLED.say() in mode.words
    (section,) = (one for one in group_sections(figures) if one.key == groups_key(("mode",)))
    assert POOLED.say() in section.parts


def test_one_rater_says_why_there_is_none(tmp_path, haechi):
    file = tmp_path / "r.csv"
    rows({"gpt": "ai"}, 12, 0).write_csv(file)
    told = haechi("score", file, "--rubric", "diary-comment", "--json").json["summary"][0]["scores"]["mean3"]
    assert told["ci95_new_raters"] is None
    assert told["why_no_ci95_new_raters"] == "at least two raters are needed"
    assert "by_kind" not in told


def study_of(haechi, folder, sessions: int = 3, values=(1, 0) * 4, days: str = "") -> None:
    import json

    items = [
        {
            "id": f"s{n}-{k}{days}",
            "context": "c",
            "response": "r",
            "meta": {"student": f"s{n}", "mode": "ab"[k % 2]},
        }
        for n in range(8)
        for k in range(sessions)
    ]
    file = folder.parent / "items.jsonl"
    file.write_text("\n".join(map(json.dumps, items)), "utf-8")
    haechi("new", folder, "--rubric", "diary-comment")
    assert haechi("add", folder, file).code == 0
    rated = [
        (item["id"], criterion, rater, values[number // sessions])
        for number, item in enumerate(items)
        for rater in ("kim", "lee", "park")
        for criterion in ("sensibleness", "specificity", "sympathy")
    ]
    table = pl.DataFrame(rated, schema=["item", "criterion", "rater", "value"], orient="row")
    table.write_csv(folder.parent / "r.csv")
    assert haechi("import", folder, folder.parent / "r.csv", "--as", "ratings").code == 0


def test_sessions_of_one_student_are_a_cluster(tmp_path, haechi):
    study = tmp_path / "study"
    study_of(haechi, study)
    scored = haechi("score", study, "--json").json
    assert scored["cluster_by"] == "student"  # the one field that says whose the items are
    told = scored["summary"][0]["scores"]["mean3"]
    # Every student gave the same three times: eight values, not 24.
    assert told["ci95"] == pytest.approx(clustered_mean([3, 0] * 4, [3] * 8, (0, 1)).ci95)
    off = haechi("score", study, "--cluster-by", "none", "--json").json
    assert "cluster_by" not in off
    plain = off["summary"][0]["scores"]["mean3"]["ci95"]
    assert told["ci95"][0] < plain[0] < plain[1] < told["ci95"][1]
    for lang, words in (
        ("en", "over clusters, the items of one student (--cluster-by none turns it off)."),
        ("ko", "학생 값이 같은 항목을 한 묶음으로 보고 구했습니다 (--cluster-by none으로 끔)."),
    ):
        assert words in " ".join(haechi("score", study, "--lang", lang).out.split())
    assert haechi("score", study, "--cluster-by", "mode", "--json").json["cluster_by"] == "mode"


def test_roles_and_things_of_which_there_is_one_each_are_no_clusters():
    rows = [(f"i{n}", "kim", "ab"[n % 2], f"s{n}", n % 2) for n in range(8)]
    table = pl.DataFrame(rows, schema=["item", "rater", "user", "student", "sympathy"], orient="row")
    assert api.score(table, "diary-comment", by="user,student").cluster is None
    two = table.with_columns(user=pl.Series([*"aabbccdd"]), student=pl.Series([*"wwxxyyzz"]))
    assert api.score(two.drop("student"), "diary-comment").cluster == "user"
    assert api.score(two, "diary-comment").cluster is None  # which of the two is not obvious


def test_the_interval_over_clusters_is_the_one_that_every_surface_shows(tmp_path, haechi):
    study, by = tmp_path / "study", ("--by", "mode", "--json")
    study_of(haechi, study)
    # Of mode a every student has two items, of mode b one.
    ends = list(clustered_mean([3, 0] * 4, [3] * 8, (0, 1)).ci95)
    of_a = list(clustered_mean([2, 0] * 4, [2] * 8, (0, 1)).ci95)
    scored = haechi("score", study, *by).json
    assert scored["cluster_by"] == "student"
    whole, a, _ = (row["scores"]["mean3"] for row in scored["summary"])
    assert whole["ci95"] == pytest.approx(ends)
    assert a["ci95"] == pytest.approx(of_a)
    compared = haechi("compare", study, *by).json
    assert compared["criteria"]["mean3"]["groups"][0]["mean"]["ci95"] == pytest.approx(of_a)
    assert compared["criteria"]["mean3"]["groups"][0]["mean"]["cluster_by"] == "student"
    assert any("one student" in note for note in compared["notes"])
    listed = haechi("check", study, "--list", *by).json
    reported = haechi("report", study, "-o", tmp_path / "out", *by).json["figures"]
    for figures in (listed, reported):
        assert figures["mean3"]["ci95"] == pytest.approx(ends)
        assert figures["mean3"]["cluster_by"] == "student"
        assert figures["mean3@mode=a"]["ci95"] == pytest.approx(of_a)
    low, high = (f"{end:.2f}" for end in ends)
    words = "The intervals of scores are over clusters, the items of one student (--cluster-by none turns it off)."
    for text in (
        haechi("score", study, *by[:-1], "--lang", "en").out,
        haechi("report", study, "-o", tmp_path / "en", *by[:-1], "--lang", "en").code == 0
        and (tmp_path / "en" / "report.md").read_text("utf-8"),
    ):
        assert f"[{low}, {high}]" in text
        assert words in " ".join(text.split())
    with pytest.raises(AssertionError, match="of one student"):
        assert_score(study, "mean3", min_lower=ends[0] + 0.01)
    assert_score(study, "mean3", min_lower=ends[0] - 0.01)
    assert_score(study, "mean3", min_lower=ends[0] + 0.01, cluster_by="none")
    python = api.score(study, by="mode")
    assert list(python.summary[0].scores["mean3"].over_items.ci95) == pytest.approx(ends)
    assert f"[{low}, {high}]" in python._repr_html_()


def test_a_gate_on_an_end_of_the_interval_asks_the_one_over_clusters(tmp_path, haechi):
    study = tmp_path / "study"
    study_of(haechi, study)
    gate = ("check", study, "--min-lower", "mean3=0.25")
    assert haechi(*gate, "--cluster-by", "none").code == 0
    ran = haechi(*gate, "--lang", "en")
    assert ran.code == 1
    assert "The intervals of scores are over clusters, the items of one student" in " ".join(ran.out.split())
    assert "of one student" in haechi(*gate, "--json", "--lang", "en").json["notes"][0]
    own = api.Study(study)
    assert own.check(min_lower={"mean3": 0.25}, cluster_by="none").passed
    assert not own.check(min_lower={"mean3": 0.25}).passed


def test_items_of_nobody_are_clusters_of_their_own(tmp_path):
    rows = [("a1", "kim", "s1", 1), ("a2", "kim", "s1", 1), ("b", "kim", None, 0), ("c", "kim", None, 1)]
    table = pl.DataFrame(rows, schema=["item", "rater", "student", "sympathy"], orient="row")
    found = api.score(table, "diary-comment", cluster_by="student").summary[0].scores["sympathy"]
    assert found.over_items.ci95 == pytest.approx(clustered_mean([2, 0, 1], [2, 1, 1], (0, 1)).ci95)


def test_clusters_can_be_turned_off(tmp_path, haechi):
    study, off = tmp_path / "study", ("--cluster-by", "none", "--json")
    study_of(haechi, study)
    plain = haechi("score", study, *off).json["summary"][0]["scores"]["mean3"]
    listed = haechi("check", study, "--list", *off).json["mean3"]
    assert listed["ci95"] == plain["ci95"]
    assert haechi("check", study, "--no-regression", study, *off).code == 0
    reported = haechi("report", study, "-o", tmp_path / "out", "--by", "mode", *off)
    assert reported.json["figures"]["mean3"]["ci95"] == plain["ci95"]


def test_an_unknown_field_of_clusters_is_refused(tmp_path, haechi):
    study = tmp_path / "study"
    study_of(haechi, study, sessions=1)
    ran = haechi("score", study, "--cluster-by", "pupil", "--lang", "en")
    assert ran.code == 1
    assert "--cluster-by" in ran.err
    assert "student" in ran.err
    assert "cluster_by" not in haechi("score", study, "--json").json  # every student has one item


BEFORE, AFTER = (1, 1, 1, 1, 1, 0, 1, 0), (0, 0, 0, 0, 0, 1, 1, 0)


@pytest.fixture
def two(tmp_path, haechi):
    """Eight students with three sessions each; five of them got worse, in all their sessions, and one better."""
    study_of(haechi, tmp_path / "a", values=BEFORE)
    study_of(haechi, tmp_path / "b", values=AFTER)
    return tmp_path / "a", tmp_path / "b"


def kept_as(haechi, study, folder):
    """A baseline in every form that tells the scores of items."""
    yield study
    (folder / "scores.json").write_text(haechi("score", study, "--json").out, "utf-8")
    yield folder / "scores.json"
    assert haechi("report", study, "-o", folder / "out").code == 0
    yield folder / "out"


def test_a_change_since_a_baseline_counts_students_not_sessions(tmp_path, haechi, two):
    before, after = two
    change = np.subtract(AFTER, BEFORE)
    expected = scipy.stats.ttest_1samp(
        change, 0
    )  # every student has as many sessions: a t test of their means
    plain = scipy.stats.ttest_1samp(np.repeat(change, 3), 0)
    for baseline in kept_as(haechi, before, tmp_path):
        ran = haechi("check", after, "--no-regression", baseline, "--json", "--lang", "en")
        assert ran.code == 0, ran.out  # 5 of 8 students against 1: not more than chance
        gate = {one["score"]: one for one in ran.json["gates"]}["mean3"]
        low, high = expected.confidence_interval()
        assert gate["ci95"] == pytest.approx([low, high])
        off = haechi("check", after, "--no-regression", baseline, "--cluster-by", "none", "--json")
        assert off.code == 1
        gate = {one["score"]: one for one in off.json["gates"]}["mean3"]
        assert gate["ci95"] == pytest.approx(list(plain.confidence_interval()))
    drop = ("check", after, "--baseline", before, "--max-drop", "mean3=0.9")
    assert haechi(*drop).code == 1
    assert haechi(*drop, "--cluster-by", "none").code == 0
    assert not api.Study(after).check(max_drop={"mean3": 0.9}, baseline=before).passed


def test_the_report_of_a_change_counts_students_and_says_so(tmp_path, haechi, two):
    said = haechi("report", *two, "-o", tmp_path / "change", "--lang", "en")
    assert said.code == 0
    text = (tmp_path / "change" / "report.md").read_text("utf-8")
    assert "t over clusters" in text
    assert "the items of one student (--cluster-by none turns it off)" in text
    assert "got worse, from" not in text
    haechi("report", *two, "-o", tmp_path / "off", "--lang", "en", "--cluster-by", "none")
    assert "got worse, from" in (tmp_path / "off" / "report.md").read_text("utf-8")


def test_other_sessions_of_the_same_students_are_compared_over_students(tmp_path, haechi, two):
    study_of(haechi, tmp_path / "c", values=AFTER, days="-may")
    gates = haechi("check", tmp_path / "c", "--no-regression", two[0], "--json").json["gates"]
    found = {one["score"]: one for one in gates}["mean3"]
    # The sessions are others, the students the same: in clusters that both sides share it is the test of their changes.
    expected = scipy.stats.ttest_1samp(np.subtract(AFTER, BEFORE), 0)
    assert found["value"] == pytest.approx(-0.5)
    assert found["ci95"] == pytest.approx(list(expected.confidence_interval()))


def test_a_baseline_of_figures_keeps_the_error_of_clusters(tmp_path, haechi, two):
    study_of(haechi, tmp_path / "c", values=AFTER, days="-may")
    kept = tmp_path / "figures.json"
    kept.write_text(haechi("check", two[0], "--list", "--json").out, "utf-8")
    ran = haechi("check", tmp_path / "c", "--no-regression", kept, "--json", "--lang", "en")
    found = {one["score"]: one for one in ran.json["gates"]}["mean3"]
    expected = scipy.stats.ttest_ind(AFTER, BEFORE, equal_var=False)
    assert found["ci95"] == pytest.approx(list(expected.confidence_interval()))
    kept.write_text(haechi("check", two[0], "--list", "--json", "--cluster-by", "none").out, "utf-8")
    ran = haechi("check", tmp_path / "c", "--no-regression", kept, "--lang", "en")
    assert "does not tell the clusters of student" in " ".join(ran.out.split())


def test_a_student_column_of_a_file_makes_clusters_too(tmp_path, haechi):
    rows = [
        (f"s{n}-{k}", rater, value, f"s{n}", "ab"[k % 2])
        for n, value in enumerate(BEFORE)
        for k in range(4)
        for rater in ("kim", "lee")
    ]
    ends = pytest.approx(clustered_mean([4 * value for value in BEFORE], [4] * 8, (0, 1)).ci95)
    for value in ("sympathy", "value"):
        columns = ["item", "rater", value, "student", "mode"]
        pl.DataFrame(rows, schema=columns, orient="row").write_csv(tmp_path / f"{value}.csv")
    file = tmp_path / "sympathy.csv", "--rubric", "diary-comment"
    scored = haechi("score", *file, "--json").json
    assert scored["cluster_by"] == "student"
    assert scored["summary"][0]["scores"]["sympathy"]["ci95"] == ends
    listed = haechi("check", *file, "--list", "--json").json["sympathy"]
    assert (listed["ci95"], listed["cluster_by"]) == (ends, "student")
    compared = haechi("compare", tmp_path / "value.csv", "--by", "mode", "--json").json
    assert compared["clustered_by"] == {"field": "student", "chosen": "found", "clusters": 8, "alone": 0}
    off = haechi("compare", tmp_path / "value.csv", "--by", "mode", "--cluster-by", "none", "--json").json
    assert off["clustered_by"] is None


def test_a_column_that_differs_within_an_item_is_no_cluster(tmp_path, haechi):
    rows = [(f"i{n}", rater, n % 2, f"{rater}-{n % 3}") for n in range(9) for rater in ("kim", "lee")]
    file = tmp_path / "r.csv"
    pl.DataFrame(rows, schema=["item", "rater", "sympathy", "user"], orient="row").write_csv(file)
    ran = haechi("score", file, "--rubric", "diary-comment", "--json")
    assert ran.code == 0
    assert "cluster_by" not in ran.json


def test_an_item_called_like_a_student_is_of_nobody():
    ratings = {"A1": [1.0, 2.0, 4.0, 3.0], "C1": [2.0, 4.0, 5.0, 5.0]}
    rows = {"item": ["a", "kim", "b", "c"], "student": ["kim", None, "lee", "lee"], "rater": ["x"] * 4}
    named, apart = rows | ratings, rows | ratings | {"item": ["a", "d", "b", "c"]}
    rubric = api.rubric("maice-qac")
    one, other = (
        weakest(in_memory(pl.DataFrame(of)), rubric, [*ratings], "student") for of in (named, apart)
    )
    assert one.above.ci95 == pytest.approx(other.above.ci95)
    times = {"details:seconds": [1.0, 9.0, 4.0, 5.0], "details:tool_class": ["SINGLE"] * 4}
    runs = api.rubric("hiring-agent")
    one, other = (
        times_over_clusters(in_memory(pl.DataFrame(of | times)), runs, "student") for of in (named, apart)
    )
    assert (one[""].details["clusters"], one[""].ci95) == (3, other[""].ci95)


def test_clusters_that_do_not_differ_have_no_interval_whatever_their_sums_are_rounded_to():
    values = [
        ("xyz"[n % 3], float(n % 3 == 0), f"i{n // 3}", ["kim", "lee", "lee", "park", "park", "park"][n // 3])
        for n in range(18)
    ]
    frame = pl.DataFrame(values, ["rater", "sympathy", "item", "student"], orient="row")
    found = clustered_means(in_memory(frame), api.rubric("diary-comment"), ["sympathy"], "student")
    assert found[()]["sympathy"].why_no_ci == EQUAL_CLUSTERS


@pytest.mark.parametrize(("lower", "clear"), [(4, False), (5, True)])
def test_two_sets_of_few_equal_items_may_lie_apart_by_chance(lower, clear):
    items = [*"abcdefghij"[: lower + 5]]
    low, high = [2.0] * lower + [None] * 5, [None] * lower + [4.0] * 5
    rows = {"item": items, "rater": ["x"] * len(items), "A1": low, "C1": high}
    found = weakest(in_memory(pl.DataFrame(rows)), api.rubric("maice-qac"), ["A1", "C1"])
    assert (found.worst, found.above.ci95, found.is_clear) == (("A1",), None, clear)
