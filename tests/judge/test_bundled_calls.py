"""A bundle holds what judges were asked and answered: replies are read again, and anchors and the parts of an alignment come with it."""

from __future__ import annotations

import json
import zipfile

import pytest
from provider_settings import KEYS, MODELS
from test_anchors import grades

from haechi.bundle.archive import NAMES, write_archive
from haechi.bundle.pack import pack
from haechi.bundle.replay import replay
from haechi.errors import HaechiError
from haechi.judge.judges import judge_live, judges_of
from haechi.store.alignment import keep_parts
from haechi.study.study import Study


@pytest.fixture
def judged(server, make_study, haechi):
    study = make_study(24)
    server.says = grades(0.4)
    for model in MODELS:
        assert haechi("judge", study.folder, "--model", model).code == 0
    return study


def parts_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name in NAMES}


def lines(part: bytes) -> list[dict]:
    return [json.loads(line) for line in part.splitlines()]


def packed(rows: list[dict]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def test_every_reply_gives_its_ratings_again(judged, tmp_path, haechi):
    pack(judged, tmp_path / "a.haechi")
    pack(judged, tmp_path / "b.haechi")
    assert (tmp_path / "a.haechi").read_bytes() == (tmp_path / "b.haechi").read_bytes()
    ran = haechi("replay", tmp_path / "a.haechi", "--json")
    assert ran.code == 0, ran.out
    assert ran.json["replies"] == 72
    calls = lines(parts_of(tmp_path / "a.haechi")["calls.jsonl"])
    assert all("항목<" in str(json.loads(call["request"])) for call in calls)
    assert not [key for key in KEYS.values() if key.encode() in (tmp_path / "a.haechi").read_bytes()]
    assert "72 replies of AI judges, read again" in haechi("replay", tmp_path / "a.haechi").out


def test_a_rating_that_its_reply_does_not_give_is_named(judged, tmp_path, haechi):
    pack(judged, tmp_path / "a.haechi")
    parts = parts_of(tmp_path / "a.haechi")
    calls = lines(parts["calls.jsonl"])
    calls[0]["ratings"][0]["value"] = str(1 - int(calls[0]["ratings"][0]["value"]))
    write_archive(tmp_path / "b.haechi", parts | {"calls.jsonl": packed(calls)})
    found = haechi("replay", tmp_path / "b.haechi", "--json")
    assert found.code == 1
    names = [one["name"] for one in found.json["differences"]]
    assert names == [f"reply.{calls[0]['id']}.{calls[0]['ratings'][0]['criterion']}"]
    # A changed rating moves figures, too; the reply says which one it was.
    ratings = lines(parts["ratings.jsonl"])
    ratings[0]["value"] = str(1 - int(ratings[0]["value"]))
    write_archive(tmp_path / "c.haechi", parts | {"ratings.jsonl": packed(ratings)})
    names = [one["name"] for one in haechi("replay", tmp_path / "c.haechi", "--json").json["differences"]]
    assert names[0].startswith("rating.")
    assert len(names) > 1


def test_without_texts_calls_have_no_words(judged, tmp_path):
    pack(judged, tmp_path / "a.haechi", with_texts=False)
    found = replay(tmp_path / "a.haechi")
    assert found.is_same
    assert found.replies == 0
    calls = lines(parts_of(tmp_path / "a.haechi")["calls.jsonl"])
    assert len(calls) == 72
    assert not any(call["request"] or call["reply"] for call in calls)
    assert all(len(call["reply_sha256"]) == 64 and call["asking"]["prompt"] for call in calls)


def test_anchors_and_the_parts_of_an_alignment_come_with_it(server, judged, tmp_path, haechi):
    haechi("anchors", judged.folder, "--draw", "12")
    haechi("anchors", judged.folder, "--model", MODELS[0])
    server.says = grades(0.9)
    haechi("anchors", judged.folder, "--model", MODELS[0])
    with judged.database.write() as connection:
        keep_parts(connection, {"d0": "training", "d1": "held_out"}, None)
    pack(judged, tmp_path / "a.haechi")
    parts = parts_of(tmp_path / "a.haechi")
    figures = json.loads(parts["figures.json"])
    assert figures["anchors.gpt-5-mini.shift"][0] > 0.2
    assert figures["alignment.held_out"] == [1]
    found = replay(tmp_path / "a.haechi")
    assert found.is_same, found.differences[:3]
    changed = figures | {"anchors.gpt-5-mini.p": [0.5]}
    write_archive(tmp_path / "b.haechi", parts | {"figures.json": json.dumps(changed).encode()})
    assert [one.name for one in replay(tmp_path / "b.haechi").differences] == ["anchors.gpt-5-mini.p"]


def test_in_which_order_pairs_were_seen_comes_with_it(server, tmp_path, haechi):
    study = Study.new(tmp_path / "duels", "diary-duel")
    study.add(
        {
            "id": [f"p{n}" for n in range(12)],
            "context": [f"항목<p{n}> 비가 왔다." for n in range(12)],
            "response_a": ["x의 답"] * 12,
            "response_b": ["y의 답"] * 12,
            "system_a": ["x"] * 12,
            "system_b": ["y"] * 12,
        }
    )
    haechi("judge", study.folder, "--model", MODELS[0])
    pack(study, tmp_path / "a.haechi")
    found = replay(tmp_path / "a.haechi")
    assert found.is_same, found.differences[:3]
    assert found.replies == 24, "what was said of the first is turned back to what it meant"
    assert len(json.loads(parts_of(tmp_path / "a.haechi")["study.json"])["shown"]) == 24


@pytest.mark.parametrize(
    "damage",
    [
        lambda call: call.pop("state"),
        lambda call: call.update(tokens=[]),
        lambda call: call.update(item="nobody"),
        lambda call: call.update(asking={"x": 1}),
        lambda call: call.update(ratings="x"),
        lambda call: call.update(state="running"),
        lambda call: call.update(replicate="a"),
    ],
)
def test_odd_calls_end_the_replay_in_words(judged, tmp_path, haechi, damage):
    pack(judged, tmp_path / "a.haechi")
    parts = parts_of(tmp_path / "a.haechi")
    calls = lines(parts["calls.jsonl"])
    damage(calls[3])
    write_archive(tmp_path / "b.haechi", parts | {"calls.jsonl": packed(calls)})
    with pytest.raises(HaechiError):
        replay(tmp_path / "b.haechi")


def test_a_study_on_postgresql_is_bundled_alike(empty_database, server, tmp_path, write):
    study = Study.new(tmp_path / "study", "diary-comment", database=empty_database)
    rows = (json.dumps({"id": f"d{n}", "context": f"항목<d{n}>", "response": "네"}) for n in range(12))
    study.add([write("items.jsonl", "\n".join(rows))])
    judge_live(study, judges_of(study, [MODELS[0]])[0])
    pack(study, tmp_path / "a.haechi")
    study.database.close()
    found = replay(tmp_path / "a.haechi")
    assert found.is_same, found.differences[:3]
    assert found.replies == 12


def test_an_audit_comes_with_it_and_its_effects_come_out_again(judged, tmp_path, haechi):
    assert haechi("judge", judged.folder, "--model", MODELS[0], "--audit", "12").code == 0
    pack(judged, tmp_path / "a.haechi")
    parts = parts_of(tmp_path / "a.haechi")
    named = [name for name in json.loads(parts["figures.json"]) if name.startswith("audit.")]
    assert any(name.endswith(".longer") for name in named)
    assert lines(parts["audit/ratings.jsonl"])
    assert replay(tmp_path / "a.haechi").is_same
    changed = parts["audit/ratings.jsonl"].replace(b'"value":"0"', b'"value":"1"', 3)
    write_archive(tmp_path / "b.haechi", parts | {"audit/ratings.jsonl": changed})
    assert any(one.name.startswith("audit.") for one in replay(tmp_path / "b.haechi").differences)


def test_trials_of_new_rubrics_are_said_not_to_be_in_it(judged, tmp_path, haechi):
    (judged.folder / "aligned").mkdir()
    told = haechi("bundle", judged.folder, "-o", tmp_path / "a.haechi")
    assert "Trials of new rubrics (aligned/) are not in it" in told.out + told.err
