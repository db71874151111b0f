"""Result files of the providers' batch interfaces, one line per request, in any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from haechi.errors import HaechiError, Problem
from haechi.judge.providers import PROVIDERS, provider_of
from haechi.judge.providers.lines import BatchReply, Record, record_of
from haechi.text import Text


def read_results(
    lines: Iterable[str | bytes], provider: str, name: str = "results.jsonl"
) -> Iterator[BatchReply | Problem]:
    """The replies in a result file; a line that cannot be read is a problem with its place.

    A line in another provider's format stops the reading with an error that says which one it is.

    >>> line = '{"custom_id": "s7", "result": {"type": "expired"}}'
    >>> next(read_results([line], "anthropic")).error.en
    'not processed in time (expired)'
    """
    own = provider_of(provider).lines
    for number, line in enumerate(lines, 1):
        place = f"{name}:{number}"
        record = record_of(line, place)
        if isinstance(record, Problem):
            yield record
        elif record:
            if not own.fits(record):
                _refuse_others(record, provider, place)
            yield own.reply(record, place)


def detect(record: Record) -> str | None:
    """In whose format of our own providers a line is.

    >>> detect({"custom_id": "a", "result": {}}), detect({"key": "a", "response": {}})
    ('anthropic', 'gemini')
    """
    return next((name for name, one in PROVIDERS.own.items() if one.batches and one.lines.fits(record)), None)


def _refuse_others(record: Record, provider: str, place: str) -> None:
    actual = detect(record)
    if actual is not None:
        raise HaechiError.of(
            place,
            Text(f"{actual}의 배치 결과", f"a batch result of {actual}"),
            Text(f"{provider}의 배치 결과", f"a batch result of {provider}"),
            Text(f"`--as {actual}-batch`로 다시 실행하세요", f"run again with `--as {actual}-batch`"),
        )


def is_result(record: Record, provider: str) -> bool:
    """Whether a line tells what became of its request; one with nothing but an id does not.

    >>> is_result({"custom_id": "s7", "response": None, "error": None}, "openai")
    False
    """
    return provider_of(provider).lines.is_result(record)


def is_done(record: Record, provider: str) -> bool:
    """Whether the provider counts a line among the requests that it has answered, and charges for.

    >>> is_done({"custom_id": "s7", "result": {"type": "expired"}}, "anthropic")
    False
    """
    return provider_of(provider).lines.is_done(record)
