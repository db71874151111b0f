"""Fields to select and group by, the same words in every command: meta fields, and rater, kind, stance and criterion."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from haechi.data.names import ITEM_FIELDS, META_PREFIX, RATING_FIELDS, RUN_FIELDS, fold_name
from haechi.data.stances import stance_named
from haechi.errors import HaechiError
from haechi.frozen import frozen
from haechi.text import Text

if TYPE_CHECKING:
    import polars as pl

OF_ROWS = ("rater", "kind", "stance")
"""Fields of a rating and of a row of scores; all others but `criterion` are fields of the item."""
RATER_PREFIX = "rater."
"""Before the name of what raters say about themselves, such as `rater.age_band`."""
CRITERION = "criterion"
_SHOWN = 20
_SPELT = {
    **{name: ITEM_FIELDS[name] for name in ("mode", "level", "system")},
    **{name: RUN_FIELDS[name] for name in ("query", "round", "category", "version")},
    **{name: RATING_FIELDS[name] for name in (*OF_ROWS, CRITERION)},
}

Where = Mapping[str, str | int | Sequence[str | int]]
"""What to select: of every field a value or several, any of which will do."""


_CALLED = {
    "rater": "평가자",
    "kind": "평가자 종류",
    "stance": "입장",
    "system": "시스템",
    "round": "회차",
    "version": "버전",
    "level": "수준",
    "mode": "모드",
    "category": "카테고리",
    "query": "질의",
    "dialogue": "대화",
    "diary": "일기",
    "user": "사용자",
    "student": "학생",
    "participant": "참가자",
}


def field_name(field: str) -> Text:
    """A field in words; one of the reader's own keeps its name.

    >>> field_name("query").say("ko"), field_name("학년").say("ko"), field_name("query").say("en")
    ('질의', '학년', 'query')
    """
    return Text(_CALLED.get(field, field), field)


def split_fields(by: str) -> tuple[str, ...]:
    """The fields of `--by`.

    >>> split_fields("mode, level")
    ('mode', 'level')
    """
    return tuple(dict.fromkeys(part.strip() for part in by.split(","))) if by else ()


def is_of_rows(name: str) -> bool:
    """Whether a field is one of ratings and rows of scores: who rated, from which stance, and what raters say of themselves.

    >>> is_of_rows("stance"), is_of_rows("rater.age_band"), is_of_rows("mode")
    (True, True, False)
    """
    return name in OF_ROWS or name.startswith(RATER_PREFIX)


def is_of_items(name: str) -> bool:
    """Whether a field, however it is spelt, is one of items and not of ratings.

    >>> is_of_items("mode"), is_of_items("평가자")
    (True, False)
    """
    return not name.startswith(RATER_PREFIX) and _own(name) not in (*OF_ROWS, CRITERION)


def field_among(wish: str, known: Sequence[str], option: str) -> str:
    """The one of the known fields that is meant; the name of a column is as good as the name that it has with us.

    >>> field_among("모델", ["mode", "system"], "--by"), field_among("system", ["모델"], "--by")
    ('system', '모델')
    """
    if wish in known:
        return wish
    meant = [name for name in known if _own(name) == _own(wish)]
    if meant:
        return meant[0]
    raise _unknown(option, wish, known)


def _own(name: str) -> str:
    folded = fold_name(name)
    return next((own for own, spellings in _SPELT.items() if folded in spellings), folded)


def _unknown(option: str, wish: str, known: Iterable[str]) -> HaechiError:
    """A name that is not among those there are, with the nearest of these."""
    from difflib import get_close_matches

    names = list(dict.fromkeys(known))
    folded = {fold_name(name): name for name in names}
    near = ", ".join(folded[name] for name in get_close_matches(fold_name(wish), folded, 3, 0.5))
    shown = ", ".join(names[:_SHOWN]) + (f" … ({len(names):,})" if len(names) > _SHOWN else "")
    meant = Text(f"혹시 이것인가요: {near}. ", f"did you mean {near}? ") if near else Text("", "")
    return HaechiError.of(
        option,
        wish,
        Text(f"다음 중 하나: {shown}", f"one of {shown}")
        if names
        else Text("값이 있는 필드", "a field with values"),
        Text(
            f"{meant.ko}{option.rpartition(', ')[2]} 값을 고치세요",
            f"{meant.en}correct {option.rpartition(', ')[2]}",
        ),
    )


@frozen
class Selection:
    """What `--where` keeps: of every field the values, any of which will do; all fields must fit.

    >>> kept = Selection.of({"mode": "agent", "rater": ["kim", "lee"]})
    >>> kept.of_items.wanted, str(kept)
    ({'mode': ('agent',)}, 'mode=agent, rater=kim, rater=lee')
    """

    wanted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, where: Where) -> Selection:
        """From what a caller gave; a number is the text of it, as everywhere.

        >>> Selection.of({"round": 1}).wanted
        {'round': ('1',)}
        """
        if not isinstance(where, Mapping):
            expected = Text(
                "필드와 값, 예: {'mode': 'agent'}", "fields and values, such as {'mode': 'agent'}"
            )
            todo = Text("사전(dict)으로 주세요", "give a dict")
            raise HaechiError.of("where", repr(where), expected, todo)
        several = {name: (given,) if isinstance(given, str | int) else given for name, given in where.items()}
        return cls({name: tuple(map(str, given)) for name, given in several.items()})

    def __bool__(self) -> bool:
        return bool(self.wanted)

    def __str__(self) -> str:
        return ", ".join(self.pairs)

    @property
    def pairs(self) -> list[str]:
        """As they are written on the command line."""
        return [f"{name}={value}" for name, values in self.wanted.items() for value in values]

    @property
    def of_items(self) -> Selection:
        """The part that is about items."""
        return self._only(lambda name: name != CRITERION and not is_of_rows(name))

    @property
    def of_rows(self) -> Selection:
        """The part that is about rows: all but the criterion."""
        return self._only(lambda name: name != CRITERION)

    @property
    def of_raters(self) -> Selection:
        """The part that is about who rated."""
        return self._only(is_of_rows)

    @property
    def criteria(self) -> tuple[str, ...]:
        """The criteria that are wanted; none where all are."""
        return self.wanted.get(CRITERION, ())

    def _only(self, fits: Any) -> Selection:
        return Selection({name: values for name, values in self.wanted.items() if fits(name)})

    def among(self, known: Sequence[str]) -> Selection:
        """The same by the names that the fields have; an unknown one is refused."""
        names = {name: field_among(name, known, "--where") for name in self.wanted}
        made: dict[str, tuple[str, ...]] = {}
        for name, values in self.wanted.items():
            own = tuple(
                (stance_named(value) or value) if names[name] == "stance" else value for value in values
            )
            made[names[name]] = (*made.get(names[name], ()), *own)
        return Selection(made)

    def narrowed(self, more: Selection) -> Selection:
        """What both keep; refused where nothing can have both.

        >>> Selection.of({"level": ["Q1", "Q2"]}).narrowed(Selection.of({"level": "Q2", "mode": "agent"})).wanted
        {'level': ('Q2',), 'mode': ('agent',)}
        """
        both = {**self.wanted, **more.wanted}
        for name in self.wanted.keys() & more.wanted.keys():
            both[name] = tuple(value for value in more.wanted[name] if value in self.wanted[name])
            if not both[name]:
                raise more.nothing()
        return Selection(both)

    def renamed(self, name: str, names: Mapping[str, str]) -> Selection:
        """The same where the values of a field are called otherwise."""
        values = tuple(names.get(value, value) for value in self.wanted.get(name, ()))
        return Selection({**self.wanted, name: values}) if values else self

    def check_values(self, there: Mapping[str, Collection[str | None]]) -> None:
        """Refuse a value that nothing has; `there`: the values of every field."""
        for name, values in self.wanted.items():
            known = sorted(str(value) for value in there.get(name, ()) if value is not None)
            for value in values:
                if value not in known:
                    raise _unknown(f"--where, {name}", value, known)

    def fits(self, meta: Mapping[str, Any]) -> bool:
        """Whether an item with these meta fields is wanted."""
        return all(meta_value(meta, name) in values for name, values in self.of_items.wanted.items())

    @property
    def rows(self) -> pl.Expr:
        """Which rows of a frame with the fields as columns are wanted."""
        import polars as pl

        kept = [pl.col(name).cast(pl.String).is_in(values) for name, values in self.wanted.items()]
        return pl.all_horizontal(pl.lit(value=True), *(fits.fill_null(value=False) for fits in kept))

    def rows_in(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows of a whole table that are wanted; a value that none has is refused."""
        import polars as pl

        self.check_values({name: frame[name].cast(pl.String).unique().to_list() for name in self.wanted})
        kept = frame.filter(self.rows)
        if self and kept.is_empty():
            raise self.nothing()
        return kept

    def nothing(self) -> HaechiError:
        """No row has all of the values."""
        expected = Text("모든 조건에 맞는 줄이 하나 이상", "at least one row that all conditions fit")
        todo = Text("--where를 줄이거나 고치세요", "leave out or correct a --where")
        return HaechiError.of(
            "--where", Text(f"{self}: 맞는 줄 없음", f"{self}: no row fits"), expected, todo
        )


EVERYTHING = Selection()
"""Nothing is left out."""


def meta_value(meta: Mapping[str, Any], name: str) -> str | None:
    """A meta field as text, by its own name or by the one that keeps it apart from ours (`meta.NAME`).

    >>> meta_value({"kind": 1}, "meta.kind")
    '1'
    """
    value = meta.get(name, meta.get(name.removeprefix(META_PREFIX)))
    return None if value is None else str(value)
