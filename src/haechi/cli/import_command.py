"""`haechi import`: ratings from people, other tools and judges' result files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from haechi.cli.cluster_option import add_cluster, on_cluster
from haechi.cli.output import Output, say_number
from haechi.cli.reading_options import (
    NOTHING_WRITTEN,
    add_dry_run,
    add_rated,
    add_reading,
    reading_of,
    show_proposal,
)
from haechi.errors import HaechiError
from haechi.text import Text, quoted

if TYPE_CHECKING:
    from pathlib import Path

    from haechi.study import Study

DESCRIPTION = Text(
    "평가를 가져옵니다. 표는 한 줄에 평가 하나(item, criterion, rater, value …)이거나, 한 줄에 항목 하나와 기준별 열입니다. "
    "AI 평가의 배치 결과 파일(openai-batch, anthropic-batch, gemini-batch)은 응답을 읽어 평가로 바꿉니다.",
    "Import ratings: one row per judgement (item, criterion, rater, value …), or one row per item with a column "
    "per criterion. Result files of the providers' batch interfaces are read reply by reply.",
)
EXAMPLE = """
haechi import tutoring teachers.csv --as ratings
haechi import diaries form.xlsx --as ratings --rater teacher-1 --kind human
haechi import listeners "Form Responses.csv" --as ratings --map item="Which show?" --dry-run
haechi import duels arena.csv --as votes
haechi import tutoring results.jsonl errors.jsonl --as openai-batch
haechi import tutoring results/*.jsonl --as openai-batch --cluster local
haechi import graded log.eval --as inspect --map sensibleness=model_graded_qa
"""


_BATCH = "-batch"
_AS = Text(
    "파일의 내용 (기본: 배치 결과나 다른 도구의 점수는 내용으로 알아보고, 아니면 ratings, 평가표)",
    "what the file holds (default: results of batches and scores of other tools are known by their content, else ratings, a table)",
)
_JSON = (".jsonl", ".json", ".eval", ".txt")
_TABLES = ("ratings", "votes")
_SCORED = ("inspect", "promptfoo", "deepeval", "healthbench")
"""The tools whose results have scores; `haechi.data.conversations.formats.SCORED` reads them."""


class _Forms:
    """What `--as` takes: tables of ratings, scores of other tools, and result files of every provider that has batches."""

    def __contains__(self, form: str) -> bool:
        from haechi.judge.providers import PROVIDERS

        name = form.removesuffix(_BATCH)
        found = PROVIDERS.get(name) if name != form else None
        return form in _TABLES or form in _SCORED or (found is not None and found.batches)

    def __iter__(self) -> Iterator[str]:
        from haechi.judge.providers import PROVIDERS

        yield from _TABLES
        yield from _SCORED
        yield from (f"{name}{_BATCH}" for name, found in PROVIDERS.all().items() if found.batches)

    def own(self) -> str:
        """Those that need no other package, for help."""
        from haechi.judge.providers import PROVIDERS

        names = (f"{name}{_BATCH}" for name, found in PROVIDERS.own.items() if found.batches)
        return f"{{{','.join([*_TABLES, *_SCORED, *names])}}}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    from haechi.data.readers import endings

    parser.add_argument("folder", metavar="DIR", help=Text("스터디 폴더", "the study").say())
    parser.add_argument("files", metavar="FILE", nargs="+", help=endings())
    forms = _Forms()
    parser.add_argument("--as", dest="form", choices=forms, metavar=forms.own(), help=_AS.say())
    rater = Text(
        "평가자 이름(표에 rater 열이 없을 때, 또는 대신)", "the rater's name (instead of a column rater)"
    )
    parser.add_argument("--rater", metavar="NAME", help=rater.say())
    kind = Text(
        "평가자의 종류 (기본: 표의 kind 열, 없으면 human)",
        "the rater's kind (default: column kind, else human)",
    )
    parser.add_argument("--kind", choices=("human", "ai", "code"), help=kind.say())
    stance = Text(
        "평가자의 입장(ubica: participant, third_party, judge)",
        "the stance (ubica: participant, third_party, judge)",
    )
    parser.add_argument("--stance", help=stance.say())
    correct = Text(
        "저장된 것과 다른 평가를 수정으로 받음(옛 값도 보관)",
        "take differing ratings as corrections (the old stay)",
    )
    parser.add_argument("--correct", action="store_true", help=correct.say())
    skip = Text("잘못된 줄은 건너뛰고 목록을 보여 줌", "leave out bad rows and list them")
    parser.add_argument("--skip-bad", action="store_true", help=skip.say())
    create = Text(
        "스터디에 없는 id의 항목을 내용 없이 만듦(항목이 하나도 없는 스터디는 첫 가져오기에서 스스로 만듦)",
        "make items, without content, for ids that the study does not know (a study without any takes those of its first "
        "import by itself)",
    )
    parser.add_argument("--create-items", action="store_true", help=create.say())
    mapped = Text(
        "어느 열이 무엇인지: item, rater, value …, 기준의 이름, 또는 ignore(읽지 않음). --as inspect, promptfoo, deepeval에서는 "
        "기준과 파일의 점수 이름. 되풀이",
        "which column is what: item, rater, value …, the name of a criterion, or ignore; with --as inspect, promptfoo, "
        "deepeval a criterion and what the file calls its scores (repeatable)",
    )
    add_reading(parser, mapped)
    add_rated(parser)
    add_dry_run(parser)
    add_cluster(parser)


def run(chosen: argparse.Namespace, output: Output) -> int:
    """Run the command."""
    from haechi.study import Study

    study = Study(chosen.folder)
    if chosen.form is None:
        chosen.form = _form_of(chosen.files)
        if chosen.form == "ratings" and study.rubric.item == "pair" and _are_votes(chosen):
            chosen.form = "votes"
        if chosen.form != "ratings":
            output.note(
                Text(
                    f"내용을 보고 읽은 형식: --as {chosen.form}",
                    f"by its content read as: --as {chosen.form}",
                )
            )
    if chosen.form in _SCORED:
        return _scores(study, chosen, output)
    if chosen.form == "votes":
        return _votes(study, chosen, output)
    if chosen.form != "ratings":
        return _results(study, chosen, output)
    if chosen.cluster:
        expected = Text(
            "배치 결과 파일(--as openai-batch 등)", "result files of batches (--as openai-batch …)"
        )
        todo = Text("--cluster를 빼세요", "leave out --cluster")
        raise HaechiError.of("--cluster", "--as ratings", expected, todo)
    if chosen.dry_run:
        return _dry_run(study, chosen, output)
    with output.working(Text("평가를 읽는 중", "reading ratings")) as advance:
        done = study.import_ratings(
            chosen.files,
            rater=chosen.rater,
            kind=chosen.kind,
            stance=chosen.stance,
            correct=chosen.correct,
            skip_bad=chosen.skip_bad,
            advance=advance,
            reading=reading_of(chosen),
            create_items=chosen.create_items,
        )
    if output.as_json:
        skipped = [problem.as_json() for problem in done.skipped]
        counts = {"new": done.new, "unchanged": done.unchanged, "corrected": done.corrected}
        more = {"bare_items": done.bare_items, "ignored_columns": done.ignored, "skipped": skipped}
        said = {"assumed": [text.say() for text in done.said], "import": done.number}
        output.result({**counts, **more, **said})
        return 0
    output.say(
        Text(
            f"✓ 새 평가 {done.new:,}건, 그대로 {done.unchanged:,}건, 수정 {done.corrected:,}건",
            f"✓ {done.new:,} new ratings, {done.unchanged:,} unchanged, {done.corrected:,} corrected",
        ).say()
    )
    _about_bare_items(done.bare_items, output)
    for text in done.said:
        output.say(f"! {text.say()}")
    if done.ignored:
        names = ", ".join(" ".join(name.split()) for name in done.ignored)
        output.say(
            Text(
                f"! 루브릭에 없는 열이라 읽지 않음: {names}", f"! not in the rubric and not read: {names}"
            ).say()
        )
    output.skipped(done.skipped)
    say_number(done.number, study.folder, output)
    output.note(
        Text(f"다음: haechi score {quoted(study.folder)}", f"next: haechi score {quoted(study.folder)}")
    )
    return 0


def _are_votes(chosen: argparse.Namespace) -> bool:
    from pathlib import Path

    from haechi.data.votes import are_votes

    return all(are_votes(Path(file), reading_of(chosen)) for file in chosen.files)


def _votes(study: Study, chosen: argparse.Namespace, output: Output) -> int:
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
            counts = {"new": done.new, "unchanged": done.unchanged, "corrected": done.corrected}
            said = {"assumed": [text.say() for text in done.said], "import": done.number}
            output.result({**counts, "bare_items": done.bare_items, **said})
            continue
        output.say(
            Text(
                f"✓ 새 투표 {done.new:,}건, 그대로 {done.unchanged:,}건, 수정 {done.corrected:,}건",
                f"✓ {done.new:,} new votes, {done.unchanged:,} unchanged, {done.corrected:,} corrected",
            ).say()
        )
        for text in done.said:
            output.say(f"! {text.say()}")
        if chosen.dry_run:
            output.note(NOTHING_WRITTEN)
            continue
        _about_bare_items(done.bare_items, output)
        say_number(done.number, study.folder, output)
    if not output.as_json:
        output.note(
            Text(f"다음: haechi rank {quoted(study.folder)}", f"next: haechi rank {quoted(study.folder)}")
        )
    return 0


def _form_of(files: Sequence[str]) -> str:
    """What files hold by their content: all the same results, or tables of ratings."""
    from pathlib import Path

    paths = [Path(file) for file in files]
    if not all(path.suffix.lower() in _JSON and path.is_file() for path in paths):
        return "ratings"
    found = {_form(path) for path in paths}
    return found.pop() if len(found) == 1 else "ratings"


def _form(path: Path) -> str:
    from haechi.data.conversations.formats import FORMATS
    from haechi.data.conversations.outline import outline_of
    from haechi.judge.providers import PROVIDERS
    from haechi.judge.providers.lines import record_of

    try:
        outline = outline_of(path)
    except HaechiError:
        return "ratings"  # whose reader says what is wrong
    first = record_of(outline.text.lstrip().partition("\n")[0], path.name)
    for name, provider in PROVIDERS.own.items():
        if isinstance(first, dict) and provider.batches and provider.lines.fits(first):
            return name + _BATCH
    return next((name for name in _SCORED if FORMATS[name].fits(outline)), "ratings")


def _dry_run(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    from haechi.data.proposal import Wishes

    wishes = Wishes(reading_of(chosen), (), chosen.rater, chosen.kind, chosen.stance)
    return show_proposal(study.propose(chosen.files, "ratings", wishes), output)


def _scores_tried(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    """How the scores of a file would be read; nothing is written."""
    from collections import Counter
    from pathlib import Path

    import orjson

    from haechi.data.conversations.score_tables import score_tables
    from haechi.data.hearing import Hearing
    from haechi.data.mapping import read_map

    hearing, found = Hearing(), Counter[tuple[str, str, str]]()
    paths = [Path(file) for file in chosen.files]
    with score_tables(
        paths, chosen.form, study.rubric, read_map(chosen.map), hearing, chosen.skip_bad
    ) as tables:
        for table in tables:
            with table.open("rb") as lines:
                rows = map(orjson.loads, lines)
                found.update((row["criterion"], chosen.rater or row["rater"], row["kind"]) for row in rows)
    if output.as_json:
        scores = [
            dict(zip(("criterion", "rater", "kind", "n"), (*key, n), strict=True)) for key, n in found.items()
        ]
        output.result({"dry_run": True, "scores": scores, **hearing.as_json()})
        return 0
    for (criterion, rater, kind), count in found.items():
        output.say(
            Text(
                f"{criterion}: {rater} ({kind}), 평가 {count:,}건",
                f"{criterion}: {rater} ({kind}), {count:,} ratings",
            ).say()
        )
    for text in hearing.said():
        output.say(f"! {text.say()}")
    return 0


def _scores(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    from haechi.data.mapping import read_map

    if chosen.dry_run:
        return _scores_tried(study, chosen, output)
    with output.working(Text("점수를 읽는 중", "reading scores")) as advance:
        done, hearing = study.import_scores(
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
        counts = {"new": done.new, "unchanged": done.unchanged, "corrected": done.corrected}
        skipped = [problem.as_json() for problem in done.skipped]
        more = {"bare_items": done.bare_items, "skipped": skipped, "import": done.number}
        output.result({**counts, **more, **hearing.as_json()})
        return 0
    output.say(
        Text(
            f"✓ 새 평가 {done.new:,}건, 그대로 {done.unchanged:,}건, 수정 {done.corrected:,}건",
            f"✓ {done.new:,} new ratings, {done.unchanged:,} unchanged, {done.corrected:,} corrected",
        ).say()
    )
    for text in hearing.said():
        output.say(f"! {text.say()}")
    _about_bare_items(done.bare_items, output)
    output.skipped(done.skipped)
    say_number(done.number, study.folder, output)
    output.note(
        Text(f"다음: haechi score {quoted(study.folder)}", f"next: haechi score {quoted(study.folder)}")
    )
    return 0


def _results(study: Study, chosen: argparse.Namespace, output: Output) -> int:
    cluster = on_cluster(chosen.cluster, output) if chosen.cluster else nullcontext()
    with cluster as engine, output.working(Text("응답을 읽는 중", "reading replies")) as advance:
        done = study.import_results(
            chosen.files,
            chosen.form.removesuffix(_BATCH),
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
        names = ", ".join(count["rejudge"][:10]) + (" …" if len(count["rejudge"]) > 10 else "")
        output.say(Text(f"! 다시 평가할 항목: {names}", f"! to judge again: {names}").say())
    if chosen.dry_run:
        output.skipped(done.skipped)
        output.note(NOTHING_WRITTEN)
        return 0
    _about_bare_items(done.ratings.bare_items, output)
    output.skipped(done.skipped)
    say_number(done.ratings.number, study.folder, output)
    output.note(
        Text(f"다음: haechi score {quoted(study.folder)}", f"next: haechi score {quoted(study.folder)}")
    )
    return 0


def _about_bare_items(count: int, output: Output) -> None:
    if count:
        output.say(
            Text(
                f"! 아직 없던 항목 {count:,}개를 내용 없이 만들었습니다. haechi add로 채울 수 있습니다.",
                f"! {count:,} items were not there yet and were made without content; haechi add fills them.",
            ).say()
        )
