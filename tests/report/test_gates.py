"""Gates on how scores changed."""

from __future__ import annotations

import pytest
from small_studies import diary_study, votes


def test_a_gate_that_failed_does_not_say_that_it_holds(haechi, tmp_path):
    one = diary_study(tmp_path / "a", {f"d{i}": {"ann": votes(1, 1, i % 4 > 0)} for i in range(12)})
    two = diary_study(tmp_path / "b", {f"d{i}": {"ann": votes(0, 0, i % 4 == 0)} for i in range(12)})
    ran = haechi("check", two, "--no-regression", one, "--lang", "ko")
    assert ran.code == 1
    assert "근거 없음" not in ran.out
    assert "no-regression mean3" in ran.out
    assert "나빠졌습니다" in ran.out


@pytest.mark.parametrize(("limit", "code"), [(0.5, 0), (0.05, 1)])
@pytest.mark.parametrize("option", ["--baseline", "--no-regression"])
def test_a_loss_must_be_shown_to_be_smaller(haechi, tmp_path, limit, code, option):
    one = diary_study(tmp_path / "a", {f"d{i}": {"ann": votes(i % 2, 1, 1)} for i in range(20)})
    two = diary_study(tmp_path / "b", {f"d{i}": {"ann": votes((i + (i < 2)) % 2, 1, 1)} for i in range(20)})
    ran = haechi("check", two, option, one, "--max-drop", f"sensibleness={limit}", "--json")
    assert ran.code == code
    (found,) = [gate for gate in ran.json["gates"] if gate["kind"] == "max-drop"]
    assert (found["name"], found["limit"]) == ("max-drop sensibleness", limit)
    assert found["passed"] == (found["ci95"][0] > -limit)
    assert (found["why"] is None) == (code == 0)
    assert len(ran.json["gates"]) == (1 if option == "--baseline" else 6)


def test_an_interval_without_width_is_said_not_to_be_certain(haechi, tmp_path):
    one = diary_study(tmp_path / "a", {f"d{i}": {"ann": votes(1, 1, 1)} for i in range(3)})
    ran = haechi("check", one, "--baseline", one, "--max-drop", "mean3=0.1", "--json")
    assert ran.code == 0
    assert "that is not certainty" in ran.json["gates"][0]["why"]
