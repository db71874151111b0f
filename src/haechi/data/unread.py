"""Columns of run files that look like scores but are not read, so that nobody waits for them in vain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from haechi.data.names import RUN_FIELDS, fold_name, name_fields
from haechi.data.readers import read_rows
from haechi.rubrics import Rubric
from haechi.text import Text

_VERDICT = "intent_verdict"
_LOOKED_AT = 100


def unread_scores(files: Iterable[Path | str], rubric: Rubric) -> Iterator[Text]:
    """What to say about columns named like a score; files with the same columns are told of together.

    >>> import tempfile, haechi
    >>> file = Path(tempfile.mkdtemp()) / "runs.jsonl"
    >>> _ = file.write_text('{"query_id": "q1", "intent": "GOOD"}', "utf-8")
    >>> next(unread_scores([file], haechi.rubric("hiring-agent"))).en
    'runs.jsonl: the column intent was not read; if it holds verdicts, call it intent_verdict.'
    """
    told: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for file in map(Path, islice(files, _LOOKED_AT)):
        columns = _unread(file, rubric)
        if any(columns):
            told.setdefault(columns, []).append(file.name)
    for (verdicts, computed), names in told.items():
        at = names[0] + (f" + {len(names) - 1:,}" if len(names) > 1 else "")
        if verdicts:
            yield Text(
                f"{at}: {', '.join(verdicts)} 열은 읽지 않았습니다. 의도 평가가 담긴 열이면 이름을 {_VERDICT}로 바꾸세요.",
                f"{at}: {_columns(verdicts)} not read; if it holds verdicts, call it {_VERDICT}.",
            )
        if computed:
            yield Text(
                f"{at}: {', '.join(computed)} 열은 읽지 않았습니다. 이 점수는 코드가 실행 기록에서 계산합니다.",
                f"{at}: {_columns(computed)} not read; code computes these scores from the runs.",
            )


def _unread(file: Path, rubric: Rubric) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of the first record that look like verdicts, and those that look like what code computes."""
    known, rest = name_fields(next(read_rows(file)).data, RUN_FIELDS)
    by_people = {c.score for c in rubric.criteria if c.rated_by == "rater"}
    spelt = {
        fold_name(name): score for score in rubric.score_names for name in (score, rubric.name(score).ko)
    }
    meant = {column: spelt[fold_name(column)] for column in rest if fold_name(column) in spelt}
    verdicts = [column for column, score in meant.items() if score in by_people and _VERDICT not in known]
    computed = [column for column, score in meant.items() if score not in by_people]
    return tuple(verdicts), tuple(computed)


def _columns(names: tuple[str, ...]) -> str:
    return f"the column {names[0]} was" if len(names) == 1 else f"the columns {', '.join(names)} were"
