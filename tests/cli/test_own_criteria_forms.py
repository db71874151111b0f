"""Forms for criteria that items bring: a row for each, filled in and imported as it is."""

from __future__ import annotations

import openpyxl
import pytest

from haechi.cli.start import main
from own_criteria import own_study


@pytest.fixture
def form(tmp_path):
    study, file = own_study(tmp_path), tmp_path / "form.xlsx"
    assert main(["form", str(study.folder), "-o", str(file), "--rater", "김하나", "--rater", "이두리"]) == 0
    return study, file


def test_what_is_left_blank_says_nothing_and_can_be_filled_in_later(form):
    study, file = form
    book = openpyxl.load_workbook(file)
    sheet = book["김하나"]
    assert [cell.value for cell in sheet["E"][1:4]] == [
        "Criterion 1 (+5 points)",
        "Criterion 2 (+2 points)",
        "Criterion 3 (−4 points)",
    ]
    sheet["F2"], sheet["G2"] = 1, "'이렇게 하세요'"
    book.save(file)
    assert main(["import", str(study.folder), str(file)]) == 0
    assert study.ratings()["value"].to_list() == ["1"]
    for row in range(3, 7):
        sheet[f"F{row}"] = 0
    book.save(file)
    assert main(["import", str(study.folder), str(file)]) == 0
    assert study.ratings().height == 5
    assert study.scores().frame["own"].to_list() == [5 / 7, 0.0]


def test_the_printed_form_has_every_criterion_of_every_item(tmp_path):
    study, file = own_study(tmp_path), tmp_path / "form.html"
    assert main(["form", str(study.folder), "-o", str(file)]) == 0
    page = file.read_text("utf-8")
    assert page.count("☐ 1") == 5
    assert "없는 규정을 지어낸다" in page


@pytest.mark.parametrize("form", ["prompt", "schema"])
def test_a_rubric_whose_items_bring_everything_can_be_shown(tmp_path, capsys, form):
    own_study(tmp_path)
    assert main(["rubrics", "show", str(tmp_path / "everyday.yaml"), "--as", form]) == 0
    assert "q1" in capsys.readouterr().out
