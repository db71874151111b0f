"""Tables of ratings as people have them: every shape comes to the same ratings, or to a question that can be answered."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import haechi as product
from haechi.data.rating import Rating
from haechi.data.rating_columns import read_ratings
from haechi.data.rating_reader import RatingReader, refuse_twice
from haechi.data.tables import TableReading
from haechi.errors import HaechiError, collect_told, unique_problems

UBICA = product.rubric("ubica")
QUESTIONS = [criterion.question.ko for criterion in UBICA.criteria]
KEYS = [criterion.key for criterion in UBICA.criteria]
Read = tuple[list[Rating], list[str], list[str]]


def read(path: Path, rubric: str, rater: str | None = None, **how: Any) -> Read:
    """The ratings, what is wrong, and what is said."""
    reader = RatingReader(product.rubric(rubric), rater, reading=TableReading(**how))
    placed = [found for _, found in refuse_twice(reader.of_files([path]))]
    bad = [problem for one in placed if isinstance(one, HaechiError) for problem in one.problems]
    good = [one for one in placed if isinstance(one, Rating)]
    said = [text.en for text in reader.said] + [f"ignored {name}" for name in reader.ignored]
    return good, [problem.say("en") for problem in unique_problems(bad)], said


def short(ratings: list[Rating]) -> list[tuple[str, ...]]:
    return [(one.item, one.criterion.split(".")[-1], one.rater, str(one.value)) for one in ratings]


def form(heads: list[str], *answers: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([heads, *answers])
    return text.getvalue()


def named(question: str, name: str, user: str, subject: str, beside: str) -> str:
    """A question with the names and particles that somebody wrote."""
    filled = question.replace("[인공지능]이/가", name + subject).replace("[인공지능]과/와", name + beside)
    return filled.replace("[인공지능]", name).replace("[사용자]", user)


BOTH = [("d1", "sensibleness", "민수", "1"), ("d1", "sensibleness", "영희", "0")]


@pytest.mark.parametrize(
    "text",
    [
        "번호,합리성_민수,합리성_영희\nd1,1,0\n",
        "번호,민수 합리성,영희 합리성\nd1,O,X\n",
        "대화 번호,합리성(민수),합리성 (영희)\nd1,예,아니오\n",
        "item,Sensibleness/민수,sensibleness/영희\nd1,1.0,０\n",
        "항목,합리성 - 민수,합리성 - 영희\nd1,충족 (1),0: 미충족\n",
        "항목,합리성,\n,민수,영희\nd1,1,0\n",
        "항목;합리성_민수;합리성_영희;합리성 평균\nd1; 1 ;0;0.5\n",
        "항목\t합리성_민수\t합리성_영희\nd1\t1\t0\n",
        "항목,평가자,합리성\nd1,민수,1\nd1,영희,0\n",
        "세션,교사,문항,점수\nd1,민수,합리성,1\nd1,영희,1,0\n",
        "2학기 평가,,\n,,\n번호,성함,합리성(0/1)\nd1,민수,1\nd1,영희,0\n평균,,0.5\n",
    ],
)
def test_a_rater_and_a_criterion_however_they_are_written(write, text):
    good, bad, _ = read(write("a.csv", text), "diary-comment")
    assert (short(good), bad) == (BOTH, [])
    with collect_told():
        frame = read_ratings(write("a.csv", text), product.rubric("diary-comment"))
    assert sorted(frame.select("item", "criterion", "rater", "value").rows()) == sorted(BOTH)


SPELLINGS: dict[str, Callable[[int, str], str]] = {
    "as it is": lambda _, question: question,
    "with number and name": lambda n, question: f"{n}. {named(question, '루나', '시청자', '가', '와')}",
    "with a long name": lambda n, question: (
        f"Q{n}) {named(question, 'GPT-5 mini', '나', '가', '와')} (1~5점) *"
    ),
    "with both particles": lambda _, question: named(question, "[AI]", "[사용자]", "이(가)", "과(와)"),
    "with breaks": lambda n, question: f"{n}.\n{question.replace(' ', '  ', 3)}".replace(" 있", "\n있"),
    "in English": lambda n, _: f"{n}. {UBICA.criteria[n - 1].question.en.replace('[인공지능]', 'Luna')}",
    "by label": lambda n, _: UBICA.criteria[n - 1].name.ko,
    "by label and number": lambda n, _: f"{n}) {UBICA.criteria[n - 1].name.ko}",
    "by number": lambda n, _: str(n),
    "by letter": lambda n, _: f"Q{n}",
    "by word": lambda n, _: f"문항 {n}",
    "two header rows": lambda n, question: f"QID{n} / {question}",
    "in a grid": lambda n, _: f"다음을 평가해 주세요 [{UBICA.criteria[n - 1].name.ko}]",
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize(
    "who",
    [
        "이름",
        "성함이 어떻게 되시나요?",
        "닉네임을 적어 주세요",
        "학번",
        "참가자 이름",
        "응답자",
        "교사",
        "평가자 성명",
    ],
)
def test_forms_of_ubica_are_read_whatever_the_wording(write, spelling, who):
    if spelling is not SPELLINGS["with number and name"] and who != "이름":
        return  # every wording with one spelling, every spelling with one wording
    heads = ["타임스탬프", "이메일 주소", who, "대화 번호"]
    heads += [spelling(n, question) for n, question in enumerate(QUESTIONS, 1)]
    answers = ["4", "4점", "매우 그렇다 (5)", "5. 매우 그렇다", "３", " 2 ", "1점", "4", "5", "고마워요"]
    text = form(heads, ["2026/11/02 8:15:21 오후 GMT+9", "a@b.kr", "별하", "s1", *answers])
    good, bad, said = read(write("form.csv", text), "ubica")
    values = ["4", "4", "5", "5", "3", "2", "1", "4", "5", "고마워요"]
    assert short(good) == [("s1", key, "별하", value) for key, value in zip(KEYS, values, strict=True)]
    assert not bad
    assert not any("ignored" in text for text in said)


def test_questions_in_other_words_are_read_in_order_and_said(write):
    own = [
        "루나는 상황에 따라 일관된 반응을 보였나요?",
        "루나의 성격이나 기능이 일관적이었나요?",
        "루나와의 대화에 몰입하거나 만족하셨나요?",
        "반응 중 호응을 이끌어낼 만한 부분이 있었습니까?",
        "루나가 현실적이고 자연스러웠나요?",
        "루나의 반응이 창의적이었나요?",
        "예상하지 못한 반응이 매력을 높였나요?",
        "반응 속도나 대화의 흐름이 자연스러웠나요?",
        "루나의 언어 표현이 사람처럼 자연스러웠나요?",
    ]
    good, _, said = read(write("f.csv", form(["이름", "세션", *own], ["김", "s1", *"123451234"])), "ubica")
    assert [one.criterion for one in good] == KEYS[:9]
    assert any("read by their names and values" in text for text in said)
    # One of them alone could be two of the questions: it is asked for, and nothing is read.
    with pytest.raises(HaechiError, match="--map realism="):
        read(write("g.csv", form(["이름", "세션", own[4]], ["김", "s1", "4"])), "ubica")
    good, _, _ = read(
        write("g.csv", form(["이름", "세션", own[4]], ["김", "s1", "4"])), "ubica", map=(("realism", own[4]),)
    )
    assert short(good) == [("s1", "realism", "김", "4")]


def test_a_question_that_is_none_of_the_rubrics_is_not_read_and_said(write):
    text = form(["이름", "세션", QUESTIONS[0], "오늘 방송은 재미있었나요?"], ["김", "s1", "4", "5"])
    good, _, said = read(write("f.csv", text), "ubica")
    assert short(good) == [("s1", KEYS[0], "김", "4")]
    assert "ignored 오늘 방송은 재미있었나요?" in said


def test_without_an_item_column_the_form_asks_or_says_what_it_assumed(write):
    heads, answer = ["타임스탬프", "닉네임"], ["2026/11/02 8:15", "별하"]
    own = write("own.csv", form([*heads, QUESTIONS[0]], [*answer, "4"]))
    good, _, said = read(own, "ubica")
    assert short(good) == [("별하", KEYS[0], "별하", "4")]
    assert "own conversation" in said[0]
    assert short(read(own, "ubica", item="방송 1")[0]) == [("방송 1", KEYS[0], "별하", "4")]
    heard = write("heard.csv", form([*heads, "들은 방송", QUESTIONS[0]], [*answer, "1부", "4"]))
    with pytest.raises(HaechiError, match='--map item="들은 방송"'):
        read(heard, "ubica")
    assert short(read(heard, "ubica", map=(("item", "들은 방송"),))[0]) == [("1부", KEYS[0], "별하", "4")]
    assert short(read(heard, "ubica", map=(("item", "닉네임"), ("ignore", "들은 방송")))[0])[0][0] == "별하"


def test_nobody_becomes_somebody_else(write):
    rows = [["d1", "1"], ["d1", "0"]]
    with pytest.raises(HaechiError) as caught:
        read(write("a.csv", form(["번호", "합리성"], *rows)), "diary-comment")
    problem = caught.value.problems[0]
    assert problem.say("ko").startswith("a.csv: 평가자 열이 없습니다. 파일의 열: 번호, 합리성")
    assert "--rater" not in problem.todo.en  # two people rated d1
    with pytest.raises(HaechiError, match="--rater NAME"):
        read(write("b.csv", form(["번호", "합리성"], ["d1", "1"], ["d2", "1"])), "diary-comment")
    twins = form(
        ["이메일 주소", "이름", "번호", "합리성"],
        ["a@b.kr", "민수", "d1", "1"],
        ["c@d.kr", "민수", "d1", "0"],
    )
    _, bad, _ = read(write("c.csv", twins), "diary-comment")
    assert 'add --map rater="이메일 주소"' in bad[0]
    good, bad, _ = read(write("c.csv", twins), "diary-comment", map=(("rater", "이메일 주소"),))
    assert ([one.rater for one in good], bad) == (["a@b.kr", "c@d.kr"], [])
    anonymous = form(["타임스탬프", QUESTIONS[0]], ["2026/11/02 8:15", "4"], ["2026/11/02 8:16", "5"])
    with pytest.raises(HaechiError, match='--map rater="타임스탬프"'):
        read(write("d.csv", anonymous), "ubica")


def test_an_answer_given_twice_counts_as_somebody_says(write):
    path = write("a.csv", form(["이름", "번호", "합리성"], ["민수", "d1", "1"], ["민수", "d1", "0"]))
    good, bad, _ = read(path, "diary-comment")
    assert "add --keep last" in bad[0]
    for keep, wanted in (("first", ["1"]), ("last", ["0"]), ("all", ["1", "0"])):
        good, bad, _ = read(path, "diary-comment", keep=keep)
        assert ([one.value for one in good], bad) == (wanted, [])
        frame = read_ratings(path, product.rubric("diary-comment"), reading=TableReading(keep=keep))  # type: ignore[arg-type]
        assert frame["value"].to_list() == wanted
    assert [one.replicate for one in good] == [1, 2]


def test_grids_of_items_and_criteria(write):
    for heads in (["합리성 [코멘트 1]", "합리성 [코멘트 2]"], ["코멘트 1 [합리성]", "코멘트 2 [합리성]"]):
        good, _, _ = read(write("a.csv", form(["이름", *heads], ["김", "1", "0"])), "diary-comment")
        assert short(good) == [
            ("코멘트 1", "sensibleness", "김", "1"),
            ("코멘트 2", "sensibleness", "김", "0"),
        ]


@pytest.mark.parametrize(
    "heads",
    [
        ["A1-1", "A1-2", "B2-3"],
        ["A1.1", "A1_2", "B2 - 3"],
        ["concept_accuracy", "curriculum_hierarchy", "key_emphasis"],
        ["A1-1. 수학적 개념/원리의 정확성", "A1-2 교과과정 내 위계성 파악", "B2-3. key_emphasis"],
        ["수학 용어를 정확하게 사용했는가?", "2. 학년 수준에 맞는 개념인가?", "핵심 내용 강조"],
        ["A1.concept_accuracy", "A1_math_expertise.curriculum_hierarchy", "B2.key_emphasis"],
    ],
)
def test_codes_and_keys_of_elements(write, heads):
    rubric = product.rubric("maice-qac")
    if heads[-1] == "핵심 내용 강조":
        element = next(
            r.element for r in rubric.rateables.values() if r.element and r.element.key == "key_emphasis"
        )
        heads = [*heads[:-1], element.name.ko]
    good, bad, _ = read(
        write("a.csv", form(["세션", "교사", *heads], ["7", "김", "1", "0", "O"])), "maice-qac"
    )
    assert not bad
    assert short(good) == [
        ("7", "concept_accuracy", "김", "1"),
        ("7", "curriculum_hierarchy", "김", "0"),
        ("7", "key_emphasis", "김", "1"),
    ]


def test_numbers_mean_elements_or_items_only_where_all_are_there(write):
    elements = form(["번호", "교사", *map(str, range(1, 33))], ["7", "김", *"1" * 32])
    assert len(read(write("a.csv", elements), "maice-qac")[0]) == 32
    items = form(["번호", "교사", *(f"Q{n}" for n in range(1, 9))], ["7", "김", *"12345123"])
    assert [one.criterion[:2] for one in read(write("b.csv", items), "maice-qac")[0]] == [
        *("A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2")
    ]
    with pytest.raises(HaechiError, match="no column for the value"):
        read(write("c.csv", form(["번호", "교사", "Q1", "Q2"], ["7", "김", "1", "1"])), "maice-qac")


def test_a_nested_checklist_is_read_with_its_evidence(write):
    checklist = {"A1": {"concept_accuracy": {"value": 1, "evidence": "메시지[0]"}, "curriculum_hierarchy": 0}}
    record = {"session": 7, "checklist_data": checklist}
    for name, text in (
        ("one.json", json.dumps(record)),
        ("many.json", json.dumps([record])),
        ("lines.jsonl", json.dumps(record)),
        ("with.json", json.dumps({**record, "evaluator": "t1"})),
    ):
        rater = None if name == "with.json" else "t1"
        good, bad, _ = read(write(name, text), "maice-qac", rater)
        assert not bad
        assert [(*row, one.evidence) for row, one in zip(short(good), good, strict=True)] == [
            ("7", "concept_accuracy", "t1", "1", "메시지[0]"),
            ("7", "curriculum_hierarchy", "t1", "0", None),
        ]


def test_reasons_beside_their_criterion(write):
    text = form(["번호", "교사", "합리성", "합리성 근거", "구체성 점수"], ["d1", "김", "1", "말이 됨", "0"])
    good, _, _ = read(write("a.csv", text), "diary-comment")
    assert [(one.value, one.evidence) for one in good] == [("1", "말이 됨"), ("0", None)]
    frame = read_ratings(write("a.csv", text), product.rubric("diary-comment"))
    assert frame["evidence"].to_list() == ["말이 됨", None]


def workbook(path: Path, sheets: dict[str, list[list[Any]]], hidden: tuple[str, ...] = ()) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
        sheet.sheet_state = "hidden" if title in hidden else "visible"
    book.save(path)
    return path


def test_a_sheet_for_each_rater_and_data_on_the_second_sheet(tmp_path):
    one = [["번호", "합리성"], ["d1", 1]]
    other = [["번호", "합리성"], ["d1", 0]]
    path = workbook(
        tmp_path / "a.xlsx", {"안내": [["평가 안내"], ["…"]], "민수": one, "영희": other, "옛": one}, ("옛",)
    )
    good, _, said = read(path, "diary-comment")
    assert short(good) == BOTH
    assert any("the sheets are the raters: 민수, 영희" in text for text in said)
    assert any("hidden sheets were not read: 옛" in text for text in said)
    assert any("without ratings: 안내" in text for text in said)
    assert len(read(path, "diary-comment", rater="민수", sheet="민수")[0]) == 1
    second = workbook(
        tmp_path / "b.xlsx",
        {"표지": [["제목", "값"]], "자료": [["번호", "평가자", "합리성"], ["d1", "민수", 1]]},
    )
    good, _, said = read(second, "diary-comment")
    assert short(good) == BOTH[:1]
    different = workbook(
        tmp_path / "c.xlsx",
        {
            "a": [["번호", "평가자", "합리성"], ["d1", "민수", 1]],
            "b": [["번호", "평가자", "공감성"], ["d1", "민수", 1]],
        },
    )
    with pytest.raises(HaechiError, match="--sheet a"):
        read(different, "diary-comment")
    assert len(read(different, "diary-comment", sheet="all")[0]) == 2


def test_formulas_that_nobody_computed_are_one_mistake_with_its_cells(tmp_path):
    rows = [[f"d{n}", "김", "=1", "=C2"] for n in range(1, 31)]
    path = workbook(tmp_path / "a.xlsx", {"s": [["번호", "평가자", "합리성", "평균"], *rows]})
    good, bad, _ = read(path, "diary-comment")
    assert good == []
    assert len(bad) == 1
    assert "(C2)" in bad[0]
    assert "30 places: 2, 3, 4, 5, 6 …" in bad[0]
    with pytest.raises(HaechiError, match="30 places"):
        read_ratings(path, product.rubric("diary-comment"))


def test_a_legend_below_the_table_is_no_rating(tmp_path):
    rows = [
        ["번호", "합리성", "구체성"],
        ["d1", "O", "X"],
        ["d2", "X", "X"],
        [],
        ["O", "충족"],
        ["X", "미충족"],
    ]
    good, bad, said = read(workbook(tmp_path / "a.xlsx", {"s": rows}), "diary-comment", rater="김")
    assert (len(good), bad) == (4, [])
    assert any("taken for a legend: O 충족; X 미충족" in text for text in said)


def test_one_mistake_is_told_once_with_its_column_and_places(write):
    rows = [[f"d{n}", "김", "7" if n % 2 else "9"] for n in range(40)]
    _, bad, _ = read(write("a.csv", form(["번호", "평가자", "합리성"], *rows)), "diary-comment")
    assert bad == [
        "a.csv:2, 합리성: found '9', '7' (40 places: 2, 3, 4, 5, 6 …); expected 0 (unmet) or 1 (met). "
        "Next: correct it and run again"
    ]
    typo = form(["item", "rater", "criterion", "value"], *[["d1", "r", "sensiblenes", "1"]] * 3)
    _, bad, _ = read(write("b.csv", typo), "diary-comment")
    assert len(bad) == 1
    assert "did you mean sensibleness?" in bad[0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("ratr", "평가자"), "did you mean rater"),
        (("rater", "평가쟈"), 'did you mean "평가자"'),
        (("sensiblenes", "합리성"), "did you mean sensibleness"),
    ],
)
def test_a_wrong_map_is_answered_with_what_there_is(write, given, words):
    path = write("a.csv", form(["번호", "평가자", "합리성"], ["d1", "김", "1"]))
    with pytest.raises(HaechiError, match=words):
        read(path, "diary-comment", map=(given,))


MAPPED = ["공감 / 민수", "공감 / 영희"]


@pytest.mark.parametrize(
    ("known", "mapped"),
    [(True, MAPPED[:1]), (True, MAPPED), (False, MAPPED)],
    ids=["one column beside other criteria", "all columns beside other criteria", "all columns alone"],
)
def test_a_column_that_is_mapped_still_names_its_rater(tmp_path, known, mapped):
    """`공감` is no name of the rubric. Who maps one of its columns loses neither its rater nor the columns beside it."""
    heads = [["번호", *(["합리성", None] if known else []), "공감", None]]
    heads.append([None, *(["민수", "영희"] * (2 if known else 1))])
    rows = [["d1", *([1, 0] if known else []), 1, 0], ["d2", *([1, 1] if known else []), 0, 0]]
    good, bad, _ = read(
        workbook(tmp_path / "f.xlsx", {"결과": [*heads, *rows]}),
        "diary-comment",
        map=tuple(("sympathy", column) for column in mapped),
    )
    assert bad == []
    assert [one for one in short(good) if one[1] == "sympathy"] == [
        ("d1", "sympathy", "민수", "1"),
        ("d1", "sympathy", "영희", "0"),
        ("d2", "sympathy", "민수", "0"),
        ("d2", "sympathy", "영희", "0"),
    ]


def test_surveys_tell_answers_apart_by_their_own_ids(write):
    monkey = form(
        ["Respondent ID", "Collector ID", "Start Date", "IP Address", QUESTIONS[0], QUESTIONS[1]],
        ["", "", "", "", "Response", "Response"],
        ["1001", "5", "11/02/2026", "1.2.3.4", "4", "5"],
    )
    typeform = form(
        ["#", QUESTIONS[0], QUESTIONS[1], "Start Date (UTC)", "Submit Date (UTC)", "Network ID"],
        ["1001", "4", "5", "2026-11-02", "2026-11-02", "zz"],
    )
    qualtrics = form(
        ["StartDate", "EndDate", "Status", "ResponseId", "Q1", "Q2"],
        ["Start Date", "End Date", "Response Type", "Response ID", QUESTIONS[0], QUESTIONS[1]],
        [f'{{"ImportId":"{n}"}}' for n in range(6)],
        ["2026-11-02", "2026-11-02", "0", "1001", "4", "5"],
    )
    for text in (monkey, typeform, qualtrics):
        good, bad, _ = read(write("a.csv", text), "ubica", item="s1")
        assert not bad
        assert short(good) == [("s1", KEYS[0], "1001", "4"), ("s1", KEYS[1], "1001", "5")]


def test_a_rubric_of_ones_own_is_understood_alike(tmp_path, write):
    rubric = write(
        "own.yaml",
        """
id: service
title: 상담
about: 상담 평가
item: dialogue
speakers: {user: 고객, assistant: 상담봇}
task: 평가하세요
criteria:
  - key: kindness
    name: {ko: 친절함, en: Kindness}
    question: {ko: "[상담봇]이/가 친절하게 응대했습니까?", en: Was it kind?}
    scale: {type: likert, anchors: {1: 하, 2: 중, 3: 상}}
  - key: quick
    name: {ko: 신속함, en: Speed}
    scale: {type: likert, anchors: {1: 느림, 2: 보통, 3: 빠름}}
""",
    )
    text = form(
        ["상담 번호", "평가위원", "1. 해나가 친절하게 응대했습니까?", "신속함 점수"],
        ["c1", "박", "상", "빠름"],
    )
    good, bad, _ = read(write("a.csv", text), str(rubric), map=(("item", "상담 번호"),))
    assert not bad
    assert short(good) == [("c1", "kindness", "박", "3"), ("c1", "quick", "박", "3")]


def test_one_column_for_each_model_is_one_item_for_each(write, tmp_path):
    study = product.Study.new(tmp_path / "s", "diary-comment")
    study.add(
        write(
            "a.csv",
            "번호,일기,모델A 코멘트,모델B 코멘트,학년\n1,비가 왔다,아쉬웠겠어요,네,3\n2,상을 탔다,축하해요,,4\n",
        )
    )
    found = {
        item.id: (item.content["response"], item.meta["system"], item.meta["학년"]) for item in study.items()
    }
    assert found == {
        "1-모델A": ("아쉬웠겠어요", "모델A", "3"),
        "1-모델B": ("네", "모델B", "3"),
        "2-모델A": ("축하해요", "모델A", "4"),
    }


@pytest.mark.parametrize(
    ("text", "systems"),
    [
        ("일기,코멘트,모델\n비가 왔다,네,A\n비가 왔다,네,B\n상을 탔다,축하해요,A\n", ["A", "B", "A"]),
        (
            "일기,모델A 코멘트,모델B 코멘트\n비가 왔다,네,네\n상을 탔다,축하해요,\n",
            ["모델A", "모델B", "모델A"],
        ),
    ],
)
def test_comments_without_ids_get_them_from_their_texts(haechi, write, tmp_path, text, systems):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    first = haechi("add", tmp_path / "s", write("a.csv", text))
    assert first.code == 0
    assert "c-…" in first.out
    items = list(product.Study(tmp_path / "s").items())
    assert [item.meta["system"] for item in items] == systems
    assert len({item.id for item in items}) == 3
    again = haechi("add", tmp_path / "s", write("b.csv", text), "--json").json
    assert (again["new"], again["unchanged"], again["made_ids"]) == (0, 3, 3)
    twice = haechi("add", tmp_path / "s", write("c.csv", text + text.splitlines()[1] + "\n"), "--json").json
    assert twice["new"] == 0


def test_a_form_that_numbers_its_answers_names_no_items_by_it(write):
    text = form(
        ["번호", "응답일시", "참여자", "성함", "합리성", "구체성", "공감성"],
        ["1", "2026.11.03 15:12:01", "비회원", "하늘", "1", "0", "1"],
        ["2", "2026.11.03 15:13:01", "비회원", "바다", "0", "0", "1"],
    )
    good, bad, said = read(write("naver.csv", text), "diary-comment")
    assert not bad
    assert short(good)[0] == ("하늘", "sensibleness", "하늘", "1")
    assert {rating.rater for rating in good} == {"하늘", "바다"}
    assert any("--item ID" in one for one in said)
    numbered = text.replace("응답일시", "작성일")
    good, _, _ = read(write("own.csv", numbered), "diary-comment")
    assert {rating.item for rating in good} == {"1", "2"}


def test_an_empty_id_or_a_row_without_any_text_is_no_item(haechi, write, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    blank = haechi("add", tmp_path / "s", write("a.csv", "번호,일기,A 코멘트,B 코멘트\n,비,네,응\n"))
    assert (blank.code, "a.csv:2, id" in blank.err) == (1, True)
    empty = haechi("add", tmp_path / "s", write("b.csv", "일기,코멘트,모델\n비,네,A\n,,B\n"))
    assert (empty.code, "b.csv:3" in empty.err) == (1, True)


def test_columns_of_items_can_be_mapped_and_other_names_are_said(haechi, write, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    table = write("g.csv", "코드,글,GPT,Claude\nx,비,네,응\n")
    maps = ("--map", "id=코드", "--map", "context=글", "--map", "response=GPT", "--map", "response=Claude")
    dry = haechi("add", tmp_path / "s", table, *maps, "--dry-run", "--json").json
    assert dry["items"] == 2
    assert [one["field"] for one in dry["columns"]] == ["id", "context", "response", "response"]
    assert haechi("add", tmp_path / "s", table, *maps, "--json").json["new"] == 2
    assert haechi("add", tmp_path / "s", table, "--map", "idd=코드").code == 1
    haechi("new", tmp_path / "d", "--rubric", "maice-qac")
    talk = write("t.csv", 'session,dialogue\n7,"[{""role"":""user"",""content"":""x""}]"\n')
    assert "dialogue → messages" in haechi("add", tmp_path / "d", talk).out


def test_a_dry_run_shows_every_column_and_writes_nothing(haechi, write, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "ubica")
    heads = ["타임스탬프", "닉네임", "들은 방송", *QUESTIONS]
    table = write("f.csv", form(heads, ["2026/11/02 8:15", "별하", "1부", *"444444444", "고마워요"]))
    asked = haechi("import", tmp_path / "s", table, "--as", "ratings", "--dry-run", "--json")
    assert asked.code == 1
    assert 'item="들은 방송"' in asked.json["asked"][0]["next"]
    told = haechi(
        "import", tmp_path / "s", table, "--as", "ratings", "--dry-run", "--json", "--map", "item=들은 방송"
    )
    assert (told.code, told.json["ratings"]) == (0, 10)
    assert [one["criterion"] for one in told.json["columns"]][3:] == KEYS
    assert set(told.json["columns"][3]) >= {
        "column",
        "field",
        "criterion",
        "certainty",
        "evidence",
        "alternatives",
    }
    words = haechi("import", tmp_path / "s", table, "--as", "ratings", "--dry-run", "--map", "item=들은 방송")
    assert "들은 방송" in words.out
    assert haechi("score", tmp_path / "s", "--json").json.get("items", []) == []
    assert (
        haechi("import", tmp_path / "s", table, "--as", "ratings", "--map", "item=3", "--json").json["new"]
        == 10
    )


def test_naver_form_calls_everybody_a_guest_and_the_name_is_a_question(write):
    heads = [
        "번호",
        "응답일시",
        "참여자",
        "1. 성함",
        "2. 대화 번호",
        *(f"{n + 3}. {q}" for n, q in enumerate(QUESTIONS[:9])),
    ]
    rows = [
        [f"{2 - n}", f"2026-11-0{n + 1} 20:15:21", "비회원", f"사람{n}", "d1", *"432514325"] for n in range(2)
    ]
    good, bad, _ = read(write("n.csv", form(heads, *rows)), "ubica")
    assert ({one.rater for one in good}, {one.item for one in good}, bad) == ({"사람0", "사람1"}, {"d1"}, [])
    assert len(good) == 18


@pytest.mark.parametrize(
    ("words", "points"),
    [
        (["매우 그렇다", "그렇다", "보통이다", "그렇지 않다", "전혀 그렇지 않다"], "54321"),
        (["Strongly agree", "Agree", "Neither agree nor disagree", "Disagree", "Strongly disagree"], "54321"),
    ],
)
def test_the_words_of_five_steps_without_their_numbers(write, words, points):
    rows = [[f"p{n}", "d1", word] for n, word in enumerate(words)]
    good, bad, _ = read(write("w.csv", form(["이름", "대화 번호", QUESTIONS[0]], *rows)), "ubica")
    assert ([one.value for one in good], bad) == ([*points], [])


def test_one_mistake_in_many_columns_is_one(write):
    rows = [[f"d{n}", "kim", *"9" * 9] for n in range(3)]
    _, bad, _ = read(write("m.csv", form(["번호", "평가자", *KEYS[:9]], *rows)), "ubica")
    assert len(bad) == 1
    assert "(+6)" in bad[0]
    assert "27 places" in bad[0]


def test_what_to_say_names_the_columns_of_the_file(haechi, write, tmp_path):
    haechi("new", tmp_path / "s", "--rubric", "diary-comment")
    models = haechi(
        "add", tmp_path / "s", write("m.csv", "일기,GPT-4o,Claude\n비가 왔다,아쉬워요,우산은요\n")
    )
    assert '--map response="GPT-4o" --map response="Claude"' in models.err
    meta = haechi("add", tmp_path / "s", write("g.csv", "session,mode,level\ns1,agent,Q1\n"))
    assert "haechi add --join" in meta.err
