"""What pages call what commands name by an option: a remedy on a page names the field that is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from haechi.errors import Problem
from haechi.korean.particles import particle
from haechi.text import Lang, Text, language

JUDGES = {
    "--model": Text("AI 평가자", "Judge"),
    "--repeat": Text("항목마다 반복", "Times per item"),
    "--limit": Text("최대 호출 수", "Most calls"),
    "--max-cost": Text("이 금액(달러)을 넘기 전에 멈춤", "Stop before more than so many dollars"),
    "--batch": Text("배치", "As a batch"),
    "--per": Text("한 번에 묻는 것", "Asked at once"),
    "--temperature": Text("온도", "Temperature"),
    "--seed": Text("난수 시드", "Seed"),
    "--reasoning-effort": Text("추론 강도", "Reasoning effort"),
    "--logprobs": Text(
        "값을 쓴 토큰의 확률도 받아 근거로 둠", "Also ask for the probabilities of the tokens"
    ),
    "--examples": Text("예시로 보일, 사람이 평가한 항목 수", "Items of people shown as examples"),
    "--then": Text("갈린 항목을 다시 물을 AI 평가자", "Judge asked again where they are apart"),
    "--apart": Text("갈린 것으로 보는 차이", "Difference that counts as apart"),
    "--random-part": Text("나머지에서 무작위로 다시 묻는 비율", "Random part of the rest asked again"),
    "--try": Text("방법 견주기", "Try ways of judging"),
    "--audit": Text("AI 평가자 점검", "Audit the judge"),
}
"""On the page of the AI judges."""
SETTINGS = {
    "--until": Text("이만큼 알 때까지만 묻기", "Ask until it is known so closely"),
    "--talk": Text("모델과 주소", "Model and address"),
    "--talk-max-cost": Text("참여자마다 최대 비용 (달러)", "Cost at most for each, in dollars"),
    "haechi judge": Text("AI 평가", "AI judges"),
}
"""On the page of the settings."""
_AFTER = {form: pair for pair in ("을/를", "은/는", "이/가", "과/와", "으로/로") for form in pair.split("/")}


def by_fields(words: str, fields: Mapping[str, Text], lang: Lang | None = None) -> str:
    """The same words with fields in place of options, each followed by the Korean particle that fits.

    >>> by_fields("이어서 하려면 --max-cost를 2보다 크게 하세요", JUDGES, "ko")
    '이어서 하려면 ‘이 금액(달러)을 넘기 전에 멈춤’을 2보다 크게 하세요'
    >>> by_fields("correct --until", SETTINGS, "en")
    'correct ‘Ask until it is known so closely’'
    """
    options = "|".join(map(re.escape, fields))
    found = re.compile(rf"({options})(?![a-z-])(?:({'|'.join(_AFTER)})(?![가-힣]))?")

    def named(match: re.Match[str]) -> str:
        name, after = fields[match[1]].say(lang or language()), match[2]
        return f"‘{name}’{particle(name, _AFTER[after]) if after else ''}"

    return found.sub(named, words)


def problems_by_fields(problems: Iterable[Problem], fields: Mapping[str, Text]) -> tuple[Problem, ...]:
    """Problems as a page tells them."""
    return tuple(_told(problem, fields) for problem in problems)


def _told(problem: Problem, fields: Mapping[str, Text]) -> Problem:
    def both(text: Text) -> Text:
        return Text(by_fields(text.ko, fields, "ko"), by_fields(text.say("en"), fields, "en"))

    found = problem.found
    return replace(
        problem,
        at=by_fields(problem.at, fields),
        found=both(found) if isinstance(found, Text) else by_fields(found, fields),
        expected=both(problem.expected),
        todo=both(problem.todo),
    )
