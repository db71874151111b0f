"""Four studies of kinds that reports are often wrong about, with made-up ratings."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

from haechi.study.study import Study

CHATS = (
    "오늘은 비가 와서 산책을 못 했어요.",
    "그럼 창가에서 차를 마시는 건 어때요?",
    "좋아요, 보리차가 있어요.",
    "따뜻하게 드세요.",
)


def turns_in_dialogues(folder: Path, dialogues: int = 105, turns: int = 20, raters: int = 20) -> Path:
    """Every turn of many dialogues, judged met or unmet by all of many raters who differ in severity."""
    random = np.random.default_rng(3)
    study = Study.new(folder, "diary-comment", title="대화 발화의 사람다움")
    quality = np.repeat(random.normal(0.8, 0.9, dialogues), turns) + random.normal(0, 0.6, dialogues * turns)
    severity = random.normal(0, 0.5, raters)
    ease = np.array([0.9, 0.1, -0.3])
    items = [
        {
            "id": f"dlg{d:03}-{t:02}",
            "context": CHATS[t % 4],
            "response": CHATS[(t + 1) % 4],
            "meta": {"dialogue": f"dlg{d:03}", "system": "A" if d % 2 else "B"},
        }
        for d in range(dialogues)
        for t in range(turns)
    ]
    logits = quality[:, None, None] + severity[None, :, None] + ease[None, None, :]
    values = (random.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(int)
    with (folder / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "rater", "sensibleness", "specificity", "sympathy"])
        for place, item in enumerate(items):
            for rater in range(raters):
                writer.writerow([item["id"], f"r{rater + 1:02}", *values[place, rater].tolist()])
    return _with(study, folder, items)


def judges_only(folder: Path) -> Path:
    """Forty tutoring sessions that three AI judges rated and nobody else."""
    random = np.random.default_rng(5)
    study = Study.new(folder, "maice-qac", title="AI 평가자만 평가한 상담")
    keys = [
        f"{criterion.key}.{part.key}"
        for criterion in study.rubric.criteria
        if criterion.scale.parts
        for part in criterion.scale.parts
    ]
    items = [
        {
            "id": f"s{n:02}",
            "messages": [
                {"role": "user", "content": "등차수열의 일반항을 모르겠어요."},
                {"role": "assistant", "content": "첫째항과 공차를 먼저 찾아볼까요?"},
            ],
            "meta": {"mode": "agent" if n % 2 else "freepass", "level": f"Q{n % 4 + 1}"},
        }
        for n in range(40)
    ]
    skill = random.normal(0.4, 1.0, len(items))
    with (folder / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "rater", "kind", "criterion", "value"])
        for judge, lean in (("judge-a", 0.4), ("judge-b", -0.1), ("judge-c", -0.3)):
            for place, item in enumerate(items):
                for key in keys:
                    met = random.random() < 1 / (1 + np.exp(-(skill[place] + lean)))
                    writer.writerow([item["id"], judge, "ai", key, int(met)])
    return _with(study, folder, items)


def runs_without_checks(folder: Path) -> Path:
    """Two rounds of twelve queries to an agent, with times and answers, and no check of what was expected."""
    random = np.random.default_rng(7)
    folder.mkdir(parents=True)
    with (folder / "runs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["Query ID", "방/반복", "질의", "기대결과", "카테고리", "응답", "오류", "Raw JSON", "latency_ms"]
        )
        for round_ in (1, 2):
            for query in range(1, 13):
                failed = query == 7 and round_ == 2
                payload = {"assistantMessage": f"공고 {query}건을 조회했습니다.", "dataUIList": []}
                seconds = float(random.gamma(4, 1.4))
                answer = "" if failed else payload["assistantMessage"]
                writer.writerow(
                    [
                        f"Q{query:02}",
                        f"{round_}/1",
                        f"공고 {query} 보여 줘",
                        "",
                        "조회" if query % 2 else "등록",
                        answer,
                        "TimeoutError: 30 s" if failed else "",
                        "" if failed else json.dumps(payload, ensure_ascii=False),
                        int(seconds * 1000),
                    ]
                )
    study = Study.new(folder / "study", "hiring-agent", title="체크 없는 실행")
    study.add([folder / "runs.csv"])
    return folder / "study"


def three_raters_six_items(folder: Path) -> Path:
    """The smallest study that people do: six conversations, three raters, nine criteria."""
    random = np.random.default_rng(11)
    study = Study.new(folder, "ubica", title="세 사람이 본 대화 여섯 개")
    keys = [criterion.key for criterion in study.rubric.criteria if criterion.scale.counted]
    items = [
        {
            "id": f"c{n}",
            "messages": [
                {"role": "user", "content": CHATS[0]},
                {"role": "assistant", "content": CHATS[1]},
            ],
            "meta": {"ai": "루나" if n % 2 else "도우미봇"},
        }
        for n in range(6)
    ]
    level = random.normal(3.2, 0.9, len(items))
    with (folder / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", "rater", *keys])
        for rater, lean in (("kim", 0.4), ("lee", 0.0), ("park", -0.5)):
            for place, item in enumerate(items):
                given = np.clip(np.round(level[place] + lean + random.normal(0, 0.7, len(keys))), 1, 5)
                writer.writerow([item["id"], rater, *given.astype(int).tolist()])
    return _with(study, folder, items)


def _with(study: Study, folder: Path, items: list[dict[str, object]]) -> Path:
    (folder / "items.jsonl").write_text("\n".join(json.dumps(i, ensure_ascii=False) for i in items), "utf-8")
    study.add([folder / "items.jsonl"])
    study.import_ratings([folder / "ratings.csv"])
    return folder


STUDIES = {
    "turns": turns_in_dialogues,
    "judges": judges_only,
    "runs": runs_without_checks,
    "six": three_raters_six_items,
}
