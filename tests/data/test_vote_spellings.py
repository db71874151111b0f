"""Spellings of votes that need no look at the names mean what a look would say."""

import itertools

import numpy as np
import polars as pl
import pytest

from haechi.data.verdicts import RefusedVote, a_first, verdict_of
from haechi.data.vote_spellings import VoteSpelling, plain_verdicts, text_numbers

NAMES = ["gpt", "GPT", "a", "B", "tie", "1", "none", "model-1", "누리", "y z", None]
SAID = [
    "a",
    "b",
    "A",
    "model_b",
    "tie",
    "무승부",
    "왼쪽",
    "error",
    "none",
    "gpt",
    "Gpt",
    "누리",
    "y z",
    "x",
    " ",
    None,
]


@pytest.mark.parametrize("names", [NAMES, ["gpt", "claude", "누리"], ["a", "b"], ["1", "2"], ["ab", "ba"]])
def test_what_is_said_outright_is_what_a_look_says(names):
    rows = list(itertools.product(names, names, [*SAID, *names], ["ab", "ba", "gpt", "누리", "1", "x", None]))
    columns = [pl.Series(list(column), dtype=pl.String) for column in zip(*rows, strict=True)]
    spelt = VoteSpelling.of(columns)
    won, first = plain_verdicts(spelt)
    for row, at in enumerate(spelt.at.tolist()):
        a, b, winner, order = spelt.words(at)
        assert [(text and text.strip()) or None for text in rows[row]] == [a, b, winner, order]
        try:
            looked = verdict_of(a, b, winner)
        except RefusedVote:
            looked = None
        if not np.isnan(won[at]):
            assert looked == won[at]
        try:
            shown = a_first({"a": a, "b": b, "order": order})
        except RefusedVote:
            shown = None
        if not np.isnan(first[at]):
            assert shown == bool(first[at])


def test_plain_verdicts_need_no_look():
    columns = [
        pl.Series(text)
        for text in (["p", "q", "p"], ["q", "p", "q"], ["model_a", "q", "tie"], ["ab", "ba", "q"])
    ]
    won, first = plain_verdicts(VoteSpelling.of(columns))
    assert sorted(won.tolist()) == [0.5, 1.0, 1.0]
    assert not np.isnan(first).any()


def test_a_text_that_first_comes_late_is_numbered_too():
    texts = ["x"] * 20_000 + ["y", None, "x"]
    codes, known = text_numbers(pl.Series(texts))
    assert [known[code] for code in codes.tolist()] == texts


def test_systems_are_numbered_alike_in_every_process():
    """Sums over systems are equal to the last bit only in one order; sets have another in every process."""
    names = [f"모델-{n % 37}" for n in range(400)]
    _, texts = text_numbers(pl.Series(names))
    assert texts == sorted(set(names))
    _, texts = text_numbers(pl.Series([*names, *(f"늦은-{n % 11}" for n in range(200_000)), None]))
    assert texts == [*sorted({*names, *(f"늦은-{n}" for n in range(11))}), None]
