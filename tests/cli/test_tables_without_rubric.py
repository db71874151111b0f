"""`haechi agree FILE` of tables as programs and textbooks have them, which no rubric explains."""

from __future__ import annotations

import pytest

SHROUT = [(9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7)]
"""Six targets and four judges, Shrout & Fleiss 1979, table 2: ICC(2,1) is .29, ICC(3,k) .91."""
CRITERIA = "item,rater,fluency,coherence,seconds,source\n" + "".join(
    f"d{n},{who},{1 + (n * 2 + k) % 5},{1 + n % 4},{20 + 31 * n + k},a text\n"
    for n in range(8)
    for k, who in enumerate(("kim", "lee"))
)


def shrout(sign=",", header="J1,J2,J3,J4", names=False):
    rows = [
        sign.join([*([f"S{n}"] if names else []), *map(str, row)]) for n, row in enumerate(SHROUT, start=1)
    ]
    return "\n".join([header.replace(",", sign), *rows, ""])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("r.txt", shrout("\t", names=True), "one field fewer"),
        ("r.csv", shrout(names=True), "one field fewer"),
        ("r.csv", shrout(header='"",J1,J2,J3,J4', names=True), ""),
        ("r.csv", shrout(), "no column names the items: every row is one, by its number; the raters are J1"),
        ("r.csv", shrout(header="Target,J1,J2,J3,J4", names=True), "the item is the first column, Target"),
    ],
)
def test_a_column_for_each_rater(haechi, write, name, text, said):
    done = haechi("agree", write(name, text), "--wide", "--json", "--lang", "en")
    found = done.json["criteria"]["overall"]
    assert (found["n_items"], found["n_raters"], found["n_ratings"]) == (6, 4, 24)
    assert found["icc"]["ICC(2,1)"]["value"] == pytest.approx(0.29, abs=0.005)
    assert found["icc"]["ICC(3,k)"]["value"] == pytest.approx(0.91, abs=0.005)
    assert said in done.err


def test_raters_with_numbers_need_no_option(haechi, write):
    done = haechi(
        "agree",
        write("r.csv", shrout(header="Rater1,Rater2,Rater3,Rater4")),
        "--json",
        "--lang",
        "en",
    )
    assert done.json["criteria"]["overall"]["icc"]["ICC(2,1)"]["value"] == pytest.approx(0.29, abs=0.005)
    assert "every row is one" in done.err


def test_raters_with_numbers_beside_criteria(haechi, write):
    text = "id,fluency_annotator1,fluency_annotator2,coh_annotator1,coh_annotator2\n" + "".join(
        f"{n},{n % 3},{(n + 1) % 3},{n % 2},{n % 2}\n" for n in range(12)
    )
    found = haechi("agree", write("r.csv", text), "--json").json["criteria"]
    assert {name: (one["n_items"], one["n_raters"]) for name, one in found.items()} == {
        "fluency": (12, 2),
        "coh": (12, 2),
    }
    assert found["coh"]["krippendorff_alpha"]["value"] == 1.0


def test_the_item_that_is_proposed_tells_rows_apart(haechi, write):
    text = "Group,Units,Rater1,Rater2\nM,1,a,a\nM,2,a,b\nF,3,b,b\n"
    refused = haechi("agree", write("r.csv", text), "--lang", "en")
    assert (refused.code, '--map item="Units"' in refused.err) == (1, True)
    assert haechi("agree", write("r.csv", text), "--map", "item=Units").code == 0


def test_columns_that_look_like_scales_are_criteria(haechi, write):
    done = haechi("agree", write("r.csv", CRITERIA), "--json", "--lang", "en")
    assert set(done.json["criteria"]) == {"fluency", "coherence"}
    assert done.json["criteria"]["coherence"]["krippendorff_alpha"]["value"] == 1.0
    assert "'seconds'" in done.err
    assert "fluency → value · fluency" in done.err


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["Flow=fluency", "Sense=coherence"], {"Flow", "Sense"}),
        (["value=fluency", "value=seconds"], {"fluency", "seconds"}),
        (["value=fluency"], {"overall"}),
        (["ignore=fluency"], {"coherence"}),
    ],
)
def test_a_criterion_has_the_name_that_it_is_given(haechi, write, given, names):
    maps = [part for pair in given for part in ("--map", pair)]
    assert set(haechi("agree", write("r.csv", CRITERIA), *maps, "--json").json["criteria"]) == names


def test_a_misspelt_field_is_no_criterion(haechi, write):
    refused = haechi("agree", write("r.csv", CRITERIA), "--map", "ratr=fluency", "--lang", "en")
    assert (refused.code, "did you mean rater?" in refused.err) == (1, True)


def test_columns_for_each_rater_are_told_of_wide(haechi, write):
    refused = haechi("agree", write("r.csv", shrout(header='"",J1,J2,J3,J4', names=True)), "--lang", "en")
    assert (refused.code, "add --wide if" in refused.err, '--map item="1"' in refused.err) == (1, True, True)


def test_a_first_column_that_can_be_no_item_is_refused(haechi, write):
    text = "Group,Units,r,s\nM,1,a,a\nM,2,a,b\nF,3,b,b\n"
    refused = haechi("agree", write("r.csv", text), "--wide", "--lang", "en")
    assert (refused.code, "--map item=COLUMN" in refused.err) == (1, True)
    done = haechi(
        "agree", write("r.csv", text), "--wide", "--map", "item=Units", "--map", "ignore=Group", "--json"
    )
    assert done.json["criteria"]["overall"]["n_raters"] == 2


CROWD = "HITId,WorkerId,Input.text,Answer.Fluency,Approve,Reject\n" + "".join(
    f'h{n},w{k},"<p>a, b</p>",{1 + (n + k) % 5}\n' for n in range(4) for k in range(3)
)


def test_columns_that_no_row_has_are_empty(haechi, write):
    done = haechi("agree", write("batch.csv", CROWD), "--json", "--lang", "en")
    assert set(done.json["criteria"]) == {"Answer.Fluency"}
    assert done.json["criteria"]["Answer.Fluency"]["n_ratings"] == 12
    assert "no row has a field for Approve, Reject" in done.err


def test_rows_of_different_widths_are_refused_once(haechi, write):
    refused = haechi("agree", write("batch.csv", CROWD + "h9,w1\nh9,w2\n"), "--lang", "en")
    assert refused.code == 1
    assert refused.err.count("2 fields") == 1
    assert "14 places: 2, 3" in refused.err


@pytest.mark.parametrize("rows", [["1,a text, with a comma,3", "2,another, one,4"], ["1,x,y,3"]])
def test_a_comma_in_a_text_is_no_name_of_a_row(haechi, write, rows):
    refused = haechi("agree", write("r.csv", "\n".join(["item,text,value", *rows])), "--lang", "en")
    assert (refused.code, "as in the header" in refused.err) == (1, True)


@pytest.mark.parametrize("command", [("score",), ("check", "--min", "ssa=0"), ("report", "-o", "report")])
def test_one_person_is_named_beside_the_file(haechi, write, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    file = write("r.csv", "항목,합리성,구체성,공감성\nd1,1,0,1\nd2,0,1,1\n")
    first, *rest = command
    refused = haechi(first, file, "--rubric", "diary-comment", *rest, "--lang", "en")
    assert (refused.code, "--rater NAME" in refused.err) == (1, True)
    assert haechi(first, file, "--rubric", "diary-comment", *rest, "--rater", "kim").code == 0
