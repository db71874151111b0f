"""Replies of many forms, damaged at random by the hundred thousand: no value appears that was not given for that very element."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from test_forms_of_three import FORMS, RUBRICS, wanted

from haechi.prompt.reply import parse
from haechi.rubrics import Rubric

# No damage writes a digit, a verdict (`x`, `y`, `네` are some) or a whole thought, nor makes 5 of 4/5: a person would read
# that as it stands.
_NOISE = [
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\\",
    " ",
    "\n",
    "“",
    "”",
    "`",
    "z",
    "값",
    "-",
    "*",
    "|",
    "#",
    "\u200b",
]
_WORDS = [
    "평가하겠습니다.\n",
    "// 설명\n",
    "\n```\n",
    "```json\n",
    ' {"note": "x"} ',
    "</think>",
    "null",
    "\ufeff",
]
# All that a cut left of `value` is a tick, as a person would read it, too.
_TICK = re.compile(r"""[:：]\s*["'“]?v\s*$""")
Damage = Callable[[str, random.Random], str]


def cut(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(len(text) + 1)]


def beheaded(text: str, chance: random.Random) -> str:
    return text[chance.randrange(min(200, len(text)) + 1) :]


def deleted(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at + chance.randint(1, 3) :]


def inserted(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + "".join(chance.choices(_NOISE, k=chance.randint(1, 3))) + text[at:]


def commented(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(_WORDS) + text[at:]


def swapped(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def requoted(text: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + text[at : at + 40].replace('"', chance.choice("'“”")) + text[at + 40 :]


def unescaped(text: str, chance: random.Random) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n")


def doubled(text: str, chance: random.Random) -> str:
    return text + chance.choice(["", "\n", "\n\n"]) + text


DAMAGES: list[Damage] = [cut, beheaded, deleted, inserted, commented, swapped, requoted, unescaped, doubled]
MEANT = {
    name: (rubric, {key: str(value) for key, value in wanted(rubric).items()})
    for name, rubric in RUBRICS.items()
}
MANY = 300_000


def invented(text: str, rubric: Rubric, meant: dict[str, str]) -> list[str]:
    """What a reply seems to say of an element that it did not say."""
    parsed = parse(text, rubric)
    assert set(parsed.values) | set(parsed.missing) == set(rubric.rateables)
    given = ((name, one.value) for name, one in parsed.values.items() if name not in parsed.open)
    return [f"{name}={value}" for name, value in given if meant[name] != value]


def run(count: int, seed: int) -> list[tuple[str, list[str], str]]:
    """What so many damages invented; the same for a seed, whoever runs it."""
    chance, found = random.Random(seed), []
    written = [
        (form, name, write(RUBRICS[name]))
        for form, write in FORMS.items()
        if form != "4/5"
        for name in RUBRICS
    ]
    for _ in range(count):
        form, name, text = chance.choice(written)
        for _ in range(chance.randint(1, 4)):
            text = chance.choice(DAMAGES)(text, chance)
        rubric, meant = MEANT[name]
        if (wrong := invented(text, rubric, meant)) and not _TICK.search(text):
            found.append((f"{form}, {name}", wrong, text))
    return found


@pytest.mark.parametrize("seed", range(2))
def test_a_few_damages_invent_nothing(seed: int) -> None:
    assert run(300, seed) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_three_hundred_thousand_damages_invent_nothing(seed: int) -> None:
    assert run(MANY // 30, seed) == []
