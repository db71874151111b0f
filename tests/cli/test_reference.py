"""The documentation says what the commands say."""

from __future__ import annotations

from pathlib import Path

import pytest

from haechi.cli.reference import _PAGES, reference

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("lang", list(_PAGES))
def test_the_reference_is_up_to_date(lang):
    assert (DOCS / _PAGES[lang]).read_text("utf-8") == reference(lang), "run `make docs`"


def test_every_command_has_an_example_that_starts_with_its_name():
    from haechi.cli.start import COMMANDS, command_parser

    for name in COMMANDS:
        parser, _ = command_parser(name)
        assert (
            f"  haechi {name} " in parser.format_help() + " "
            or f"  haechi {name}\n" in parser.format_help() + "\n"
        ), name
