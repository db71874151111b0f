"""`haechi agree` on published tables, on studies and on broken files."""

from __future__ import annotations

import math
import unicodedata

import polars as pl
import pytest

from haechi.study.study import Study
from terminals import printed

# Shrout & Fleiss 1979, Table 2: six targets, four judges.
SHROUT_FLEISS = "item,j1,j2,j3,j4\n1,9,2,5,8\n2,6,1,3,2\n3,8,4,6,8\n4,7,1,2,6\n5,10,5,6,9\n6,6,2,4,7\n"

# Krippendorff 2011: four observers, twelve units, empty where an observer did not rate.
KRIPPENDORFF = """unit,A,B,C,D
1,1,1,,1
2,2,2,3,2
3,3,3,3,3
4,3,3,3,3
5,2,2,2,2
6,1,2,3,4
7,4,4,4,4
8,1,1,2,1
9,2,2,2,2
10,,5,5,5
11,,,1,1
12,,,3,
"""


def long(wide: str) -> str:
    """The same table as one row per rating."""
    header, *rows = [line.split(",") for line in wide.strip().splitlines()]
    cells = [(row[0], rater, value) for row in rows for rater, value in zip(header[1:], row[1:], strict=True)]
    return "item,rater,value\n" + "".join(f"{i},{r},{v}\n" for i, r, v in cells if v)


@pytest.mark.parametrize("form", ["wide", "long"])
def test_shrout_and_fleiss(haechi, write, form):
    text = SHROUT_FLEISS if form == "wide" else long(SHROUT_FLEISS)
    ran = haechi("agree", write("r.csv", text), *(["--wide"] if form == "wide" else []), "--json")
    found = ran.json["criteria"]["overall"]
    assert (ran.code, ran.err) == (0, "")
    assert (found["n_items"], found["n_raters"], found["n_complete"], found["n_ratings"]) == (6, 4, 6, 24)
    published = {"1,1": 0.17, "2,1": 0.29, "3,1": 0.71, "1,k": 0.44, "2,k": 0.62, "3,k": 0.91}
    assert {name[4:-1]: round(icc["value"], 2) for name, icc in found["icc"].items()} == published
    assert [round(end, 4) for end in found["icc"]["ICC(2,1)"]["ci95"]] == [0.0188, 0.7611]
    assert len(found["pairs"]) == 6
    assert {
        "a",
        "b",
        "n",
        "pearson",
        "spearman",
        "kendall",
        "cohen_kappa",
        "weighted_kappa",
        "mean_difference",
    } <= set(found["pairs"][0])


@pytest.mark.parametrize(
    ("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorff_with_missing_cells(haechi, write, level, alpha):
    ran = haechi("agree", write("k.csv", KRIPPENDORFF), "--wide", "--level", level, "--json")
    found = ran.json["criteria"]["overall"]
    assert round(found["krippendorff_alpha"]["value"], 3) == alpha
    assert found["level"] == level
    # 41 ratings, of which unit 12 has a single one: 11 units can be paired; units 2 to 9 have all four observers.
    assert (found["n_items"], found["n_complete"], found["n_ratings"]) == (12, 8, 41)
    assert found["krippendorff_alpha"]["n"] == 11


def test_fleiss_kappa_of_labels(haechi, write):
    """Fleiss 1971: κ = .430; the diagnoses are words, so the level is nominal without being told."""
    counts = [
        (0, 0, 0, 6, 0), (0, 3, 0, 0, 3), (0, 1, 4, 0, 1), (0, 0, 0, 0, 6), (0, 3, 0, 3, 0), (2, 0, 4, 0, 0),
        (0, 0, 4, 0, 2), (2, 0, 3, 1, 0), (2, 0, 0, 4, 0), (0, 0, 0, 0, 6), (1, 0, 0, 5, 0), (1, 1, 0, 4, 0),
        (0, 3, 3, 0, 0), (1, 0, 0, 5, 0), (0, 2, 0, 3, 1), (0, 0, 5, 0, 1), (3, 0, 0, 1, 2), (5, 1, 0, 0, 0),
        (0, 2, 0, 4, 0), (1, 0, 2, 0, 3), (0, 0, 0, 0, 6), (0, 1, 0, 5, 0), (0, 2, 0, 1, 3), (2, 0, 0, 4, 0),
        (1, 0, 0, 4, 1), (0, 5, 0, 1, 0), (4, 0, 0, 0, 2), (0, 2, 0, 4, 0), (1, 0, 5, 0, 0), (0, 0, 0, 0, 6),
    ]  # fmt: skip
    names = ("depression", "personality", "schizophrenia", "neurosis", "other")
    rows = [[name for name, k in zip(names, row, strict=True) for _ in range(k)] for row in counts]
    text = "patient,p1,p2,p3,p4,p5,p6\n" + "".join(f"{i},{','.join(row)}\n" for i, row in enumerate(rows))
    found = haechi("agree", write("f.csv", text), "--wide", "--json").json["criteria"]["overall"]
    assert round(found["fleiss_kappa"]["value"], 3) == 0.430
    assert found["level"] == "nominal"
    assert found["labels"] == sorted(names)
    assert found["icc"]["ICC(2,1)"] == {
        "value": None,
        "why": "not permitted for nominal ratings: the values are names, not amounts",
        "n": 30,
    }


def test_parquet_text_and_numbers_agree(haechi, write, tmp_path):
    """The lazy reader of numbers, the reader of text and CSV give the same figures."""
    csv = write("r.csv", "criterion," + long(SHROUT_FLEISS).replace("\n", "\nx,").removesuffix("x,"))
    frame = pl.read_csv(csv)
    frame.with_columns(pl.col("value").cast(pl.Float64)).write_parquet(tmp_path / "numbers.parquet")
    frame.with_columns(pl.format("s{}", "item").alias("item")).write_parquet(tmp_path / "names.parquet")
    frame.with_columns(pl.all().cast(pl.String)).write_parquet(tmp_path / "text.parquet")
    expected = haechi("agree", csv, "--json").json
    for name in ("numbers", "names", "text"):
        found = haechi("agree", tmp_path / f"{name}.parquet", "--json").json
        assert rounded(found["criteria"]) == rounded(expected["criteria"])
        assert [one["spread"] for one in found["reading_list"]] == [
            one["spread"] for one in expected["reading_list"]
        ]


def rounded(thing):
    """Sums in another order of items differ in the last digits."""
    if isinstance(thing, dict):
        return {key: rounded(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [rounded(value) for value in thing]
    return round(thing, 10) if isinstance(thing, float) else thing


def test_declared_scale_points_change_ac2_only(haechi, write):
    """{1,2,5} of a scale 1-5: q enters Gwet's expected agreement, so AC2 needs the declared points."""
    path = write("r.csv", "item,rater,value\na,x,1\na,y,2\nb,x,5\nb,y,5\nc,x,2\nc,y,2\n")
    free = haechi("agree", path, "--json").json["criteria"]["overall"]
    told = haechi("agree", path, "--scale", "1-5", "--json").json["criteria"]["overall"]
    assert free["gwet_ac"]["value"] != told["gwet_ac"]["value"]
    assert free["krippendorff_alpha"]["value"] == told["krippendorff_alpha"]["value"]
    ran = haechi("agree", path, "--scale", "1-4", "--json")
    assert ran.code == 1
    assert ran.json["error"][0]["found"] == "5"
    assert haechi("agree", path, "--scale", "five").code == 2


def test_a_study_has_three_blocks(haechi, demo):
    said = haechi("agree", demo / "maice-qac", "--json").json
    names = ["A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "A", "B", "C", "total"]
    assert list(said["criteria"]) == names
    assert said["criteria"]["total"]["n_raters"] == 5
    assert said["human_human"]["criteria"]["total"]["raters"] == ["teacher-1", "teacher-2"]
    assert said["ai_ai"]["criteria"]["total"]["n_raters"] == 3
    panel = said["human_ai"]["criteria"]["total"]
    assert [judge["rater"] for judge in panel["judges"]] == said["ai_ai"]["criteria"]["total"]["raters"]
    assert panel["n"] == 12
    assert -1 <= panel["pearson"]["value"] <= 1
    tests = said["alt_test"]["criteria"]["total"]
    assert {test["rater"] for test in tests} == {judge["rater"] for judge in panel["judges"]}
    assert "caution" in said["alt_test"]
    # Every session has both human and AI ratings, so there is nothing to predict: it is the mean of the people.
    total = said["prediction_powered"]["criteria"]["total"]
    assert total["mean"]["value"] == total["human_only"]["value"]
    assert [one["rater"] for one in said["raters"]] == [*panel_names(panel), "teacher-1", "teacher-2"]
    assert said["seed"] == 2026


def test_of_pairs_nothing_is_said_of_what_people_would_have_given(haechi, tmp_path):
    """One system wins what the other loses: over both it is a half, whoever rates."""
    study = Study.new(tmp_path / "duels", "diary-duel")
    for rater, kind, winner in (("kim", "human", "x"), ("gpt", "ai", "y")):
        rows = {
            "item": [f"d{n}" for n in range(12)],
            "a": ["x"] * 12,
            "b": ["y"] * 12,
            "winner": [winner] * 12,
        }
        study.import_votes(rows, rater, kind)
    assert "human_part" not in haechi("score", study.folder, "--json").json["summary"][0]
    found = haechi("agree", study.folder, "--json").json["prediction_powered"]["criteria"]["overall"]["mean"]
    assert found["value"] is None
    assert "in pairs" in found["why"]


def test_of_a_table_nobody_knows_how_the_rated_part_was_chosen(haechi, tmp_path):
    rows = [("item,rater,kind,value")]
    rows += [f"i{i},gpt,ai,{1 + i % 5}" for i in range(30)] + [
        f"i{i},kim,human,{1 + i % 4}" for i in range(10)
    ]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(rows), "utf-8")
    found = haechi("--lang", "en", "agree", path, "--json").json["prediction_powered"]["criteria"]["overall"]
    assert found["mean"]["value"] is None
    assert "how" in found["mean"]["why"]
    assert (found["n_human"], found["n_judge"]) == (10, 20)


def panel_names(panel):
    return [judge["rater"] for judge in panel["judges"]]


def test_human_ai_is_the_mean_against_the_mean(haechi, demo):
    """Computed again from `haechi score`: mean total of the judges minus mean total of the teachers."""
    items = haechi("score", demo / "maice-qac", "--json").json["items"]
    sums: dict[tuple[str, str], list[float]] = {}
    for entry in items:
        if entry["scores"]["total"] is not None:
            sums.setdefault((entry["item"], entry["kind"]), []).append(entry["scores"]["total"])
    mean = {key: sum(values) / len(values) for key, values in sums.items()}
    differences = [mean[item, "ai"] - mean[item, "human"] for item in {item for item, _ in mean}]
    found = haechi("agree", demo / "maice-qac", "--json").json["human_ai"]["criteria"]["total"]
    assert found["mean_difference"]["value"] == pytest.approx(sum(differences) / len(differences))


def test_elements_and_levels_come_from_the_rubric(haechi, demo):
    said = haechi("agree", demo / "maice-qac", "--elements", "--json").json["criteria"]
    assert said["A1_math_expertise.concept_accuracy"]["level"] == "nominal"
    assert len(said) == 12 + 32
    ubica = haechi("agree", demo / "ubica", "--json").json["criteria"]
    assert ubica["sum"]["level"] == "interval"
    diary = haechi("agree", demo / "diary-comment", "--json").json["criteria"]
    assert (diary["sympathy"]["level"], diary["ssa"]["level"]) == ("nominal", "interval")
    assert (
        haechi("agree", demo / "ubica", "--level", "nominal", "--json").json["criteria"]["sum"]["level"]
        == "nominal"
    )


def test_a_study_without_judges_says_so(haechi, demo):
    said = haechi("agree", demo / "diary-comment", "--json").json
    assert said["ai_ai"]["criteria"]["ssa"]["krippendorff_alpha"]["value"] is None
    assert said["human_ai"]["criteria"]["ssa"]["pearson"]["why"]
    assert said["human_ai"]["criteria"]["ssa"]["judges"] == []


def test_a_study_that_only_code_rated_is_refused(haechi, demo):
    ran = haechi("agree", demo / "hiring-agent", "--json")
    assert ran.code == 1
    assert ran.json["error"][0]["found"] == "no ratings by people or AI judges"


def test_a_table_with_a_rubric_scores_first(haechi, write):
    rows = "".join(
        f"d{i},{criterion},r{r},{(i + r * (criterion == 'sympathy')) % 2}\n"
        for i in range(6)
        for criterion in ("sensibleness", "specificity", "sympathy")
        for r in range(2)
    )
    path = write("r.csv", "item,criterion,rater,value\n" + rows)
    said = haechi("agree", path, "--rubric", "diary-comment", "--json").json["criteria"]
    assert said["ssa"]["percent_agreement"]["value"] == 1.0  # the raters differ on sympathy only
    assert said["sympathy"]["percent_agreement"]["value"] == 0.0


def test_replicates_agreement_uses_the_first_and_consistency_all(haechi, write):
    rows = ["item,rater,replicate,value"]
    rows += [f"s{i},model,1,{i}" for i in range(5)] + [f"s{i},model,2,{i + (i == 0)}" for i in range(5)]
    rows += [f"s{i},ann,1,{i}" for i in range(5)]
    said = haechi("agree", write("r.csv", "\n".join(rows) + "\n"), "--json").json
    assert said["criteria"]["overall"]["percent_agreement"]["value"] == 1.0
    model = next(one for one in said["raters"] if one["rater"] == "model")
    assert model["criteria"]["overall"]["self_consistency"]["agreement"]["value"] == 0.8  # four of five
    assert any("first replicate" in note for note in said["notes"])


def test_judges_stand_against_people_with_the_means_that_score_prints(haechi, write, tmp_path):
    """A judge that was asked three times has the mean of the three in both; it had the first of them here."""
    values = {
        ("ann", "human"): [[0, 1, 1, 0, 1]],
        ("gpt", "ai"): [[0, 0, 1, 0, 1], [1, 1, 1, 0, 1], [1, 1, 1, 1, 1]],
    }
    rows = [
        f"d{item},ssa,{rater},{kind},{number},{value}"
        for (rater, kind), given in values.items()
        for number, replicate in enumerate(given, 1)
        for item, value in enumerate(replicate)
    ]
    ratings = write("r.csv", "item,criterion,rater,kind,replicate,value\n" + "\n".join(rows) + "\n")
    said = haechi("agree", ratings, "--rubric", "diary-comment", "--json").json["human_ai"]["criteria"]["ssa"]
    means = haechi("score", ratings, "--rubric", "diary-comment", "--json").json["summary"][0]["scores"][
        "ssa"
    ]["by_kind"]
    # people 3/5; gpt 2/3, 2/3, 1, 1/3, 1: 11/15
    assert means["ai"]["mean_over_items"] == pytest.approx(11 / 15)
    difference = means["ai"]["mean_over_items"] - means["human"]["mean_over_items"]
    assert said["mean_difference"]["value"] == pytest.approx(difference) == pytest.approx(2 / 15)
    assert said["judges"][0]["mean_difference"]["value"] == pytest.approx(2 / 15)


def test_kinds_in_a_table_make_the_blocks(haechi, write):
    rows = "".join(f"s{i},ann,human,{i}\ns{i},bo,human,{i}\ns{i},gpt,ai,{i + 1}\n" for i in range(5))
    said = haechi("agree", write("r.csv", "item,rater,kind,value\n" + rows), "--json").json
    assert said["human_ai"]["criteria"]["overall"]["mean_difference"]["value"] == 1.0
    assert said["alt_test"]["criteria"]["overall"][0]["replaces"] is None


BROKEN = {
    "twice": ("item,rater,value\na,x,1\na,x,2\n", [], "r.csv:3"),
    "no rater column": ("item,value\na,1\n", [], "the file has item, value"),
    "text at interval level": ("item,rater,value\na,x,1\na,y,four\n", ["--level", "interval"], "'four'"),
    "a slip among numbers": ("item,rater,value\na,x,1\na,y,4점\n", [], "'4점'"),
    "not a number": ("item,rater,value\na,x,1\na,y,NaN\n", [], "'NaN'"),
    "empty": ("", [], "an empty file"),
    "header only": ("item,rater,value\n", [], "no records"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_tables_are_refused_in_words(haechi, write, case):
    text, options, said = BROKEN[case]
    ran = haechi("agree", write("r.csv", text), *options, "--json")
    assert ran.code == 1
    assert ran.json["error"]
    assert said in ran.err
    assert "next:" in ran.err


def test_duplicates_in_a_large_table_are_named_by_row(haechi, tmp_path):
    frame = pl.DataFrame({"item": ["a", "b", "a"], "rater": ["x", "x", "x"], "value": [1.0, 2.0, 1.0]})
    frame.write_parquet(tmp_path / "r.parquet")
    ran = haechi("agree", tmp_path / "r.parquet", "--json")
    assert ran.code == 1
    assert ran.json["error"][0]["at"] == "r.parquet, row 3"
    frame.with_columns(rater=pl.Series(["x", None, "y"])).write_parquet(tmp_path / "n.parquet")
    assert (
        haechi("agree", tmp_path / "n.parquet", "--json").json["error"][0]["at"] == "n.parquet, row 2, rater"
    )
    frame.with_columns(value=pl.Series([1.0, math.inf, 2.0])).write_parquet(tmp_path / "i.parquet")
    assert (
        haechi("agree", tmp_path / "i.parquet", "--json").json["error"][0]["at"] == "i.parquet, row 2, value"
    )


UNDEFINED = {
    "one rater": ("item,rater,value\na,x,1\nb,x,2\n", "at least two raters are needed"),
    "all identical": (
        "item,rater,value\na,x,3\na,y,3\nb,x,3\nb,y,3\n",
        "all ratings are the same value: there is no variance to explain",
    ),
    "nobody shares an item": ("item,rater,value\na,x,3\nb,y,3\n", "no item was rated by two or more raters"),
}


@pytest.mark.parametrize("case", UNDEFINED)
def test_undefined_is_null_with_a_reason(haechi, write, case):
    text, why = UNDEFINED[case]
    ran = haechi("agree", write("r.csv", text), "--json")
    assert ran.code == 0
    assert "NaN" not in ran.out
    alpha = ran.json["criteria"]["overall"]["krippendorff_alpha"]
    assert alpha["value"] is None
    assert alpha["why"] == why
    assert haechi("agree", write("r.csv", text)).code == 0  # the tables say it too


def test_pairs_that_a_table_leaves_out_are_counted(haechi, write):
    header = "item," + ",".join("abcdefg")
    rows = "\n".join(f"i{i}," + ",".join(str((i * k + k) % 5 + 1) for k in range(7)) for i in range(12))
    path = write("w.csv", f"{header}\n{rows}\n")
    assert "1줄은 --json에 있습니다" in haechi("agree", path, "--wide", "--lang", "ko").out
    assert len(haechi("agree", path, "--wide", "--json").json["criteria"]["overall"]["pairs"]) == 21


def test_too_few_items_are_put_in_no_words(haechi, write):
    values = [(1, 2, 2), (5, 5, 4), (3, 3, 2), (3, 4, 5), (4, 4, 4), (1, 2, 2)]
    rows = "\n".join(f"i{i},{a},{b},{c}" for i, (a, b, c) in enumerate(values))
    said = haechi("agree", write("w.csv", f"item,a,b,c\n{rows}\n"), "--wide", "--lang", "en").out
    assert "moderate to excellent (Koo & Li 2016)" in said or "good to excellent (Koo & Li 2016)" in said
    assert "too few items for an interval: at least 10 are needed, there are 6" in said
    assert "Landis & Koch" not in said


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("study", ["maice-qac", "ubica", "diary-comment"])
def test_tables_fit_a_hundred_columns(demo, monkeypatch, lang, study):
    from haechi.analysis.analysis import Analysis
    from haechi.cli.agree_tables import agree_tables

    monkeypatch.setenv("HAECHI_LANG", lang)
    lines = printed(agree_tables(Analysis(demo / study).agree()), 100)
    assert max(map(columns_of, lines)) <= 100
    assert not any("…" in line for line in lines)


def columns_of(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line.rstrip())


def test_both_languages(haechi, demo):
    korean = haechi("agree", demo / "maice-qac", "--lang", "ko")
    assert "판단할 수 없습니다: 항목을 30개 이상" in korean.out
    assert "대신할 수 없습니다" not in korean.out
    assert "사람끼리" in korean.out
    assert "난수 시드 2026" in korean.err
    english = haechi("agree", demo / "maice-qac", "--lang", "en")
    assert "cannot be decided: at least 3 people" in english.out
    assert "replace people" not in english.out
    assert "Koo & Li 2016" in english.out


def test_the_same_seed_gives_the_same_interval(haechi, write):
    """Of more than a thousand different items α is resampled."""
    rows = [f"i{i},{i % 7 + i / 2000},{i % 7 + (i * 13 % 40) / 10}" for i in range(1_100)]
    path = write("r.csv", "\n".join(["item,a,b", *rows]))
    ends = [
        haechi("agree", path, "--wide", "--seed", seed, "--json").json["criteria"]["overall"][
            "krippendorff_alpha"
        ]["ci95"]
        for seed in (1, 1, 2)
    ]
    assert ends[0] == ends[1] != ends[2]


def test_spreadsheets_of_korean_labels(haechi, write, tmp_path):
    """The same labels as CP949 text, as JSON lines and as a workbook."""
    import openpyxl

    rows = [
        ("항목", "교사1", "교사2"),
        ("s1", "좋음", "좋음"),
        ("s2", "나쁨", "좋음"),
        ("s3", "나쁨", "나쁨"),
    ]
    text = "".join(",".join(row) + "\n" for row in rows)
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "r.xlsx")
    lines = "".join(
        f'{{"항목": "{item}", "평가자": "{rater}", "점수": "{value}"}}\n'
        for item, *values in rows[1:]
        for rater, value in zip(rows[0][1:], values, strict=True)
    )
    said = [
        haechi("agree", write("r.csv", text.encode("cp949")), "--wide", "--json").json,
        haechi("agree", tmp_path / "r.xlsx", "--wide", "--json").json,
        haechi("agree", write("r.jsonl", lines), "--json").json,
    ]
    for one in said:
        found = one["criteria"]["overall"]
        assert found["labels"] == ["나쁨", "좋음"]
        # Two of three agree; by chance they would agree on 1/3·2/3 + 2/3·1/3 = 4/9.
        assert found["percent_agreement"]["value"] == pytest.approx(2 / 3)
        assert found["pairs"][0]["cohen_kappa"]["value"] == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))
        assert one["reading_list"][0]["values"] == {"교사1": "나쁨", "교사2": "좋음"}
