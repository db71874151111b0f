"""Wrong options of `haechi judge`: what was found and what is expected is said, before anything is asked."""

from __future__ import annotations

import pytest

ABOVE, WHOLE = "expected a number above 0", "expected a whole number, 1 or more"


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("--rate", "0", ABOVE),
        ("--rate", "fast", ABOVE),
        ("--max-cost", "nan", ABOVE),
        ("--max-cost", "-1", ABOVE),
        ("--timeout", "inf", ABOVE),
        ("--at-once", "0", WHOLE),
        ("--limit", "1.5", WHOLE),
        ("--repeat", "", WHOLE),
        ("--job", "a\nb", "expected a name of at most 200 characters"),
    ],
)
def test_a_wrong_number_is_named_with_what_is_expected(server, make_study, haechi, option, value, expected):
    refused = haechi("judge", make_study(1).folder, "--model", "openai:gpt-5-mini", f"{option}={value}")
    assert refused.code == 2
    assert f"argument {option}: found {value!r}; {expected}" in refused.err
    assert not server.seen


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ("openai:x@notaurl", "found: @notaurl expected: an address after @"),
        ("openai:x@localhost:8000/v1", "found: @localhost:8000/v1 expected: an address after @"),
        ("openai:x@httpfoo", "found: @httpfoo expected: openai:MODEL@http://host:port/v1"),
        ("openai:x@http://[::1", "found: @http://[::1 expected: openai:MODEL@http://host:port/v1"),
        (
            "openai:x@http://h:99999/v1",
            "found: @http://h:99999/v1 expected: openai:MODEL@http://host:port/v1",
        ),
        ("openai:x@http://me:word@h/v1?k=word", "found: h expected: openai:MODEL@http://host:port/v1"),
        ("openai:x@http://h.8443/v1", "found: h.8443 expected: a host name"),
        ("openai:x@http://faß.de/v1", "found: faß.de expected: a host name"),
        ("anthropic:x@http://h/v1", "found: anthropic expected: openai:MODEL@http://host:port/v1"),
    ],
)
def test_a_wrong_address_is_not_taken_for_a_missing_key(make_study, haechi, monkeypatch, model, found):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused = haechi("judge", make_study(1).folder, "--model", model)
    assert refused.code == 1
    assert found in " ".join(refused.err.split())
    assert "OPENAI_API_KEY" not in refused.err
    assert "word" not in refused.err


def test_a_model_whose_name_begins_with_the_sign_needs_no_address(server, make_study, haechi):
    assert haechi("judge", make_study(1).folder, "--model", "openai:@cf/meta/llama").code == 0
