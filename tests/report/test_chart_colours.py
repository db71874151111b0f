"""Colours that people with deuteranopia and protanopia can tell apart, and letters that can be read on them."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from haechi import web
from haechi.report.charts.bars import _WEAK
from haechi.report.charts.canvas import SERIES
from haechi.report.charts.grid import _STRONGEST

# Machado, Oliveira & Fernandes (2009), severity 1.0, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
APART = 20.0  # ΔE*ab; about 2.3 is just noticeable
PAGE = files("haechi.report").joinpath("page.css").read_text("utf-8")


def themes() -> dict[str, dict[str, str]]:
    """The colours of the light page, the dark one, and of paper where it differs."""
    light, dark, paper = re.findall(r":root \{([^}]*)\}", PAGE)
    found = {
        name: dict(re.findall(r"(--[\w-]+): *(#\w+)", text))
        for name, text in (("light", light), ("dark", dark))
    }
    return found | {"print": found["light"] | dict(re.findall(r"(--[\w-]+): *(#\w+)", paper))}


def rgb(colour: str) -> np.ndarray:
    long = "#" + "".join(letter * 2 for letter in colour[1:]) if len(colour) == 4 else colour
    return np.array([int(long[at : at + 2], 16) for at in (1, 3, 5)]) / 255


def linear(colour: np.ndarray) -> np.ndarray:
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    xyz = to_xyz @ np.clip(light, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def apart(a: str, b: str) -> float:
    """How far two colours are apart in the vision to which they look most alike."""
    return min(
        float(np.linalg.norm(lab(eye @ linear(rgb(a))) - lab(eye @ linear(rgb(b)))))
        for eye in VISION.values()
    )


def contrast(a: np.ndarray, b: np.ndarray) -> float:
    """The contrast of WCAG 2."""
    dark, light = sorted(float(linear(one) @ np.array([0.2126, 0.7152, 0.0722])) for one in (a, b))
    return (light + 0.05) / (dark + 0.05)


def over(colour: str, paper: str, opacity: float) -> np.ndarray:
    return rgb(colour) * opacity + rgb(paper) * (1 - opacity)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_series_are_told_apart_by_colour_or_by_form(theme):
    """The first four by colour alone; of all eight those that have the same form."""
    own = themes()[theme]
    colours = [own[f"--{name}"] for name in SERIES]
    pairs = [*combinations(range(4), 2), *((place, place + 4) for place in range(4))]
    alike = [(a + 1, b + 1) for a, b in pairs if apart(colours[a], colours[b]) < APART]
    assert alike == []
    assert all(contrast(rgb(colour), rgb(own["--paper"])) >= 3 for colour in colours)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_below_and_above_the_middle_are_two_colours_to_everyone(theme):
    own = themes()[theme]
    assert apart(own["--s1"], own["--s2"]) > 2 * APART
    assert min(apart(own["--mid"], own[end]) for end in ("--s1", "--s2")) > APART


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_letters_on_bars_and_cells_can_be_read(theme):
    own = themes()[theme]
    paper, ink = rgb(own["--paper"]), rgb(own["--ink"])
    for end in ("--s1", "--s2"):
        assert contrast(rgb(own[end]), paper) >= 4.5, "the last level has light letters"
        for opacity in np.linspace(0, _WEAK, 12):
            assert contrast(over(own[end], own["--paper"], float(opacity)), ink) >= 4.5
    for opacity in np.linspace(0, _STRONGEST, 12):
        assert contrast(over(own["--s1"], own["--paper"], float(opacity)), ink) >= 4.5
    assert contrast(rgb(own["--mid"]), ink) >= 4.5


def test_pages_of_the_server_have_the_same_colours():
    sheet = files(web).joinpath("static/bench.css").read_text("utf-8")
    blocks = [
        dict(re.findall(r"(--(?:s\d|mid)): *(#\w+)", block))
        for block in re.findall(r"\{[^{}]*--s1[^}]*\}", sheet)
    ]
    for theme, found in zip(("light", "dark"), blocks, strict=True):
        assert found == {name: own for name, own in themes()[theme].items() if name in found}
        assert len(found) == len(SERIES) + 1
