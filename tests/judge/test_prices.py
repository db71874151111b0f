"""Prices: where they are from, how old they are, and how one states one's own."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from haechi.errors import HaechiError
from haechi.judge.budget import check_price
from haechi.judge.judges import judges_of
from haechi.judge.providers.models import Model
from haechi.judge.providers.prices import OLD, Prices, set_price, user_file
from haechi.study.study import Study

MINI = Model("openai", "gpt-5-mini")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for a user's own prices."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return user_file()


def test_a_study_overrides_the_user_and_the_user_the_package(own, tmp_path):
    assert Prices.read().find(MINI).file is None
    set_price(own, "openai:gpt-5-mini", {"input": "1", "output": "2"})
    assert (Prices.read().of(MINI).input, Prices.read().find(MINI).file) == (1.0, own)
    set_price(tmp_path / "prices.yaml", "openai:gpt-5-mini", {"input": "3", "output": "4"})
    assert Prices.read(tmp_path).of(MINI).input == 3.0
    assert Prices.read().of(MINI).input == 1.0


def test_what_stood_in_the_file_stays(own):
    own.parent.mkdir(parents=True)
    text = "# ours\nas_of: 2026-01-01\nmodels:\n  openai:a: {input: 1, output: 2}  # by contract\n  openai:b: {input: 3, output: 4}\n"
    own.write_text(text)
    set_price(own, "openai:b", {"input": "5", "output": "6"}, date(2026, 11, 18))
    set_price(own, "openai:c@http://localhost:8000/v1", {"input": "0", "output": "0"}, date(2026, 11, 18))
    written = own.read_text()
    assert written.startswith(
        "# ours\nas_of: 2026-01-01\nmodels:\n  openai:a: {input: 1, output: 2}  # by contract\n"
    )
    found = Prices.read().listed
    assert (found["openai:a"].price.as_of, found["openai:b"].price.as_of) == ("2026-01-01", "2026-11-18")
    assert found["openai:b"].price.input == 5.0
    assert found["openai:c@http://localhost:8000/v1"].price.output == 0.0


def test_a_file_written_in_another_way_keeps_its_prices(own):
    own.parent.mkdir(parents=True)
    own.write_text("as_of: 2026-01-01\nmodels: {openai:a: {input: 1, output: 2}}")
    set_price(own, "openai:b", {"input": "5", "output": "6"})
    found = Prices.read().listed
    assert (found["openai:a"].price.input, found["openai:a"].price.as_of) == (1.0, "2026-01-01")
    assert found["openai:b"].price.input == 5.0


@pytest.mark.parametrize(
    ("model", "given", "expected"),
    [
        ("openai:x", {"input": "1"}, "input=… and output=…"),
        ("openai:x", {"input": "1", "output": "2", "price": "3"}, "price"),
        ("openai:x", {"input": "-1", "output": "2"}, "numbers from 0"),
        ("openai:x", {"input": "one", "output": "2"}, "one"),
        ("nobody:x", {"input": "1", "output": "2"}, "nobody:x"),
    ],
)
def test_a_wrong_price_is_refused_and_nothing_written(own, model, given, expected):
    with pytest.raises(HaechiError, match=expected):
        set_price(own, model, given)
    assert not own.exists()


def test_a_damaged_file_is_named(own, haechi):
    own.parent.mkdir(parents=True)
    own.write_text("as_of: 2026-01-01\nmodels:\n  openai:a: 3\n")
    done = haechi("prices")
    assert done.code == 1
    assert str(own) in done.err


def test_the_command_lists_states_and_says_where(own, haechi):
    listed = haechi("prices", "--json").json
    assert listed["models"]["openai:gpt-5-mini"]["file"] is None
    assert listed["user_file"] == str(own)
    done = haechi("prices", "--set", "openai:gpt-5-mini", "input=0.5", "output=1")
    assert done.code == 0
    assert str(own) in done.err
    told = haechi("prices", "--json").json["models"]["openai:gpt-5-mini"]
    assert (told["input"], told["file"], told["age_days"], told["old"]) == (0.5, str(own), 0, False)
    assert haechi("prices", "--set", "openai:gpt-5-mini", "input").code == 1
    assert haechi("prices", "nowhere").code == 1


def test_an_old_price_is_warned_of_before_it_is_believed(own, server, make_study, haechi):
    study = make_study(1)
    fresh, old = date.today() - timedelta(days=OLD), date.today() - timedelta(days=OLD + 1)
    for day, warned in ((fresh, False), (old, True)):
        set_price(own, "openai:gpt-5-mini", {"input": "0.5", "output": "1"}, day)
        done = haechi("judge", study.folder, "--model", "openai:gpt-5-mini", "--dry-run")
        assert ("haechi prices --set openai:gpt-5-mini" in done.err) == warned
    ko = haechi("--lang", "ko", "judge", study.folder, "--model", "openai:gpt-5-mini", "--dry-run")
    assert f"{OLD + 1}일 전" in ko.err


def test_the_price_that_a_limit_asks_for_is_the_one_that_counts(tmp_path):
    """A server with an address has prices of its own: who follows the hint can go on."""
    spec = "openai:fake@http://127.0.0.1:9/v1"
    study = Study.new(tmp_path / "s", "diary-comment")
    (judge,) = judges_of(study, [spec])
    with pytest.raises(HaechiError) as refused:
        check_price(judge, 1.0)
    assert spec in refused.value.problems[0].todo.say("en")
    set_price(study.folder / "prices.yaml", spec, {"input": "1", "output": "2"})
    check_price(judges_of(study, [spec])[0], 1.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("luna: {input: 1, output: 4}\n", "no as_of, no models, unknown luna"),
        ("as_of: 2026-11-18\nmodels: {luna: {input: dear, output: 4}}\n", "models.luna.input: dear"),
        ("as_of: 2026-11-18\nmodels: [1\n", "no YAML from line 3 on"),
        ("- 1\n", "no list of models with prices"),
    ],
)
def test_a_broken_file_of_prices_is_told_in_words(tmp_path, text, said):
    (tmp_path / "prices.yaml").write_text(text, "utf-8")
    with pytest.raises(HaechiError) as caught:
        set_price(tmp_path / "prices.yaml", "openai:luna", {"input": "1", "output": "2"})
    (problem,) = caught.value.problems
    assert problem.as_json("en")["found"] == said
    assert "haechi prices --set" in problem.todo.say("en")
