"""What a report says about the prompts is what the journal holds, not what would be sent today."""

from __future__ import annotations

import hashlib
import json

from provider_settings import MODELS

from haechi.analysis.judge_records import judge_records, prompts_digest
from haechi.judge.attempts import Pace
from haechi.judge.judges import judge_live, judges_of


def test_the_report_names_the_prompts_that_were_sent(server, make_study, haechi, tmp_path):
    study = make_study(3)
    (judge,) = judges_of(study, [MODELS[0]], "criterion", "en")
    judge_live(study, judge, pace=Pace(at_once=8, first_wait=0.01))
    (record,) = judge_records(study)
    assert (record.languages, record.by_criterion, record.calls) == ({"en"}, True, 9)
    with study.database.read() as connection:
        sent = connection.values("SELECT DISTINCT prompt FROM calls")
    digest = hashlib.sha256("\n".join(sorted(sent)).encode()).hexdigest()[:16]
    assert prompts_digest([record]) == digest
    assert haechi("report", study.folder, "-o", tmp_path / "out").code == 0
    said = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "in English, one criterion at a time" in said
    assert said.count(digest) == 2
    assert f"the {len(sent)} prompts that were sent are on record" in said


def test_a_version_whose_replies_were_taken_back_is_in_no_methods_paragraph(
    server, make_study, haechi, write, tmp_path
):
    study = make_study(4)
    assert haechi("judge", study.folder, "--model", MODELS[0], "--limit", "3").code == 0
    given = {name: {"evidence": "네", "value": 1} for name in ("sensibleness", "specificity", "sympathy")}
    message = {"role": "assistant", "content": json.dumps(given)}
    body = {"model": "gpt-5-mini-2025-08-07", "choices": [{"message": message, "finish_reason": "stop"}]}
    response = {"status_code": 200, "body": body}
    lines = [{"custom_id": f"d{n}", "response": response, "error": None} for n in range(4)]
    (open_item,) = {f"d{n}" for n in range(4)} - set(study.ratings()["item"])
    file = write("replies.jsonl", json.dumps(next(one for one in lines if one["custom_id"] == open_item)))
    done = haechi("import", study.folder, file, "--as", "openai-batch", "--rater", "gpt-5-mini")
    assert done.code == 0, done.err

    def methods() -> str:
        assert haechi("report", study.folder, "-o", tmp_path / "out").code == 0
        return (tmp_path / "out" / "report.md").read_text("utf-8")

    assert "gpt-5-mini-2025-08-07" in methods()
    assert haechi("undo", study.folder).code == 0
    assert "gpt-5-mini-2025-08-07" not in methods()
    (record,) = judge_records(study)
    assert record.calls == 3
