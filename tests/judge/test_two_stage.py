"""Two stages: the strong judge sees what is disputed and a random part of the rest, and its mean is corrected for that."""

from __future__ import annotations

import math

import numpy as np
import pytest

from haechi.analysis.two_stage import two_stage
from haechi.judge.second_stage import APART, CHECK, LEAST, SecondStageRule, second_items
from haechi.stats.human_scale import human_scale_mean

FIRST = ("--model", "openai:gpt-5-mini", "--model", "anthropic:claude-haiku-4-5")
THEN = ("--then", "gemini:gemini-2.5-flash")


def test_who_is_apart_and_who_is_drawn():
    scores = {f"i{n}": [1.0, 5.0 if n < 10 else 1.0] for n in range(300)}
    found = second_items(scores, (1, 5), ["a", "b"], "c", "overall", SecondStageRule(0.1, 0.1))
    roles = {role: [m for m in found.members if m.role == role] for role in (APART, CHECK)}
    assert {m.item for m in roles[APART]} == {f"i{n}" for n in range(10)}
    assert (len(roles[CHECK]), {m.chance for m in roles[CHECK]}) == (29, {29 / 290})
    assert second_items(scores, (1, 5), ["b", "a"], "c", "overall", SecondStageRule(0.1, 0.1)) == found
    few = second_items(
        dict(list(scores.items())[:15]), (1, 5), ["a", "b"], "c", "overall", SecondStageRule(0.1, 0.1)
    )
    assert len(few.members) == 15, "all are drawn where there are few"
    assert {m.chance for m in few.members} == {1.0}


def test_what_the_first_judges_have_not_seen_is_not_asked_about():
    scores = {"a": [1.0, 1.0], "b": [None, None], "c": [1.0, None]}
    found = second_items(scores, (1, 5), ["x", "y"], "z", "overall", SecondStageRule())
    assert {m.item: m.role for m in found.members} == {"a": CHECK, "c": APART}


@pytest.mark.parametrize("margin", [0.0, 0.25, 1.0])
def test_the_margin_is_a_share_of_the_scale(margin):
    scores = {f"i{n}": [1.0, 1.0 + n / 25] for n in range(101)}  # 0 … 4 apart, on a scale of 4
    found = second_items(scores, (1, 5), ["a", "b"], "c", "overall", SecondStageRule(margin, 0.0))
    apart = sum(m.role == APART for m in found.members)
    assert apart == sum(n / 25 > 4 * margin + 1e-9 for n in range(101))
    assert sum(m.role == CHECK for m in found.members) == min(LEAST, 101 - apart)


def test_the_strong_judge_is_asked_only_about_its_items(server, make_study, haechi, tmp_path):
    server.salts = {"claude-haiku-4-5": "x", "gemini-2.5-flash": "y"}
    study = make_study(80)
    done = haechi("judge", study.folder, *FIRST, *THEN, "--apart", "0.4", "--json")
    assert done.code == 0, done.err
    told = done.json["two_stage"]
    with study.database.read() as connection:
        asked = set(connection.values("SELECT item FROM calls WHERE rater = 'gemini-2.5-flash'"))
        chosen = set(connection.values("SELECT item FROM set_items"))
    assert asked == chosen
    assert told["apart"] + told["checked"] == len(asked) < 80
    assert (told["items"], told["answered"]) == (80, len(asked))
    found = told["scores"]["ssa"]
    assert found["mean"]["ci95"][0] <= found["mean"]["value"] <= found["mean"]["ci95"][1]
    again = haechi("judge", study.folder, *FIRST, *THEN, "--apart", "0.4", "--json").json
    assert again["two_stage"] == told
    assert sum(one["answered"] for one in again["judges"]) == 0, "the same command asks nothing more"
    text = haechi("--lang", "ko", "judge", study.folder, *FIRST, *THEN, "--apart", "0.4")
    assert "두 단계 평가" in text.out
    haechi("report", study.folder, "-o", tmp_path / "r")
    report = (tmp_path / "r" / "report.md").read_text()
    assert "mean of gemini-2.5-flash, corrected" in report
    # the figure of the report is that of the command, and that of the formula
    frame = study.rated_scores().frame
    items = sorted(set(frame["item"]))
    wide = {r: dict(frame.filter(rater=r).select("item", "ssa").iter_rows()) for r in frame["rater"].unique()}
    with study.database.read() as connection:
        chance = dict(connection.rows("SELECT item, chance FROM set_items"))
    part = sum(c < 1 for c in chance.values()) or 1
    rest = part / (80 - told["apart"])
    strong = [wide["gemini-2.5-flash"].get(i, math.nan) for i in items]
    cheap = [[wide[r][i] for r in ("claude-haiku-4-5", "gpt-5-mini")] for i in items]
    expected = human_scale_mean(strong, cheap, [chance.get(i, rest) for i in items], (0, 1)).mean
    assert found["mean"]["value"] == pytest.approx(expected.value)
    assert found["mean"]["ci95"] == pytest.approx(expected.ci95)


def test_without_two_stages_there_is_nothing_to_say(make_study):
    assert two_stage(make_study(2)) is None


@pytest.mark.parametrize("arguments", [FIRST[:2], (*FIRST, "--batch")])
def test_what_cannot_have_a_second_stage_is_refused(server, make_study, haechi, arguments):
    done = haechi("judge", make_study(2).folder, *arguments, *THEN)
    assert done.code == 1
    assert "two or more --model, asked live" in done.err
    assert not server.seen


def coverage(kind: str, items: int, share: float, samples: int, seed: int) -> tuple[float, float, float]:
    """How often the interval holds the mean of the strong judge; the bias of the estimate, and that of what it saw."""
    chance, held, bias, naive = np.random.default_rng(seed), 0, [], []
    for _ in range(samples):
        if kind == "yes or no":
            true, ends = 0.65, (0.0, 1.0)
            strong = (chance.random(items) < true).astype(float)
            first = [np.where(chance.random(items) < 0.12, 1 - strong, strong) for _ in range(2)]
            wrong = chance.random(items) < 0.05  # together, so that they seem to agree
            first = [np.where(wrong, 1 - strong, one) for one in first]
        else:
            true, ends = 3.0, (1.0, 5.0)
            level = chance.uniform(1, 5, items)
            strong = level + chance.normal(0, 0.3, items)
            noise = np.where(level < 3, 0.9, 0.1)  # what is weak is disputed
            first = [level + 0.4 + noise * chance.normal(0, 1, items) for _ in range(2)]
        scores = {f"i{n:04d}": [one[n] for one in first] for n in range(items)}
        # the draw of the command has a fixed seed: here the items are named at random
        names = [f"i{n:04d}" for n in chance.permutation(items)]
        scores = dict(zip(names, scores.values(), strict=True))
        made = {
            m.item: m
            for m in second_items(scores, ends, ["a", "b"], "c", "s", SecondStageRule(0.1, share)).members
        }
        alike = items - sum(m.role == APART for m in made.values())
        drawn = sum(m.role == CHECK for m in made.values())
        seen = np.array([strong[n] if name in made else np.nan for n, name in enumerate(names)])
        known = np.array([made[name].chance if name in made else drawn / alike for name in names])
        found = human_scale_mean(seen, np.stack(first, 1), known, ends).mean
        assert found.value is not None
        assert found.ci95 is not None
        held += found.ci95[0] <= true <= found.ci95[1]
        bias.append(found.value - true)
        naive.append(np.nanmean(seen) - true)
    return held / samples, float(np.mean(bias)), float(np.mean(naive))


# Monte-Carlo error of 300 samples at 95 %: ± 1.3 points, of 2,000: ± 0.5.
@pytest.mark.parametrize("kind", ["yes or no", "five points"])
def test_the_interval_holds_in_a_few_hundred_samples(kind):
    held, bias, _ = coverage(kind, 200, 0.1, 150, 3)
    assert held >= 0.90
    assert abs(bias) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("items", [60, 200, 800])
@pytest.mark.parametrize("kind", ["yes or no", "five points"])
def test_the_interval_holds(kind, items, share):
    held, bias, _ = coverage(kind, items, share, 2000, 11)
    assert held >= 0.93
    assert abs(bias) < 0.01


def test_what_the_strong_judge_saw_does_not_speak_for_all():
    _, bias, naive = coverage("five points", 400, 0.1, 60, 5)
    assert abs(bias) < 0.05
    assert naive < -0.4


def test_score_and_agree_say_that_the_strong_judge_saw_a_part(server, make_study, haechi, tmp_path):
    server.salts = {"claude-haiku-4-5": "x", "gemini-2.5-flash": "y"}
    study = make_study(80)
    assert "two_stage" not in haechi("score", study.folder, "--json").json
    told = haechi("judge", study.folder, *FIRST, *THEN, "--apart", "0.4", "--json").json["two_stage"]
    scored = haechi("score", study.folder, "--json").json
    assert scored["two_stage"] == told, "one figure has one value"
    shown = haechi("score", study.folder)
    assert "Two stages of judging" in shown.out
    assert "its corrected mean stands under" in shown.err
    agreed = haechi("agree", study.folder, "--json").json["two_stage"]
    assert agreed == {
        "then": "gemini-2.5-flash",
        "first": ["claude-haiku-4-5", "gpt-5-mini"],
        "asked": told["apart"] + told["checked"],
        "items": 80,
    }
    said = haechi("agree", study.folder)
    assert f"about {agreed['asked']} of 80 items only" in said.out + said.err
    korean = haechi("agree", study.folder, "--lang", "ko")
    assert f"80개 중 {agreed['asked']}개만 물었습니다" in korean.out + korean.err
