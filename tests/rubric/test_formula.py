import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from haechi.rubrics.fault import Fault
from haechi.rubrics.formula import Formula


@pytest.mark.parametrize(
    ("text", "values", "result"),
    [
        ("met + 1", {"met": 0}, 1),
        ("met + 1", {"met": 4}, 5),
        ("(ratio_a + ratio_b) / 2 * 5", {"ratio_a": 1.0, "ratio_b": 0.5}, 3.75),  # 1.5 / 2 * 5
        ("2 - 3 - 4", {}, -5),  # from the left
        ("2 + 3 * 4", {}, 14),  # multiplication first
        ("-(met - 4)", {"met": 1}, 3),
        (" 1.5e1 ", {}, 15.0),
    ],
)
def test_arithmetic(text: str, values: dict[str, float], result: float) -> None:
    assert Formula(text).evaluate(values) == result


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("met + 1", (1, 5)),
        ("5 - met", (1, 5)),
        ("-met", (-4, 0)),
        ("met * met", (0, 16)),
        ("10 / (met + 1)", (2, 10)),
        ("(met - 2) * 3", (-6, 6)),
    ],
)
def test_bounds_when_met_is_from_0_to_4(text: str, bounds: tuple[float, float]) -> None:
    assert Formula(text).bounds({"met": (0, 4)}) == bounds


@pytest.mark.parametrize(
    "text",
    [
        "1 / met",
        "1 / (met - 2)",
        "met / (met - met)",
        "1 / 0",
        "1e308 * 10 * met",
        "met * 1e308 * 10 - met * 1e308 * 10",
    ],
)
def test_a_result_that_may_not_exist_is_refused(text: str) -> None:
    with pytest.raises(Fault):
        Formula(text).bounds({"met": (0, 4)})


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "met +",
            "met met",
            "(met",
            "met ** 9",
            "met // 2",
            "met % 2",
            "+met",
            "not met",
            "met < 1",
        ),
        *(
            "max(met)",
            "met.real",
            "met[0]",
            "[met]",
            "'a'",
            "1j",
            "True + 1",
            "met if met else 1",
            "met := 1",
        ),
        *(
            "lambda: 1",
            "__import__('os')",
            "1e999",
            "met\n+ 1; 2",
            "met # 1",
            "정확 + 1",
            "１ + 1",
            "\x00",
            "met == met",
        ),
        *("(" * 250 + "1" + ")" * 49, "-" * 299 + "!", "1 + " * 75 + "1", "f'{met}'", "1if met else 2"),
    ],
)
def test_anything_but_plain_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(Fault) as caught:
        Formula(text)
    assert caught.value.expected.ko != caught.value.expected.en


def test_names() -> None:
    assert Formula("a * 2 + b - a").names == {"a", "b"}


@settings(deadline=None)
@given(st.text(alphabet="met0123456789.+-*/() e_", max_size=40))
def test_any_text_is_a_formula_or_a_fault(text: str) -> None:
    try:
        low, high = Formula(text).bounds({"met": (0.0, 4.0)})
    except (Fault, KeyError):  # KeyError: a name that nobody gave bounds for
        return
    assert low <= high
