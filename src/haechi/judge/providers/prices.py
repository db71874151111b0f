"""Dated prices: the package's table, the user's own, and a study's, each overriding the one before it model by model."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from haechi.errors import HaechiError
from haechi.judge.providers.models import Model, parse_model
from haechi.judge.providers.money import Price
from haechi.text import Text

OLD = 90
"""Days after which a price should be looked up again."""
NAME = "prices.yaml"
_PACKAGE = Path(__file__).with_name(NAME)
_DATED = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$")
_FIELDS = ("input", "cached", "cache_write", "output", "batch", "window")
_SHOWN = 3


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")

    as_of: str
    models: dict[str, Price]


class ListedPrice(BaseModel):
    """A price in force, and the file that states it; None is the package's table."""

    price: Price
    file: Path | None = None

    def age(self, today: date | None = None) -> int | None:
        """How many days ago the price was looked up; None if its date is none.

        >>> ListedPrice(price=Price(input=1, output=2, as_of="2026-11-01")).age(date(2026, 11, 16))
        15
        """
        try:
            return ((today or date.today()) - date.fromisoformat(self.price.as_of)).days
        except ValueError:
            return None

    @property
    def is_old(self) -> bool:
        """Whether it should be looked up again."""
        age = self.age()
        return age is None or age > OLD


def user_file() -> Path:
    """Where a user keeps prices for all studies, as the platform has it."""
    if sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "haechi" / NAME


class Prices:
    """The prices in force.

    >>> prices = Prices.read()
    >>> prices.of(Model("openai", "gpt-5-mini-2025-08-07")).output, prices.of(Model("openai", "gpt-99"))
    (2.0, None)
    """

    def __init__(self, listed: Mapping[str, ListedPrice]) -> None:
        self.listed = listed

    @classmethod
    def read(cls, folder: Path | None = None) -> Prices:
        """The package's table, the user's own, and `prices.yaml` in a study's folder."""
        listed = dict(_packaged())
        for file in (user_file(), folder / NAME if folder is not None else None):
            if file is not None and file.exists():
                listed |= {name: ListedPrice(price=price, file=file) for name, price in _read(file).items()}
        return cls(listed)

    def names(self) -> list[str]:
        """The models whose price is known.

        >>> "openai:gpt-5-mini" in Prices.read().names()
        True
        """
        return list(self.listed)

    def of(self, model: Model) -> Price | None:
        """The price of a model, also under its dated name; None when nobody stated it."""
        found = self.find(model)
        return found.price if found is not None else None

    def find(self, model: Model) -> ListedPrice | None:
        """The same, with where it was stated.

        The table is about the provider's own service: another server has a price only if the user states it.
        """
        return self.listed.get(model.spec) or self.listed.get(_DATED.sub("", model.spec))


def set_price(file: Path, model: str, given: Mapping[str, str], today: date | None = None) -> Price:
    """State the price of a model in a file, with today's date; the file's other lines stay as they are."""
    name = parse_model(model).spec
    unknown = [field for field in given if field not in _FIELDS]
    if unknown or not {"input", "output"} <= given.keys():
        known = ", ".join(f"{field}=…" for field in _FIELDS)
        expected = Text(f"input=…과 output=… (쓸 수 있는 것: {known})", f"input=… and output=… (of {known})")
        found = ", ".join(unknown or given) or model
        raise HaechiError.of("haechi prices --set", found, expected, _SET)
    before = file.read_text("utf-8-sig") if file.exists() else "models:\n"
    known_before = _read(file) if file.exists() else {}
    dated = (today or date.today()).isoformat()
    if not file.exists():
        before = f"as_of: {dated}\n{before}"
    try:
        price = Price.model_validate({**given, "as_of": dated})
    except ValidationError as error:
        words = "; ".join(f"{one['loc'][0]}: {one['input']}" for one in error.errors())
        expected = Text("0 이상의 숫자(batch는 0과 1 사이)", "numbers from 0 (batch: between 0 and 1)")
        raise HaechiError.of("haechi prices --set", words, expected, _SET) from None
    text = _with_line(before, name, _line(name, price))
    file.parent.mkdir(parents=True, exist_ok=True)
    if _parsed(text) != known_before | {name: price}:  # not one line for each model: written anew
        every = known_before | {name: price}
        text = f"as_of: {dated}\nmodels:\n" + "".join(_line(one, of) for one, of in every.items())
    made = file.with_name(f".{file.name}.{os.getpid()}")
    made.write_text(text, "utf-8")
    made.replace(file)
    return price


_SET = Text(
    "예: haechi prices --set openai:gpt-5-mini input=0.25 output=2.00",
    "for example: haechi prices --set openai:gpt-5-mini input=0.25 output=2.00",
)


def _line(name: str, price: Price) -> str:
    given = price.model_dump(exclude_unset=True)
    told = ", ".join(f"{field}: {value}" for field, value in given.items())
    return f"  {name}: {{{told}}}\n"


def _with_line(text: str, name: str, line: str) -> str:
    """The text with the line of a model in place of its old one, or at the end."""
    lines = text.splitlines(keepends=True)
    for number, old in enumerate(lines):
        if old.startswith(f"  {name}: "):
            lines[number] = line
            return "".join(lines)
    return text + ("" if text.endswith("\n") else "\n") + line


@cache
def _packaged() -> Mapping[str, ListedPrice]:
    return {name: ListedPrice(price=price) for name, price in _read(_PACKAGE).items()}


def _read(path: Path) -> dict[str, Price]:
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(path, error) from None
    found = _parsed(text)
    if isinstance(found, Exception):
        raise _unreadable(path, found)
    return found


def _parsed(text: str) -> dict[str, Price] | Exception:
    try:
        data = yaml.safe_load(text)
        if isinstance(data, dict):
            tables = [data, *(data.get("models") or {}).values()]
            for table in tables:  # YAML reads 2026-11-16 as a date
                if isinstance(table, dict) and "as_of" in table:
                    table["as_of"] = str(table["as_of"])
        table = _Table.model_validate(data)
    except (yaml.YAMLError, ValidationError, AttributeError) as error:
        return error
    return {
        name: price if price.as_of else price.model_copy(update={"as_of": table.as_of})
        for name, price in table.models.items()
    }


def _unreadable(path: Path, error: Exception) -> HaechiError:
    expected = Text("as_of와 models(모델: input, output, …)", "as_of and models (model: input, output, …)")
    todo = Text(
        f"파일을 고치거나 지운 뒤 다시 적으세요. {_SET.ko}",
        f"correct the file, or remove it and state the price anew, {_SET.say('en')}",
    )
    return HaechiError.of(str(path), _wrong(error), expected, todo)


def _wrong(error: Exception) -> Text:
    """What is wrong with a file of prices, in a line."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        line = error.problem_mark.line + 1
        return Text(f"{line}행부터 YAML이 아님", f"no YAML from line {line} on")
    if not isinstance(error, ValidationError):
        return Text("모델과 가격의 목록이 아님", "no list of models with prices")
    found = [
        _wrong_field(one["type"], ".".join(map(str, one["loc"])), one["input"]) for one in error.errors()
    ]
    return Text(
        ", ".join(one.ko for one in found[:_SHOWN]), ", ".join(one.say("en") for one in found[:_SHOWN])
    )


def _wrong_field(kind: str, place: str, given: object) -> Text:
    if not place:
        return Text("모델과 가격의 목록이 아님", "no list of models with prices")
    if kind == "missing":
        return Text(f"{place} 없음", f"no {place}")
    if kind == "extra_forbidden":
        return Text(f"알 수 없는 {place}", f"unknown {place}")
    return Text(f"{place}: {given!s:.40}")
