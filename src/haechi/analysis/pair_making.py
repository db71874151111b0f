"""Pairs out of single answers: systems that answered the same, two at a time, in a study that compares them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from haechi.analysis.ranking import ranking
from haechi.analysis.study_votes import study_votes
from haechi.data.item import Item
from haechi.data.item_files import items_in
from haechi.data.pair_order import systems_of
from haechi.data.reading_notes import ReadingNotes
from haechi.errors import HaechiError
from haechi.rubrics import Rubric, find_rubric
from haechi.stats.pair_design import next_pairs
from haechi.store.folder import is_study
from haechi.store.votes import pair_id
from haechi.study.scores import StoredStudy
from haechi.study.study import Study
from haechi.text import Text

_DIVIDES = re.compile(r"([-_/.: ]+)")


@dataclass
class PairingResult:
    """What was made: the pairs of systems and how often each, what is left, and what was left out and why."""

    folder: Path
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    contexts: int = 0
    left: int = 0
    same_answer: int = 0
    answered_again: int = 0
    number: int | None = None
    votes: int = 0

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "study": str(self.folder),
            "pairs": [{"a": a, "b": b, "n": n} for (a, b), n in sorted(self.pairs.items())],
            "added": sum(self.pairs.values()),
            "contexts": self.contexts,
            "left": self.left,
            "same_answer": self.same_answer,
            "answered_again": self.answered_again,
            "votes_so_far": self.votes,
            "number": self.number,
        }


def make_pairs(
    source: str | Path,
    out: str | Path,
    rubric: str | Path | Rubric = "diary-duel",
    count: int | None = None,
    system: str = "system",
    context: str | None = None,
) -> PairingResult:
    """Add pairs of answers to a study that compares them; it is made where there is none.

    source: a study or a file of single answers, of which several systems (a meta field) answered the same; `context` is the
    field that says what is the same, by default the text of the context. Without `count` every pair there is;
    else so many, chosen for the narrowest ranking by the votes that are there. A pair is asked once; of two equal answers
    nobody could choose one, so they are left out and counted.
    """
    found = _candidates(_answers(source), system, context, str(source))
    answers = found.answers
    duels = _opened(Path(out), rubric)
    asked = {pair for item in duels.items() for pair in _asked(item)}
    names = sorted({name for by in answers.values() for name in by})
    place = {name: at for at, name in enumerate(names)}
    free: dict[tuple[int, int], list[str]] = defaultdict(list)
    for base, by in answers.items():
        for a, b in combinations(sorted(by), 2):
            text = str(by[a].content["context"])
            known = (base, frozenset((a, b))), (text, frozenset((a, b)))
            if not _same(by[a], by[b]) and asked.isdisjoint(known):
                free[place[a], place[b]].append(base)
    total = sum(map(len, free.values()))
    made = PairingResult(duels.folder, same_answer=found.same, answered_again=found.again, left=total)
    if not total:
        return made
    met, strengths, made.votes = _so_far(duels, names)
    used = Counter(str(item.meta.get("base")) for item in duels.items())
    room = np.zeros((len(names), len(names)))
    for (i, j), bases in free.items():
        room[i, j] = room[j, i] = len(bases)
    chosen = next_pairs(met, min(count or total, total), strengths, room)
    items = list(_items(chosen, free, used, names, answers))
    made.pairs = Counter((str(item.meta["system_a"]), str(item.meta["system_b"])) for item in items)
    made.contexts, made.left = len({item.meta["base"] for item in items}), total - len(items)
    made.number = duels.add(_columns(items)).number
    return made


def _answers(source: str | Path) -> Iterator[Item]:
    if is_study(Path(source)):
        yield from StoredStudy(source).items()
        return
    for _, item in items_in(Path(source), "reply", ReadingNotes()):
        if isinstance(item, HaechiError):
            raise item
        yield item


class _Candidates(NamedTuple):
    """Of every context the answer of each system; pairs of the same answer, and answers of a system that has one already."""

    answers: dict[str, dict[str, Item]]
    same: int
    again: int


def _candidates(items: Iterable[Item], system: str, context: str | None, place: str) -> _Candidates:
    by_context: dict[str, dict[str, Item]] = {}
    without = count = again = 0
    for item in items:
        if item.kind != "reply" or item.tests_attention:
            continue
        count += 1
        name = item.meta.get(system)
        about = item.content["context"] if context is None else item.meta.get(context)
        if name is None or about is None:
            without += 1
            continue
        by = by_context.setdefault(str(about), {})
        again += str(name) in by
        by.setdefault(str(name), item)
    answers = _named(by_context, context)
    pairs = [pair for by in answers.values() for pair in combinations(by.values(), 2)]
    same = sum(_same(*pair) for pair in pairs)
    if same == len(pairs):
        raise _nothing_to_pair(place, system, count, without, same)
    return _Candidates(answers, same, again)


def _same(one: Item, other: Item) -> bool:
    """Whether nobody could choose between two answers."""
    return str(one.content["response"]).strip() == str(other.content["response"]).strip()


def _asked(item: Item) -> Iterator[tuple[str, frozenset[str]]]:
    """The pair of systems that an item compares, by the name of the context and by its text: names may change as items come."""
    systems = frozenset(map(str, systems_of(item.meta)))
    yield str(item.meta.get("base")), systems
    if item.content:
        yield str(item.content["context"]), systems


def _named(by_context: dict[str, dict[str, Item]], context: str | None) -> dict[str, dict[str, Item]]:
    """The answers by a short name of what was answered: the field's value, or what the ids of all its items begin with.

    A beginning that several contexts have (`answer-x-1`, `answer-y-1`, `answer-x-2`) names none of them.
    """
    if context is not None:
        return by_context
    begin = {key: _begin([item.id for item in by.values()]) for key, by in by_context.items()}
    times = Counter(begin.values())
    return {
        begin[key] if begin[key] and times[begin[key]] == 1 else _hashed(key): by
        for key, by in by_context.items()
    }


def _begin(ids: Sequence[str]) -> str:
    """What ids begin with up to a sign that divides them; nothing where numbers only happen to begin alike (`10`, `11`)."""
    if len(ids) < 2:
        return ""
    places = zip(*(_DIVIDES.split(one) for one in ids), strict=False)
    shared = "".join(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, places))
    return shared.rstrip("-_/.: ")


def _hashed(key: str) -> str:
    return f"c-{hashlib.sha256(key.encode()).hexdigest()[:8]}"


def _so_far(duels: Study, names: Sequence[str]) -> tuple[Any, Any, int]:
    """Votes between every two systems, and their strengths as they seem."""
    met, strengths = np.zeros((len(names), len(names))), np.zeros(len(names))
    place = {name: at for at, name in enumerate(names)}
    for item in duels.items():  # what is asked already counts, answered or not
        a, b = systems_of(item.meta)
        if a in place and b in place:
            met[place[a], place[b]] += 1
            met[place[b], place[a]] += 1
    table = study_votes(duels)
    if not table.frame.height:
        return met, strengths, 0
    for one in ranking(table).strengths.systems:
        if one.name in place and one.strength.value is not None:
            strengths[place[str(one.name)]] = one.strength.value
    return met, strengths, table.frame.height


def _items(
    chosen: Sequence[tuple[int, int]],
    free: dict[tuple[int, int], list[str]],
    used: Counter[str],
    names: Sequence[str],
    answers: dict[str, dict[str, Item]],
) -> Iterator[Item]:
    """The pairs as items: contexts as evenly as possible, which system is a by chance."""
    for i, j in chosen:
        base = min(free[i, j], key=lambda one: (used[one], _drawn(one, i, j)))
        free[i, j].remove(base)
        used[base] += 1
        a, b = (names[i], names[j]) if _drawn(base, i, j) % 2 else (names[j], names[i])
        one, other = answers[base][a], answers[base][b]
        content = {
            "context": one.content["context"],
            "response_a": one.content["response"],
            "response_b": other.content["response"],
        }
        meta = {"system_a": a, "system_b": b, "base": base}
        yield Item(pair_id(base, a, b), "pair", content, meta)


def _drawn(base: str, i: int, j: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{base}\0{i}\0{j}".encode()).digest()[:4], "big")


def _columns(items: Sequence[Item]) -> dict[str, list[str]]:
    rows = [{"id": item.id, **item.content, **item.meta} for item in items]
    return {name: [str(row[name]) for row in rows] for name in rows[0]}


def _opened(folder: Path, rubric: str | Path | Rubric) -> Study:
    if is_study(folder):
        study = Study(folder)
    else:
        checked = find_rubric(rubric)
        if checked.item != "pair":
            expected = Text(
                "두 답을 견주는 루브릭(`item: pair`)", "a rubric that compares two answers (`item: pair`)"
            )
            raise HaechiError.of(
                "--rubric",
                checked.id,
                expected,
                Text("--rubric diary-duel처럼 쓰세요", "give one such as --rubric diary-duel"),
            )
        study = Study.new(folder, str(rubric))
    if study.rubric.item != "pair":
        expected = Text("두 답을 견주는 스터디", "a study that compares two answers")
        raise HaechiError.of(
            str(folder), study.rubric.id, expected, Text("다른 폴더를 고르세요", "choose another folder")
        )
    return study


def _nothing_to_pair(place: str, system: str, count: int, without: int, equal: int) -> HaechiError:
    if equal:
        found = Text(f"답이 모두 같음({equal:,}개)", f"all answers are the same ({equal:,})")
    elif count == 0:
        found = Text("맥락과 답으로 된 항목 없음", "no items with a context and a reply")
    elif without == count:
        found = Text(f"{system} 필드가 없음", f"no field {system}")
    else:
        found = Text("둘 이상의 시스템이 답한 맥락 없음", "no context that two systems answered")
    return HaechiError.of(
        place,
        found,
        Text("여러 시스템이 같은 맥락에 답한 항목", "items in which several systems answer the same context"),
        Text(
            "--system 필드, --context 필드를 알려 주세요",
            "say which fields they are: --system FIELD, --context FIELD",
        ),
    )
