"""Ratings that a record lists: an object or a number for each of its raters, as published collections of judgements have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from haechi.data.files import BAD, Row, refuse
from haechi.data.json_files import unpack_json
from haechi.data.names import ITEM_FIELDS, RATING_FIELDS, fold_name, name_fields
from haechi.data.rating_rules import text_of
from haechi.data.scale_columns import number_columns, scale_columns
from haechi.data.tables import InputTable
from haechi.text import Text

ITEM, RATER = "item", "rater"
_PEOPLE = frozenset((*RATING_FIELDS[RATER], *map(fold_name, ["user", "user_id", "username", "completed_by"])))
_LOOKED_AT = 300
_DEEPEST = 8


def leaves(data: Mapping[str, Any], path: str = "", depth: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    """Every value inside of nested objects with the path to it.

    >>> dict(leaves({"session": 7, "data": {"A1": {"value": 1}}}))
    {'session': 7, 'data.A1.value': 1}
    """
    for key, cell in data.items():
        if isinstance(cell, dict) and depth:
            yield from leaves(cell, f"{path}{key}.", depth - 1)
        else:
            yield f"{path}{key}", cell


def listed_ratings(table: InputTable) -> InputTable:
    """The table with a row for every rater that its records list; the same table if they list none.

    A rater whom nothing names is called by the list and the place in it, a record without an id by its number; both are said.
    Objects that hold lists of numbers themselves are items of the record, such as the answers of several systems.

    >>> rows = [Row(f"f:{n}", {"id": n, "by": [{"fluency": 4 - n}, {"fluency": n + 2}]}) for n in (1, 2)]
    >>> [(row.data["id"], row.data["rater"], row.data["fluency"]) for row in listed_ratings(InputTable("f", rows))]
    [(1, 'by 1', 3), (1, 'by 2', 3), (2, 'by 1', 2), (2, 'by 2', 4)]
    """
    first = [row.data for row in table.peek(_LOOKED_AT) if BAD not in row.data]
    if any(RATER in name_fields(data, RATING_FIELDS)[0] for data in first):
        return table
    objects = _object_lists(first)
    within = [name for name in objects if _number_lists(_elements(first, [name]))]
    if within:
        return listed_ratings(_made(table, _items_of(table, within)))
    objects = [name for name in objects if scale_columns(_cells(_elements(first, [name])))]
    numbers = [] if objects else _number_lists(first)
    if not objects and not numbers:
        return table
    names = ", ".join(objects or numbers)
    made = _made(table, ())
    made.fill(_by_object(table, objects, made.said) if objects else _by_number(table, numbers, made.said))
    made.said.append(
        Text(
            f"{table.name}: {names}에 늘어놓은 평가를 평가자마다 하나로 읽었습니다. 이름이 없는 평가자는 목록의 순서로 구별합니다.",
            f"{table.name}: the ratings listed in {names} are read as one of each rater; raters without a name are told apart by their place in the list.",
        )
    )
    return made


def unlist_values(table: InputTable) -> InputTable:
    """The table with the values that stand alone in a list, as tools write a choice of which there might be several."""

    def plain(row: Row) -> Row:
        return (
            row if BAD in row.data else Row(row.place, {key: _alone(cell) for key, cell in row.data.items()})
        )

    return _made(table, map(plain, table))


def _alone(cell: Any) -> Any:
    """What a list, or an object, of one thing holds, also where a table has it as JSON; any other cell as it is.

    >>> _alone(["4"]), _alone('[{"rating": 4}]'), _alone(["a", "b"]), _alone("[서울]에서")
    ('4', 4, ['a', 'b'], '[서울]에서')
    """
    held = unpack_json(cell)
    while isinstance(held, list | dict) and len(held) == 1:
        held = held[0] if isinstance(held, list) else next(iter(held.values()))
    return cell if isinstance(held, list | dict) else held


def _made(table: InputTable, rows: Iterable[Row]) -> InputTable:
    made = InputTable(table.name, rows, table.sheet, table.said)
    made.about_file = table.about_file
    return made


def _object_lists(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """The lists of objects that are no messages."""
    found: dict[str, list[Any]] = {}
    for record in records:
        for name, cell in record.items():
            if isinstance(cell, list):
                found.setdefault(name, []).extend(cell)
    return [
        name
        for name, cells in found.items()
        if cells and all(isinstance(cell, dict) for cell in cells) and not any(map(_is_message, cells))
    ]


def _is_message(cell: Mapping[str, Any]) -> bool:
    return {"role", "content"} <= name_fields(cell, ITEM_FIELDS)[0].keys()


def _number_lists(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """The lists of numbers that look like answers on a scale, of several raters somewhere."""
    found: dict[str, list[Any]] = {}
    longest: dict[str, int] = {}
    for record in records:
        for name, cell in record.items():
            if isinstance(cell, list):
                found.setdefault(name, []).extend(cell)
                longest[name] = max(longest.get(name, 0), len(cell))
    plain = {
        name: [text for cell in cells if (text := text_of(cell))]
        for name, cells in found.items()
        if longest[name] > 1 and not any(isinstance(cell, dict | list) for cell in cells)
    }
    scales = scale_columns(plain)
    # beside a scale, a list in which all said the same is one too
    return [
        name for name in number_columns(plain) if name in scales or (scales and len(set(plain[name])) == 1)
    ]


def _elements(records: Iterable[Mapping[str, Any]], names: Iterable[str]) -> list[dict[str, Any]]:
    return [
        dict(leaves(one)) for record in records for name in names for one in record.get(name) or () if one
    ]


def _cells(records: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for record in records:
        for name, cell in record.items():
            if not isinstance(cell, list) and (text := text_of(cell)):
                found.setdefault(name, []).append(text)
    return found


def _item_of(record: Mapping[str, Any], number: int) -> str:
    known = name_fields(record, RATING_FIELDS)[0].get(ITEM)
    return text_of(known) or str(number)


def _sound(table: InputTable, names: Iterable[str]) -> Iterator[Row]:
    """The rows; one further down that has something else than a list of objects there is refused."""
    for row in table:
        given = [(name, row.data.get(name)) for name in names if row.data.get(name) is not None]
        wrong = [name for name, cell in given if not _are_objects(cell)]
        if not wrong or BAD in row.data:
            yield row
            continue
        found = str(row.data[wrong[0]])[:60]
        expected = Text("객체의 배열 [{…}]", "a list of objects [{…}]")
        yield Row(row.place, {BAD: refuse(f"{row.place}, {wrong[0]}", found, expected)})


def _are_objects(cell: Any) -> bool:
    return isinstance(cell, list) and all(isinstance(one, dict) for one in cell)


def _items_of(table: InputTable, names: Iterable[str]) -> Iterator[Row]:
    """A row for every object in the lists, which is an item of its record."""
    for number, row in enumerate(_sound(table, names), start=1):
        if BAD in row.data:
            yield row
            continue
        rest = {name: cell for name, cell in row.data.items() if name not in names}
        for name in names:
            for place, one in enumerate(row.data.get(name) or (), start=1):
                element = dict(leaves(one))
                system = name_fields(element, ITEM_FIELDS)[0].get("system", element.get("model"))
                item = f"{_item_of(row.data, number)}-{text_of(system) or place}"
                yield Row(row.place, {**rest, **element, ITEM: item})


def _by_object(table: InputTable, names: list[str], said: list[Text]) -> Iterator[Row]:
    unrated = 0
    for number, row in enumerate(_sound(table, names), start=1):
        if BAD in row.data:
            yield row
            continue
        rest = _with_item({name: cell for name, cell in row.data.items() if name not in names}, number)
        for name in names:
            for place, one in enumerate(row.data.get(name) or (), start=1):
                yield Row(row.place, {**rest, **_judgement(dict(leaves(one)), name, place, rest)})
        unrated += not any(row.data.get(name) for name in names)
    said += _about_unrated(table.name, unrated)


def _with_item(record: dict[str, Any], number: int) -> dict[str, Any]:
    """What a record says of all its ratings; its own status or kind is none of theirs."""
    own = {name: cell for name, cell in record.items() if not _of_record(name)}
    return own if ITEM in name_fields(own, RATING_FIELDS)[0] else {**own, ITEM: str(number)}


def _of_record(name: str) -> bool:
    return any(fold_name(name) in RATING_FIELDS[field] for field in ("status", "kind"))


def _judgement(element: Mapping[str, Any], name: str, place: int, rest: Mapping[str, Any]) -> dict[str, Any]:
    """What an object in a list says, with its rater; one that has a value of its own is about what the list is named after."""
    known = name_fields(element, RATING_FIELDS)[0]
    said = {key if key not in rest else f"{name}.{key}": cell for key, cell in element.items()}
    if "value" in known and "criterion" not in known:
        said["criterion"] = name.rpartition(".")[2]
    if RATER not in known:
        own = next((element[key] for key in element if _is_person(key)), None)
        said[RATER] = text_of(own) or f"{name} {place}"
    return said


def _is_person(name: str) -> bool:
    """Whether what stands in a list of ratings under this name is who gave them.

    >>> _is_person("user_id"), _is_person("rating.responses.users"), _is_person("rating")
    (True, True, False)
    """
    last = fold_name(name.rpartition(".")[2])
    return any(one in _PEOPLE for one in (last, last.removesuffix("s"), last.removesuffix("ids") + "id"))


def _by_number(table: InputTable, names: list[str], said: list[Text]) -> Iterator[Row]:
    unrated = 0
    above = {name.rpartition(".")[0] for name in names}
    shared = f"{above.pop()}." if len(above) == 1 < len(names) else ""
    called = {name: name.removeprefix(shared) for name in names}
    for number, row in enumerate(table, start=1):
        if BAD in row.data:
            yield row
            continue
        lists = {name: cell if isinstance(cell := row.data.get(name), list) else [] for name in names}
        rest = _with_item({name: cell for name, cell in row.data.items() if name not in names}, number)
        people = [cell for name, cell in rest.items() if isinstance(cell, list) and _is_person(name)]
        for place in range(max(map(len, lists.values()))):
            given = {called[name]: cells[place] for name, cells in lists.items() if place < len(cells)}
            who = {text_of(one[place]) for one in people if place < len(one)}
            yield Row(row.place, {**rest, **given, RATER: who.pop() if len(who) == 1 else str(place + 1)})
        unrated += not any(lists.values())
    said += _about_unrated(table.name, unrated)


def _about_unrated(name: str, count: int) -> list[Text]:
    found = Text(f"{name}: 평가가 없는 레코드 {count:,}개", f"{name}: {count:,} records list no ratings")
    return [found] if count else []
