"""A blank form is handed out, filled in and imported as it is; what was chosen is what is rated."""

import openpyxl
import pytest

import haechi

INSTRUMENTS = ["ubica", "maice-qac", "diary-comment", "hiring-agent"]


def filled(path, choose):
    """Fill every cell that offers a list, as people do; the answers by sheet, item and column."""
    book, given = openpyxl.load_workbook(path), {}
    for sheet in book.worksheets:
        lists = {
            str(rule.sqref).split(":")[0].rstrip("0123456789"): rule.formula1.strip('"').split(",")
            for rule in sheet.data_validations.dataValidation
        }
        for row in range(2, sheet.max_row + 1):
            for letters, values in lists.items():
                value = choose(values, row, letters)
                sheet[f"{letters}{row}"] = value
                given[sheet.title, sheet.cell(row, 1).value, sheet[f"{letters}1"].value] = value
    book.save(path)
    return given


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("name", INSTRUMENTS)
def test_a_filled_form_is_imported_without_a_flag(haechi, demo, tmp_path, name, lang):
    form = tmp_path / "form.xlsx"
    study = empty_study(demo / name, tmp_path)
    asked = haechi(
        "form", study, "-o", form, "--rater", "민수", "--rater", "지영", "--lang", lang, "--json"
    ).json
    given = filled(form, lambda values, row, letters: values[(row + len(letters)) % len(values)])
    assert given
    ran = haechi("import", study, form, "--json")
    assert ran.code == 0, ran.err
    ratings = opened(study).ratings().filter(lambda_ok())
    assert ratings.height == len(given)
    assert set(ratings["rater"]) == {"민수", "지영"} == set(asked["raters"])
    assert sorted(ratings["value"]) == sorted(map(str, given.values()))
    by_item = {(row["rater"], row["item"]): 0 for row in ratings.iter_rows(named=True)}
    assert len(by_item) == 2 * asked["items"]


def lambda_ok():
    import polars as pl

    return pl.col("status") == "ok"


def opened(folder):
    return haechi.Study(folder)


def empty_study(source, tmp_path):
    """The items of a study, without anybody's ratings."""
    import orjson

    items = tmp_path / "items.jsonl"
    with items.open("wb") as file:
        for item in haechi.Study(source).items():
            content = {
                "query_id" if k == "query" else k: v for k, v in item.content.items() if k != "intent_verdict"
            }
            file.write(orjson.dumps({"id": item.id, **content, "meta": dict(item.meta)}) + b"\n")
    study = haechi.Study.new(tmp_path / "study", haechi.Study(source).rubric.id)
    study.add([items])
    return study.folder


def test_anchors_stand_in_notes_and_nothing_becomes_a_formula(haechi, tmp_path):
    study = haechi_study(tmp_path, "=1+1")
    haechi("form", study, "-o", tmp_path / "form.xlsx", "--lang", "ko")
    sheet = openpyxl.load_workbook(tmp_path / "form.xlsx").worksheets[0]
    assert sheet["A2"].data_type == "s"
    assert "합리성" in sheet["D1"].value
    assert len(sheet["D1"].comment.text) > 20


def haechi_study(tmp_path, item):
    study = haechi.Study.new(tmp_path / "study", "diary-comment")
    study.add({"id": [item], "context": ["<script>alert(1)</script>"], "response": ["네"]})
    return study.folder


def test_a_page_to_print_has_a_box_for_every_answer_and_no_script(haechi, tmp_path):
    study = haechi_study(tmp_path, "d1")
    assert haechi("form", study, "-o", tmp_path / "form.html").code == 0
    page = (tmp_path / "form.html").read_text("utf-8")
    assert "<script" not in page
    assert page.count("☐") == 6


@pytest.mark.parametrize(
    ("options", "words"),
    [(["-o", "form.pdf"], ".xlsx"), (["-o", "form.xlsx", "--rater", "a/b"], "a/b")],
)
def test_what_cannot_be_written_is_said(haechi, tmp_path, options, words):
    study = haechi_study(tmp_path, "d1")
    ran = haechi("form", study, *(str(tmp_path / o) if "form" in o else o for o in options))
    assert ran.code == 1
    assert words in ran.err
    assert not list(tmp_path.glob("form*"))


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("names", [(), ("--rater", "민수")])
def test_one_sheet_is_imported_without_a_flag(haechi, tmp_path, lang, names):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    opened(tmp_path / "s").add(
        {"id": ["d1", "d2", "d3"], "context": ["비"] * 3, "response": ["네", "응", "왜"]}
    )
    form = tmp_path / "form.xlsx"
    haechi("form", tmp_path / "s", "-o", form, *names, "--lang", lang)
    book = openpyxl.load_workbook(form)
    sheet = book.active
    if not names:
        sheet["B2"] = "민수"  # the others stay empty, as people leave them
    for row in range(2, 5):
        for column in range(4, 7):
            sheet.cell(row, column, row % 2)
    book.save(form)
    done = haechi("import", tmp_path / "s", form, "--json")
    assert (done.code, done.json["new"]) == (0, 9)
    assert set(opened(tmp_path / "s").ratings()["rater"]) == {"민수"}
