"""What is said of the items before judges are asked about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from haechi.text import Text, first_few, quoted

if TYPE_CHECKING:
    from haechi.cli.output import Output
    from haechi.judge.asks import Judge
    from haechi.study.study import Study

_LOOKED_AT = 2_000  # items, for what they try
_SHOWN = 5


def without_content(study: Study, output: Output) -> dict[str, Any]:
    """Say which items cannot be asked because only their ratings are known."""
    from haechi.store.items import without_content as counted

    with study.database.read() as connection:
        empty, first = counted(connection, _SHOWN)
    if empty:
        names = ", ".join(first) + (" …" if empty > len(first) else "")
        output.note(
            Text(
                f"내용이 없는 항목 {empty:,}개는 물을 수 없어 건너뜁니다: {names}. "
                f"haechi add {quoted(study.folder)} 파일로 내용을 넣으세요.",
                f"{empty:,} items without content cannot be asked and are left out: {names}. "
                f"Give their content with haechi add {quoted(study.folder)} FILE.",
            )
        )
    return {"items": empty, "first": first}


def note_tries(study: Study, output: Output) -> list[dict[str, Any]]:
    """Say which items seem to speak to the judge, before they are paid for."""
    from itertools import islice

    from haechi.prompt.injection import KINDS, injection_tries

    found = list(injection_tries(islice(study.items(), _LOOKED_AT), study.rubric))
    if found:
        names = first_few([item for item, _ in found], _SHOWN)
        kinds = [kind for kind in KINDS if any(one.kind == kind for _, tries in found for one in tries)]
        ko, en = (", ".join(KINDS[kind].say(lang) for kind in kinds) for lang in ("ko", "en"))
        output.note(
            Text(
                f"! 항목 {len(found):,}개에 AI 평가자를 움직이려는 것으로 보이는 글이 있습니다({ko}): {names}. "
                "평가 대상으로만 보내고, 숨은 글자는 보이는 글자로 바꾸어 보냅니다.",
                f"! {len(found):,} items hold what looks like an attempt to move the judge ({en}): {names}. "
                "They are sent as what is judged, with hidden signs spelt out.",
            )
        )
    return [{"item": item, "tries": [one._asdict() for one in tries]} for item, tries in found]


def note_changes(study: Study, judges: list[Judge], output: Output) -> list[dict[str, Any]]:
    """Say what has changed since a judge was asked before: its ratings would no longer be one measurement."""
    from haechi.analysis.judge_changes import changes
    from haechi.store.judging_protocols import asked_ways

    with study.database.read() as connection:
        found = changes(asked_ways(connection), {judge.rater: judge.asking for judge in judges})
    for one in found:
        output.note(Text(f"! {one.words.ko}", f"! {one.words.say('en')}"))
    return [one.as_json() for one in found]
