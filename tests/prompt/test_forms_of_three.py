"""Twenty-six ways in which judges write an answer, for a checklist, for yes-or-no and for five points: seventy-eight forms.

A person reads every one of them without doubt. Read whole counts; a value that was not given counts against the whole list.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from haechi.prompt.reply import parse
from haechi.rubrics import Rubric, find_rubric

RUBRICS = {name: find_rubric(name) for name in ("maice-qac", "diary-comment", "ubica")}
WHY = "메시지[1] '근거'"


def counted(rubric: Rubric) -> dict[str, Any]:
    return {
        name: one for name, one in rubric.rateables.items() if one.criterion is not None and one.scale.counted
    }


def wanted(rubric: Rubric) -> dict[str, int]:
    """The value of everything that is rated, as different as the scale allows."""
    values = {}
    for place, (name, rateable) in enumerate(counted(rubric).items()):
        choices = rateable.scale.value_schema()["enum"]
        values[name] = choices[place % len(choices)]
    return values


def label_of(rateable: Any) -> str:
    return (rateable.element or rateable.criterion).name.ko


def camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.title() for word in rest)


def mistyped(key: str) -> str:
    return key[:3] + key[4:]


def tree(rubric: Rubric, key: Callable[[str, Any, int], str], value: Callable[[int, Any], Any]) -> Any:
    """An answer with every key and every value written in some way; the keys of criteria above elements stay."""
    made: dict[str, Any] = {}
    for place, (name, rateable) in enumerate(counted(rubric).items(), 1):
        group, _, element = name.partition(".")
        said = value(wanted(rubric)[name], rateable)
        if element:
            made.setdefault(group, {})[key(element, rateable, place)] = said
        else:
            made[key(group, rateable, place)] = said
    return made


def plain(key: str, *_: Any) -> str:
    return key


def node(value: int, *_: Any) -> Any:
    return {"value": value, "evidence": WHY}


def keys(key: Callable[[str, Any, int], str]) -> Callable[[Rubric], str]:
    return lambda rubric: dump(tree(rubric, key, node))


def values(value: Callable[[int, Any], Any]) -> Callable[[Rubric], str]:
    return lambda rubric: dump(tree(rubric, plain, value))


def around(text: Callable[[str], str]) -> Callable[[Rubric], str]:
    return lambda rubric: text(json.dumps(tree(rubric, plain, node), ensure_ascii=False, indent=2))


def dump(found: Any) -> str:
    return json.dumps(found, ensure_ascii=False)


def top(rateable: Any) -> int:
    return max(rateable.scale.value_schema()["enum"])


def rows(rubric: Rubric) -> str:
    listed = []
    for name, value in wanted(rubric).items():
        group, _, element = name.partition(".")
        listed.append(
            {"criterion": group, **({"element": element} if element else {}), "value": value, "evidence": WHY}
        )
    return dump(listed)


def flat(join: str) -> Callable[[Rubric], str]:
    return lambda rubric: dump(
        {name.replace(".", join): node(value) for name, value in wanted(rubric).items()}
    )


def lines(rubric: Rubric) -> str:
    return "\n".join(f"- {name}: {value} — 근거가 있음" for name, value in wanted(rubric).items())


def table(rubric: Rubric) -> str:
    body = "".join(f"| {name} | {value} | 근거가 있음 |\n" for name, value in wanted(rubric).items())
    return f"| criterion | value | evidence |\n|---|---|---|\n{body}"


FORMS: dict[str, Callable[[Rubric], str]] = {
    "numbered keys": keys(lambda key, _, place: f"{place}. {key}"),
    "Korean labels": keys(lambda _, rateable, __: label_of(rateable)),
    "key (label)": keys(lambda key, rateable, _: f"{key} ({label_of(rateable)})"),
    "backticks": keys(lambda key, *_: f"`{key}`"),
    "bold": keys(lambda key, *_: f"**{key}**"),
    "a colon": keys(lambda key, *_: f"{key}:"),
    "camelCase": keys(lambda key, *_: camel(key)),
    "capitals": keys(lambda key, *_: key.upper()),
    "one letter lost": keys(lambda key, *_: mistyped(key)),
    "joined by _": flat("_"),
    "joined by /": flat("/"),
    "1점": values(lambda value, _: {"value": f"{value}점", "evidence": WHY}),
    "1 (in words)": values(
        lambda value, rateable: {
            "value": f"{value} ({'충족' if value else '미충족'})" if top(rateable) == 1 else f"{value} (점)",
            "evidence": WHY,
        }
    ),
    "4/5": values(lambda value, rateable: {"value": f"{value}/{top(rateable)}", "evidence": WHY}),
    "[1]": values(lambda value, _: {"value": [value], "evidence": WHY}),
    "the value alone": values(lambda value, _: value),
    "met or score": values(
        lambda value, rateable: {"met" if top(rateable) == 1 else "score": value, "reason": WHY}
    ),
    "rows": rows,
    "JSON inside a string": around(lambda text: json.dumps(text, ensure_ascii=False)),
    "// comments": around(lambda text: text.replace("{\n", "{ // 확인함\n", 3)),
    "YAML": lambda rubric: yaml.safe_dump(tree(rubric, plain, node), allow_unicode=True, sort_keys=False),
    "single quotes": lambda rubric: str(
        tree(rubric, plain, lambda value, _: {"value": value, "evidence": "근거"})
    ),
    "trailing commas": around(lambda text: text.replace("\n}", ",\n}")),
    "words around": around(lambda text: f"평가하겠습니다.\n\n```json\n{text}\n```\n\n이상입니다."),
    "lines": lines,
    "a table": table,
}
"""How an answer is written, by what it is called."""


def test_at_least_75_of_78_forms_are_read_and_no_value_is_invented() -> None:
    read, lost, invented = [], [], []
    for form, write in FORMS.items():
        for name, rubric in RUBRICS.items():
            parsed = parse(write(rubric), rubric)
            found = {key: given.value for key, given in parsed.values.items() if key not in parsed.open}
            meant = {key: str(value) for key, value in wanted(rubric).items()}
            invented += [(form, name, key) for key, value in found.items() if meant.get(key) != value]
            (read if found == meant else lost).append((form, name, len(found), len(meant)))
    assert len(FORMS) * len(RUBRICS) == 78
    assert invented == []
    assert len(read) >= 75, lost


@pytest.mark.parametrize("form", ["numbered keys", "4/5", "rows", "YAML", "lines"])
def test_what_was_not_asked_for_in_that_way_is_counted_as_repaired(form: str) -> None:
    rubric = RUBRICS["diary-comment"]
    assert parse(FORMS[form](rubric), rubric).repaired
