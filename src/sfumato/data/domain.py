"""The values of one column, in code order.

Numbers and dates are ordered by size, so an interval is a range of codes; texts are ordered by their taxonomy, so a
subtree is a range of codes too. A missing value is a value: it has the last code of its domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import DataError

MISSING_TEXT = "missing"
"""How a missing value is named inside a published set or a list; alone it stays empty."""


_DIGITS = 15


class Kind(StrEnum):
    """What a column's values are, and so what lies between two of them."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True, eq=False)
class Domain:
    """What each code of a column stands for.

    `texts[code]` is how the value is written (None for a missing value without a marker), `numbers[code]` where an
    ordered value lies (NaN for a missing one; None for texts).
    """

    column: str
    kind: Kind
    texts: tuple[str | None, ...]
    numbers: NDArray[np.float64] | None = None
    has_missing: bool = False

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def present(self) -> int:
        """How many values are not missing; their codes are 0 to present - 1."""
        return len(self.texts) - int(self.has_missing)

    @property
    def ordered(self) -> bool:
        """Whether a range of codes is an interval."""
        return self.numbers is not None

    def named(self, code: int) -> str:
        """The value in words, for messages, sets and reports."""
        text = self.texts[code]
        return self._missing_name() if text is None else text

    def code_of(self, text: str) -> int | None:
        """The code of a value given as text, `30.0` for 30 included; None if the column does not have it."""
        if text in self.texts:
            return self.texts.index(text)
        place = position(text, self.kind)
        if place is not None and self.numbers is not None:
            return next((code for code, number in enumerate(self.numbers) if number == place), None)
        return self.present if self.has_missing and text in (MISSING_TEXT, self._missing_name()) else None

    def _missing_name(self) -> str:
        """`missing`, in as many brackets as it takes to differ from every value that is there."""
        name = MISSING_TEXT
        while name in self.texts:
            name = f"({name})"
        return name

    def codes_of(self, raw: Sequence[str | None]) -> NDArray[np.int32]:
        """The code of each written value; -1 for one that the domain does not have.

        >>> Domain.of("age", ["30", "7"])[0].codes_of(["7.0", "30", "31", None]).tolist()
        [0, 1, -1, -1]
        """
        keys = self.texts[: self.present] if self.numbers is None else self.numbers[: self.present].tolist()
        code = {key: place for place, key in enumerate(keys)}
        missing = self.present if self.has_missing else -1
        gone = {None, self.texts[-1]} if self.has_missing else {None}
        found = [
            missing if text in gone else code.get(text if self.numbers is None else position(text or "", self.kind), -1)
            for text in raw
        ]
        return np.array(found, dtype=np.int32)

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which the domain can be made again."""
        return {"column": self.column, "kind": str(self.kind), "texts": list(self.texts), "missing": self.has_missing}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Domain:
        """The domain that `to_dict` told of."""
        kind, texts = Kind(plain["kind"]), tuple(plain["texts"])
        numbers = None
        if kind is not Kind.TEXT:
            here = texts[:-1] if plain["missing"] else texts
            numbers = np.array([position(text, kind) for text in here] + [np.nan] * plain["missing"], dtype=np.float64)
        return cls(plain["column"], kind, texts, numbers, plain["missing"])

    def reordered(self, order: NDArray[np.int64]) -> Domain:
        """The same values, with `order[i]` as the old code of new code i."""
        texts = tuple(self.texts[code] for code in order)
        numbers = None if self.numbers is None else self.numbers[order]
        return replace(self, texts=texts, numbers=numbers)

    @classmethod
    def of(
        cls, column: str, raw: Sequence[str | None], *, kind: Kind | None = None, missing: Iterable[str] = ()
    ) -> tuple[Domain, NDArray[np.int32]]:
        """Order the raw texts of a column; also says which code each raw text has.

        Without a kind it is guessed: numbers if every value is one, ISO dates if every value is one, else texts.

        >>> domain, codes = Domain.of("age", ["30", "7", "?"], missing=["?"])
        >>> domain.texts, codes.tolist()
        (('7', '30', '?'), [1, 0, 2])
        """
        markers = set(missing)
        absent = np.array([text is None or text in markers for text in raw], dtype=bool)
        values = [text for text, gone in zip(raw, absent, strict=True) if not gone and text is not None]
        kind = kind or guess_kind(values)
        texts, numbers, codes = _coded(column, values, kind)
        recode = np.empty(len(raw), dtype=np.int32)
        recode[~absent] = codes
        recode[absent] = len(texts)
        if absent.any():
            markers_seen = [text for text, gone in zip(raw, absent, strict=True) if gone]
            texts.append(None if None in markers_seen else min(text for text in markers_seen if text is not None))
            numbers = None if numbers is None else np.append(numbers, np.nan)
        return cls(column, kind, tuple(texts), numbers, bool(absent.any())), recode


def guess_kind(values: Sequence[str]) -> Kind:
    """Numbers if every value is a finite number, dates if every value is an ISO date, else texts."""
    if values and all(_number(text) is not None for text in values):
        return Kind.NUMBER
    if values and all(_moment(text) is not None for text in values):
        return Kind.DATE
    return Kind.TEXT


def position(text: str, kind: Kind) -> float | None:
    """Where a written number or date lies on its axis; None if it is neither."""
    return _number(text) if kind is Kind.NUMBER else _moment(text) if kind is Kind.DATE else None


def written(number: float) -> str:
    """A number the short way: 30 rather than 30.0.

    >>> written(30.0), written(0.25)
    ('30', '0.25')
    """
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e22 else repr(float(number))


def _coded(
    column: str, values: Sequence[str], kind: Kind
) -> tuple[list[str | None], NDArray[np.float64] | None, NDArray[np.int64]]:
    if kind is Kind.TEXT:
        distinct: list[str | None] = [*sorted(set(values))]
        code = {text: index for index, text in enumerate(distinct)}
        return distinct, None, np.array([code[text] for text in values], dtype=np.int64)
    if kind is Kind.NUMBER and all(len(text) <= _DIGITS and text.isascii() and text.isdigit() for text in values):
        whole, codes = np.unique(np.array(values, dtype=str).astype(np.int64), return_inverse=True)
        return [str(number) for number in whole.tolist()], whole.astype(np.float64), codes
    places = [position(text, kind) for text in values]
    strange = sum(place is None for place in places)
    if strange:
        raise DataError(
            f"column {column!r} is to be read as {kind}, but {strange} of its distinct values are none, or have more "
            'digits than can be kept; declare it as type = "text".'
        )
    numbers, codes = np.unique(np.array(places, dtype=np.float64), return_inverse=True)
    if kind is Kind.NUMBER:
        return [written(number) for number in numbers], numbers, codes
    if (numbers == np.floor(numbers)).all():
        return [date.fromordinal(int(number)).isoformat() for number in numbers], numbers, codes
    chosen: dict[int, str] = {}  # of several ways to write a moment the first in the alphabet, whatever came first
    for text, code in zip(values, codes.tolist(), strict=True):
        chosen[code] = min(text, chosen.get(code, text))
    return [chosen[code] for code in range(len(numbers))], numbers, codes


def _number(text: str) -> float | None:
    """A finite number that 64 bits hold as written; a rounded one would be published as another value."""
    try:
        number = float(text)
    except ValueError:
        return None
    if not np.isfinite(number) or "_" in text:
        return None
    rounded = len(text) > _DIGITS and Decimal(text) not in (Decimal(number), Decimal(repr(number)))
    return None if rounded else number


def _moment(text: str) -> float | None:
    """Days since the year 1 of an ISO date or date and time."""
    if len(text) < 8 or text[0] not in "0123456789":
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    return date(moment.year, moment.month, moment.day).toordinal() + seconds / 86400
