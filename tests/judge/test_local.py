"""The model inside the process judges for real: slowly, badly, but by the schema."""

from __future__ import annotations

import pytest

from haechi.study.study import Study


@pytest.mark.local
def test_the_local_model_answers_by_the_schema(tmp_path, write, haechi):
    study = Study.new(tmp_path / "study", "diary-comment")
    study.add([write("d.csv", "id,context,response\nd1,비가 왔다.,우산은 챙기셨어요?\n")])
    arguments = ("--model", "local:smollm2", "--per", "criterion", "--prompt-lang", "en", "--limit", "1")
    done = haechi("judge", study.folder, *arguments, "--timeout", "900")
    assert done.code == 0
    assert "no judge" in done.err
    frame = study.ratings()
    assert frame["rater"].to_list() == ["smollm2/criterion/en"]
    assert frame["status"].to_list() == ["ok"]
    assert frame["value"][0] in ("0", "1")
    assert frame["evidence"].to_list() == [None], "it is asked for values only"
    with study.database.read() as connection:
        (call,) = connection.rows("SELECT state, attempts, output_tokens, cost FROM calls")
    # {"sensibleness": {"value": 1}} is some twenty tokens; evidence would be many more.
    assert (call.state, call.attempts, call.cost) == ("answered", 1, 0.0)
    assert 5 < call.output_tokens < 60
    refused = haechi("judge", study.folder, "--model", "local:smollm2", "--batch")
    assert refused.code == 1
    assert "without --batch" in refused.err
