"""Every kind of mistake in a rubric file is named by the line where it stands."""

from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from haechi.errors import HaechiError, Problem
from haechi.rubrics import builtin_ids, builtin_text, find_rubric, parse_rubric, read_rubric, reading

GOOD = """\
id: tiny
title: 작은 루브릭
about: 시험용
item: dialogue
speakers: {user: 사용자, assistant: 챗봇}
task: 읽고 매기세요.
criteria:
  - key: clarity
    name: 명료성
    scale:
      type: likert
      anchors:
        1: 나쁨
        2: 좋음
  - key: answer
    name: 답변
    scale:
      type: checklist
      formula: met + 1
      elements:
        - {key: correct, name: 정확, question: "정확한가?"}
        - {key: complete, name: 완전, question: "완전한가?"}
scores:
  - key: total
    name: 총점
    by: weighted_mean
    weights: {clarity: 40, answer: 60}
  - key: points
    name: 합계
    by: sum
    of: [clarity, answer]
floors:
  - key: nothing
    name: 내용 없음
    text: 답이 없음
    unmet: [answer]
"""

RUN = """\
id: runs
title: 실행
about: 시험용
item: run
speakers: {user: 사용자, assistant: 에이전트}
task: 판정하세요.
criteria:
  - key: intent
    name: 의도
    failed_run: BAD
    scale:
      type: verdict
      labels:
        GOOD: {points: 1, text: 좋음}
        BAD: {points: 0, text: 나쁨}
  - key: speed
    name: 속도
    rated_by: code
    scale:
      type: bands
      measure: seconds
      bands:
        - {range: "[0, 5]", points: 1}
        - {range: "(5, inf)", points: 0}
run:
  labels:
    - {label: ADD, words: [추가]}
  signature: [formType]
"""


def problems(text: str) -> tuple[Problem, ...]:
    with pytest.raises(HaechiError) as caught:
        parse_rubric(text, "my.yaml")
    return caught.value.problems


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def test_the_starting_points_are_good() -> None:
    assert parse_rubric(GOOD).score_names == ("clarity", "answer", "total", "points")
    assert parse_rubric(RUN).score_names == ("intent", "speed")


# what is changed, into what, the line that is named (by its start), a part of the English message
MISTAKES = [
    ("task: 읽고 매기세요.", "tsak: 읽고 매기세요.", "tsak:", "unknown key tsak"),
    ("about: 시험용", "about: 시험용\nabout: 또", "about: 또", "key about twice"),
    ("title: 작은 루브릭\n", "", "id: tiny", "no title"),
    ("id: tiny", "id: 작은것", "id:", "a Latin letter"),
    ("item: dialogue", "item: essay", "item:", "'dialogue', 'reply', 'run', 'pair'"),
    ("item: dialogue", "item: [a]", "item:", "'dialogue', 'reply', 'run', 'pair'"),
    ("title: 작은 루브릭", "title: 5", "title:", "numbers and yes/no in quotes"),
    ("title: 작은 루브릭", "title: 0x" + "F" * 5000, "title:", "found inf"),
    ("title: 작은 루브릭", "title: ''", "title:", "not blank"),
    ("title: 작은 루브릭", "title: {ko: 글, fr: texte}", "title:", "{ko: text, en: text}"),
    ("title: 작은 루브릭", "title: 글\nedition: 4.3", "edition:", "in quotes"),
    ("title: 작은 루브릭", "title: 글\nnames_in_questions: 아마", "names_in_questions:", "true or false"),
    ("speakers: {user: 사용자, assistant: 챗봇}", "speakers: 없음", "speakers:", "a mapping"),
    ("    unmet: [answer]", "    unmet: answer", "unmet:", "a list"),
    ("    unmet: [answer]", "    unmet: []", "unmet:", "at least 1"),
    ("    scale:\n      type: likert", "    scale: # here\n      type: stars", "scale: # here", "one of 'likert'"),
    ("    scale:\n      type: likert\n", "    scale: # here\n", "scale: # here", "no type"),
    ("        2: 좋음", "        3: 좋음", "anchors:", "no gap"),
    ("        2: 좋음", "        2000000000000: 좋음", "anchors:", "no gap"),
    ("        2: 좋음", "        둘: 좋음", "둘:", "a whole number"),
    ("        2: 좋음", "        2: ", "2:", "not blank"),
    ("        2: 좋음\n", "", "anchors:", "at least 2"),
    ("clarity: 40, answer: 60", "clarity: 40, answer: 50", "weights:", "found 90; expected weights that sum to 1 or 100"),
    ("clarity: 40, answer: 60", "clarity: 140, answer: -40", "weights:", "weights above 0"),
    ("clarity: 40, answer: 60", "clarity: .nan, answer: .nan", "weights:", "finite"),
    ("clarity: 40, answer: 60", "clarity: .inf, answer: 60", "weights:", "finite"),
    ("clarity: 40, answer: 60", "clarity: 40, nobody: 60", "weights:", "a score defined before"),
    ("    of: [clarity, answer]", "    of: [clarity, later]", "of:", "a score defined before"),
    ("    of: [clarity, answer]", "    of: [clarity, clarity]", "of:", "every part once"),
    ("    of: [clarity, answer]\n", "", "by: sum", "`of` alone"),
    ("    of: [clarity, answer]", "    weights: {clarity: 1}", "by: sum", "`of` alone"),
    ("  - key: points", "  - key: clarity # again", "- key: clarity # again", "every name once"),
    ("  - key: answer", "  - key: clarity # again", "- key: clarity # again", "every name once"),
    ("  - key: answer", "  - key: answer\n    short: clarity", "short:", "every name once"),
    ("  - key: nothing", "  - key: total # again", "- key: total # again", "every name once"),
    ("  - key: answer", "  - key: Clarity # again", "- key: Clarity # again", "capitals, _ and - do not tell names apart"),
    ("  - key: points", "  - key: to_tal # again", "- key: to_tal # again", "capitals, _ and - do not tell names apart"),
    ("  - key: answer", "  - key: rater", "- key: rater", "a name that is none of"),
    ("  - key: points", "  - key: seconds", "- key: seconds", "a name that is none of"),
    ("    scale:\n      type: checklist\n      formula: met + 1", "    scale: # here\n      type: checklist\n      formula: 2 + 1", "scale: # here", "found every value is worth 3; expected two different points"),
    ("formula: met + 1", "formula: met + correkt", "formula:", "a known element"),
    ("formula: met + 1", "formula: met +", "formula:", "a formula such as met + 1"),
    ("formula: met + 1", "formula: met ** 2", "formula:", "only + - * /"),
    ("formula: met + 1", "formula: max(met, 1)", "formula:", "only numbers, names"),
    ("formula: met + 1", "formula: 1 / met", "formula:", "a divisor that cannot be 0"),
    ("formula: met + 1", "formula: met * 1e308 * 10", "formula:", "finite"),
    ("formula: met + 1", "formula: __import__('os')", "formula:", "only numbers, names"),
    ("{key: complete,", "{key: correct,", "- {key: correct, name: 완전", "element keys that differ"),
    ("{key: complete,", "{key: met,", "- {key: met", "element keys that differ"),
    ("    unmet: [answer]", "    unmet: [clarity]", "unmet:", "checklist or binary"),
    ("    unmet: [answer]", "    unmet: [answer]\n    rule: never", "rule:", "no_assistant_message"),
    ("    name: 명료성", "    name: 명료성\n    rated_by: code", "rated_by:", "`item: run`"),
    ("    name: 명료성", "    name: 명료성\n    failed_run: 1", "failed_run:", "`item: run` only"),
    ("    name: 명료성", "    name: 명료성\n    only: SINGLE", "only:", "`item: run` only"),
    ("id: tiny", "id: &a tiny\nedition: *a", "edition:", "alias *a"),
    ("id: tiny", "id: !!python/object:os.system tiny x", "id:", "a Latin letter"),
    ("id: tiny", "? [a, b]\n: c\nid: tiny", "? [a", "a key of one word"),
    ("id: tiny", "<<: {a: b}\nid: tiny", "<<:", "unknown key <<"),
    ("id: tiny", "yes: 1\nid: tiny", "yes:", "unknown key True"),
    ("id: tiny", "1.5: 1\nid: tiny", "1.5:", "unknown key 1.5"),
    ("id: tiny", 'id: "\\ud800"', "id:", "characters that can be saved"),
    ("id: tiny", 'id: "\\UFFFFFFFF"', "id:", "well-formed YAML"),
    ("id: tiny", "id: [tiny", "title:", "well-formed YAML"),
    ("task: 읽고", "task: \x07 읽고", "task:", "well-formed YAML"),
]  # fmt: skip

RUN_MISTAKES = [
    ("(5, inf)", "(6, inf)", '- {range: "(6', "found [0, 5], (6, inf); expected bands without hole"),
    ("(5, inf)", "[5, inf)", '- {range: "[5', "without hole or overlap"),
    ("(5, inf)", "(4, inf)", '- {range: "(4', "without hole or overlap"),
    ("(5, inf)", "(5, 5)", '- {range: "(5', "holds a number"),
    ("(5, inf)", "5 to 8", '- {range: "5', "a range such as"),
    ("(5, inf)", "(nan, inf)", '- {range: "(nan', "a range such as"),
    ("points: 0}\nrun", "points: .inf}\nrun", '- {range: "(5', "finite"),
    ("measure: seconds", "measure: minutes", "measure:", "seconds"),
    ("scale:\n      type: bands\n      measure: seconds\n", "scale: # here\n      type: bands\n", "scale: # here", "seconds"),
    ("    rated_by: code\n", "", "measure:", "`rated_by: code` only"),
    ("failed_run: BAD", "failed_run: AWFUL", "failed_run:", "one of GOOD, BAD"),
    ("        BAD: {", "        good: {", "good:", "differ in more than capitals"),
    ("      type: verdict", "      type: verdict\n      measure: outcome", "measure: outcome", "`rated_by: code` only"),
    ("    failed_run: BAD\n    scale:", "    rated_by: code\n    scale: # here", "scale: # here", "OK and FAILED"),
    ("item: run", "item: reply", "failed_run:", "`item: run` only"),
    ("      type: verdict\n      labels:\n        GOOD: {points: 1, text: 좋음}\n        BAD: {points: 0, text: 나쁨}",
     "      type: text", "failed_run:", "a scale that has points"),
    ("  labels:\n    - {label: ADD, words: [추가]}", "  labels: [] # here", "labels: [] # here", "at least 1"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("base", "old", "new", "start", "message"),
    [(GOOD, *case) for case in MISTAKES] + [(RUN, *case) for case in RUN_MISTAKES],
    ids=[ascii(case[1])[1:60] for case in MISTAKES + RUN_MISTAKES],
)
def test_a_mistake_is_named_by_its_line(base: str, old: str, new: str, start: str, message: str) -> None:
    text = changed(base, old, new)
    found = problems(text)
    lines = [int(problem.at.split(":")[1].split(",")[0]) for problem in found]
    wanted = [place for place, line in enumerate(text.splitlines(), 1) if line.strip().startswith(start)]
    assert len(wanted) == 1, "the start of exactly one line"
    assert wanted[0] in lines, found[0].say("en")
    said = [problem.say("en") for problem in found]
    assert any(message in sentence for sentence in said), said


def test_both_languages_and_the_next_step() -> None:
    (problem,) = problems(changed(GOOD, "answer: 60", "answer: 50"))
    assert problem.say("en") == (
        "my.yaml:27, scores.0.weights: found 90; expected weights that sum to 1 or 100. "
        "Next: correct the file, then run `haechi rubrics check` again"
    )
    assert problem.say("ko").startswith(
        "my.yaml:27, scores.0.weights: 90 — 필요한 값: 합이 1 또는 100인 가중치."
    )


def test_all_mistakes_are_shown_together() -> None:
    text = changed(changed(GOOD, "formula: met + 1", "formula: met +"), "title: 작은 루브릭\n", "")
    assert len(problems(text)) == 2


def test_an_entry_that_is_wrong_is_not_also_an_entry_too_few() -> None:
    (problem,) = problems(changed(GOOD, "    unmet: [answer]", "    unmet: [5]"))
    assert (problem.at, problem.found) == ("my.yaml:36, floors.0.unmet.0", "5")


def test_open_questions_alone_are_no_instrument() -> None:
    text = (
        GOOD[: GOOD.index("criteria:")]
        + "criteria: # here\n  - {key: memo, name: 메모, scale: {type: text}}\n"
    )
    (problem,) = problems(text)
    assert (problem.at, problem.expected.en) == (
        "my.yaml:7, criteria",
        "at least one criterion that has a score",
    )


def test_a_broken_file_is_refused_in_the_same_words_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = changed(GOOD, "item: dialogue", "item: dialogue: again")
    here = problems(broken)
    assert "well-formed YAML" in here[0].say("en")
    monkeypatch.setattr(reading, "LOADER", yaml.SafeLoader)
    assert problems(broken) == here


def test_an_alias_bomb_is_refused_at_its_first_alias() -> None:
    bomb = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*{'a' if n == 0 else f'b{n - 1}'}]\n" for n in range(50))
    (problem,) = problems(bomb)
    assert problem.at == "my.yaml:2"


@pytest.mark.parametrize("text", ["id: " + "[" * 100_000, "id: " + "{a: " * 100_000, "- " * 100_000])
def test_deep_nesting_is_refused(text: str) -> None:
    (problem,) = problems(text)
    assert "nested deeper than 40" in problem.say("en")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "an empty file"),
        ("# 주석뿐\n", "an empty file"),
        ("- a\n- b", "a list"),
        ("그냥 글", "a list or a value"),
    ],
)
def test_what_is_not_a_mapping(text: str, found: str) -> None:
    (problem,) = problems(text)
    assert found in problem.say("en")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (bytes(range(256)), "saved as UTF-8"),
        ("id: tiny\ntitle: 작은 루브릭\n".encode("cp949"), "saved as UTF-8"),
        (b"\x00\x00\x00", "well-formed YAML"),
        (b"#" * (1024 * 1024 + 1), "at most 1 MiB"),
    ],
    ids=["binary", "cp949", "nul", "large"],
)
def test_files_that_cannot_be_read(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "my.yaml"
    path.write_bytes(content)
    with pytest.raises(HaechiError) as caught:
        read_rubric(path)
    assert expected in caught.value.problems[0].say("en")


def test_a_wrong_encoding_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_bytes("id: tiny\ntitle: 작은 루브릭\n".encode("cp949"))
    with pytest.raises(HaechiError) as caught:
        read_rubric(path)
    assert caught.value.problems[0].at == "my.yaml:2"


def test_a_byte_order_mark_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(GOOD, "utf-8-sig")
    assert read_rubric(path).id == "tiny"


@pytest.mark.parametrize("path", ["missing.yaml", "a\0b", "x" * 5000, "."])
def test_a_path_that_leads_nowhere(tmp_path: Path, path: str) -> None:
    with pytest.raises(HaechiError):
        find_rubric(tmp_path / path)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(GOOD, "utf-8")
    before = find_rubric(path)
    path.write_text(GOOD.replace("id: tiny", "id: other"), "utf-8")
    after = find_rubric(path)
    assert (before.id, after.id) == ("tiny", "other")


def test_the_version_follows_the_content_and_not_the_layout() -> None:
    same = parse_rubric("# 주석\n" + GOOD.replace("1: 나쁨", "1:   '나쁨'"))
    other = parse_rubric(GOOD.replace("1: 나쁨", "1: 나쁨."))
    assert parse_rubric(GOOD).version == same.version != other.version


@pytest.mark.parametrize("identifier", builtin_ids())
def test_both_loaders_read_the_same(identifier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LOADER", yaml.SafeLoader)
    assert parse_rubric(builtin_text(identifier)) == find_rubric(identifier)


@pytest.mark.parametrize("names", [("nobody",), ("clarity", "answer"), ("clarity", "nobody")])
def test_leaving_out_what_is_not_there_or_everything_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(HaechiError):
        parse_rubric(GOOD).without(names)


def test_leaving_out_a_criterion_shares_its_weight() -> None:
    rest = parse_rubric(GOOD).without(("clarity",))
    assert rest.score_names == ("answer", "total", "points")
    assert rest.scores[0].weights == {"answer": 1.0}


def only_our_errors(text: str) -> None:
    with suppress(HaechiError):
        assert len(parse_rubric(text).version) == 12


@settings(deadline=None)
@given(st.text())
def test_any_text_is_a_rubric_or_a_clear_error(text: str) -> None:
    only_our_errors(text)


LINES = [line for line in (GOOD + RUN + builtin_text("hiring-agent")).splitlines() if line.strip()]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([GOOD, RUN]),
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from(LINES) | st.text(max_size=20)), max_size=4),
)
def test_damaged_rubrics_are_read_or_refused(base: str, damage: list[tuple[int, str]]) -> None:
    lines = base.splitlines()
    for place, line in damage:
        lines[place % len(lines)] = line
    only_our_errors("\n".join(lines))


SCALARS = st.sampled_from(
    [
        *(".nan", ".inf", "-.inf", "1e400", "~", "yes", "0x1F", "1:30", "2020-01-01", "!!int x", "!!bool x"),
        *(
            "''",
            "[]",
            "{}",
            "9" * 5000,
            "1_000",
            '"\\u0000"',
            "!!binary x",
            "=",
            "<<",
            "-",
            "?",
            "|",
            "[1, [2]]",
        ),
        *("{a: {b: c}}", "\t", "- a", "&a b", "!a", "%", "0x" + "F" * 5000),
    ]
)


def test_a_number_too_large_to_print_is_refused_without_noise() -> None:
    text = GOOD.replace("type: likert", "type: 0x" + "F" * 5000)
    (found,) = problems(text)
    assert "one of 'likert', 'binary'" in found.say("en")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([GOOD, RUN]), st.integers(0, 40), SCALARS)
def test_odd_values_are_read_or_refused(base: str, place: int, value: str) -> None:
    lines = base.splitlines()
    line = lines[place % len(lines)]
    lines[place % len(lines)] = line.partition(":")[0] + ": " + value
    only_our_errors("\n".join(lines))


def test_a_criterion_of_dialogues_may_have_the_name_of_a_column_of_runs():
    """`label` is a good name for a criterion, and tables of dialogues have no such column."""
    text = """
id: intents
title: t
about: a
item: dialogue
speakers: {user: 고객, assistant: 봇}
task: t
criteria:
  - key: label
    name: 라벨
    scale: {type: likert, anchors: {1: 하, 2: 상}}
"""
    assert parse_rubric(text).criteria[0].key == "label"
    with pytest.raises(HaechiError, match="a name that is none of at, class_by"):
        parse_rubric(text.replace("item: dialogue", "item: run"))
