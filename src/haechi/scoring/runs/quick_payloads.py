"""The quick way through payloads: what is plain is read by the kernel in C, all else by the exact reader.

The kernel finds tokens and decides nothing. What a token means is said here, in Python, by the functions of the exact
reader, once for each different token; so both ways come to the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import orjson
import polars as pl

from haechi.expectations import checks
from haechi.expectations.checks import CheckResult, PreparedChecks
from haechi.expectations.meanings import ValueTest
from haechi.scoring.runs import compiled, payloads
from haechi.scoring.runs.failures import NO_ANSWER
from haechi.scoring.runs.signature import EMPTY, digest

if TYPE_CHECKING:
    from haechi.scoring._kernel import Plan, Program

_FOUND = payloads.OUTPUTS.names()[:6]
_WENT = payloads.OUTPUTS.names()[6:]
_BYTES = ("stated_class", "message")
_LONGEST_TOKEN, _MOST_TOKENS, _MOST_DIGESTS, _MOST_PROGRAMS = 200, 1_000, 20_000, 4_000
_ASKED = ("expected", "accuracy_checks")
_ODD = False
"""In place of a program: the run can only be read by the exact reader."""


class _Asked(dict[Any, Any]):
    """Answers by key, each found when it is first asked for; `most` of them are kept."""

    def __init__(self, answer: Callable[[Any], Any], most: int) -> None:
        super().__init__()
        self._answer, self._most = answer, most

    def __missing__(self, key: Any) -> Any:
        found = self._answer(key)
        if len(self) >= self._most:
            self.clear()
        if not isinstance(key, bytes) or len(key) <= _LONGEST_TOKEN or self._answer is digest:
            self[key] = found
        return found


class _Programs:
    """What the kernel asks for each expectation, and the results that came of it, numbered."""

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, str | None], Program | bool | None] = {}
        self._results: list[CheckResult] = []
        self._table = payloads.OUTPUTS.to_frame().select(_WENT)

    def of(self, asked: tuple[str | None, str | None]) -> Program | bool | None:
        """The program of an expectation; None if nothing is asked, False if only the exact reader can ask it."""
        if asked not in self._known:
            self._known[asked] = self._program(checks.read(*asked))
        return self._known[asked]

    def _program(self, asked: PreparedChecks | None) -> Program | bool | None:
        if asked is None:
            return None
        if len(asked.shown) < len(asked.checks):
            return _ODD
        tests = (
            (
                key.encode(),
                text.encode(errors="surrogatepass"),
                _Asked(partial(_passes, text, test), _MOST_TOKENS),
            )
            for _, key, text, test in asked.shown
        )
        return _Asked(partial(self._result, asked), _MOST_TOKENS), *tests

    def _result(self, asked: PreparedChecks, failed: int) -> int:
        """The number of the result of checks of which some failed, each a bit."""
        self._results.append(
            checks.result(asked, [place for place, *_ in asked.shown if failed >> place & 1])
        )
        return len(self._results) - 1

    def table(self) -> pl.DataFrame:
        """All results by number."""
        new = self._results[self._table.height :]
        if new:
            self._table = pl.concat(
                [self._table, pl.DataFrame(new, self._table.schema, orient="row")], rechunk=True
            )
        return self._table

    def forget(self) -> None:
        """Begin anew when there is much, so that memory stays bounded."""
        if len(self._known) > _MOST_PROGRAMS or len(self._results) > 10 * _MOST_PROGRAMS:
            self.__init__()  # type: ignore[misc]


def _passes(text: str, test: ValueTest, token: bytes) -> bool:
    found = orjson.loads(token)
    return bool(found == text or test(found))


_programs, _digests = _Programs(), _Asked(digest, _MOST_DIGESTS)


def read_payloads(batch: pl.DataFrame, signature: tuple[str, ...]) -> pl.DataFrame:
    """What the payloads of a batch say, as `payloads.read_payloads` says it."""
    plan = _plan(signature)
    if compiled.kernel is None or plan is None or batch.is_empty():
        return payloads.read_payloads(batch, signature)
    raw, latencies = batch["payload"].cast(pl.Binary).to_list(), batch["latency_ms"].to_list()
    *columns, went, odd = compiled.kernel.read_payloads(raw, latencies, _asked_of(batch), plan)
    found = pl.DataFrame([_column(name, values) for name, values in zip(_FOUND, columns, strict=True)])
    results = _programs.table()[pl.Series(went, dtype=pl.UInt32)]
    read = found.hstack(results)
    if not odd:
        return read
    exact = payloads.read_payloads(batch[odd], signature)
    order = list(range(batch.height))
    for place, row in enumerate(odd):
        order[row] = batch.height + place
    return pl.concat([read, exact])[order]


def _plan(signature: tuple[str, ...]) -> Plan | None:
    """The keys of the signature as the kernel takes them; None if there are such as it does not know."""
    plain = tuple(key.encode() for key in signature if "." not in key)
    inside: dict[str, list[str]] = {}
    for key in signature:
        outer, _, inner = key.partition(".")
        if "." in inner:
            return None
        if inner:
            inside.setdefault(outer, []).append(inner)
    pairs = [(outer.encode(), inner.encode()) for outer, all_of in inside.items() for inner in all_of]
    if max(len(plain), len(pairs)) > 32:
        return None
    outers, inners = (tuple(pair[place] for pair in pairs) for place in (0, 1))
    return plain, outers, inners, _digests, EMPTY, NO_ANSWER


def _asked_of(batch: pl.DataFrame) -> list[Program | bool | None]:
    """The program of every run; runs of one query often follow one another, and are looked up once."""
    _programs.forget()
    others = [pl.col(name).ne_missing(pl.col(name).shift()) for name in _ASKED]
    marked = batch.select(
        *_ASKED, other=pl.any_horizontal(others).cum_sum(), error=pl.col("error").is_not_null()
    )
    first = marked.select(*_ASKED, pl.col("other").is_first_distinct()).filter("other").select(_ASKED)
    programs = [*map(_programs.of, first.iter_rows()), _ODD]
    # The first run differs from nothing before it where it asks for nothing: then the numbers begin with 0.
    begins = marked["other"][0]
    number = pl.when("error").then(first.height).otherwise(pl.col("other") - begins)
    return [programs[number] for number in marked.select(number).to_series().to_list()]


def _column(name: str, values: list[Any]) -> pl.Series:
    if name in _BYTES:
        return pl.Series(name, values, pl.Binary).cast(pl.String)
    return pl.Series(name, values, payloads.OUTPUTS[name])
