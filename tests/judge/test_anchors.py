"""Anchors are judged again apart from the study: a judge that answers otherwise under the same name is found."""

from __future__ import annotations

import hashlib
import json

import pytest
from provider_settings import MODELS

from haechi.notebook_study import Study

MODEL, UNLISTED = MODELS[0], "openai:gpt-99"


def grades(share: float):
    """A judge that finds so large a share of everything met, always the same by item."""

    def value(schema, seed):
        if schema["type"] == "object":
            return {name: value(part, f"{seed}/{name}") for name, part in schema["properties"].items()}
        if "enum" not in schema:
            return "메시지[0]"
        pick = int(hashlib.sha256(seed.encode()).hexdigest(), 16) % 1000
        low, high = schema["enum"][0], schema["enum"][-1]
        return (max if pick < 1000 * share else min)(low, high)

    return lambda schema, item, user: value(schema, item)


@pytest.fixture
def anchored(server, make_study, haechi):
    study = make_study(30)
    server.says = grades(0.4)
    assert haechi("judge", study.folder, "--model", MODEL).code == 0
    assert haechi("anchors", study.folder, "--draw", "20", "--draw-seed", "7").code == 0
    return study


def test_where_nothing_is_drawn_machines_are_told_so_in_json(make_study, haechi):
    study = make_study(3)
    told = haechi("anchors", study.folder, "--json")
    assert (told.code, told.json["anchors"], told.json["judges"]) == (0, [], [])
    assert told.json["said"] in haechi("anchors", study.folder).out


def test_anchors_are_drawn_once_and_the_same_by_the_same_seed(anchored, haechi):
    drawn = haechi("anchors", anchored.folder, "--json").json["anchors"]
    assert len(set(drawn)) == 20
    assert haechi("anchors", anchored.folder, "--draw", "20").code == 1  # they stay


def test_a_silent_change_raises_the_alarm_and_the_study_keeps_its_scores(server, anchored, haechi):
    before = haechi("score", anchored.folder, "--json").out
    for _ in range(3):
        assert haechi("anchors", anchored.folder, "--model", MODEL, "--json").code == 0
    server.says = grades(0.95)
    for _ in range(3):
        told = haechi("anchors", anchored.folder, "--model", MODEL, "--json")
    (judge,) = told.json["judges"]
    assert told.code == 1
    assert judge["drift"]["alarm"]
    assert judge["drift"]["at"] in (4, 5, 6)
    assert judge["drift"]["shift"]["value"] > 0.3
    assert judge["changed"] == []
    assert "other answers" in haechi("anchors", anchored.folder).out
    assert haechi("score", anchored.folder, "--json").out == before


def test_a_new_version_is_asked_about_the_anchors_and_linked_not_alarmed(server, anchored, haechi, write):
    server.version, server.says = "-2026-07", grades(0.6)
    more = write("more.jsonl", '{"id": "new", "context": "항목<new> 비", "response": "네"}\n')
    haechi("add", anchored.folder, more)
    paid = sum(server.paid.values())
    assert haechi("judge", anchored.folder, "--model", MODEL).code == 0
    assert sum(server.paid.values()) - paid == 1 + 20
    told = haechi("anchors", anchored.folder, "--json")
    (judge,) = told.json["judges"]
    assert told.code == 0
    assert [one["what"] for one in judge["changed"]] == ["version"]
    assert judge["link"]["n"] == 20
    assert judge["link"]["new_mean"] > judge["link"]["old_mean"]
    haechi("judge", anchored.folder, "--model", MODEL)  # it has seen them
    assert sum(server.paid.values()) - paid == 1 + 20


def test_a_judge_costs_at_its_anchors_what_it_costs_in_the_study(server, anchored, haechi):
    prices = anchored.folder / "prices.yaml"
    prices.write_text(f"as_of: 2026-11-01\nmodels: {{'{UNLISTED}': {{input: 1, output: 2}}}}\n", "utf-8")
    looked = haechi("anchors", anchored.folder, "--model", UNLISTED, "--max-cost", "1", "--json")
    assert looked.code == 0, looked.err
    (judge,) = looked.json["judges"]
    assert judge["rater"] == "gpt-99"
    assert haechi("anchors", anchored.folder, "--model", UNLISTED, "--batch").code == 0
    (batch,) = haechi("collect", anchored.folder, "--json").json["batches"]
    assert batch["paid_now"] > 0, "a price that was stated after the anchors were drawn"


def test_judges_asked_from_python_see_the_anchors_too_and_their_scores_are_bridged(server, halves, haechi):
    haechi("anchors", halves.folder, "--draw", "50")
    paid = sum(server.paid.values())
    study = Study(halves.folder)
    with pytest.warns(UserWarning, match=r"gpt-5-mini: 50 calls about anchors"):
        (done,) = study.judge(MODEL)
    assert (done.done.calls, sum(server.paid.values()) - paid) == (40, 40 + 50)
    assert study.compare("half").as_json()["panel"]["asked"]["comparable"] == "bridged"
    with pytest.warns(UserWarning, match="version"):
        assert study.judge(MODEL)[0].done.calls == 0
    assert sum(server.paid.values()) - paid == 40 + 50, "it has seen them"


def paid_for_anchors(study) -> float:
    with Study(study.folder / "anchors").database.read() as connection:
        return float(connection.value("SELECT coalesce(sum(cost), 0) FROM calls"))


def state_prices(study) -> None:
    """What a call costs is what is sent: the most that it may cost is not far from that."""
    priced = ", ".join(f"'{name}': {{input: 10, output: 0}}" for name in MODELS)
    (study.folder / "prices.yaml").write_text(f"as_of: 2026-11-01\nmodels: {{{priced}}}\n", "utf-8")


def test_judges_that_look_at_anchors_together_share_the_limit(server, anchored, haechi):
    state_prices(anchored)
    assert haechi("anchors", anchored.folder, "--model", MODEL).code == 0
    one = paid_for_anchors(anchored)
    both = ("--model", MODEL, "--model", MODELS[1])
    ran = haechi("anchors", anchored.folder, *both, "--max-cost", f"{1.4 * one:.4f}")
    assert paid_for_anchors(anchored) <= 2.4 * one
    assert "stopped before --max-cost" in ran.err


def test_a_look_beside_judging_is_paid_from_what_is_left_of_the_job(server, anchored, haechi, write):
    state_prices(anchored)
    lines = [json.dumps({"id": f"n{n}", "context": f"항목<n{n}> 비", "response": "네"}) for n in range(12)]
    haechi("add", anchored.folder, write("more.jsonl", "\n".join(lines) + "\n"))
    night = ("judge", anchored.folder, "--model", MODEL, "--job", "night", "--json")
    first = haechi(*night, "--limit", "6").json["job_paid"]
    server.version = "-2026-07"
    second = haechi(*night, "--max-cost", f"{4 * first:.4f}")
    assert second.json["judges"][0]["answered"] == 6
    assert first < second.json["job_paid"] + paid_for_anchors(anchored) <= 4 * first
    assert "stopped before --max-cost" in second.err


def test_what_a_look_would_cost_is_told_and_nothing_asked(server, anchored, haechi):
    paid = sum(server.paid.values())
    told = haechi("anchors", anchored.folder, "--model", MODEL, "--dry-run", "--json").json
    assert told["judges"][0]["calls"] == 20
    assert sum(server.paid.values()) == paid


def test_anchors_bridge_two_studies_and_the_interval_has_the_error_of_the_link(
    server, make_study, haechi, tmp_path
):
    old, new = (make_study(40, name=name) for name in ("old", "new"))
    server.says = grades(0.4)
    haechi("judge", old.folder, "--model", MODEL)
    haechi("anchors", old.folder, "--draw", "30")
    server.version, server.says = "-2026-07", grades(0.6)
    haechi("judge", new.folder, "--model", MODEL)
    assert haechi("check", new.folder, "--no-regression", old.folder).code == 1
    kept = old.folder / "baseline.json"
    kept.write_text(haechi("check", old.folder, "--list", "--json").out, "utf-8")
    assert haechi("check", new.folder, "--no-regression", kept).code == 1
    haechi("anchors", old.folder, "--model", MODEL)
    figures = haechi("check", new.folder, "--no-regression", kept, "--json")
    assert figures.code == 0
    assert figures.json["panel"]["asked"]["comparable"] == "bridged"
    (gate,) = (one for one in figures.json["gates"] if one["score"] == "mean3")
    assert gate["ci95"][0] < 0 < gate["ci95"][1]
    apart = tmp_path / "baseline.json"  # away from its study nobody knows the anchors
    apart.write_bytes(kept.read_bytes())
    assert haechi("check", new.folder, "--no-regression", apart).code == 1
    told = haechi("check", new.folder, "--no-regression", old.folder, "--json")
    assert told.code == 0
    assert told.json["panel"]["asked"]["comparable"] == "bridged"
    (gate,) = (one for one in told.json["gates"] if one["score"] == "mean3")
    low, high = gate["ci95"]
    assert low < 0 < high  # the same items: only the judge is more lenient, and that is no gain
    assert haechi("report", old.folder, new.folder, "-o", tmp_path / "out").code == 0
    page = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "Anchors that were judged in both ways bring the earlier scores of gpt-5-mini" in page
    server.says = grades(0.98)  # in silence: what the anchors say is no longer of one scale
    assert haechi("anchors", old.folder, "--model", MODEL).code == 1
    assert haechi("check", new.folder, "--no-regression", old.folder).code == 1


def test_a_bridged_baseline_of_figures_counts_its_clusters(server, make_study, haechi, write):
    """Of 40 items of 10 students there are 10 values: a baseline that forgot it would be too sure."""
    old, new = (make_study(40, name=name) for name in ("old", "new"))
    lines = [json.dumps({"id": f"d{n}", "meta": {"student": f"s{n // 4}"}}) for n in range(40)]
    students = write("students.jsonl", "\n".join(lines) + "\n")
    for study in (old, new):
        haechi("add", study.folder, students, "--join")
    server.says = grades(0.4)
    haechi("judge", old.folder, "--model", MODEL)
    haechi("anchors", old.folder, "--draw", "30")
    kept = old.folder / "baseline.json"
    kept.write_text(haechi("check", old.folder, "--list", "--json").out, "utf-8")
    server.version, server.says = "-2026-07", grades(0.6)
    haechi("judge", new.folder, "--model", MODEL)
    haechi("anchors", old.folder, "--model", MODEL)
    told = haechi("check", new.folder, "--no-regression", kept)
    assert "bring the earlier scores of gpt-5-mini" in told.out + told.err
    assert "takes items as independent" not in told.out + told.err
    saved = json.loads(kept.read_text("utf-8"))
    for one in saved.get("figures", saved).values():
        one.pop("cluster_by", None)
    kept.write_text(json.dumps(saved), "utf-8")
    told = haechi("check", new.folder, "--no-regression", kept)
    assert "takes items as independent" in told.out + told.err, "it is said where the file does not tell them"


@pytest.fixture
def halves(server, make_study, haechi, write):
    """A study whose second half a new version judged, which is more lenient; both halves are of the same kind."""
    study = make_study(80)
    server.says = grades(0.4)
    haechi("judge", study.folder, "--model", MODEL, "--limit", "40")
    with study.database.read() as connection:
        first = set(connection.values("SELECT DISTINCT item FROM ratings_in_force"))
    lines = [
        json.dumps({"id": item.id, "meta": {"half": "first" if item.id in first else "second"}})
        for item in study.items()
    ]
    haechi("add", study.folder, write("meta.jsonl", "\n".join(lines) + "\n"), "--join")
    server.version, server.says = "-2026-07", grades(0.6)
    return study


def test_groups_that_another_version_judged_are_bridged_by_anchors(server, halves, haechi, tmp_path):
    haechi("anchors", halves.folder, "--draw", "50")
    haechi("judge", halves.folder, "--model", MODEL)  # it sees the anchors by itself
    ran = haechi("compare", halves.folder, "--by", "half", "--json")
    assert ran.code == 0
    told = ran.json
    assert told["panel"]["asked"]["comparable"] == "bridged"
    found = told["criteria"]["mean3"]["bridged"]
    plain = {group["by"]["half"]: group["mean"]["value"] for group in told["criteria"]["mean3"]["groups"]}
    assert plain["second"] - plain["first"] > 0.1, "the new version is more lenient"
    low, high = found["difference"]["ci95"]
    assert low < 0 < high, "and that is no gain"
    assert 10 <= found["anchors"]["gpt-5-mini"] <= 40, "those of the first half, which both versions judged"
    moved = plain["first"] - found["difference"]["value"]
    assert abs(moved - plain["second"]) > 0.05, "the second half is on the scale of the first"
    shown = haechi("compare", halves.folder, "--by", "half").out
    assert "Compared over anchors" in shown
    assert "have the error of the link in them" in shown
    assert haechi("report", halves.folder, "-o", tmp_path / "out", "--by", "half").code == 0
    assert "compared over anchors" in (tmp_path / "out" / "report.md").read_text("utf-8")


def test_groups_without_anchors_are_refused_with_what_to_do(halves, haechi):
    haechi("judge", halves.folder, "--model", MODEL)
    told = haechi("compare", halves.folder, "--by", "half", "--json").json
    assert told["panel"]["compared"] == "none"
    assert "bridged" not in told["criteria"]["mean3"]
    assert "haechi anchors DIR --draw 40" in told["panel"]["words"]


def test_a_look_is_sent_as_a_batch_and_collected_with_the_study(server, anchored, haechi):
    assert haechi("anchors", anchored.folder, "--model", MODEL, "--batch").code == 0
    again = haechi("anchors", anchored.folder, "--model", MODEL, "--batch")
    assert "0 anchors sent" in again.err, "what is out is not sent again"
    told = haechi("collect", anchored.folder, "--json").json["batches"]
    assert [one["answered"] for one in told] == [20]
    (judge,) = haechi("anchors", anchored.folder, "--json").json["judges"]
    assert [look["number"] for look in judge["looks"]] == [0, 1]
    assert not judge["drift"]["alarm"]


def test_a_judge_asked_otherwise_in_a_batch_sees_the_anchors_too(server, anchored, haechi, write):
    more = write("more.jsonl", '{"id": "new", "context": "항목<new> 비", "response": "네"}\n')
    haechi("add", anchored.folder, more)
    assert "anchors sent" not in haechi("judge", anchored.folder, "--model", MODEL, "--batch").err
    haechi("collect", anchored.folder)
    more = write("other.jsonl", '{"id": "other", "context": "항목<other> 비", "response": "네"}\n')
    haechi("add", anchored.folder, more)
    ran = haechi("judge", anchored.folder, "--model", MODEL, "--batch", "--reasoning-effort", "low")
    assert "20 anchors sent as a batch" in ran.err
    told = haechi("collect", anchored.folder, "--json").json["batches"]
    assert sorted(one["answered"] for one in told) == [1, 20]
    (judge,) = haechi("anchors", anchored.folder, "--json").json["judges"]
    assert [one["what"] for one in judge["changed"]] == ["effort"]


def test_a_new_version_in_a_batch_is_said_to_need_a_look(server, anchored, haechi, write):
    server.version = "-2026-07"
    more = write("more.jsonl", '{"id": "new", "context": "항목<new> 비", "response": "네"}\n')
    haechi("add", anchored.folder, more)
    haechi("judge", anchored.folder, "--model", MODEL, "--batch")
    paid = sum(server.paid.values())
    ran = haechi("collect", anchored.folder)
    assert "a version answered that has not seen the anchors" in ran.err
    assert sum(server.paid.values()) == paid + 1, "the new item, and no anchor"
