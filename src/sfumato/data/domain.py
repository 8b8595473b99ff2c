"""Domains: the distinct values of one column, numbered by codes.

Numbers and dates are ordered by size, so an interval is a range of codes; texts are ordered by their taxonomy, so a
subtree is a range of codes too. A missing value counts as a value and has the last code of its domain. `Table` builds
a domain for every column, and recodings keep the domains of the columns they read.
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
"""The name of a missing value inside a published set or a list; a missing value alone is written as an empty cell."""

_DIGITS = 15
"""Decimal digits that every 64-bit float keeps."""


class Kind(StrEnum):
    """The type of a column's values: numbers and dates are ordered, texts are not."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"


_UNREADABLE = {
    Kind.NUMBER: "no number with a point as decimal mark, an infinite number, or one of more digits than can be kept",
    Kind.DATE: "no date of the form yyyy-mm-dd",
}
"""What is wrong with a value that is not of a declared kind, in the words of a message."""


@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """The value of each code of a column.

    `texts[code]` is the written form of the value (None for a missing value without a marker), and `numbers[code]` its
    position if the column is ordered (NaN for the missing value); `numbers` is None for texts.
    """

    column: str
    kind: Kind
    texts: tuple[str | None, ...]
    numbers: NDArray[np.float64] | None = None
    has_missing: bool = False

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"<Domain of {self.column!r}: {len(self):,} values, {self.kind}>"

    @property
    def present(self) -> int:
        """The number of values that are not missing; their codes are 0 to present - 1."""
        return len(self.texts) - int(self.has_missing)

    @property
    def ordered(self) -> bool:
        """Whether the values have positions, so that a range of codes is an interval."""
        return self.numbers is not None

    def named(self, code: int) -> str:
        """The written form of a value for messages, sets and reports; a missing value gets a name."""
        text = self.texts[code]
        return self._missing_name() if text is None else text

    def code_of(self, text: str) -> int | None:
        """The code of a written value, or None if the column does not have it; `30.0` finds 30."""
        if text in self.texts:
            return self.texts.index(text)
        place = position(text, self.kind)
        if place is not None and self.numbers is not None:
            return next((code for code, number in enumerate(self.numbers) if number == place), None)
        return self.present if self.has_missing and text in (MISSING_TEXT, self._missing_name()) else None

    def _missing_name(self) -> str:
        """`missing`, in as many parentheses as it takes to differ from every value of the domain."""
        name = MISSING_TEXT
        while name in self.texts:
            name = f"({name})"
        return name

    def codes_of(self, raw: Sequence[str | None]) -> NDArray[np.int32]:
        """The code of each written value; -1 for a value that is not in the domain.

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
        """Plain data from which `from_dict` rebuilds the domain."""
        return {"column": self.column, "kind": str(self.kind), "texts": list(self.texts), "missing": self.has_missing}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Domain:
        """Rebuild the domain from the result of `to_dict`."""
        kind, texts = Kind(plain["kind"]), tuple(plain["texts"])
        numbers = None
        if kind is not Kind.TEXT:
            here = texts[:-1] if plain["missing"] else texts
            numbers = np.array([position(text, kind) for text in here] + [np.nan] * plain["missing"], dtype=np.float64)
        return cls(plain["column"], kind, texts, numbers, plain["missing"])

    def reordered(self, order: NDArray[np.int64]) -> Domain:
        """The same values in another order; `order[i]` is the old code of the new code i."""
        texts = tuple(self.texts[code] for code in order)
        numbers = None if self.numbers is None else self.numbers[order]
        return replace(self, texts=texts, numbers=numbers)

    @classmethod
    def of(
        cls, column: str, raw: Sequence[str | None], *, kind: Kind | None = None, missing: Iterable[str] = ()
    ) -> tuple[Domain, NDArray[np.int32]]:
        """Build the domain of a column from its distinct raw texts; also returns the code of each raw text.

        Texts in `missing` stand for a missing value. Without a `kind`, `guess_kind` chooses one.

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
    """Numbers if every value is a finite number, dates if every value is an ISO date, otherwise texts."""
    if values and all(_number(text) is not None for text in values):
        return Kind.NUMBER
    if values and all(_moment(text) is not None for text in values):
        return Kind.DATE
    return Kind.TEXT


def position(text: str, kind: Kind) -> float | None:
    """The position of a written number or date on its axis; None if the text is not of that kind."""
    return _number(text) if kind is Kind.NUMBER else _moment(text) if kind is Kind.DATE else None


def written(number: float) -> str:
    """Write a number without a needless fraction: 30, not 30.0.

    >>> written(30.0), written(0.25)
    ('30', '0.25')
    """
    return str(int(number)) if float(number).is_integer() and abs(number) < 1e22 else repr(float(number))


def one_form(text: str, kind: Kind | None) -> str:
    """The text by which all written forms of a number or day are known; any other text as it is.

    >>> one_form("007", Kind.NUMBER), one_form("7.0", Kind.NUMBER), one_form("007", Kind.TEXT)
    ('7', '7', '007')
    """
    place = position(text, kind) if kind is not None else None
    if place is None:
        return text
    if kind is Kind.NUMBER:
        return written(place)
    return date.fromordinal(int(place)).isoformat() if place.is_integer() else text


def _coded(
    column: str, values: Sequence[str], kind: Kind
) -> tuple[list[str | None], NDArray[np.float64] | None, NDArray[np.int64]]:
    """The ordered distinct values as texts, their positions, and the code of every given value."""
    if kind is Kind.TEXT:
        distinct: list[str | None] = [*sorted(set(values))]
        code = {text: index for index, text in enumerate(distinct)}
        return distinct, None, np.array([code[text] for text in values], dtype=np.int64)
    if kind is Kind.NUMBER and all(len(text) <= _DIGITS and text.isascii() and text.isdigit() for text in values):
        whole, codes = np.unique(np.array(values, dtype=str).astype(np.int64), return_inverse=True)
        return [str(number) for number in whole.tolist()], whole.astype(np.float64), codes
    places = [position(text, kind) for text in values]
    unreadable = sum(place is None for place in places)
    if unreadable:
        raise DataError(
            f"column {column!r} is read as {kind}, but {unreadable} of its distinct values "
            f"{'is' if unreadable == 1 else 'are'} {_UNREADABLE[kind]}; convert the column first, or declare it as "
            'type = "text".'
        )
    numbers, codes = np.unique(np.array(places, dtype=np.float64), return_inverse=True)
    if kind is Kind.NUMBER:
        return [written(number) for number in numbers], numbers, codes
    if (numbers == np.floor(numbers)).all():
        return [date.fromordinal(int(number)).isoformat() for number in numbers], numbers, codes
    chosen: dict[int, str] = {}  # if a moment is written in several ways, the first in alphabetical order
    for text, code in zip(values, codes.tolist(), strict=True):
        chosen[code] = min(text, chosen.get(code, text))
    return [chosen[code] for code in range(len(numbers))], numbers, codes


def _number(text: str) -> float | None:
    """The number that a text stands for; None unless it is finite and a 64-bit float holds it without rounding.

    A rounded number would be published as another value.
    """
    try:
        number = float(text)
    except ValueError:
        return None
    if not np.isfinite(number) or "_" in text:
        return None
    rounded = len(text) > _DIGITS and Decimal(text) not in (Decimal(number), Decimal(repr(number)))
    return None if rounded else number


def _moment(text: str) -> float | None:
    """The days since the year 1 of an ISO date, or date and time; None for other texts."""
    if len(text) < 8 or text[0] not in "0123456789":
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    return date(moment.year, moment.month, moment.day).toordinal() + seconds / 86400
