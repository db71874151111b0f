"""Which format a file of conversations has, by its content; `--format` says it where two would fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from haechi.data.conversations import (
    evaluated_samples,
    exports,
    groups,
    inspect_logs,
    kakao,
    langfuse,
    langsmith,
    message_trees,
    messengers,
    otlp,
    phoenix,
    questions,
    results,
    subtitles,
    whatsapp,
)
from haechi.data.conversations.file import File
from haechi.data.conversations.outline import Outline, outline_of
from haechi.data.files import Row, refuse
from haechi.data.readers import READERS, read_rows
from haechi.data.reading_notes import ReadingNotes
from haechi.data.tables import TableReading
from haechi.errors import HaechiError
from haechi.text import Text


class Format(NamedTuple):
    """A format: how it is called, whether a file looks like it, and its conversations as rows of an items file."""

    title: str
    fits: Callable[[Outline], bool]
    read: Callable[[File], Iterator[Row]]


SCORED: dict[str, Callable[[File], Iterator[evaluated_samples.EvaluatedSample | Row]]] = {
    "inspect": inspect_logs.samples,
    "promptfoo": results.promptfoo,
    "deepeval": results.deepeval,
    "healthbench": results.healthbench,
}
"""The formats that have scores too, which `haechi import --as NAME` takes as ratings."""


def _scored(name: str) -> Callable[[File], Iterator[Row]]:
    return lambda file: evaluated_samples.conversation_rows(SCORED[name](file), file, name)


FORMATS: dict[str, Format] = {
    "chatgpt": Format("ChatGPT (conversations.json)", exports.is_chatgpt, exports.chatgpt),
    "sharegpt": Format("ShareGPT", exports.is_sharegpt, exports.sharegpt),
    "sillytavern": Format("SillyTavern", exports.is_sillytavern, exports.sillytavern),
    "kakaotalk": Format("KakaoTalk", kakao.is_kakao, kakao.kakao),
    "kakaotalk-csv": Format("KakaoTalk (CSV)", kakao.is_csv, kakao.kakao_csv),
    "slack": Format("Slack", messengers.is_slack, messengers.slack),
    "telegram": Format("Telegram", messengers.is_telegram, messengers.telegram),
    "message-trees": Format("LibreChat, OpenAssistant", message_trees.is_tree, message_trees.trees),
    "whatsapp": Format("WhatsApp", whatsapp.is_whatsapp, whatsapp.whatsapp),
    "discord": Format("Discord (DiscordChatExporter)", groups.is_discord, groups.discord),
    "twitch": Format("Twitch (TwitchDownloader)", groups.is_twitch, groups.twitch),
    "youtube": Format("YouTube (live_chat.json)", groups.is_youtube, groups.youtube),
    "chat-downloader": Format("chat-downloader", groups.is_chat_downloader, groups.chat_downloader),
    "subtitles": Format("SRT, WebVTT", subtitles.is_subtitles, subtitles.subtitles),
    "inspect": Format("Inspect", inspect_logs.is_inspect, _scored("inspect")),
    "promptfoo": Format("promptfoo", results.is_promptfoo, _scored("promptfoo")),
    "deepeval": Format("DeepEval", results.is_deepeval, _scored("deepeval")),
    "healthbench": Format("HealthBench", results.is_healthbench, _scored("healthbench")),
    "otlp": Format("OpenTelemetry (OTLP JSON)", otlp.is_otlp, otlp.otlp),
    "phoenix": Format("Phoenix (OpenInference)", phoenix.is_phoenix, phoenix.phoenix),
    "langsmith": Format("LangSmith", langsmith.is_langsmith, langsmith.langsmith),
    "langfuse": Format("Langfuse", langfuse.is_langfuse, langfuse.langfuse),
    "parted-trees": Format("OpenAssistant", message_trees.is_parted, message_trees.parted),
    "nested-messages": Format("Open WebUI", message_trees.is_inside, message_trees.inside),
    "questions": Format("Q/A", questions.is_questions, questions.questions),
}
"""The formats of conversations beside our own, by the names that `--format` takes; the first that fits is taken."""


_CHATGPT = "conversations.json"


def conversation_rows(path: Path, notes: ReadingNotes) -> Iterator[Row]:
    """The conversations of a file as rows of an items file, whatever format they are in.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "chat.json"
    >>> _ = file.write_text('[{"conversations": [{"from": "human", "value": "Hi"}]}]')
    >>> next(conversation_rows(file, ReadingNotes())).data
    {'messages': [{'from': 'human', 'value': 'Hi'}]}
    """
    check_format(notes.format)
    if notes.format and notes.format not in FORMATS:
        return read_rows(path, replace(notes.reading, format=notes.format))
    if notes.reading.map:  # somebody says what the columns of a table are
        return read_rows(path, notes.reading)
    outline = outline_of(path)
    known = READERS.get(path.suffix.lower().removeprefix(".")) is not None
    name = notes.format or fitting(outline)
    if name is None and known and not outline.root:
        outline = outline._replace(paths=_columns(path, notes.reading))
        name = fitting(outline)
    if name is None and _CHATGPT in outline.members:
        found = Text("ChatGPT 데이터 내보내기 압축 파일", "the archive of ChatGPT's data export")
        todo = Text(f"압축을 풀고 그 안의 {_CHATGPT}을 더하세요", f"unpack it and add the {_CHATGPT} in it")
        raise refuse(path.name, found, Text(f"풀린 {_CHATGPT}", f"{_CHATGPT}, unpacked"), todo)
    file = File(path, outline, notes)
    if name is not None:
        notes.formats[path.name] = (name, FORMATS[name].title)
        return _guarded(FORMATS[name].read(file), path.name, FORMATS[name].title)
    # Lines of JSON are often called .json, and either of them .txt.
    return (
        file.records()
        if outline.root and (len(outline.root) > 1 or not known)
        else read_rows(path, notes.reading)
    )


def plain_rows(path: Path, notes: ReadingNotes) -> Iterator[Row]:
    """The records of a file as they stand there: lines of JSON, the elements of a list, rows of a table."""
    known = notes.format is None or READERS.get(notes.format) is not None
    outline = outline_of(path)
    if known and outline.root and not outline.members:
        return File(path, outline, notes).records()
    return read_rows(path, replace(notes.reading, format=notes.format if known else None))


def _guarded(rows: Iterator[Row], name: str, title: str) -> Iterator[Row]:
    count = 0
    try:
        for count, row in enumerate(rows, 1):  # noqa: B007 - how many there were is asked at the end
            yield row
        if not count:
            found = Text(f"{title} 형식이지만 대화가 없음", f"{title} without a single conversation")
            expected = Text("한 건 이상의 대화", "at least one conversation")
            todo = Text(
                "대화의 글까지 내보냈는지 확인하거나, 다른 형식이면 --format으로 알려 주세요",
                "see whether the texts were exported too; if it is another format, say so with --format",
            )
            raise refuse(name, found, expected, todo)
    except RecursionError:
        found = Text("끝없이 겹친 JSON", "JSON nested without end")
        raise refuse(name, found, Text("겹침이 얕은 파일", "a file that is nested less deeply")) from None


def fitting(outline: Outline) -> str | None:
    """The first format that a file looks like, by name; None for our own and for tables."""
    return next((name for name, form in FORMATS.items() if form.fits(outline)), None)


def _columns(path: Path, reading: TableReading) -> frozenset[str]:
    """The columns of a table; none where it cannot be read, which is said when it is."""
    try:
        return frozenset(map(str, next(iter(read_rows(path, reading))).data))
    except HaechiError:
        return frozenset()


def check_format(name: str | None) -> None:
    """Refuse a name that is no format."""
    if name is not None and name not in FORMATS and READERS.get(name) is None:
        known = ", ".join((*FORMATS, *READERS.names()))
        todo = Text(
            "이름을 고르거나 --format을 빼세요", "choose one, or leave out --format: the content tells"
        )
        raise HaechiError.of("--format", name, Text(f"다음 중 하나: {known}", f"one of {known}"), todo)
