"""What a report says about the prompts is what the journal holds, not what would be sent today."""

from __future__ import annotations

import hashlib

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
