"""How AI judges are to be asked: what the form of the page says, the options of the command, and the judges that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from haechi.analysis.trial import ITEMS, trial_study, variants_of
from haechi.data.asking import EFFORTS, Decoding
from haechi.frozen import frozen
from haechi.judge.asks import Judge, Per
from haechi.judge.examples import examples_for
from haechi.judge.judges import judges_of
from haechi.judge.second_stage import check_then
from haechi.study import Study
from haechi.text import Lang, Text
from haechi.web.bodies import Form
from haechi.web.commands import Option
from haechi.web.numbers import amount_in, count_in, number_in

_HOTTEST, _LARGEST_SEED = 2.0, 2**31 - 1


@frozen
class Wanted:
    """Who is to judge, how, and how much it may take. then: who is asked where these are apart. trial: items on which ways are tried."""

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
    trial: int | None = None

    @classmethod
    def kept(cls, told: Mapping[str, Any]) -> Wanted:
        """What was kept as JSON."""
        return cls(**{**told, "models": tuple(told["models"]), "decoding": Decoding(**told["decoding"])})

    def options(self) -> list[Option]:
        """The options of `haechi judge`."""
        decoding = self.decoding
        return [
            *(("model", model) for model in self.models),
            ("repeat", self.repeat if self.repeat > 1 else None),
            ("limit", self.limit),
            ("max-cost", None if self.max_cost is None else f"{self.max_cost:g}"),
            ("batch", self.batch),
            ("per", self.per if self.per != "rubric" else None),
            ("prompt-lang", self.lang if self.lang != "ko" else None),
            ("one-order", not self.both_orders),
            ("temperature", None if decoding.temperature is None else f"{decoding.temperature:g}"),
            ("seed", decoding.seed),
            ("reasoning-effort", decoding.effort),
            ("max-tokens", decoding.max_tokens),
            ("logprobs", decoding.logprobs),
            ("examples", self.examples),
            ("then", self.then),
            ("try", self.trial),
        ]


def wanted_of(given: Form) -> Wanted:
    """Who is to judge, as the form says.

    >>> wanted_of(Form(model=["openai:gpt-5-mini", ""], max_cost=["2"], way=["batch"], seed=["7"])).options()[:1]
    [('model', 'openai:gpt-5-mini')]
    >>> wanted_of(Form(model=["local:smollm2"], way=["try"], temperature=["0"])).trial
    30
    """
    models = tuple(name for name in (one.strip() for one in given.get("model", [])) if name)
    seed = number_in(given, "seed", Text("난수 시드", "seed"), 0, _LARGEST_SEED)
    effort = given.one("effort")
    wanted = Wanted(
        models,
        count_in(given, "repeat", Text("반복", "repeats")) or 1,
        count_in(given, "limit", Text("호출 수", "calls")),
        amount_in(given, "max_cost", Text("한도", "limit")),
        given.one("way") == "batch",
        "criterion" if given.one("per") == "criterion" else "rubric",
        "en" if given.one("prompt_lang") == "en" else "ko",
        not given.one("one_order"),
        Decoding(
            number_in(given, "temperature", Text("온도", "temperature"), 0, _HOTTEST),
            None if seed is None else int(seed),
            next((level for level in EFFORTS if level == effort), None),
            count_in(given, "max_tokens", Text("응답의 최대 길이", "longest answer")),
            bool(given.one("logprobs")) or None,
        ),
        count_in(given, "examples", Text("예시 수", "examples")),
        given.one("then").strip() or None,
        (count_in(given, "trial", Text("항목 수", "items")) or ITEMS) if given.one("way") == "try" else None,
    )
    if wanted.then:
        check_then(models, wanted.batch)
    return wanted


def judges_for(study: Study, wanted: Wanted) -> tuple[Study, list[Judge]]:
    """The judges, and the study in which they are asked: ways of judging are tried in one apart."""
    models = list(wanted.models)
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


def second_judges(study: Study, wanted: Wanted) -> list[Judge]:
    """Who is asked where the others are apart: at most about everything."""
    if wanted.then is None or wanted.trial is not None:
        return []
    return judges_of(study, [wanted.then], wanted.per, wanted.lang, decoding=wanted.decoding)
