"""Inspect's logs, `.eval` (an archive) and `.json`: samples with the scores of scorers."""

from __future__ import annotations

import io
import json
import struct
import sys
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from haechi.data.conversations.evaluated_samples import EvaluatedSample, Score, samples_of
from haechi.data.conversations.file import File
from haechi.data.conversations.outline import Outline
from haechi.data.conversations.payloads import messages_in
from haechi.data.conversations.traces import plain_meta
from haechi.data.files import BAD, LONGEST_RECORD, Row, refuse
from haechi.data.names import plain_text
from haechi.data.tool_calls import as_text
from haechi.errors import HaechiError
from haechi.text import Text

_ZSTD = 93
_VERDICTS = {"C": (1, True), "I": (0, False)}  # correct and incorrect; partial and no answer stay as they are
_ATTACHED = "attachment://"
_FAILED = Text("오류로 끝난 표본의 점수", "scores of samples that ended in an error")


def is_inspect(outline: Outline) -> bool:
    """An archive of samples, or one object with the evaluation and its samples."""
    archive = any(name.startswith("samples/") for name in outline.members) and (
        "header.json" in outline.members or any(name.startswith("_journal/") for name in outline.members)
    )
    return archive or (
        outline.has("eval", "eval.task") and bool(outline.paths & {"samples", "plan", "results"})
    )


def samples(file: File) -> Iterator[EvaluatedSample | Row]:
    """The samples of a log; a member of the archive that cannot be read is an error in its place."""
    about: dict[str, Any] = {}
    rows = _of_text(file, about) if file.outline.root else _of_archive(file, about)
    return samples_of(rows, lambda row: _sample(row.data, row.place, about, file))


def _of_text(file: File, about: dict[str, Any]) -> Iterator[Row]:
    for path, value in file.walk("samples"):
        if isinstance(value, Row):
            yield value
        elif path == "eval":
            about |= value if isinstance(value, Mapping) else {}


def _of_archive(file: File, about: dict[str, Any]) -> Iterator[Row]:
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = {info.filename: info for info in archive.infolist()}
            for name in ("header.json", "_journal/start.json"):
                if name in members and not about:
                    about |= _eval_of(_read(archive, members[name], file))
            for name, member in members.items():
                if not (name.startswith("samples/") and name.endswith(".json")):
                    continue
                place = f"{file.name}, {name}"
                try:
                    data = _read(archive, member, file)
                except HaechiError as error:
                    data = {BAD: error}
                if not isinstance(data, dict):
                    expected = Text("JSON 객체 {…}", "a JSON object {…}")
                    data = {BAD: refuse(place, type(data).__name__, expected)}
                yield Row(place, data)
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError, EOFError) as error:
        raise refuse(
            file.name, str(error), Text("Inspect의 .eval 파일", "an .eval file of Inspect")
        ) from None


def _eval_of(header: Any) -> Mapping[str, Any]:
    found = header.get("eval") if isinstance(header, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, file: File) -> Any:
    """A member of the archive, no larger than a record may be, whatever the archive says about its size."""
    place = f"{file.name}, {member.filename}"
    try:
        text = _unzstd(file, member) if member.compress_type == _ZSTD else _inflated(archive, member)
        if len(text) > LONGEST_RECORD:
            found = Text("한 표본이 너무 큼", "a sample that is too large")
            raise refuse(place, found, Text("64 MiB 이하의 표본", "samples of at most 64 MiB"))
        return json.loads(text)
    except (
        ValueError,
        RecursionError,
        NotImplementedError,
        RuntimeError,
        EOFError,
        zipfile.BadZipFile,
        OSError,
    ) as error:
        raise refuse(place, str(error)[:200], Text("올바른 JSON", "well-formed JSON")) from None


def _inflated(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    import zlib

    try:
        with archive.open(member) as opened:
            return opened.read(LONGEST_RECORD + 1)
    except zlib.error as error:
        raise zipfile.BadZipFile(str(error)) from None


def _unzstd(file: File, member: zipfile.ZipInfo) -> bytes:
    """A member that Inspect packed with Zstandard, which Python 3.11's archives do not know."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    with file.path.open("rb") as raw:
        raw.seek(member.header_offset + 26)
        names, extra = struct.unpack("<HH", raw.read(4))
        raw.seek(names + extra, io.SEEK_CUR)
        packed = raw.read(min(member.compress_size, LONGEST_RECORD))
    try:
        return zstd.ZstdDecompressor().decompress(packed, LONGEST_RECORD + 1)
    except zstd.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None


def _sample(data: Mapping[str, Any], place: str, about: Mapping[str, Any], file: File) -> EvaluatedSample:
    attached = data.get("attachments")
    known = attached if isinstance(attached, Mapping) else {}
    output = data.get("output")
    messages = messages_in(_with_attached(data.get("messages"), known), "user", place, file.notes)
    if not messages:
        asked = messages_in(_with_attached(data.get("input"), known), "user", place, file.notes)
        answered = messages_in(_with_attached(output, known), "assistant", place, file.notes)
        messages = [*asked, *answered]
    epoch = data.get("epoch")
    name = plain_text(data.get("id"))
    identifier = f"{name}#{epoch}" if name and isinstance(epoch, int) and epoch > 1 else name
    model = (output.get("model") if isinstance(output, Mapping) else None) or about.get("model")
    meta = {
        **plain_meta(data.get("metadata")),
        "task": about.get("task"),
        "model": model,
        "epoch": epoch,
        "target": as_text(data.get("target"))[:500],
        **_ended(data),
    }
    return EvaluatedSample(place, identifier, messages, meta, _scores(data, place, about, file))


def _ended(data: Mapping[str, Any]) -> dict[str, Any]:
    """How long a sample was worked on, and why it failed, as far as that is recorded."""
    took = next((data[name] for name in ("working_time", "total_time") if _is_time(data.get(name))), None)
    error = data.get("error")
    why = as_text(error.get("message") if isinstance(error, Mapping) else error)[:500]
    return ({"latency_ms": round(took * 1000, 3)} if took is not None else {}) | (
        {"error": why} if why else {}
    )


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _with_attached(value: Any, attached: Mapping[str, Any], depth: int = 0) -> Any:
    """Texts that Inspect keeps once and refers to, put back in their places."""
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return attached.get(value.removeprefix(_ATTACHED), value)
    if depth > 20 or not attached:
        return value
    if isinstance(value, list):
        return [_with_attached(one, attached, depth + 1) for one in value]
    if isinstance(value, Mapping):
        return {key: _with_attached(one, attached, depth + 1) for key, one in value.items()}
    return value


def _scores(data: Mapping[str, Any], place: str, about: Mapping[str, Any], file: File) -> list[Score]:
    given = data.get("scores")
    if not isinstance(given, Mapping):
        given = {"score": data["score"]} if isinstance(data.get("score"), Mapping) else {}
    made: list[Score] = []
    for scorer, score in given.items():
        if not isinstance(score, Mapping):
            continue
        if data.get("error"):
            file.notes.leave_out(place, _FAILED)
            continue
        kind = "ai" if _by_model(str(scorer), score, about) else "code"
        why = as_text(score.get("explanation"))
        value = score.get("value")
        parts = value if isinstance(value, Mapping) else {str(scorer): value}
        for criterion, one in parts.items():
            number, passed = _VERDICTS.get(one, (one, None)) if isinstance(one, str) else (one, None)
            passed = one if isinstance(one, bool) else passed
            number = int(number) if isinstance(number, bool) else number
            made.append(
                Score(
                    str(scorer),
                    str(criterion),
                    kind,
                    as_text(number) if isinstance(number, list) else number,
                    passed,
                    why,
                )
            )
    return made


def _by_model(scorer: str, score: Mapping[str, Any], about: Mapping[str, Any]) -> bool:
    """Whether a model graded: the scorer's name or options say so, or the grading conversation is kept."""
    if "model_graded" in scorer:
        return True
    kept = score.get("metadata")
    if isinstance(kept, Mapping) and "grading" in kept:
        return True
    scorers = about.get("scorers")
    for one in scorers if isinstance(scorers, list) else ():
        options = one.get("options") if isinstance(one, Mapping) and one.get("name") == scorer else None
        if isinstance(options, Mapping) and any(
            key in options for key in ("model", "grader", "grader_model", "judge")
        ):
            return True
    return False
