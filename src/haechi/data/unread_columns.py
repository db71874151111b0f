"""Columns of run files that look like scores but are not read, so that nobody waits for them in vain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from haechi.data.column_names import is_model
from haechi.data.names import RUN_FIELDS, fold_name, name_fields
from haechi.data.readers import read_rows
from haechi.rubrics import Rubric
from haechi.text import Text, quoted

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
    told: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for file in map(Path, islice(files, _LOOKED_AT)):
        columns = _unread(file, rubric)
        if any(columns):
            told.setdefault(columns, []).append(file.name)
    for (verdicts, computed, judged), names in told.items():
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
        if judged:
            yield Text(
                f"{at}: {', '.join(judged)} 열은 AI 평가자가 준 점수라 여기서는 읽지 않았습니다. `haechi import 스터디 {quoted(names[0])}`로 가져올 수 있습니다.",
                f"{at}: {_columns(judged)} not read here: a judge gave these scores; `haechi import STUDY {quoted(names[0])}` takes them.",
            )


def _unread(file: Path, rubric: Rubric) -> tuple[tuple[str, ...], ...]:
    """The columns of the first record that look like verdicts, like what code computes, and like a named judge's scores."""
    known, rest = name_fields(next(read_rows(file)).data, RUN_FIELDS)
    by_people = {c.score for c in rubric.criteria if c.rated_by == "rater"}
    spelt = {
        fold_name(name): score for score in rubric.score_names for name in (score, rubric.name(score).ko)
    }
    meant = {column: spelt[fold_name(column)] for column in rest if fold_name(column) in spelt}
    verdicts = [column for column, score in meant.items() if score in by_people and _VERDICT not in known]
    computed = [column for column, score in meant.items() if score not in by_people]
    judged = [column for column in rest if fold_name(column).endswith("점수") and column not in meant]
    return tuple(verdicts), tuple(computed), tuple(judged if any(map(is_model, rest)) else ())


def _columns(names: tuple[str, ...]) -> str:
    return f"the column {names[0]} was" if len(names) == 1 else f"the columns {', '.join(names)} were"
