"""Mistakes that people make on the command line: what was meant is asked, hints can be pasted, nothing is in another language."""

import json
import re
import socket

import pytest

import haechi as product
from haechi.errors import HaechiError


def test_a_command_that_does_not_exist_is_asked_about(haechi):
    ran = haechi("scor", "x")
    assert ran.code == 2
    assert "did you mean score?" in ran.err


def test_a_rubric_that_does_not_exist_is_asked_about(haechi, tmp_path):
    ran = haechi("new", tmp_path / "study", "--rubric", "diary-coment")
    assert ran.code == 1
    assert "did you mean diary-comment?" in ran.err
    assert "no such file" in haechi("new", tmp_path / "study", "--rubric", "own.yaml").err


def test_hints_can_be_pasted(haechi, tmp_path):
    study = tmp_path / "my study"
    ran = haechi("new", study, "--rubric", "ubica")
    assert f"haechi add '{study}' FILE" in ran.err


@pytest.mark.parametrize("port", ["80000", "abc", "8e3"])
def test_a_port_that_is_no_port_is_wrong_usage(haechi, demo, port):
    ran = haechi("serve", demo / "ubica", "--port", port)
    assert ran.code == 2
    assert f"found '{port}'; expected a whole number, 0 to 65535" in ran.err


@pytest.mark.parametrize("command", ["agree", "compare", "rank", "plan", "draw", "judge", "serve"])
@pytest.mark.parametrize("seed", ["-3", "1.5", "9" * 30])
def test_a_seed_that_gives_no_random_numbers_is_wrong_usage(haechi, demo, command, seed):
    ran = haechi(command, demo / "diary-comment", "--seed", seed)
    assert ran.code == 2
    assert f"found '{seed}'; expected a whole number, 0 or more" in ran.err


def test_no_link_is_printed_for_a_port_that_is_taken(haechi, demo):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ran = haechi("serve", demo / "ubica", "--port", str(port))
    assert ran.code == 1
    assert "enter" not in ran.out
    assert f"127.0.0.1:{port}" in ran.err
    assert "in use" in ran.err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b"[1, 2"),
        ("b.json", b'[{"id": }]'),
        ("c.jsonl", b'{"id": "a", \n'),
        ("d.csv", b'id,context\n"a'),
        ("e.parquet", b"no such thing" * 20),
    ],
)
def test_what_a_library_says_of_a_broken_file_is_said_in_korean(haechi, tmp_path, name, content):
    assert haechi("new", tmp_path / "s", "--rubric", "diary-comment").code == 0
    (tmp_path / name).write_bytes(content)
    ran = haechi("add", tmp_path / "s", tmp_path / name, "--lang", "ko")
    assert ran.code == 1
    (found,) = re.findall(r"문제: (.*)", ran.err)
    assert not re.search(r"[A-Za-z]{3,}", found.replace("Parquet", "").replace("JSON", ""))


@pytest.mark.parametrize("name", ["r.csv", "r.json", "r.jsonl"])
def test_a_mistake_in_every_row_is_said_once_with_the_column_that_may_be_meant(haechi, tmp_path, name):
    records = [{"Item ID": f"i{n}", "질의 번호": f"q{n}", "응답": "네"} for n in range(600)]
    table = "Item ID,질의 번호,응답\n" + "".join(",".join(one.values()) + "\n" for one in records)
    lines = "\n".join(json.dumps(one, ensure_ascii=False) for one in records)
    content = {"r.csv": table, "r.json": json.dumps(records), "r.jsonl": lines}
    (tmp_path / name).write_text(content[name], "utf-8")
    haechi("new", tmp_path / "s", "--rubric", "hiring-agent")
    ran = haechi("add", tmp_path / "s", tmp_path / name)
    assert (ran.code, ran.err.count("✗")) == (1, 1)
    assert "600 places" in ran.err
    assert '--map query_id="질의 번호"' in ran.err
    with pytest.raises(HaechiError) as refused:
        product.Study(tmp_path / "s").add(tmp_path / name)
    assert str(refused.value).count("query_id:") == 1
    skipped = haechi("add", tmp_path / "s", tmp_path / name, "--skip-bad")
    assert (skipped.code, skipped.err.count("✗")) == (0, 1)
    assert "600 rows left out" in skipped.err


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["score", "x", "--quite"], "did you mean --quiet?"),
        (["score", "x", "--rubrik=ubica"], "did you mean --rubric?"),
        (["report", "x", "-o", "y", "--anonymus"], "did you mean --anonymous?"),
    ],
)
def test_an_option_that_does_not_exist_is_answered_with_the_nearest(haechi, given, meant):
    ran = haechi(*given, "--lang", "en")
    assert ran.code == 2
    assert meant in ran.err
    assert "did you mean" not in haechi("score", "x", "--zzz", "--lang", "en").err


def test_a_criterion_to_exclude_that_does_not_exist_is_answered_with_the_nearest(haechi, demo):
    ran = haechi("score", demo / "ubica", "--exclude", "realsim", "--lang", "en")
    assert ran.code == 1
    assert "did you mean realism?" in ran.err
