"""How judges form their answers, on the command line."""

from __future__ import annotations

import argparse

from haechi.cli.argument_types import count, refused, seed
from haechi.data.judging_protocol import EFFORTS, TEMPERATURES, Decoding
from haechi.text import Text


def add_decoding(parser: argparse.ArgumentParser) -> None:
    """The options; what is not given is left to the provider and not sent."""
    temperature = Text(
        "0이면 가장 그럴듯한 답만 (기본: 제공자의 값)",
        "0 for the likeliest answer only (default: the provider's)",
    )
    parser.add_argument("--temperature", type=_temperature, metavar="T", help=temperature.say())
    random = Text("난수 시드. 받는 제공자에게만", "the random seed, for providers that take one")
    parser.add_argument("--seed", type=seed, metavar="N", help=random.say())
    effort = Text(f"추론 강도: {', '.join(EFFORTS)}", f"how hard to think: {', '.join(EFFORTS)}")
    parser.add_argument("--reasoning-effort", choices=EFFORTS, metavar="LEVEL", help=effort.say())
    tokens = Text(
        "응답의 최대 길이, 토큰(추론 포함, 기본: 16000). --max-cost는 이 길이를 최악의 경우로 셈",
        "the longest answer in tokens, thinking included (default: 16000); --max-cost counts it as the worst case",
    )
    parser.add_argument("--max-tokens", type=count, metavar="N", help=tokens.say())
    chances = Text(
        "값을 쓴 토큰의 확률도 받아 근거로 둠. 값은 바꾸지 않음",
        "also ask for the probabilities of the tokens, as evidence beside the values; no value changes",
    )
    parser.add_argument("--logprobs", action="store_true", help=chances.say())


def decoding_of(chosen: argparse.Namespace) -> Decoding:
    """What was chosen."""
    given = (chosen.temperature, chosen.seed, chosen.reasoning_effort, chosen.max_tokens)
    return Decoding(*given, logprobs=chosen.logprobs or None)


def _temperature(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not TEMPERATURES[0] <= value <= TEMPERATURES[1]:
        raise refused(text, Text("0에서 2까지의 수", "a number from 0 to 2"))
    return value
