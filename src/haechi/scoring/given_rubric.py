"""The rubric that a source is scored by: a study's own, or the one that is given with files."""

from __future__ import annotations

from pathlib import Path

from haechi.errors import HaechiError
from haechi.rubrics import Rubric, find_rubric
from haechi.scoring.rated_tables import without_criteria
from haechi.text import Text


def for_study(own: Rubric, place: str, rubric: str | Path | Rubric | None, **tables: object) -> None:
    """Refuse what a study would leave aside in silence: another rubric than its own, and what only tables are told.

    >>> for_study(find_rubric("ubica"), "chats", "ubica", wide=False)
    """
    told = ", ".join(f"--{name}" for name, value in tables.items() if value)
    if told:
        expected = Text("평가표 파일", "a file with a table of ratings")
        todo = Text(f"{told} 없이 실행하세요", f"run it without {told}")
        raise HaechiError.of(place, Text(f"스터디와 {told}", f"a study and {told}"), expected, todo)
    if rubric is not None and (given := find_rubric(rubric)).id != own.id:
        expected = Text(f"이 스터디의 루브릭 {own.id}", f"the study's own rubric, {own.id}")
        todo = Text(
            f"--rubric을 빼세요. 다른 루브릭은 새 스터디에서 씁니다: haechi new DIR --rubric {given.id}",
            f"leave out --rubric; another one is for a new study: haechi new DIR --rubric {given.id}",
        )
        raise HaechiError.of(f"{place}, --rubric", given.id, expected, todo)


def need_rubric(rubric: str | Path | Rubric | None, target: str) -> str | Path | Rubric:
    """The rubric that was given; what is no study cannot be scored without one."""
    if rubric is not None:
        return rubric
    found = Text("파일인데 --rubric 없음", "a file without --rubric")
    expected = Text(
        "스터디 폴더, 또는 파일이나 폴더와 --rubric", "a study, or a file or folder of data with --rubric"
    )
    todo = Text(
        "--rubric ID를 붙이세요. 쓸 수 있는 ID는 haechi rubrics로 봅니다",
        "give --rubric ID; haechi rubrics lists them",
    )
    if Path(target).is_dir():
        found = Text(
            "study.yaml이 없는 폴더인데 --rubric 없음", "a folder without study.yaml, and no --rubric"
        )
    elif not Path(target).exists() and not set("*?[:") & set(target):  # neither a glob nor an address
        found, todo = (
            Text("그런 폴더나 파일이 없음", "nothing there"),
            Text("경로를 확인하세요", "check the path"),
        )
    raise HaechiError.of(target, found, expected, todo)


def run_rubric(name: str | None, exclude: tuple[str, ...]) -> Rubric:
    """The rubric of agent runs that a cluster scores by; another kind is refused."""
    rubric = without_criteria(find_rubric(name), exclude) if name else None
    if rubric is None or rubric.item != "run":
        found = Text(f"{name or '--rubric 없음'}", f"{name or 'no --rubric'}")
        expected = Text("에이전트 실행의 루브릭", "a rubric of agent runs")
        todo = Text(
            "--rubric hiring-agent처럼 쓰거나, --cluster 없이 실행하세요",
            "give one such as --rubric hiring-agent, or run without --cluster",
        )
        raise HaechiError.of("--cluster", found, expected, todo)
    return rubric
