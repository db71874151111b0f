from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from haechi.rubrics import find_rubric
from haechi.rubrics.scales import Bands, Binary, Checklist, Computed, Likert, Off, Open, Verdict

LIKERT = Likert.checked({"type": "likert", "anchors": {n: f"{n}번째" for n in range(1, 6)}})
BINARY = Binary(type="binary")
CHECKLIST = Checklist.checked(
    {
        "type": "checklist",
        "formula": "met + 1",
        "elements": [{"key": key, "name": key, "question": key} for key in "abcd"],
    }
)
VERDICT = Verdict.checked(
    {
        "type": "verdict",
        "labels": {"GOOD": {"points": 4, "text": "좋음"}, "BAD": {"points": 0, "text": "나쁨"}},
    }
)
BANDS = Bands.checked(
    {
        "type": "bands",
        "bands": [
            {"range": "(5, inf)", "points": 0},
            {"range": "[0, 5]", "points": 5},
            {"range": "[-1, 0)", "points": 1},
        ],
    }
)
COMPUTED = Computed(type="formula", formula="a * 5", measures=("a",), low=0, high=5)
HOSTILE: tuple[Any, ...] = (
    *(
        "",
        " ",
        "NaN",
        "nan",
        "Infinity",
        "-inf",
        "1e400",
        "maybe",
        "４점점",
        "1_0",
        "0x1",
        "one",
        "1,5",
        "--1",
        "1 2",
    ),
    *(
        None,
        float("nan"),
        float("inf"),
        [],
        {},
        b"1",
        "9" * 400,
        "½",
        "\u200b",
        object(),
        pytest.param(10**5000, id="huge"),
    ),
)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        *[
            (4, "4"),
            (4.0, "4"),
            ("4", "4"),
            (" 4 ", "4"),
            ("４", "4"),
            ("4점", "4"),
            ("４점", "4"),
            ("4.0", "4"),
        ],
        *[("4e0", "4"), ("+4", "4"), ("①", "1")],
    ],
)
def test_likert_reads(raw: Any, value: str) -> None:
    assert LIKERT.read(raw) == value


@pytest.mark.parametrize("raw", [*HOSTILE, "6", "0", "-1", "4.5", 10**30])
def test_likert_refuses(raw: Any) -> None:
    with pytest.raises(Off) as caught:
        LIKERT.read(raw)
    assert caught.value.expected.say("en") == "a whole number from 1 to 5"
    assert caught.value.expected.say("ko") == "1–5 사이의 정수"


@pytest.mark.parametrize(
    "raw", [1, 1.0, "1", "１", True, "true", "TRUE", "예", "충족", "Y", "o", "met", "1.0"]
)
def test_binary_met(raw: Any) -> None:
    assert BINARY.read(raw) == "1"


@pytest.mark.parametrize(
    "raw", [0, 0.0, "0", "０", False, "false", "아니오", "아니요", "미충족", "N", "x", "-0"]
)
def test_binary_unmet(raw: Any) -> None:
    assert BINARY.read(raw) == "0"


@pytest.mark.parametrize("scale", [LIKERT, CHECKLIST, BANDS, COMPUTED, VERDICT])
@pytest.mark.parametrize("raw", [True, False])
def test_true_and_false_make_no_score(scale: Any, raw: bool) -> None:
    with pytest.raises(Off):
        scale.read(raw)


@pytest.mark.parametrize("raw", [*HOSTILE, "2", "0.5", "ok", "참"])
def test_binary_refuses(raw: Any) -> None:
    with pytest.raises(Off):
        BINARY.read(raw)


def test_a_checklist_may_be_given_as_its_score() -> None:
    assert CHECKLIST.range == (1, 5)
    assert [CHECKLIST.read(raw) for raw in ("1", 5, "３")] == ["1", "5", "3"]


@pytest.mark.parametrize("raw", [*HOSTILE, "0", "5.1"])
def test_checklist_refuses(raw: Any) -> None:
    with pytest.raises(Off):
        CHECKLIST.read(raw)


@pytest.mark.parametrize(
    ("raw", "value"), [("GOOD", "GOOD"), (" good ", "GOOD"), ("ＧＯＯＤ", "GOOD"), ("Bad", "BAD")]
)
def test_verdict_reads(raw: str, value: str) -> None:
    assert VERDICT.read(raw) == value


@pytest.mark.parametrize("raw", [*HOSTILE, "4", 4, "GOO"])
def test_verdict_refuses(raw: Any) -> None:
    with pytest.raises(Off) as caught:
        VERDICT.read(raw)
    assert caught.value.expected.say("en") == "one of GOOD, BAD"


@pytest.mark.parametrize(
    ("value", "points"),
    [(-1.0001, None), (-1, 1), (-1e-12, 1), (0, 5), (5, 5), (5.0001, 0), (1e300, 0), (float("nan"), None)],
)
def test_band_edges(value: float, points: float | None) -> None:
    assert BANDS.points_of(value) == points


@pytest.mark.parametrize("raw", [*HOSTILE, "-2"])
def test_bands_refuse(raw: Any) -> None:
    with pytest.raises(Off):
        BANDS.read(raw)


@pytest.mark.parametrize("raw", [*HOSTILE, "5.01", "-0.01"])
def test_computed_refuses(raw: Any) -> None:
    with pytest.raises(Off):
        COMPUTED.read(raw)


def test_open_text_is_kept_as_it_is() -> None:
    assert Open(type="text").read("  좋았어요 😁\n") == "좋았어요 😁"


@pytest.mark.parametrize("identifier", ["ubica", "hiring-agent", "maice-qac", "diary-comment"])
def test_points_lie_within_the_range(identifier: str) -> None:
    for criterion in find_rubric(identifier).criteria:
        if criterion.scale.points is not None:
            assert list(criterion.scale.points) == sorted(set(criterion.scale.points))
            assert criterion.scale.range == (criterion.scale.points[0], criterion.scale.points[-1])


@settings(deadline=None)
@given(st.text() | st.floats() | st.integers() | st.booleans() | st.none())
def test_any_value_is_read_or_off(raw: Any) -> None:
    for scale in (LIKERT, BINARY, CHECKLIST, VERDICT, BANDS, COMPUTED):
        try:
            value = scale.read(raw)
        except Off:
            continue
        assert scale.read(value) == value, "a value that was read can be read again"
