"""A study as one file: the same bytes, every figure computed again, and nothing believed that a stranger wrote."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile

import pytest

from haechi.bundle.archive import NAMES, hash_list, write_archive
from haechi.bundle.pack import pack
from haechi.bundle.replay import replay
from haechi.errors import HaechiError
from haechi.study.study import Study
from human_scale_study import judged_study, rate

STUDIES = ("ubica", "hiring-agent", "maice-qac", "diary-comment")


def parts_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name in NAMES}


@pytest.mark.parametrize("name", STUDIES)
def test_every_figure_comes_out_again(demo, tmp_path, name):
    study = Study(demo / name)
    pack(study, tmp_path / "a.haechi")
    pack(study, tmp_path / "b.haechi")
    assert (tmp_path / "a.haechi").read_bytes() == (tmp_path / "b.haechi").read_bytes()
    found = replay(tmp_path / "a.haechi")
    assert found.is_same, found.differences[:3]
    assert found.figures > 80
    assert found.items == study.count_items()


def test_without_texts_no_text_is_in_it(demo, tmp_path):
    study = Study(demo / "maice-qac")
    pack(study, tmp_path / "a.haechi", with_texts=False)
    assert replay(tmp_path / "a.haechi").is_same
    parts = parts_of(tmp_path / "a.haechi")
    words = [
        message["content"]
        for item in study.items()
        for message in item.content["messages"]
        if message["content"].strip()
    ]
    told = parts["items.jsonl"].decode() + parts["ratings.jsonl"].decode()
    assert words
    assert not [text for text in words if json.dumps(text, ensure_ascii=False)[1:-1] in told]
    assert "evidence" not in told
    with pytest.raises(HaechiError, match="--without-text"):
        pack(Study(demo / "hiring-agent"), tmp_path / "b.haechi", with_texts=False)


def test_people_s_draws_are_in_it(demo, tmp_path):
    shutil.copytree(demo / "maice-qac", tmp_path / "study")
    study = Study(tmp_path / "study")
    from haechi.store.draws import draw_items

    with study.database.write() as connection:
        draw_items(connection, 6, seed=3)
    pack(study, tmp_path / "a.haechi")
    promised = json.loads(parts_of(tmp_path / "a.haechi")["study.json"])["drawn"]["draw"]
    assert len(promised["drawn"]) == 6
    assert replay(tmp_path / "a.haechi").is_same


def test_a_changed_figure_is_named(haechi, demo, tmp_path):
    pack(Study(demo / "ubica"), tmp_path / "a.haechi")
    parts = parts_of(tmp_path / "a.haechi")
    figures = json.loads(parts["figures.json"])
    figures["overall"][0] += 0.5
    write_archive(tmp_path / "b.haechi", parts | {"figures.json": json.dumps(figures).encode()})
    ran = haechi("replay", tmp_path / "b.haechi", "--json")
    assert ran.code == 1
    assert [one["name"] for one in ran.json["differences"]] == ["overall"]
    said = haechi("replay", tmp_path / "b.haechi", "--lang", "en").out
    assert ", 1 differ." in said
    assert "The first: overall" in said


def test_a_changed_rating_changes_figures(haechi, demo, tmp_path):
    pack(Study(demo / "ubica"), tmp_path / "a.haechi")
    parts = parts_of(tmp_path / "a.haechi")
    changed = parts["ratings.jsonl"].replace(b'"value":"5"', b'"value":"1"', 1)
    write_archive(tmp_path / "b.haechi", parts | {"ratings.jsonl": changed})
    assert len(replay(tmp_path / "b.haechi").differences) > 3


@pytest.mark.parametrize(
    "damage",
    [
        lambda parts: parts | {"ratings.jsonl": parts["ratings.jsonl"][:-40]},
        lambda parts: parts | {"items.jsonl": b"[1]\n"},
        lambda parts: parts | {"study.json": b"{}"},
        lambda parts: parts | {"study.json": b'{"format": 1}'},
        lambda parts: parts | {"study.json": b'{"format": 99}'},
        lambda parts: parts | {"figures.json": b"no"},
        lambda parts: parts | {"rubric.yaml": b"id: x"},
        lambda parts: {name: part for name, part in parts.items() if name != "rubric.yaml"},
    ],
)
def test_damage_is_an_error_in_words(demo, tmp_path, damage):
    pack(Study(demo / "diary-comment"), tmp_path / "a.haechi")
    write_archive(tmp_path / "b.haechi", damage(parts_of(tmp_path / "a.haechi")))
    with pytest.raises(HaechiError):
        replay(tmp_path / "b.haechi")


def test_hashes_that_do_not_fit_are_found(demo, tmp_path):
    pack(Study(demo / "diary-comment"), tmp_path / "a.haechi")
    parts = parts_of(tmp_path / "a.haechi")
    with zipfile.ZipFile(tmp_path / "b.haechi", "w") as archive:
        for name, part in (parts | {"hashes.txt": hash_list(parts), "ratings.jsonl": b"{}\n"}).items():
            archive.writestr(name, part)
    with pytest.raises(HaechiError, match=r"ratings\.jsonl"):
        replay(tmp_path / "b.haechi")


@pytest.mark.parametrize("name", ["../evil", "/etc/x", "items.jsonl/../x", "more.txt"])
def test_strange_names_are_refused(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "b.haechi", "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(HaechiError, match=r"b\.haechi"):
        replay(tmp_path / "b.haechi")


def test_what_is_no_zip_is_refused(haechi, tmp_path):
    (tmp_path / "b.haechi").write_bytes(b"PK\x03\x04 no")
    assert haechi("replay", tmp_path / "b.haechi").code == 1
    assert haechi("replay", tmp_path / "none.haechi").code == 1
    of_folder = haechi("replay", tmp_path, "--lang", "en")
    assert of_folder.code == 1
    assert "found a folder" in " ".join(of_folder.err.split()).replace("found: ", "found ")
    assert "Errno" not in of_folder.err


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="no ssh-keygen on this machine")
def test_a_signature_says_whose_it_is(haechi, demo, tmp_path):
    for name in ("ann", "eve"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", tmp_path / name]
        subprocess.run(words, check=True)
    allowed = tmp_path / "allowed"
    allowed.write_text(f"ann@lab {(tmp_path / 'ann.pub').read_text()}")
    file = tmp_path / "a.haechi"
    assert haechi("bundle", demo / "ubica", "-o", file, "--sign", tmp_path / "ann").code == 0
    ran = haechi("replay", file, "--signed-by", allowed, "--json")
    assert (ran.code, ran.json["signed_by"]) == (0, "ann@lab")
    haechi("bundle", demo / "ubica", "-o", file, "--sign", tmp_path / "eve")
    assert haechi("replay", file, "--signed-by", allowed).code == 1
    haechi("bundle", demo / "ubica", "-o", file)
    assert haechi("replay", file, "--signed-by", allowed).code == 1
    assert haechi("bundle", demo / "ubica", "-o", file, "--sign", tmp_path / "nobody").code == 1


def test_from_where_a_score_passes_is_in_it(tmp_path):
    study = judged_study(tmp_path / "study", 60)
    rate(study, study.draw(20, seed=3).item_ids)
    with (study.folder / "study.yaml").open("a") as settings:
        settings.write("pass: {total: 24}\n")
    pack(Study(study.folder), tmp_path / "a.haechi")
    assert "human.total.pass24" in json.loads(parts_of(tmp_path / "a.haechi")["figures.json"])
    assert replay(tmp_path / "a.haechi").is_same
