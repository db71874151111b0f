"""The verdicts of a study of pairs as votes between systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from haechi.data.pair_order import systems_of
from haechi.data.stances import is_measurement
from haechi.data.votes import VoteTable
from haechi.errors import HaechiError
from haechi.text import Text

if TYPE_CHECKING:
    from haechi.analysis.reported_study import ReportedStudy
    from haechi.study.scores import StoredStudy


def study_votes(study: StoredStudy | ReportedStudy) -> VoteTable:
    """Every verdict as a vote: its item is what both answered, so that pairs of one diary are one cluster.

    Decisions on disputed items and items that only test attention stay out, as they do of scores; a pair whose systems nobody
    named has no place in a ranking.
    """
    import polars as pl

    rubric = study.rubric
    if rubric.item != "pair":
        raise _no_pairs(study.place, rubric.id)
    items = [item for item in study.items() if not item.tests_attention]
    sides = [(item, *systems_of(item.meta)) for item in items]
    known = [(item, a, b) for item, a, b in sides if a is not None and b is not None]
    systems = sorted({name for _, a, b in known for name in (a, b)})
    enum = pl.Enum(systems)
    fields = [
        name
        for name in dict.fromkeys(n for i, *_ in known for n in i.meta)
        if name not in ("system_a", "system_b", "base")
    ]
    taken = {"item", "a", "b", "won", "a_first", "rater", "kind", "criterion", "pair", "order"}
    pairs = pl.DataFrame(
        {
            "pair": [item.id for item, *_ in known],
            "item": [str(item.meta.get("base", item.id)) for item, *_ in known],
            "a": pl.Series([a for _, a, _ in known], dtype=enum),
            "b": pl.Series([b for _, _, b in known], dtype=enum),
            "response_a": [item.content.get("response_a") for item, *_ in known],
            "response_b": [item.content.get("response_b") for item, *_ in known],
        }
        | {name: [_text(item.meta.get(name)) for item, *_ in known] for name in fields if name not in taken},
        schema_overrides={
            "pair": pl.String,
            "item": pl.String,
            "response_a": pl.String,
            "response_b": pl.String,
        },
    )
    comparing = [c.key for c in rubric.criteria if c.scale.compares]
    given = study.ratings().filter(pl.col("criterion").is_in(comparing), is_measurement())
    votes = (
        given.rename({"item": "pair"})
        .select("pair", "criterion", "rater", "kind", "value", "order")
        .join(pairs, on="pair", how="inner", maintain_order="left")
        .with_columns(
            won=pl.col("value").replace_strict(
                {"a": 1.0, "tie": 0.5, "b": 0.0}, default=None, return_dtype=pl.Float64
            ),
            a_first=pl.col("order") != "ba",
        )
    )
    if not known and given.height:
        raise _no_systems(study.place)
    own = ["item", "a", "b", "won", "a_first", "rater", "kind", "criterion"]
    rest = [name for name in votes.columns if name not in (*own, "value", "order")]
    return VoteTable(votes.select(*own, *rest), knows_order=votes["order"].null_count() < votes.height)


def _no_systems(place: str) -> HaechiError:
    return HaechiError.of(
        place,
        Text("시스템이 적힌 쌍 없음", "no pair that names its systems"),
        Text("메타 필드 system_a, system_b", "the meta fields system_a and system_b"),
        Text(
            "haechi add에 --join을 붙여 id, system_a, system_b 표를 더하세요",
            "add a table id, system_a, system_b with haechi add --join",
        ),
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _no_pairs(place: str, rubric: str) -> HaechiError:
    return HaechiError.of(
        place,
        Text(
            f"루브릭 {rubric}: 두 답을 견주는 기준이 없음",
            f"the rubric {rubric}, which compares no two answers",
        ),
        Text(
            "`item: pair`인 루브릭의 스터디, 또는 item, a, b, winner 표",
            "a study whose rubric has `item: pair`, or a table item, a, b, winner",
        ),
        Text(
            "haechi pairs로 이 스터디의 답들을 견주는 스터디를 만들 수 있습니다",
            "haechi pairs makes a study that compares the answers of this one",
        ),
    )
