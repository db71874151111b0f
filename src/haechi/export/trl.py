"""Data for training with TRL: pairs of answers of which one was rated higher, and every answer with its reward."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import orjson

from haechi.data.atomic_files import new_folder
from haechi.data.item import Item
from haechi.export.evaluations import ExportResult
from haechi.scoring.panel import means_by_item
from haechi.study.study import Study

TrlMessage = dict[str, str]


class RewardedAnswer(NamedTuple):
    """An answer in its context, and the mean of its raters."""

    item: str
    prompt: list[TrlMessage]
    completion: list[TrlMessage]
    reward: float


def write_preferences(study: Study, out: Path) -> ExportResult:
    """Write `preferences.jsonl` (prompt, chosen, rejected) and `rewards.jsonl` (prompt, completion, reward).

    Two answers to the same prompt are a pair when the means of their raters differ on the rubric's main score. Where two
    answers were compared, each pair is one, chosen by its verdicts; a share of verdicts is no reward.
    """
    scored = study.scores().checked()
    score = study.rubric.main_score(scored.names)
    left_out: Counter[str] = Counter()
    by_prompt: dict[bytes, list[RewardedAnswer]] = {}
    answers: list[RewardedAnswer] = []
    if study.rubric.item == "pair":
        by_prompt = {one[0].item.encode(): one for one in _compared(study, score, left_out)}
    else:
        answers = list(_answers(study, score, left_out))
    for answer in answers:
        by_prompt.setdefault(orjson.dumps(answer.prompt), []).append(answer)
    pairs = 0
    with new_folder(out) as folder:
        with (folder / "rewards.jsonl").open("wb") as file:
            for answer in answers:
                record = {"prompt": answer.prompt, "completion": answer.completion, "reward": answer.reward}
                file.write(_line(record | {"score": score, "item": answer.item}))
        with (folder / "preferences.jsonl").open("wb") as file:
            for same in by_prompt.values():
                for one, other in combinations(same, 2):
                    better, worse = (one, other) if one.reward > other.reward else (other, one)
                    if better.reward == worse.reward:
                        left_out["tie"] += 1
                        continue
                    file.write(_line(_pair(better, worse, score)))
                    pairs += 1
    return ExportResult(
        ("preferences.jsonl", "rewards.jsonl"), {"preferences": pairs, "rewards": len(answers)}, left_out
    )


def _compared(study: Study, score: str, left_out: Counter[str]) -> list[list[RewardedAnswer]]:
    """The two answers of every pair, with the share of verdicts that each got."""
    (frame,) = study.rated_scores().batches(["item", "rater", "kind", "replicate", score])
    means = means_by_item(frame, score)
    found = []
    for item in study.items():
        share = means.get(item.id)
        if item.kind != "pair" or share is None:
            left_out["no answer" if item.kind != "pair" else "no score"] += 1
            continue
        prompt = [{"role": "user", "content": str(item.content["context"])}]
        said = [[{"role": "assistant", "content": str(item.content[f"response_{side}"])}] for side in "ab"]
        found.append(
            [
                RewardedAnswer(item.id, prompt, said[0], share),
                RewardedAnswer(item.id, prompt, said[1], 1 - share),
            ]
        )
    return found


def _answers(study: Study, score: str, left_out: Counter[str]) -> list[RewardedAnswer]:
    means: dict[str, float] = {}
    for frame in study.scores().batches(["item", "rater", "kind", "replicate", score]):
        means |= means_by_item(frame, score)
    found = []
    for item in study.items():
        said, reward = _said(item), means.get(item.id)
        if said is None:
            left_out["no answer"] += 1
        elif reward is None:
            left_out["no score"] += 1
        else:
            found.append(RewardedAnswer(item.id, *said, reward))
    return found


def _said(item: Item) -> tuple[list[TrlMessage], list[TrlMessage]] | None:
    """What was asked and what the AI answered last; None for an item that has no answer."""
    if item.kind == "reply":
        content = item.content
        prompt = [{"role": "user", "content": str(content["context"])}]
        return prompt, [{"role": "assistant", "content": str(content["response"])}]
    if item.kind == "run":
        asked, answered = item.content.get("query_text"), item.content.get("response")
        if not asked or not answered:
            return None
        return [{"role": "user", "content": str(asked)}], [{"role": "assistant", "content": str(answered)}]
    messages = [{"role": m["role"], "content": m["content"]} for m in item.content.get("messages", ())]
    last = max((at for at, m in enumerate(messages) if m["role"] == "assistant"), default=None)
    return None if not last else (messages[:last], messages[last : last + 1])


def _pair(better: RewardedAnswer, worse: RewardedAnswer, score: str) -> dict[str, object]:
    return {
        "prompt": better.prompt,
        "chosen": better.completion,
        "rejected": worse.completion,
        "score_chosen": better.reward,
        "score_rejected": worse.reward,
        "score": score,
        "items": [better.item, worse.item],
    }


def _line(record: dict[str, object]) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
