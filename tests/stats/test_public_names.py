"""Statistics are imported when they are asked for, and each name is the function, whatever was imported before."""

import subprocess
import sys
from types import ModuleType

import pytest

import haechi.stats


@pytest.mark.parametrize("name", haechi.stats.__all__)
def test_every_public_name_is_there(name):
    assert not isinstance(getattr(haechi.stats, name), ModuleType)


def test_a_module_does_not_take_the_place_of_its_function():
    code = "import haechi.stats.icc, haechi.stats as s; print(callable(s.icc), 'haechi.stats.rasch' in __import__('sys').modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == ["True", "False"]


def test_an_unknown_name_is_said():
    with pytest.raises(AttributeError, match="nothing_such"):
        haechi.stats.nothing_such  # noqa: B018
