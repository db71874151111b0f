"""How AI judges are to be asked: what the form of the page says, the options of the command, and the judges that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from haechi.analysis.audit_variants import audit_judges, audit_study
from haechi.analysis.trial import ITEMS, check_alone, trial_study, variants_of
from haechi.data.judging_protocol import EFFORTS, LARGEST_SEED, TEMPERATURES, Decoding
from haechi.frozen import frozen
from haechi.judge.asks import Judge, Per
from haechi.judge.examples import examples_for
from haechi.judge.judges import judges_of
from haechi.judge.second_stage import check_then
from haechi.study.study import Study
from haechi.text import Lang, Text
from haechi.web.bodies import SubmittedForm
from haechi.web.commands import Option
from haechi.web.form_numbers import amount_in, count_in, number_in

FOLDED = (
    "per",
    "prompt_lang",
    "one_order",
    "temperature",
    "seed",
    "effort",
    "max_tokens",
    "logprobs",
    "examples",
    "then",
    "apart",
    "random_part",
    "trial",
    "at_once",
    "rate",
    "timeout",
)
"""Fields of the form that are folded away until one of them says something."""


@frozen
class JudgingOptions:
    """Who is to judge, how, and how much it may take.

    then: who is asked where these are apart, by more than the share `apart` of the scale, and about the share `random_part` of
    the rest. trial: items on which ways are tried; audit: items that are asked about with one change each. at_once, rate,
    timeout: the pace, where it is not the usual one.
    """

    models: tuple[str, ...]
    repeat: int = 1
    limit: int | None = None
    max_cost: float | None = None
    batch: bool = False
    per: Per = "rubric"
    lang: Lang = "ko"
    both_orders: bool = True
    decoding: Decoding = field(default_factory=Decoding)
    examples: int | None = None
    then: str | None = None
    apart: float | None = None
    random_part: float | None = None
    trial: int | None = None
    audit: int | None = None
    at_once: int | None = None
    rate: float | None = None
    timeout: float | None = None

    @classmethod
    def kept(cls, told: Mapping[str, Any]) -> JudgingOptions:
        """What was kept as JSON."""
        return cls(**{**told, "models": tuple(told["models"]), "decoding": Decoding(**told["decoding"])})

    def options(self) -> list[Option]:
        """The options of `haechi judge`."""
        decoding = self.decoding
        return [
            *(("model", model) for model in self.models),
            ("repeat", self.repeat if self.repeat > 1 else None),
            ("limit", self.limit),
            ("max-cost", _plain(self.max_cost)),
            ("batch", self.batch),
            ("per", self.per if self.per != "rubric" else None),
            ("prompt-lang", self.lang if self.lang != "ko" else None),
            ("one-order", not self.both_orders),
            ("temperature", _plain(decoding.temperature)),
            ("seed", decoding.seed),
            ("reasoning-effort", decoding.effort),
            ("max-tokens", decoding.max_tokens),
            ("logprobs", decoding.logprobs),
            ("examples", self.examples),
            ("then", self.then),
            ("apart", _plain(self.apart)),
            ("random-part", _plain(self.random_part)),
            ("try", self.trial),
            ("audit", self.audit),
            ("at-once", self.at_once),
            ("rate", _plain(self.rate)),
            ("timeout", _plain(self.timeout)),
        ]


def _plain(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"


def wanted_of(given: SubmittedForm) -> JudgingOptions:
    """Who is to judge, as the form says.

    >>> wanted_of(SubmittedForm(model=["openai:gpt-5-mini", ""], max_cost=["2"], way=["batch"], seed=["7"])).options()[:1]
    [('model', 'openai:gpt-5-mini')]
    >>> wanted_of(SubmittedForm(model=["local:smollm2"], way=["try"], temperature=["0"])).trial
    30
    """
    way, items = given.one("way"), count_in(given, "trial", Text("항목 수", "items")) or ITEMS
    models = tuple(name for name in (one.strip() for one in given.get("model", [])) if name)
    seed = number_in(given, "seed", Text("난수 시드", "seed"), 0, LARGEST_SEED)
    effort = given.one("effort")
    wanted = JudgingOptions(
        models,
        count_in(given, "repeat", Text("반복", "repeats")) or 1,
        count_in(given, "limit", Text("호출 수", "calls")),
        amount_in(given, "max_cost", Text("한도", "limit")),
        way == "batch",
        "criterion" if given.one("per") == "criterion" else "rubric",
        "en" if given.one("prompt_lang") == "en" else "ko",
        not given.one("one_order"),
        Decoding(
            number_in(given, "temperature", Text("온도", "temperature"), *TEMPERATURES),
            None if seed is None else int(seed),
            next((level for level in EFFORTS if level == effort), None),
            count_in(given, "max_tokens", Text("응답의 최대 길이", "longest answer")),
            bool(given.one("logprobs")) or None,
        ),
        count_in(given, "examples", Text("예시 수", "examples")),
        given.one("then").strip() or None,
        number_in(given, "apart", Text("갈린 것으로 보는 차이", "difference that counts as apart"), 0, 1),
        number_in(given, "random_part", Text("무작위로 다시 묻는 비율", "random part of the rest"), 0, 1),
        items if way == "try" else None,
        items if way == "audit" else None,
        count_in(given, "at_once", Text("동시에 보내는 요청 수", "requests at once")),
        amount_in(given, "rate", Text("1분에 보내는 요청 수", "requests per minute")),
        amount_in(given, "timeout", Text("응답을 기다리는 초", "seconds to wait for an answer")),
    )
    if wanted.audit is not None:
        check_alone("audit", wanted.options())
    elif wanted.trial is not None:
        check_alone("try", wanted.options())
    elif wanted.then:
        check_then(models, wanted.batch)
    return wanted


def judges_for(study: Study, wanted: JudgingOptions) -> tuple[Study, list[Judge]]:
    """The judges, and the study in which they are asked: ways of judging are tried, and judges audited, in one apart."""
    models = list(wanted.models)
    if wanted.audit is not None:
        audited = audit_study(study, wanted.audit)
        return audited, audit_judges(audited, models, wanted.per, wanted.lang, wanted.decoding)
    if wanted.trial is not None:
        trial = trial_study(study, wanted.trial)
        return trial, variants_of(trial, models, wanted.lang, wanted.decoding)
    judges = judges_of(
        study,
        models,
        wanted.per,
        wanted.lang,
        both_orders=wanted.both_orders,
        decoding=wanted.decoding,
    )
    if wanted.examples is None:
        return study, judges
    shown = examples_for(study, wanted.examples, wanted.lang, draw=False)
    return study, [replace(judge, examples=shown) for judge in judges]


def second_judges(study: Study, wanted: JudgingOptions) -> list[Judge]:
    """Who is asked where the others are apart: at most about everything."""
    if wanted.then is None:
        return []
    return judges_of(study, [wanted.then], wanted.per, wanted.lang, decoding=wanted.decoding)
