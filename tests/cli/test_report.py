"""`haechi report` as a user runs it."""

from __future__ import annotations

import os


def test_a_report_is_written_and_summed_up(haechi, demo, tmp_path):
    ran = haechi("report", demo / "diary-comment", "-o", tmp_path / "out")
    assert ran.code == 0
    assert "0.44 higher for 모델 A than for 모델 B" in ran.out
    assert "[dim]" not in ran.out
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000


def test_json_tells_the_findings_with_their_figures(haechi, demo, tmp_path):
    told = haechi("report", demo / "diary-comment", "-o", tmp_path / "out", "--json").json
    assert [name for name in told["files"] if not name.startswith("plots/")] == [
        "report.md",
        "report.html",
        "scores.csv",
        "summary.csv",
        "ratings.parquet",
        "scores.xlsx",
        "paper.html",
    ]
    assert {"overall", "weakest", "groups", "agreement"} <= {finding["rule"] for finding in told["findings"]}
    assert all(finding["figure"] for finding in told["findings"])


def test_an_earlier_report_is_replaced(haechi, demo, tmp_path):
    for lang in ("en", "ko"):
        assert haechi("report", demo / "diary-comment", "-o", tmp_path / "out", "--lang", lang).code == 0
    assert "연구 방법" in (tmp_path / "out" / "report.md").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_another_folder_is_not_overwritten(haechi, demo, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("mine")
    ran = haechi("report", demo / "diary-comment", "-o", tmp_path / "thesis")
    assert ran.code == 1
    assert "chapter.txt" in ran.err
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis"]


def test_nothing_half_written_stays_when_writing_fails(haechi, demo, tmp_path, monkeypatch):
    from haechi.report import folder

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder, "write_workbook", full)
    assert haechi("report", demo / "diary-comment", "-o", tmp_path / "out").code == 1
    assert list(tmp_path.iterdir()) == []


def test_groups_can_be_chosen(haechi, demo, tmp_path):
    assert haechi("report", demo / "maice-qac", "-o", tmp_path / "out", "--by", "mode,level").code == 0
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "Groups by mode, level" in text
    assert "agent · Q1" in text
    assert "--by mode,level" in text


def test_a_study_without_ratings_is_refused(haechi, tmp_path):
    haechi("new", tmp_path / "empty", "--rubric", "ubica")
    ran = haechi("report", tmp_path / "empty", "-o", tmp_path / "out")
    assert ran.code == 1
    assert "no ratings" in ran.err
    assert not (tmp_path / "out").exists()


def test_a_place_where_nothing_can_be_written_is_told_before_anything_is_computed(
    haechi, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("x")
    ran = haechi("report", tmp_path / "no-study", "-o", tmp_path / "file" / "out")
    assert f"{tmp_path / 'file'}: a file" in ran.err
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    ran = haechi("report", tmp_path / "no-study", "-o", tmp_path / "out")
    assert f"no permission to write in {tmp_path}" in ran.err
    assert "study.yaml" not in ran.err


def test_two_studies_are_compared(haechi, demo, tmp_path):
    ran = haechi("report", demo / "diary-comment", demo / "diary-comment", "-o", tmp_path / "out")
    assert ran.code == 0
    assert "is the same to two decimals" in ran.out
    assert "B − A = 0.00)" in ran.out
    assert "report.html, changes.csv, plots/ (2)" in ran.out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "changes.csv",
        "plots",
        "report.html",
        "report.md",
    ]


def test_three_studies_are_too_many(haechi, demo, tmp_path):
    ran = haechi("report", *[demo / "diary-comment"] * 3, "-o", tmp_path / "out")
    assert ran.code == 1
    assert "one study or two" in ran.err
