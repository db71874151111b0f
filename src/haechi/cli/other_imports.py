"""What `haechi import` takes from other tools: votes, scores that they gave, result files of batches."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from haechi.cli.cluster_option import on_cluster
from haechi.cli.import_forms import BATCH
from haechi.cli.output import Output, say_number
from haechi.cli.reading_options import NOTHING_WRITTEN, reading_of
from haechi.errors import HaechiError
from haechi.text import Text, first_few, quoted

if TYPE_CHECKING:
    from pathlib import Path

    from haechi.store.ratings import Appended
    from haechi.study.study import Study

_RATINGS, _VOTES = Text("평가", "ratings"), Text("투표", "votes")


def import_votes(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    """Votes between two systems, into a study of pairs."""
    if study.rubric.item != "pair":
        expected = Text(
            "두 답을 견주는 스터디(`item: pair`)", "a study that compares two answers (`item: pair`)"
        )
        todo = Text("haechi rank로 표를 바로 볼 수 있습니다", "haechi rank takes the table as it is")
        raise HaechiError.of(chosen.folder, study.rubric.id, expected, todo)
    for file in chosen.files:
        done = study.import_votes(
            file, chosen.rater, chosen.kind, chosen.correct, reading_of(chosen), chosen.dry_run
        )
        if output.as_json:
            said = {"assumed": [text.say() for text in done.said], "import": done.number}
            output.result({**count_told(done), "bare_items": done.bare_items, **said})
            continue
        say_appended(done, output, _VOTES)
        for text in done.said:
            output.say(f"! {text.say()}")
        if chosen.dry_run:
            output.note(NOTHING_WRITTEN)
            continue
        about_bare_items(done.bare_items, output)
        say_number(done.number, study.folder, output)
    if not output.as_json:
        say_next("rank", study.folder, output)
    return 0


def _scores_tried(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    """How the scores of a file would be read; nothing is written."""
    from collections import Counter
    from pathlib import Path

    import orjson

    from haechi.data.conversations.score_tables import score_tables
    from haechi.data.mapping import read_map
    from haechi.data.reading_notes import ReadingNotes

    notes, found = ReadingNotes(), Counter[tuple[str, str, str]]()
    paths = [Path(file) for file in chosen.files]
    with score_tables(
        paths, chosen.form, study.rubric, read_map(chosen.map), notes, chosen.skip_bad
    ) as tables:
        for table in tables:
            with table.open("rb") as lines:
                rows = map(orjson.loads, lines)
                found.update((row["criterion"], chosen.rater or row["rater"], row["kind"]) for row in rows)
    if output.as_json:
        scores = [
            dict(zip(("criterion", "rater", "kind", "n"), (*key, n), strict=True)) for key, n in found.items()
        ]
        output.result({"dry_run": True, "scores": scores, **notes.as_json()})
        return 0
    for (criterion, rater, kind), count in found.items():
        output.say(
            Text(
                f"{criterion}: {rater} ({kind}), 평가 {count:,}건",
                f"{criterion}: {rater} ({kind}), {count:,} ratings",
            ).say()
        )
    for text in notes.said():
        output.say(f"! {text.say()}")
    return 0


def import_scores(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    """Scores that another tool gave."""
    from haechi.data.mapping import read_map

    if chosen.dry_run:
        return _scores_tried(study, chosen, output)
    with output.working(Text("점수를 읽는 중", "reading scores")) as advance:
        done, notes = study.import_scores(
            chosen.files,
            chosen.form,
            read_map(chosen.map),
            chosen.rater,
            chosen.kind,
            chosen.correct,
            chosen.skip_bad,
            advance,
            chosen.create_items,
        )
    if output.as_json:
        skipped = [problem.as_json() for problem in done.skipped]
        more = {"bare_items": done.bare_items, "skipped": skipped, "import": done.number}
        output.result({**count_told(done), **more, **notes.as_json()})
        return 0
    say_appended(done, output)
    for text in notes.said():
        output.say(f"! {text.say()}")
    about_bare_items(done.bare_items, output)
    output.skipped(done.skipped)
    say_number(done.number, study.folder, output)
    say_next("score", study.folder, output)
    return 0


def import_results(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    """Result files of a provider's batches."""
    cluster = on_cluster(chosen.cluster, output) if chosen.cluster else nullcontext()
    with cluster as engine, output.working(Text("응답을 읽는 중", "reading replies")) as advance:
        done = study.import_results(
            chosen.files,
            chosen.form.removesuffix(BATCH),
            chosen.rater,
            chosen.correct,
            chosen.skip_bad,
            advance,
            engine,
            chosen.create_items,
            chosen.dry_run,
        )
    if output.as_json:
        skipped = [problem.as_json() for problem in done.skipped]
        ratings = {"new": done.ratings.new, "unchanged": done.ratings.unchanged}
        more = {"bare_items": done.ratings.bare_items, "ratings": ratings, "skipped": skipped}
        number = {"dry_run": True} if chosen.dry_run else {"import": done.ratings.number}
        output.result({**done.tally, "raters": done.raters, **more, **number})
        return 0
    count = done.tally
    output.say(
        Text(
            f"✓ 응답 {count['replies']:,}건: 온전 {count['complete']:,}, 일부 {count['partial']:,}, "
            f"실패 {count['failed']:,} (고쳐 읽음 {count['repaired']:,}) · AI 평가자 {', '.join(done.raters)}",
            f"✓ {count['replies']:,} replies: {count['complete']:,} complete, {count['partial']:,} partial, "
            f"{count['failed']:,} failed ({count['repaired']:,} repaired) · judge {', '.join(done.raters)}",
        ).say()
    )
    if count["rejudge"]:
        names = first_few(count["rejudge"], 10)
        output.say(Text(f"! 다시 평가할 항목: {names}", f"! to judge again: {names}").say())
    if chosen.dry_run:
        output.skipped(done.skipped)
        output.note(NOTHING_WRITTEN)
        return 0
    about_bare_items(done.ratings.bare_items, output)
    output.skipped(done.skipped)
    say_number(done.ratings.number, study.folder, output)
    say_next("score", study.folder, output)
    return 0


def about_bare_items(count: int, output: Output) -> None:
    """That items were made without content, where some were."""
    if count:
        output.say(
            Text(
                f"! 아직 없던 항목 {count:,}개를 내용 없이 만들었습니다. haechi add로 채울 수 있습니다.",
                f"! {count:,} items were not there yet and were made without content; haechi add fills them.",
            ).say()
        )


def count_told(done: Appended) -> dict[str, Any]:
    """How many ratings came, for machines."""
    return {"new": done.new, "unchanged": done.unchanged, "corrected": done.corrected}


def say_appended(done: Appended, output: Output, what: Text = _RATINGS) -> None:
    """How many ratings came, or votes."""
    output.say(
        Text(
            f"✓ 새 {what.ko} {done.new:,}건, 그대로 {done.unchanged:,}건, 수정 {done.corrected:,}건",
            f"✓ {done.new:,} new {what.en}, {done.unchanged:,} unchanged, {done.corrected:,} corrected",
        ).say()
    )


def say_next(command: str, folder: Path, output: Output) -> None:
    """What to do with them."""
    output.note(Text(f"다음: haechi {command} {quoted(folder)}", f"next: haechi {command} {quoted(folder)}"))
