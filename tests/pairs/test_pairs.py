"""Two answers side by side: pairs as items, verdicts of their own a and b whatever was shown, and what comes of them."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import openpyxl
import polars as pl
import pytest

import haechi as package
from haechi.data.pair_order import as_shown, shown_order
from haechi.demo import make_duels
from haechi.errors import HaechiError
from haechi.rubrics import parse_rubric
from haechi.store.display_order import read_shown
from haechi.study.study import Study

FORCED = """
id: pick
title: 고르기
about: 둘 중 하나
item: pair
speakers: {user: 사용자, assistant: 모델}
task: 고르세요.
criteria:
  - {key: overall, name: 전체, scale: {type: pairwise, ties: false}}
  - {key: why, name: 이유, scale: {type: text}}
"""


def pair(number, a="x", b="y"):
    return {
        "id": f"p{number}",
        "context": f"항목<p{number}> 비가 왔다.",
        "response_a": f"{a}의 답",
        "response_b": f"{b}의 답",
        "system_a": a,
        "system_b": b,
    }


@pytest.fixture
def study(tmp_path):
    made = Study.new(tmp_path / "duels", "diary-duel")
    rows = [pair(n, *("xy", "yz", "zx")[n % 3]) for n in range(12)]
    made.add({name: [row[name] for row in rows] for name in rows[0]})
    return made


# The rubric


def test_a_scale_that_compares_is_for_pairs_and_pairs_are_for_nothing_else():
    assert parse_rubric(FORCED).points("overall") == (0.0, 1.0)
    with pytest.raises(HaechiError, match="item: pair"):
        parse_rubric(FORCED.replace("item: pair", "item: reply"))
    with pytest.raises(HaechiError, match="pairwise"):
        parse_rubric(FORCED.replace("{type: pairwise, ties: false}", "{type: binary}"))


def test_a_forced_choice_takes_no_tie():
    scale = parse_rubric(FORCED).criteria[0].scale
    assert scale.value_schema() == {"type": "string", "enum": ["a", "b"]}
    assert not scale.takes("tie")
    assert [choice.key for choice in scale.choices(lambda text: text.ko)] == ["←", "→"]


# Items


def test_a_pair_hides_its_systems_and_refuses_what_cannot_be_chosen(tmp_path):
    study = Study.new(tmp_path / "duels", "diary-duel")
    study.add({name: [value] for name, value in pair(1).items()})
    (item,) = study.items()
    assert "system_a" not in item.content
    assert item.meta == {"system_a": "x", "system_b": "y"}
    same = pair(2) | {"response_b": "x의 답"}
    with pytest.raises(HaechiError, match=r"같은 답 둘|the same answer twice"):
        study.add({name: [value] for name, value in same.items()})
    with pytest.raises(HaechiError, match=r"같은 시스템|the same system"):
        study.add({name: [value] for name, value in (pair(3) | {"system_b": "x"}).items()})
    with pytest.raises(HaechiError, match="response_b"):
        study.add({name: [value] for name, value in pair(4).items() if name != "response_b"})


def test_columns_of_judgelm(tmp_path):
    row = {"question_id": 7, "question_body": "비?", "answer1_body": "네", "answer2_body": "아뇨"}
    row |= {"answer1_model_id": "llama", "answer2_model_id": "vicuna", "score": [8, 3]}
    (tmp_path / "judgelm.jsonl").write_text(json.dumps(row), "utf-8")
    study = Study.new(tmp_path / "duels", "diary-duel")
    study.add([tmp_path / "judgelm.jsonl"])
    (item,) = study.items()
    assert item.content == {"context": "비?", "response_a": "네", "response_b": "아뇨"}
    assert (item.meta["system_a"], item.meta["system_b"]) == ("llama", "vicuna")


def test_korean_columns_of_pairs(tmp_path):
    study = Study.new(tmp_path / "duels", "diary-duel")
    study.add(
        {
            "번호": ["1"],
            "일기": ["비"],
            "코멘트A": ["네"],
            "코멘트B": ["아뇨"],
            "모델A": ["가"],
            "모델B": ["나"],
        }
    )
    (item,) = study.items()
    assert item.content == {"context": "비", "response_a": "네", "response_b": "아뇨"}
    assert item.meta == {"system_a": "가", "system_b": "나"}


# The order


def test_the_order_is_drawn_for_every_rater_and_turned_when_asked_again():
    orders = {
        (item, rater): shown_order(item, rater) for item in map(str, range(200)) for rater in ("kim", "lee")
    }
    first = sum(order == "ab" for order in orders.values())
    assert 160 < first < 240
    assert any(orders[item, "kim"] != orders[item, "lee"] for item in map(str, range(200)))
    assert all(shown_order(*key, replicate=2) != order for key, order in orders.items())


def test_an_item_as_shown_has_only_its_answers_swapped(study):
    item = next(study.items())
    shown = as_shown(item, "ba")
    assert (shown.content["response_a"], shown.content["context"]) == (
        item.content["response_b"],
        item.content["context"],
    )
    assert as_shown(shown, "ba") == item


# Votes come in


def test_votes_become_ratings_of_the_pairs_own_sides(study):
    # p0 is x against y: the same vote written both ways round, and a tie
    votes = {
        "item": ["p0", "p0", "p1"],
        "a": ["x", "y", "z"],
        "b": ["y", "x", "y"],
        "winner": ["a", "x", "무승부"],
        "rater": ["kim", "lee", "kim"],
        "order": ["ba", "ab", "ab"],
    }
    done = study.import_votes(votes)
    assert (done.new, done.bare_items) == (3, 0)
    kept = {(row["item"], row["rater"]): row["value"] for row in study.ratings().iter_rows(named=True)}
    assert kept == {("p0", "kim"): "a", ("p0", "lee"): "a", ("p1", "kim"): "tie"}
    with study.database.read() as connection:
        shown = {(item, rater): first for item, rater, _, first in read_shown(connection)}
    # lee saw y first, which is the pair's own b; of p1 (y, z) kim saw z first
    assert shown == {("p0", "kim"): "ba", ("p0", "lee"): "ba", ("p1", "kim"): "ba"}
    assert study.import_votes(votes).unchanged == 3


def test_a_vote_on_a_system_that_is_not_in_the_pair_is_refused(study):
    with pytest.raises(HaechiError, match=r"x, y|x and y"):
        study.import_votes({"item": ["p0"], "a": ["x"], "b": ["z"], "winner": ["x"], "rater": ["kim"]})
    with pytest.raises(HaechiError, match="rater"):
        study.import_votes({"item": ["p0"], "a": ["x"], "b": ["y"], "winner": ["x"]})
    assert study.ratings().is_empty()


def test_an_arena_export_makes_pairs_without_content(haechi, tmp_path, write):
    file = write(
        "arena.csv",
        "question_id,model_a,model_b,winner,judge\n1,p,q,model_a,u1\n1,q,p,model_b,u2\n2,p,q,tie,u1\n",
    )
    folder = tmp_path / "arena"
    assert (
        haechi("new", folder, "--rubric", write("pick.yaml", FORCED.replace(", ties: false", ""))).code == 0
    )
    said = haechi("import", folder, file, "--json")
    assert said.code == 0, said.err
    assert (said.json["new"], said.json["bare_items"]) == (3, 2)
    found = haechi("rank", folder, "--json").json
    assert {one["name"]: one["wins"] for one in found["systems"]} == {"p": 2, "q": 0}
    assert found["position"]["order_known"] is False


def test_the_same_votes_rank_alike_from_a_table_and_from_a_study(tmp_path):
    study = make_duels(tmp_path)
    table = package.rank(str(files("haechi.demo") / "data" / "diary-duel" / "votes.csv"), cluster_by="item")
    stored = package.rank(study.folder, cluster_by="pair")
    for one, other in zip(table.strengths.systems, stored.strengths.systems, strict=True):
        assert one.name == other.name
        assert float(one.strength) == pytest.approx(float(other.strength))
        assert one.strength.details["se"] == pytest.approx(other.strength.details["se"])
    assert table.position == stored.position


def test_a_ranking_names_what_its_errors_are_those_of(tmp_path):
    study = make_duels(tmp_path)
    of_pairs = package.rank(str(files("haechi.demo") / "data" / "diary-duel" / "votes.csv"))
    of_diaries = package.rank(study.folder)
    for found, units in (
        (of_pairs, "36 items: d01/40e441, d01/80dd31 …"),
        (of_diaries, "12 items: d01, d02 …"),
    ):
        said = f"Votes of one item may be alike, so errors are those of items ({units}; --cluster-by none turns it off)."
        assert found.notes[0].say("en") == said


def test_items_of_a_frame_may_have_numbers_for_names():
    rows = {"item": [n for n in range(12) for _ in "ab"], "a": ["x"] * 24, "b": ["y"] * 24}
    found = package.rank(rows | {"winner": ["a", "b", "tie"] * 8})
    assert "(12 items: 0, 1 …;" in found.notes[0].say("en")


def test_votes_of_which_nobody_knows_the_order_leave_it_out_of_the_strengths(study):
    rows = {"item": ["p0", "p3", "p6"], "a": ["x"] * 3, "b": ["y"] * 3, "winner": [*"aba"]}
    study.import_votes(rows | {"rater": ["kim"] * 3, "order": ["ab", "ba", "ab"]})
    assert package.rank(study.folder).position.first_wins.n == 3
    study.import_votes(rows | {"rater": ["lee"] * 3})
    found = package.rank(study.folder)
    assert found.strengths.n == 6
    assert found.position.first_wins.n == 3
    assert found.position.first_wins.value == 1
    assert "position" not in found.strengths.effects
    assert "3 votes" in " ".join(note.en for note in found.notes)


def test_pairs_that_do_not_name_their_systems_have_no_ranking(tmp_path):
    study = Study.new(tmp_path / "duels", "diary-duel")
    study.add({name: [value] for name, value in pair(1).items() if not name.startswith("system")})
    study.import_ratings({"item": ["p1"], "rater": ["kim"], "criterion": ["overall"], "value": ["A"]})
    assert study.ratings()["value"].to_list() == ["a"]
    with pytest.raises(HaechiError, match="system_a"):
        package.rank(study.folder)


# Figures


def test_a_score_is_the_share_of_wins_of_a_system(study):
    votes = {
        "item": ["p0"] * 3,
        "a": ["x"] * 3,
        "b": ["y"] * 3,
        "winner": ["x", "tie", "x"],
        "rater": [*"klm"],
    }
    study.import_votes(votes)
    rows = study.scores().frame.group_by("item").len()
    assert rows["len"].to_list() == [6]
    by_system = {
        row.by["system"]: row.scores["overall"].mean
        for row in study.scores().summary[1:]
        if "system" in row.by
    }
    assert by_system == {"x": pytest.approx(2.5 / 3), "y": pytest.approx(0.5 / 3)}


def test_both_rows_of_a_verdict_say_whose_they_are(duels, haechi):
    scores = package.Study(duels).scores()
    told = [
        (one["item"], one["rater"], one["replicate"], one["meta"]["system"], one["scores"]["overall"])
        for one in haechi("score", duels, "--json").json["items"]
    ]
    assert scores.frame.select("item", "rater", "replicate", "system", "overall").rows() == told
    keys = scores.frame.select("item", "rater", "replicate", "system")
    assert keys.n_unique() == len(scores)


def test_raters_agree_on_verdicts_item_by_item(study):
    verdicts = {"kim": [*"aabb", "tie"], "lee": [*"aabb", "a"]}
    votes = {"item": [], "a": [], "b": [], "winner": [], "rater": []}
    for rater, said in verdicts.items():
        for number, winner in enumerate(said):
            a, b = ("xy", "yz", "zx")[number % 3]
            for name, value in {
                "item": f"p{number}",
                "a": a,
                "b": b,
                "winner": winner,
                "rater": rater,
            }.items():
                votes[name].append(value)
    study.import_votes(votes)
    agreed = package.agree(study.folder).criteria["overall"]
    assert agreed.n_items == 5
    assert float(agreed.percent_agreement) == 0.8
    # Cohen's κ: observed .8, by chance .4 · .6 + .4 · .4 + .2 · 0 = .4
    assert float(agreed.pairs[0].cohen_kappa) == pytest.approx((0.8 - 0.4) / 0.6)


@pytest.fixture(scope="module")
def duels(tmp_path_factory):
    return make_duels(tmp_path_factory.mktemp("duels")).folder


def test_every_command_takes_a_study_of_pairs(haechi, duels, tmp_path):
    found = haechi("rank", duels, "--json").json
    top = found["systems"][0]
    compared = haechi("compare", duels, "--by", "system", "--json")
    assert compared.code == 0, compared.err
    assert set(compared.json["groups"][0]["by"]) == {"system"}
    out = tmp_path / "report"
    assert haechi("report", duels, "-o", out, "--lang", "en").code == 0
    page = (out / "report.md").read_text("utf-8")
    assert f"{top['name']} is first in" in page
    assert "## Ranking" in page
    assert (out / "report.html").read_text("utf-8").count("<svg") >= 3
    said = haechi("check", duels, "--min", f"win_rate.{top['name']}=0.5", "--max", "first_wins=0.5", "--json")
    gates = {gate["score"]: gate["passed"] for gate in said.json["gates"]}
    assert gates == {f"win_rate.{top['name']}": True, "first_wins": False}
    value = {gate["score"]: gate["value"] for gate in said.json["gates"]}
    assert value["first_wins"] == pytest.approx(found["position"]["first_wins"])


def test_the_report_says_of_the_ranking_what_the_command_says(haechi, duels):
    from haechi.analysis.analysis import Analysis
    from haechi.report.build import build_report
    from haechi.text import choose_language

    choose_language("en")
    try:
        report = build_report(Analysis(duels))
    finally:
        choose_language(None)
    assert next(section.key for section in report.sections) == "ranking"
    shown = haechi("rank", duels, "--lang", "en").out
    assert report.findings[0].words.split(".")[0] in shown
    assert not any("0.50" in value for _, value in report.facts)
    # Both answers of a pair win half of the time: that is no score, and nothing is weak by it.
    assert report.answer is not None
    assert "log-odds" in str(report.answer.gauge)
    assert not any(finding.rule == "weakest" for finding in report.findings)


def test_anonymous_people_keep_their_order(haechi, duels):
    from haechi.analysis.analysis import Analysis

    plain, hidden = Analysis(duels).ranking, Analysis(duels, anonymous=True).ranking
    assert hidden.knows_order
    assert hidden.position == plain.position


def test_a_study_that_compares_nothing_says_what_to_do(haechi, demo):
    said = haechi("rank", demo / "diary-comment", "--lang", "en")
    assert said.code == 1
    assert "haechi pairs" in said.err


def test_strengths_adjusted_for_length_count_the_letters_of_the_answers(duels):
    found = package.rank(duels, adjust="length")
    lengths = found.strengths.effects["length"]
    assert lengths.value is not None
    assert math.isfinite(lengths.details["sd"])


def test_forms_hand_out_pairs_and_take_verdicts_back(haechi, duels, tmp_path):
    out = tmp_path / "form.xlsx"
    assert haechi("form", duels, "-o", out, "--rater", "kim", "--lang", "ko").code == 0
    text = str(openpyxl.load_workbook(out)["kim"]["C2"].value)
    assert "코멘트 A" in text
    assert "누리" not in text
    assert not any("누리" in str(cell.value) for row in openpyxl.load_workbook(out)["kim"] for cell in row)
    page = tmp_path / "form.html"
    assert haechi("form", duels, "-o", page).code == 0
    assert "☐ tie" in page.read_text("utf-8")
    assert page.read_text("utf-8").count(": ab</p>") == page.read_text("utf-8").count(": ba</p>") == 18


def test_a_form_draws_its_order_for_every_rater_and_what_it_showed_is_kept(haechi, study, tmp_path):
    out = tmp_path / "form.xlsx"
    haechi("form", study.folder, "-o", out, "--rater", "kim", "--rater", "lee", "--lang", "ko")
    book = openpyxl.load_workbook(out)
    shown = {}
    for name in ("kim", "lee"):
        head = [cell.value for cell in book[name][1]]
        at, verdict = (
            head.index("보인 순서"),
            next(n for n, text in enumerate(head) if text == "더 나은 코멘트"),
        )
        for row in book[name].iter_rows(min_row=2):
            order, text = row[at].value, row[2].value
            # The letters stay with the answers, whichever stands first.
            assert (text.index("코멘트 A") < text.index("코멘트 B")) == (order == "ab")
            assert text.index("코멘트 A") < text.index(f"{study_system(study, row[0].value)}의 답")
            shown[name, row[0].value] = order
            row[verdict].value = "a"
    orders = [[shown[name, f"p{n}"] for n in range(12)] for name in ("kim", "lee")]
    assert orders[0] != orders[1]
    assert all(one.count("ba") == 6 for one in orders)
    book.save(out)
    assert haechi("import", study.folder, out).code == 0
    with study.database.read() as connection:
        assert {(rater, item): first for item, rater, _, first in read_shown(connection)} == shown
    assert set(study.ratings().filter(pl.col("criterion") == "overall")["value"]) == {"a"}
    found = package.rank(study.folder)
    assert found.position.first_wins.value == 0.5  # all said A, which stood first half of the time
    assert not any("Nobody knows" in note.en for note in found.notes)


def study_system(study, item):
    return next(one.meta["system_a"] for one in study.items() if one.id == item)


def test_ratings_of_pairs_keep_their_order_on_every_way_out_and_in(haechi, duels, tmp_path):
    bundle = tmp_path / "duels.haechi"
    assert haechi("bundle", duels, "-o", bundle).code == 0
    assert haechi("replay", bundle).code == 0
    haechi("report", duels, "-o", tmp_path / "report")
    other = Study.new(tmp_path / "other", "diary-duel")
    other.add(
        {
            name: [one.content.get(name, one.meta.get(name, one.id)) for one in Study(duels).items()]
            for name in ("id", "context", "response_a", "response_b", "system_a", "system_b", "base")
        }
    )
    assert haechi("import", other.folder, tmp_path / "report" / "ratings.parquet").code == 0
    found, before = package.rank(other.folder), package.rank(duels)
    assert found.position == before.position
    assert found.contradicting == before.contradicting
    for one, then in zip(found.strengths.systems, before.strengths.systems, strict=True):
        assert one.strength.value == pytest.approx(then.strength.value)


def test_an_order_that_came_wrong_is_corrected_with_its_import(study):
    ratings = {"item": ["p0"], "rater": ["kim"], "criterion": ["overall"], "value": ["a"], "order": ["ab"]}
    study.import_ratings(ratings)
    study.undo()
    study.import_ratings({**ratings, "order": ["ba"]})
    assert study.ratings()["order"].to_list() == ["ba"]
    study.import_ratings({**ratings, "item": ["p1"], "order": [None]})
    study.import_ratings({**ratings, "item": ["p1"], "order": ["ba"]})  # the same verdict, and now its order
    assert study.ratings()["order"].to_list() == ["ba", "ba"]
    with pytest.raises(HaechiError, match="ab"):
        study.import_ratings({**ratings, "item": ["p2"], "order": ["sideways"]})


def test_pairs_go_out_as_preferences(haechi, study, tmp_path):
    votes = {
        "item": ["p0", "p0", "p3"],
        "a": ["x"] * 3,
        "b": ["y"] * 3,
        "winner": ["x", "x", "tie"],
        "rater": [*"klk"],
    }
    study.import_votes(votes)
    said = haechi("export", study.folder, "--as", "trl", "-o", tmp_path / "out", "--json").json
    (line,) = (tmp_path / "out" / "preferences.jsonl").read_text("utf-8").splitlines()
    kept = json.loads(line)
    assert (kept["chosen"][0]["content"], kept["rejected"][0]["content"]) == ("x의 답", "y의 답")
    assert (kept["score_chosen"], kept["items"]) == (1.0, ["p0", "p0"])
    assert said["left_out"] == {"tie": 1, "no score": 10}


def test_a_study_without_verdicts_says_how_to_get_some(haechi, study):
    said = haechi("rank", study.folder, "--lang", "en")
    assert (said.code, "no votes" in said.err) == (1, True)


# Making pairs


def answers(tmp_path, systems="xyz", contexts=6, same=()):
    rows = [
        {
            "id": f"d{n}-{s}",
            "context": f"일기 {n}",
            "response": "같은 말" if (n, s) in same else f"{s}의 {n}번째 답",
            "system": s,
        }
        for n in range(contexts)
        for s in systems
    ]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return file


def test_pairs_are_balanced_over_systems_and_contexts(haechi, tmp_path):
    source, out = answers(tmp_path, contexts=12), tmp_path / "duels"
    said = haechi("pairs", source, "-o", out, "--count", "12", "--json").json
    assert said["added"] == 12
    assert said["contexts"] == 12
    assert said["left"] == 24
    counted = {}
    for one in said["pairs"]:
        key = frozenset((one["a"], one["b"]))
        counted[key] = counted.get(key, 0) + one["n"]
    assert sorted(counted.values()) == [4, 4, 4]
    again = haechi("pairs", source, "-o", out, "--json").json
    assert (again["added"], again["left"]) == (24, 0)
    assert haechi("pairs", source, "-o", out, "--json").json["added"] == 0


def test_the_next_pairs_are_those_that_are_least_known(haechi, tmp_path):
    source, out = answers(tmp_path, contexts=20), tmp_path / "duels"
    haechi("pairs", source, "-o", out, "--count", "3")
    study = Study(out)
    # x and y are compared many times, z only once with each
    votes = [
        (item.meta["base"], "x", "y", "x" if n % 2 else "y")
        for item in study.items()
        for n in range(10)
        if {item.meta["system_a"], item.meta["system_b"]} == {"x", "y"}
    ]
    study.import_votes(
        {
            "item": [v[0] for v in votes],
            "a": [v[1] for v in votes],
            "b": [v[2] for v in votes],
            "winner": [v[3] for v in votes],
            "rater": ["kim"] * len(votes),
        }
        | {"criterion": ["overall"] * len(votes)}
    )
    chosen = haechi("pairs", source, "-o", out, "--count", "4", "--json").json
    assert chosen["votes_so_far"] == 10
    assert all("z" in (one["a"], one["b"]) or one["n"] <= 2 for one in chosen["pairs"])


def test_equal_answers_are_left_out_and_said(haechi, tmp_path):
    source = answers(tmp_path, "xy", 3, same={(0, "x"), (0, "y")})
    said = haechi("pairs", source, "-o", tmp_path / "duels", "--lang", "en")
    assert "2 pairs added" in said.out
    assert "nothing to choose: 1" in said.err
    only = answers(tmp_path, "xy", 1, same={(0, "x"), (0, "y")})
    refused = haechi("pairs", only, "-o", tmp_path / "other", "--lang", "en")
    assert refused.code == 1
    assert "all answers are the same" in refused.err


def test_what_cannot_be_paired_is_said(haechi, tmp_path):
    file = answers(tmp_path, "x", 3)
    said = haechi("pairs", file, "-o", tmp_path / "duels", "--lang", "en")
    assert (said.code, "no context that two systems answered" in said.err) == (1, True)
    said = haechi("pairs", file, "-o", tmp_path / "duels", "--system", "model", "--lang", "en")
    assert "no field model" in said.err
    said = haechi("pairs", answers(tmp_path), "-o", tmp_path / "duels", "--rubric", "ubica", "--lang", "en")
    assert "item: pair" in said.err


@pytest.mark.parametrize("called", ["{n}", "answer-{system}-{context}", "{context}-{system}", "d{n}"])
def test_no_context_is_lost_whatever_ids_look_like(haechi, tmp_path, called):
    rows = [(context, system) for context in range(12) for system in "xyz"]
    file = tmp_path / "answers.jsonl"
    lines = [
        {
            "id": called.format(n=n, context=context, system=system),
            "context": f"일기 {context}",
            "response": f"{system}의 답 {context}",
            "meta": {"system": system},
        }
        for n, (context, system) in enumerate(rows, 1)
    ]
    file.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in lines), "utf-8")
    said = haechi("pairs", file, "-o", tmp_path / "duels", "--json").json
    assert (said["added"], said["contexts"], said["left"]) == (36, 12, 0)
    assert haechi("pairs", file, "-o", tmp_path / "duels", "--json").json["added"] == 0


def test_of_equal_answers_only_their_own_pair_is_left_out(haechi, tmp_path):
    texts = {"x": "네", "y": "네", "z": "아뇨"}
    lines = [
        {"id": f"d1-{system}", "context": "비", "response": text, "meta": {"system": system}}
        for system, text in texts.items()
    ]
    lines.append({"id": "d1-x2", "context": "비", "response": "글쎄", "meta": {"system": "x"}})
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in lines), "utf-8")
    said = haechi("pairs", file, "-o", tmp_path / "duels", "--json").json
    assert (said["added"], said["same_answer"], said["answered_again"]) == (2, 1, 1)
    assert {frozenset((one["a"], one["b"])) for one in said["pairs"]} == {frozenset("xz"), frozenset("yz")}


def test_what_is_answered_at_the_desk_was_shown_in_the_order_of_the_desk(study):
    from haechi.store.display_order import note_shown

    other = "ba" if shown_order("p0", "kim") == "ab" else "ab"
    study.import_ratings(
        {"item": ["p0"], "rater": ["kim"], "criterion": ["overall"], "value": ["a"], "order": [other]}
    )
    with study.database.write() as connection:
        note_shown(connection, [("p0", "kim", 1, shown_order("p0", "kim"))])
        assert read_shown(connection) == [("p0", "kim", 1, other)]  # what was told first holds
        note_shown(connection, [("p0", "kim", 1, shown_order("p0", "kim"))], anew=True)
        assert read_shown(connection) == [("p0", "kim", 1, shown_order("p0", "kim"))]
