r"""Unescaped LaTeX in replies: restored, never corrupted, also where strict JSON accepts it."""

from __future__ import annotations

import json

import pytest

from haechi.prompt.latex import escape, restore
from haechi.prompt.reply import parse
from haechi.rubrics import find_rubric

DIARY = find_rubric("diary-comment")


@pytest.mark.parametrize(
    "formula",
    [
        r"\frac{1}{2}", r"\theta", r"\nabla f", r"\rho", r"\beta", r"\alpha", r"\(x\)", r"\[x\]", r"\{1,2\}",
        r"\neq 0", r"\nu_1", r"\notin A", r"\text{const}", r"\times", r"\tan x", r"\to 0", r"\right)",
        r"\forall x", r"\underline{x}", r"\upsilon", r"\sum_{k=1}^{n}", r"\,dx", r"\rho를", r"\theta는",
        r"\sqrt{2}", r"\vec{v}", r"\begin{cases}", r"\triangle ABC", r"\tfrac12", r"\bar{x}", r"\beta와",
    ],
)  # fmt: skip
def test_a_formula_comes_back_as_it_was_written(formula: str) -> None:
    reply = '{"sympathy": {"evidence": "메시지[3]의 \'' + formula + '\' 설명", "value": 1}}'
    parsed = parse(reply, DIARY, only=("sympathy",))
    assert parsed.values["sympathy"].evidence == f"메시지[3]의 '{formula}' 설명"
    assert parsed.values["sympathy"].value == "1"
    assert parsed.repaired


@pytest.mark.parametrize("formula", [r"\frac{1}{2}", r"\theta", r"\nabla f", r"\(x\)", "a\\\\b"])
def test_a_properly_escaped_formula_is_no_repair(formula: str) -> None:
    reply = json.dumps({"sympathy": {"evidence": formula, "value": 1}})
    parsed = parse(reply, DIARY, only=("sympathy",))
    assert parsed.values["sympathy"].evidence == formula
    assert not parsed.repaired


@pytest.mark.parametrize(
    "words",
    ["첫 줄\n둘째 줄", "a\tb", "끝\r\n", "목록:\n- 하나", "one\nand two", "x\ttab", "줄\n\n빈 줄", "\n말"],
)
def test_real_line_breaks_and_tabs_stay(words: str) -> None:
    parsed = parse(json.dumps({"sympathy": {"evidence": words, "value": 1}}), DIARY, only=("sympathy",))
    assert parsed.values["sympathy"].evidence == words
    assert not parsed.repaired


def test_raw_line_breaks_inside_a_string_are_read() -> None:
    parsed = parse('{"sympathy": {"evidence": "첫 줄\n둘째 줄", "value": 0}}', DIARY, only=("sympathy",))
    assert parsed.values["sympathy"].evidence == "첫 줄\n둘째 줄"
    assert parsed.repaired


def test_escaping_twice_changes_nothing_more() -> None:
    text = r'"\alpha \\beta \" \n é \uxyz \'"'
    assert escape(escape(text)) == escape(text)
    assert json.loads(escape(text), strict=False) == "\\alpha \\beta \" \n é \\uxyz '"


def test_control_characters_that_were_decoded_elsewhere_are_restored() -> None:
    assert (
        restore("\x0crac{1}{2}, \x08eta, \rho, \theta, \nabla") == r"\frac{1}{2}, \beta, \rho, \theta, \nabla"
    )


def test_latex_in_a_cut_reply_is_restored_too() -> None:
    whole = r'{"sensibleness": {"value": 1, "evidence": "\frac{1}{2}과 \theta"}, '
    parsed = parse(whole + '"specificity": {"value": 0, "evid', DIARY)
    assert parsed.values["sensibleness"].evidence == r"\frac{1}{2}과 \theta"
    assert parsed.values["specificity"].value == "0"
