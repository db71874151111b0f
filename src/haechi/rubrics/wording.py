"""The validator's findings in words: what was found and what is expected, in both languages."""

from __future__ import annotations

from typing import Any

from haechi.rubrics.fault import Fault, shorten
from haechi.text import Text

_KINDS = {
    "string_type": Text("글(수나 예/아니오는 따옴표로 감쌈)", "a text (numbers and yes/no in quotes)"),
    "bool_type": Text("true 또는 false", "true or false"),
    "bool_parsing": Text("true 또는 false", "true or false"),
    "int_type": Text("정수", "a whole number"),
    "int_parsing": Text("정수", "a whole number"),
    "int_from_float": Text("정수", "a whole number"),
    "float_type": Text("수", "a number"),
    "float_parsing": Text("수", "a number"),
    "finite_number": Text("유한한 수", "a finite number"),
    "tuple_type": Text("목록(`- …`)", "a list (`- …`)"),
    "dict_type": Text("사전(`키: 값`)", "a mapping (`key: value`)"),
    "model_type": Text("사전(`키: 값`)", "a mapping (`key: value`)"),
    "model_attributes_type": Text("사전(`키: 값`)", "a mapping (`key: value`)"),
}


def expectation(detail: Any) -> tuple[str | Text, Text]:
    """What was found and what was expected, for one error of the validator.

    >>> found, expected = expectation({"type": "missing", "loc": ("title",), "msg": "", "input": {}})
    >>> found.say("en"), expected.say("ko")
    ('no title', '`title:`')
    """
    kind, context = detail["type"], detail.get("ctx", {})
    key = shorten(detail["loc"][-1]) if detail["loc"] else ""
    found = shorten(detail["input"])
    if isinstance(context.get("error"), Fault):
        return context["error"].found, context["error"].expected
    if kind == "extra_forbidden":
        page = "docs/rubric-format.md"
        unknown = Text(f"모르는 키 {key}", f"unknown key {key}")
        return unknown, Text(f"루브릭 형식의 키({page})", f"a key of the rubric format ({page})")
    if kind in ("missing", "union_tag_not_found"):
        key = "type" if kind == "union_tag_not_found" else key
        return Text(f"{key} 없음", f"no {key}"), Text(f"`{key}:`", f"`{key}:`")
    if kind in ("literal_error", "union_tag_invalid"):
        known = context.get("expected") or context["expected_tags"]
        tag = shorten(context.get("tag", found))
        return tag, Text(f"다음 중 하나: {known}", f"one of {known}")
    if kind in ("too_short", "too_long"):
        limit, count = context.get("min_length", context.get("max_length")), context.get("actual_length")
        more = kind == "too_short"
        expected = Text(
            f"{limit}개 {'이상' if more else '이하'}", f"at {'least' if more else 'most'} {limit} entries"
        )
        return Text(f"{count}개", f"{count} entries"), expected
    return found, _KINDS.get(kind, Text(detail["msg"], detail["msg"]))
