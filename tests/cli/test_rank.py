"""`haechi rank`: tables of votes as people have them, and what is said of them."""

import json
import math

import polars as pl
import pytest

import haechi
from haechi.cli.start import main
from haechi.data.votes import read_votes
from haechi.errors import HaechiError


def votes(tmp_path, text, name="votes.csv"):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return file


def told(capsys, *arguments):
    assert main(["rank", *map(str, arguments), "--json", "--lang", "en"]) == 0
    return json.loads(capsys.readouterr().out)


# Agresti's baseball of two teams only: 25 games, Boston 18, Baltimore 7 would do; here small numbers by hand.
PLAIN = "item,a,b,winner\n" + "".join(
    f"q{n},x,y,{winner}\n" for n, winner in enumerate(["a"] * 6 + ["b"] * 2 + ["tie"] * 2)
)


def test_the_contract_of_the_json(tmp_path, capsys):
    found = told(capsys, votes(tmp_path, PLAIN))
    assert found["reference"] == "x"
    assert found["scale"] == "log-odds"
    by_name = {system["name"]: system for system in found["systems"]}
    assert by_name["x"]["strength"] == 0
    # Of two systems Davidson's model fits the shares exactly: log(2 / 6), ν = 2 / √(6 · 2).
    assert by_name["y"]["strength"] == pytest.approx(math.log(2 / 6))
    assert found["ties"]["n"] == 2
    assert found["ties"]["parameter"] == pytest.approx(2 / math.sqrt(12))
    assert by_name["x"]["win_rate"] == pytest.approx(0.7)
    assert by_name["y"]["n"] == 10
    assert (found["separable"], found["why"]) == (True, None)
    low, high = by_name["y"]["ci95"]
    assert low < by_name["y"]["strength"] < high
    assert found["position"]["first_wins"] == pytest.approx(6 / 8)
    assert found["position"]["swapped_pairs"] == 0
    assert found["position"]["same_verdict"] is None


def test_a_winner_by_name_by_side_and_in_korean(tmp_path, capsys):
    korean = "항목번호,시스템A,시스템B,승자,평가자\n1,가람,누리,가람,김\n2,누리,가람,왼쪽,김\n3,가람,누리,무승부,이\n4,가람,누리,B,이\n"
    found = told(capsys, votes(tmp_path, korean))
    by_name = {system["name"]: system for system in found["systems"]}
    assert (by_name["가람"]["wins"], by_name["가람"]["losses"], by_name["가람"]["ties"]) == (1, 2, 1)


def test_an_arena_export(tmp_path, capsys):
    rows = [("model_a", 3), ("model_b", 2), ("tie", 1), ("tie (bothbad)", 1)]
    text = "question_id,model_a,model_b,winner,judge,turn\n" + "".join(
        f"{number}{n},gpt,claude,{winner},user{n},1\n"
        for number, (winner, times) in enumerate(rows)
        for n in range(times)
    )
    found = told(capsys, votes(tmp_path, text))
    assert found["ties"]["n"] == 2
    assert {system["name"]: system["wins"] for system in found["systems"]} == {"gpt": 3, "claude": 2}


def test_a_judges_log_of_both_orders(tmp_path, capsys):
    games = [
        ("model_1", "model_1"),
        ("model_1", "model_2"),
        ("tie", "tie"),
        ("model_2", "model_2"),
        ("error", "model_1"),
    ]
    lines = [
        json.dumps(
            {
                "question_id": n,
                "model_1": "p",
                "model_2": "q",
                "g1_winner": one,
                "g2_winner": two,
                "judge": ["gpt-4", "pair-v2"],
            }
        )
        for n, (one, two) in enumerate(games)
    ]
    found = told(capsys, votes(tmp_path, "\n".join(lines), "judge.jsonl"))
    assert found["position"]["order_known"] is True
    assert found["position"]["swapped_pairs"] == 4
    assert found["position"]["same_verdict"] == pytest.approx(3 / 4)
    assert found["position"]["contradicting"] == [{"item": "1", "a": "p", "b": "q", "rater": "gpt-4 pair-v2"}]
    # decided votes: p p | p q | q q | p; of these the first shown won the first, the third and the fifth
    assert found["position"]["first_wins"] == pytest.approx(4 / 7)
    assert found["without_verdict"] == 1
    assert found["n"] == 9


def test_the_order_enters_the_strengths_where_it_is_known():
    frame = {
        "item": list(range(40)),
        "a": ["x"] * 40,
        "b": ["y"] * 40,
        "winner": (["a"] * 16 + ["b"] * 4) + (["a"] * 8 + ["b"] * 12),
        "order": ["ab"] * 20 + ["ba"] * 20,
    }
    found = haechi.rank(frame, reference="y")
    effect = found.strengths.effects["position"]
    # logit(.8) = λ + δ, logit(.4) = λ − δ
    assert float(found.strengths.systems[0].strength) == pytest.approx((math.log(4) + math.log(2 / 3)) / 2)
    assert float(effect) == pytest.approx((math.log(4) - math.log(2 / 3)) / 2)


def test_groups_conditions_and_files(tmp_path, capsys):
    text = "item,a,b,winner,rater,lang,length_a,length_b\n" + "".join(
        f"q{n},x,y,{'a' if n % 3 else 'b'},{'kim' if n % 2 else 'lee'},{'ko' if n % 5 else 'en'},{n},{40 - n}\n"
        for n in range(40)
    )
    file = votes(tmp_path, text)
    found = told(
        capsys, file, "--by", "lang", "--where", "rater=kim", "--adjust", "length", "--reference", "y"
    )
    assert [group["by"] for group in found["groups_by"]] == [{"lang": "en"}, {"lang": "ko"}]
    assert found["n"] == 20
    assert found["adjusted"]["length"]["value"] is not None
    out = tmp_path / "ranking.csv"
    assert main(["rank", str(file), "-o", str(out)]) == 0
    capsys.readouterr()
    assert pl.read_csv(out)["name"].to_list() == ["x", "y"]


def test_words_say_how_sure_they_are(tmp_path, capsys):
    assert main(["rank", str(votes(tmp_path, PLAIN)), "--lang", "en"]) == 0
    shown = capsys.readouterr()
    assert "x is first in 9" in shown.out
    assert "may be first: y" in shown.out
    assert main(["rank", str(votes(tmp_path, PLAIN)), "--lang", "ko"]) == 0
    assert "1위일 수 있는 다른 시스템: y" in capsys.readouterr().out


def test_a_system_that_never_wins(tmp_path, capsys):
    rows = ["a", "a", "b", "b"], ["a", "a", "a", "a"]
    text = (
        "item,a,b,winner\n"
        + "".join(f"1{n},x,y,{w}\n" for n, w in enumerate(rows[0]))
        + "".join(f"2{n},x,z,{w}\n" for n, w in enumerate(rows[1]))
    )
    found = told(capsys, votes(tmp_path, text))
    by_name = {system["name"]: system for system in found["systems"]}
    assert (by_name["z"]["strength"], found["separable"]) == (None, False)
    assert "never won" in found["why"]
    assert by_name["y"]["strength"] == pytest.approx(0)
    assert main(["rank", str(tmp_path / "votes.csv"), "--lang", "ko"]) == 0
    assert "강도를 정할 수 없는 시스템: z" in capsys.readouterr().out


def test_groups_that_never_meet(tmp_path, capsys):
    text = "item,a,b,winner\n1,p,q,a\n2,p,q,b\n3,r,s,a\n4,r,s,b\n"
    found = told(capsys, votes(tmp_path, text))
    assert "never met" in found["why"]
    assert found["connected"] == [["p", "q"], ["r", "s"]]


@pytest.mark.parametrize(
    ("row", "at", "words"),
    [
        ("q9,x,y,z", "votes.csv:12, winner", "none of the two"),
        ("q9,x,x,a", "votes.csv:12, b", "the same system twice"),
        ("q9,x,,a", "votes.csv:12, b", "an empty cell"),
    ],
)
def test_a_bad_vote_is_named_by_its_place(tmp_path, capsys, row, at, words):
    assert main(["rank", str(votes(tmp_path, PLAIN + row + "\n")), "--json", "--lang", "en"]) == 1
    problem = json.loads(capsys.readouterr().out)["error"][0]
    assert problem["at"] == at
    assert words in problem["found"]


def test_a_bad_vote_has_the_same_place_in_a_file_of_any_size(tmp_path, monkeypatch):
    """A line break in a cell ends a line of the file, and no row."""
    noted = "item,note,a,b,winner\n" + 'q1,"two\nlines",x,y,a\n' * 3 + "q9,,x,y,z\n"
    file = votes(tmp_path, noted)
    found = []
    for least in (200_000, 1):
        monkeypatch.setattr("haechi.data.delimited.LEAST", least)
        with pytest.raises(HaechiError) as refused:
            read_votes(file)
        found.append([problem.at for problem in refused.value.problems])
    assert found == [["votes.csv:8, winner"]] * 2


def test_a_side_that_is_also_the_name_of_the_other_is_not_guessed():
    with pytest.raises(HaechiError, match="winner"):
        haechi.rank({"item": [1], "a": ["b"], "b": ["a"], "winner": ["a"]})


def test_missing_columns_unknown_references_and_orders(tmp_path, capsys):
    with pytest.raises(HaechiError, match="winner"):
        haechi.rank(votes(tmp_path, "item,a,b,result_of_it\n1,x,y,a\n"))
    with pytest.raises(HaechiError, match="--reference"):
        haechi.rank(votes(tmp_path, PLAIN), reference="nobody")
    with pytest.raises(HaechiError, match="order"):
        haechi.rank({"item": [1], "a": ["x"], "b": ["y"], "winner": ["a"], "order": ["third"]})
    with pytest.raises(HaechiError, match="--adjust"):
        haechi.rank(votes(tmp_path, PLAIN), adjust="length")
    found = haechi.rank(
        votes(tmp_path, "item,a,b,result_of_it\n1,x,y,a\n2,x,y,b\n"), reading=mapped("winner", "result_of_it")
    )
    assert found.strengths.n == 2


def mapped(field, column):
    from haechi.data.tables import TableReading

    return TableReading(map=((field, column),))


def test_a_large_file_is_read_as_columns_and_says_the_same(tmp_path, monkeypatch):
    file = votes(tmp_path, PLAIN)
    small = haechi.rank(file).as_json()
    monkeypatch.setattr("haechi.data.delimited.LEAST", 1)
    assert haechi.rank(file).as_json() == small
    parquet = tmp_path / "votes.parquet"
    pl.read_csv(file).write_parquet(parquet)
    assert haechi.rank(parquet).as_json() == small


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace(",x,", ",'@m1,"),
        PLAIN.replace("item,a", "item,'=a,a").replace(",x,y", ",1,x,y"),
        PLAIN.replace("q1,x", " q1 , x").replace("q2,x,y,a", "q2,x,y,"),
        f"{PLAIN}\no,model a won,,\n",
        f",,,\n{PLAIN}",
        f"2학기 투표,,,\n{PLAIN}",
        PLAIN.replace(",", ";").replace("x", '"the ""x""\nmodel"'),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp949"])
def test_the_same_votes_rank_the_same_systems_in_a_file_of_any_size(tmp_path, monkeypatch, text, encoding):
    file = tmp_path / "votes.csv"
    file.write_bytes(text.encode(encoding))
    small, votes_of_it = haechi.rank(file).as_json(), read_votes(file).frame
    monkeypatch.setattr("haechi.data.delimited.LEAST", 1)
    assert haechi.rank(file).as_json() == small
    assert read_votes(file).frame.equals(votes_of_it)


def test_criteria_are_ranked_one_by_one():
    frame = {
        "item": [1, 2, 1, 2],
        "criterion": ["overall", "overall", "humour", "humour"],
        "a": ["x"] * 4,
        "b": ["y"] * 4,
        "winner": ["a", "b", "a", "tie"],
    }
    found = haechi.rank(frame)
    assert found.criterion == "overall"
    assert list(found.others) == ["humour"]
    assert found.others["humour"].strengths.n == 2


def test_an_arenas_table_with_a_column_for_each_ending(tmp_path, capsys):
    rows = ["1,0,0", "1,0,0", "0,1,0", "0,0,1", "0,0,0"]
    text = (
        "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
        + "".join(f'{n},gpt,llama,"[""hi""]","[""x""]","[""yy""]",{ends}\n' for n, ends in enumerate(rows))
    )
    found = told(capsys, votes(tmp_path, text))
    assert {system["name"]: system["wins"] for system in found["systems"]} == {"gpt": 2, "llama": 1}
    assert (found["ties"]["n"], found["without_verdict"]) == (1, 1)


def test_games_against_a_baseline_as_arena_hard_logs_them(tmp_path, capsys):
    # In the first game the baseline is A, in the second the model is.
    games = [("A>>B", "B>A"), ("B>A", "B>A"), ("A=B", None)]
    lines = [
        {
            "uid": f"q{n}",
            "model": "mine",
            "baseline": "old",
            "judge": "j",
            "games": [{"score": one, "judgment": {"answer": "…"}}, {"score": two}],
        }
        for n, (one, two) in enumerate(games)
    ]
    found = told(capsys, votes(tmp_path, "\n".join(map(json.dumps, lines)), "hard.jsonl"))
    by_name = {system["name"]: system for system in found["systems"]}
    assert (by_name["old"]["wins"], by_name["mine"]["wins"], by_name["mine"]["ties"]) == (3, 1, 1)
    assert (found["position"]["swapped_pairs"], found["position"]["same_verdict"]) == (2, 0.5)
    assert found["without_verdict"] == 1


def test_a_log_that_says_who_was_a(tmp_path, capsys):
    lines = [
        {
            "session_id": f"s{n}",
            "generator": "x",
            "ref_generator": "y",
            "assignment": {"A": "x", "B": "y"} if n % 2 else {"A": "y", "B": "x"},
            "winner": winner,
            "parsed_result": {"choice": "A"},
        }
        for n, winner in enumerate(["x", "x", "y", "tie", "N/A"])
    ]
    found = told(capsys, votes(tmp_path, json.dumps(lines), "wild.json"))
    assert {system["name"]: system["wins"] for system in found["systems"]} == {"x": 2, "y": 1}
    assert found["position"]["order_known"] is True
    assert found["position"]["first_wins"] == pytest.approx(2 / 3)  # x as A, and y as A
    assert found["without_verdict"] == 1


@pytest.mark.parametrize(
    ("said", "worth"),
    [
        ("A>>B", 1),
        ("[[A>B]]", 1),
        ("A++", 1),
        ("B+", 0),
        ("B>>A", 0),
        ("A=B", 0.5),
        ("tie (inconsistent)", 0.5),
    ],
)
def test_verdicts_that_say_how_far(said, worth):
    found = haechi.rank({"item": ["q1", "q2"], "a": ["x", "x"], "b": ["y", "y"], "winner": [said, "tie"]})
    (x,) = (one for one in found.strengths.systems if one.name == "x")
    assert x.win_rate == (worth + 0.5) / 2


def test_every_system_without_a_strength_has_its_own_reason(tmp_path, capsys):
    # x beats y and z, y beats z: nobody is on one scale with anybody
    file = votes(tmp_path, "item,a,b,winner\n1,x,y,a\n2,x,z,a\n3,y,z,a\n")
    why = {system["name"]: system["why"] for system in told(capsys, file)["systems"]}
    assert why["x"].startswith("never lost")
    assert why["z"].startswith("never won")
    assert why["y"].startswith("never won against the group of the reference")
    main(["rank", str(file), "--lang", "en"])
    said = capsys.readouterr().out
    assert "No strength can be given to x: never lost" in " ".join(said.split())
    why = {one["name"]: one["why"] for one in told(capsys, file, "--reference", "y")["systems"]}
    assert why["y"].startswith("nobody both won")


def test_the_next_step_names_every_column_that_is_lacking(haechi, write):
    refused = haechi("rank", write("v.csv", "prompt,x,y,winner\np,m1,m2,a\n"), "--lang", "en")
    assert (refused.code, "--map a=COLUMN --map b=COLUMN" in refused.err) == (1, True)
    assert "--map winner" not in refused.err
