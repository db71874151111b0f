"""What judging would take: from the prompts, and, once a judge has answered, from what its answers were like."""

from __future__ import annotations

import json
from itertools import islice

from haechi.frozen import frozen
from haechi.judge.asks import MAX_TOKENS, Judge
from haechi.judge.judged_study import JudgedStudy
from haechi.judge.providers.money import about_tokens
from haechi.store.due_items import all_due
from haechi.store.journal import Usual, usual_answer

_TOKENS_PER_VALUE = 60
_ENOUGH = 3  # answers, from which an average is one


@frozen
class CostEstimate:
    """What judging would take; cost is None when the price is unknown.

    answers: how many of the judge's own answers the output is estimated from (thinking included); 0 if it is a rule
    of thumb, which knows nothing of thinking. cached: the share of the input that came from the provider's cache.
    """

    rater: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    batch_cost: float | None
    at_most: float | None
    as_of: str | None
    answers: int = 0
    cached: float = 0.0


def estimate(study: JudgedStudy, judge: Judge, repeat: int = 1, limit: int | None = None) -> CostEstimate:
    """Count calls and tokens without asking anything; one prompt is in memory at a time."""
    calls, input_tokens, values = _counted(study, judge, repeat, limit)
    with study.database.read() as connection:
        usual = usual_answer(connection, judge.rater)
    known = usual.answers >= _ENOUGH
    output_tokens = round(usual.output * calls) if known else values * _TOKENS_PER_VALUE
    usage = {"input": input_tokens, "output": output_tokens} | (
        _of_cache(usual, input_tokens) if known else {}
    )
    most = {"input": input_tokens, "output": MAX_TOKENS * calls}
    price = judge.price
    return CostEstimate(
        judge.rater,
        judge.model.reference,
        calls,
        input_tokens,
        output_tokens,
        price.cost(usage) if price else None,
        price.cost(usage, batch=True) if price else None,
        price.cost(most) if price else None,
        price.as_of if price else None,
        usual.answers if known else 0,
        usual.cached / usual.input if known and usual.input else 0.0,
    )


def _counted(study: JudgedStudy, judge: Judge, repeat: int, limit: int | None) -> tuple[int, int, int]:
    """How many calls are due, with about how many tokens, for how many values."""
    calls = input_tokens = values = 0
    with study.database.read() as connection:
        for question in judge.questions(repeat):
            left = None if limit is None else limit - calls
            for one in islice(all_due(connection, question, study.rubric.item), left):
                request, _ = judge.request("", one.item, judge.only(question, one.lacks), question.replicate)
                schema = json.dumps(request.schema, ensure_ascii=False)
                input_tokens += sum(map(about_tokens, (request.system, request.user, schema)))
                values += len(one.lacks)
                calls += 1
    return calls, input_tokens, values


def _of_cache(usual: Usual, input_tokens: int) -> dict[str, int]:
    """The share of the cache in the input, as it was in the answers so far."""
    share = input_tokens / usual.input if usual.input else 0.0
    return {"cached": round(usual.cached * share), "cache_write": round(usual.cache_write * share)}
