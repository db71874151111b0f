"""How the owner's files are read and taken, with the choices of the page: what `haechi add` and `import` do with their options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, cast, get_args

from haechi.data.files import refuse
from haechi.data.mapping import MAPPED, read_map
from haechi.data.proposal import FileContent, ReadingOptions, ReadingProposal, fields_of
from haechi.data.stances import STANCE_WORDS
from haechi.data.tables import TableReading
from haechi.data.understanding import IGNORED, ColumnReading
from haechi.data.votes import are_votes
from haechi.errors import HaechiError, Problem
from haechi.judge.providers import PROVIDERS
from haechi.rubrics import Rubric
from haechi.store.ratings import Appended
from haechi.study.study import Study
from haechi.text import Text
from haechi.web.bodies import SubmittedForm
from haechi.web.commands import Option, command
from haechi.web.remedies import on_the_page
from haechi.web.uploads import Tray

GIVEN = {
    "items": Text("평가할 항목", "Items to judge"),
    "ratings": Text("평가", "Ratings"),
    "meta": Text("항목에 덧붙일 정보", "More about the items"),
}
BATCH = "-batch"
_SHOWN = 200
_REHEARSED = 100_000  # ratings: while they are tried, others wait to write


class _Taken(Protocol):
    """What every way in has: its number in the history, None where nothing changed."""

    @property
    def number(self) -> int | None: ...


def batch_forms() -> list[str]:
    return [f"{name}{BATCH}" for name, found in PROVIDERS.all().items() if found.batches]


def batch_words(form: str) -> Text:
    name = form.removesuffix(BATCH)
    return Text(f"AI 배치 결과 ({name})", f"Batch results ({name})")


def wishes_of(given: Mapping[str, list[str]]) -> ReadingOptions:
    """What the owner says about files, as the options of the commands do.

    >>> wishes_of({"map": ["item=대화 번호", ""], "rater": ["kim"]}).reading.map
    (('item', '대화 번호'),)
    """
    said = SubmittedForm(given)
    row = said.one("header_row")
    if row and not (row.isascii() and row.isdigit() and 0 < int(row[:9]) < 10**6):
        expected, todo = Text("행의 번호", "the number of a row"), Text("번호를 고치세요", "correct it")
        raise refuse(Text("머리글 행", "header row").say(), row, expected, todo)
    keep = said.one("keep")
    reading = TableReading(
        sheet=said.one("sheet") or None,
        header_row=int(row) if row else None,
        map=read_map(one for one in said.get("map", []) if one.strip()),
        item=said.one("item") or None,
        keep="first" if keep == "first" else "last" if keep == "last" else "all" if keep == "all" else None,
    )
    names = tuple(name.strip() for name in said.one("assistant").split(",") if name.strip())
    kind = said.one("kind")
    return ReadingOptions(
        reading,
        names,
        said.one("rater") or None,
        kind if kind in ("human", "ai", "code") else None,
        said.one("stance") or None,
    )


def _form(study: Study, tray: Tray, wishes: ReadingOptions) -> str:
    """What files are by their content: a table of ratings may be one of votes between two systems, as for `haechi import`."""
    if tray.what == "ratings" and study.rubric.item == "pair":
        return "votes" if all(are_votes(file, wishes.reading) for file in tray.files) else "ratings"
    return tray.what


def _options(tray: Tray, form: str, wishes: ReadingOptions, given: SubmittedForm) -> list[Option]:
    reading = wishes.reading
    corrects = "replace" if tray.what in ("items", "meta") else "correct"
    return [
        ("as", form if form not in ("items", "meta") else None),
        ("join", tray.what == "meta"),
        *(("map", f"{field}={column}") for field, column in reading.map),
        ("sheet", reading.sheet),
        ("header-row", reading.header_row),
        ("item", reading.item),
        ("keep", reading.keep),
        *(("assistant", name) for name in wishes.assistant),
        ("rater", wishes.rater),
        ("kind", wishes.kind),
        ("stance", wishes.stance),
        ("create-items", bool(given.one("create_items"))),
        ("skip-bad", bool(given.one("skip_bad"))),
        (corrects, bool(given.one("correct"))),
    ]


def reading_of(study: Study, tray: Tray, given: SubmittedForm) -> dict[str, Any]:
    """How the files of a tray are read with what the owner says: for the page."""
    name = "add" if tray.what in ("items", "meta") else "import"
    files = [path.name for path in tray.files]
    shown: dict[str, Any] = {
        "words": GIVEN.get(tray.what) or batch_words(tray.what),
        "proposal": None,
        "joined": None,
        "would": None,
        "blocked": False,
        "fields": {},
        "problems": (),
        "rubric": study.rubric,
        "choice": choice,
        "meaning": partial(meaning, study.rubric),
        "stance_words": STANCE_WORDS,
        "mapped": MAPPED,
        "command": command(name, study.folder, *files),
    }
    try:
        wishes = wishes_of(given)
        form = _form(study, tray, wishes)
        shown["command"] = command(name, study.folder, *files, options=_options(tray, form, wishes, given))
        if form in get_args(FileContent):
            what = cast("FileContent", form)
            proposal = study.propose(tray.files, what, wishes)
            shown |= {"proposal": proposal, "fields": fields_of(study.rubric, what)}
            shown["problems"] = tell_problems(study, tray, _problems(proposal))
            if what != "items" and not _is_open(proposal, given) and proposal.count <= _REHEARSED:
                shown["would"] = take_files(study, tray, given, dry_run=True)
            return shown
        if tray.what == "meta":
            return {**shown, "joined": take_files(study, tray, given, dry_run=True)}
        return {**shown, "would": take_files(study, tray, given, dry_run=True)}
    except HaechiError as error:
        return {**shown, "problems": tell_problems(study, tray, error.problems), "blocked": True}


def tell_problems(study: Study, tray: Tray, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems with the files of a tray, as the page tells them."""
    names = fields_of(study.rubric, "items" if tray.what == "items" else "ratings")
    return tuple(on_the_page(problem, tray.files, names) for problem in problems)


def _problems(proposal: ReadingProposal) -> tuple[Problem, ...]:
    return (*proposal.asked, *proposal.problems[:_SHOWN])


def _is_open(proposal: ReadingProposal, given: SubmittedForm) -> bool:
    """Whether something has to be answered or mended first."""
    return bool(proposal.asked or (proposal.problems and not given.one("skip_bad")))


def take_files(study: Study, tray: Tray, given: SubmittedForm, dry_run: bool = False) -> _Taken:
    """Bring in the files of a tray as they were shown; with `dry_run` only tell what that would do."""
    wishes, correct = wishes_of(given), bool(given.one("correct"))
    skip_bad, create_items = bool(given.one("skip_bad")), bool(given.one("create_items"))
    if tray.what == "items":
        proposal = study.propose(tray.files, "items", wishes)
        if _is_open(proposal, given):
            raise HaechiError(_problems(proposal))
        return study.take(proposal, skip_bad, create_items, correct)
    if _form(study, tray, wishes) == "votes":
        return _voted(study, tray, wishes, correct, dry_run)
    if tray.what == "ratings":
        return study.import_ratings(
            tray.files,
            wishes.rater,
            wishes.kind,
            wishes.stance,
            correct,
            skip_bad,
            create_items=create_items,
            reading=wishes.reading,
            dry_run=dry_run,
        )
    if tray.what == "meta":
        return study.join(
            tray.files,
            correct,
            skip_bad,
            create_items=create_items,
            reading=wishes.reading,
            dry_run=dry_run,
        )
    done = study.import_results(
        tray.files,
        tray.what.removesuffix(BATCH),
        wishes.rater,
        correct,
        skip_bad,
        create_items=create_items,
        dry_run=dry_run,
    )
    return done.ratings


def _voted(study: Study, tray: Tray, wishes: ReadingOptions, correct: bool, dry_run: bool) -> _Taken:
    if not dry_run:
        return study.take(study.propose(tray.files, "votes", wishes), correct=correct)
    done = Appended()
    for file in tray.files:
        done.add(study.import_votes(file, wishes.rater, wishes.kind, correct, wishes.reading, dry_run=True))
    return done


def meaning(rubric: Rubric, reading: ColumnReading) -> Text:
    """What a column is read as, with the criterion by its name and not by its key.

    >>> import haechi
    >>> meaning(haechi.rubric("diary-comment"), ColumnReading("합리성_민수", "value", "sensibleness", rater="민수")).ko
    '값 · 합리성 · 민수'
    """
    if reading.criterion not in (*rubric.rateables, *rubric.score_names):
        return reading.meaning
    plain, name = replace(reading, criterion=None).meaning, rubric.name(reading.criterion)
    field, *parts = plain.ko.split(" · ")
    en_field, *en_parts = plain.say("en").split(" · ")
    return Text(" · ".join([field, name.ko, *parts]), " · ".join([en_field, name.say("en"), *en_parts]))


def choice(reading: ColumnReading) -> str:
    """What `--map` would say for a column as it is read.

    >>> choice(ColumnReading("공감", "value", "sympathy")), choice(ColumnReading("메모", "ignore"))
    ('sympathy=공감', 'ignore=메모')
    """
    field = reading.criterion if reading.field == "value" and reading.criterion else reading.field
    return f"{IGNORED if reading.field == IGNORED else field}={reading.column}"
