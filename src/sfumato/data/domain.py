"""Domains: the distinct values of one column, numbered by codes.

Numbers, dates and months are ordered by size, so an interval is a range of codes; texts are ordered by their taxonomy,
so a subtree is a range of codes too. A missing value counts as a value and has the last code of its domain. `Table`
builds a domain for every column, and recodings keep the domains of the columns they read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.kinds import Kind
from sfumato.data.notations import NOTATIONS, Notation, notation_named
from sfumato.errors import DataError, listed

MISSING_TEXT = "missing"
"""The name of a missing value inside a published set or a list; a missing value alone is written as an empty cell."""

_DIGITS = 15
"""Decimal digits that every 64-bit float keeps."""


_UNREADABLE = {
    Kind.NUMBER: "no number with a point as decimal mark, an infinite number, or one of more digits than can be kept",
    Kind.DATE: "no date of the form yyyy-mm-dd",
    Kind.MONTH: "no month of the form yyyy-mm",
}
"""What is wrong with a value that is not of a declared kind, in the words of a message."""

_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")
_POINT_MONTH = re.compile(r"(0?[1-9]|1[0-2])\.(19|20)\d\d")
_FEW = 10
"""Numbers with a point up to which it may be chance that all of them look like thousands or months."""
_CODE = 4
"""Digits of a number with leading zeros from which it is a code, such as a postcode."""

_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")


@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """The value of each code of a column.

    `texts[code]` is the written form of the value (None for a missing value without a marker), and `numbers[code]` its
    position if the column is ordered (NaN for the missing value); `numbers` is None for texts. If the column is
    written in a `notation` other than the standard one, `texts` are the standard texts.
    """

    column: str
    kind: Kind
    texts: tuple[str | None, ...]
    numbers: NDArray[np.float64] | None = None
    has_missing: bool = False
    notation: Notation | None = field(default=None, kw_only=True)

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
        place = self.position_of(text)
        if place is not None and self.numbers is not None:
            return next((code for code, number in enumerate(self.numbers) if number == place), None)
        return self.present if self.has_missing and text in (MISSING_TEXT, self._missing_name()) else None

    def _missing_name(self) -> str:
        """`missing`, in as many parentheses as it takes to differ from every value of the domain."""
        name = MISSING_TEXT
        while name in self.texts:
            name = f"({name})"
        return name

    def position_of(self, text: str) -> float | None:
        """The position of a written value, in the notation of the column or in the standard one; None if it has none.

        >>> domain, _ = Domain.of("paid", ["1.250,50", "7,00"])
        >>> domain.texts, domain.position_of("1.250,5"), domain.position_of("1250.5")
        (('7', '1250.5'), 1250.5, 1250.5)
        """
        standard = None if self.notation is None else self.notation.standard(text)
        return position(text if standard is None else standard, self.kind)

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
            missing if text in gone else code.get(text if self.numbers is None else self.position_of(text or ""), -1)
            for text in raw
        ]
        return np.array(found, dtype=np.int32)

    def to_dict(self) -> dict[str, Any]:
        """Plain data from which `from_dict` rebuilds the domain."""
        plain = {"column": self.column, "kind": str(self.kind), "texts": list(self.texts), "missing": self.has_missing}
        return plain if self.notation is None else {**plain, "format": self.notation.name}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Domain:
        """Rebuild the domain from the result of `to_dict`."""
        kind, texts = Kind(plain["kind"]), tuple(plain["texts"])
        numbers = None
        if kind is not Kind.TEXT:
            here = texts[:-1] if plain["missing"] else texts
            numbers = np.array([position(text, kind) for text in here] + [np.nan] * plain["missing"], dtype=np.float64)
        format_name = plain.get("format")
        notation = None if format_name is None else notation_named(format_name)
        return cls(plain["column"], kind, texts, numbers, plain["missing"], notation=notation)

    def reordered(self, order: NDArray[np.int64]) -> Domain:
        """The same values in another order; `order[i]` is the old code of the new code i."""
        texts = tuple(self.texts[code] for code in order)
        numbers = None if self.numbers is None else self.numbers[order]
        return replace(self, texts=texts, numbers=numbers)

    @classmethod
    def of(
        cls,
        column: str,
        raw: Sequence[str | None],
        *,
        kind: Kind | None = None,
        stored: Kind | None = None,
        missing: Iterable[str] = (),
        notation: Notation | None = None,
    ) -> tuple[Domain, NDArray[np.int32]]:
        """Build the domain of a column from its distinct raw texts; also returns the code of each raw text.

        Texts in `missing` stand for a missing value. Without a `kind`, it is the kind by which the source has `stored`
        the values. Where the source does not say, `guess_kind` chooses one; and values that are stored as texts may be
        dates or months, but no numbers, because their source could have stored numbers. A column without a `notation`
        that is not in the standard one is read by the only one that reads all its values; if several do with different
        results, it is refused if a kind is given, and read as texts otherwise.

        >>> domain, codes = Domain.of("age", ["30", "7", "?"], missing=["?"])
        >>> domain.texts, codes.tolist()
        (('7', '30', '?'), [1, 0, 2])
        >>> [Domain.of("x", [text], stored=Kind.TEXT)[0].kind.value for text in ("007", "2020-05-31", "31.05.2020")]
        ['text', 'date', 'date']
        """
        markers = set(missing)
        absent = np.array([text is None or text in markers for text in raw], dtype=bool)
        values = [text for text, gone in zip(raw, absent, strict=True) if not gone and text is not None]
        if kind is None:
            kind, notation = (notation.kind, notation) if notation is not None else _guessed(values, stored)
        coded = _coded(values, kind, notation)
        if coded is None and notation is None:
            notation = _other_notation(column, values, kind)
            coded = _coded(values, kind, notation)
        if coded is None:
            raise _unreadable(column, values, kind, notation)
        texts, numbers, codes = coded
        recode = np.empty(len(raw), dtype=np.int32)
        recode[~absent] = codes
        recode[absent] = len(texts)
        if absent.any():
            markers_seen = [text for text, gone in zip(raw, absent, strict=True) if gone]
            texts.append(None if None in markers_seen else min(text for text in markers_seen if text is not None))
            numbers = None if numbers is None else np.append(numbers, np.nan)
        return cls(column, kind, tuple(texts), numbers, bool(absent.any()), notation=notation), recode


def guess_kind(values: Sequence[str]) -> Kind:
    """The kind of which every value is in the standard notation; texts if there is none.

    Whole numbers of four digits or more with leading zeros, such as postcodes, are codes and so texts, unless one
    number is written in two ways. Shorter ones may be counts that a program has padded.

    >>> guess_kind(["7", "30"]), guess_kind(["2020-04"]), guess_kind(["01067", "99084"])
    (<Kind.NUMBER: 'number'>, <Kind.MONTH: 'month'>, <Kind.TEXT: 'text'>)
    """
    if not values or _are_codes(values) or may_mean_others(values):
        return Kind.TEXT
    return next((kind for kind in _ORDERED if all(position(text, kind) is not None for text in values)), Kind.TEXT)


def may_mean_others(values: Sequence[str]) -> bool:
    """Whether numbers with a point may be others: 1.234 may be 1234, and 05.2020 a month, if all such values are alike.

    A few values that are alike by chance are no sign of that.

    >>> may_mean_others([f"{number}.500" for number in range(1, 12)]), may_mean_others(["1.500", "2.25"])
    (True, False)
    """
    with_point = [text.strip() for text in values if "." in text]
    if len(with_point) < _FEW or any(_number(text) is None for text in values):
        return False
    months = len(with_point) == len(values) and all(map(_POINT_MONTH.fullmatch, with_point))
    return months or all(map(_THOUSANDS.fullmatch, with_point))


def _are_codes(values: Sequence[str]) -> bool:
    if not any(text[0] == "0" for text in values if len(text) >= _CODE):
        return False
    return all(text.isdecimal() for text in values) and len(set(map(int, values))) == len(set(values))


def readings(values: Sequence[str]) -> tuple[Notation, ...]:
    """The notations, besides the standard one, that read all values; one for each different result.

    >>> [one.name for one in readings(["03/04/2020", "05/06/2021"])]
    ['dd/mm/yyyy', 'mm/dd/yyyy']
    """
    found: dict[tuple[float | None, ...], Notation] = {}
    for one in NOTATIONS if values else ():
        places = tuple(_places_in(one, values))
        if None not in places:
            found.setdefault(places, one)
    return tuple(found.values())


def _places_in(notation: Notation, values: Sequence[str]) -> Iterator[float | None]:
    """The position of every value in a notation, up to the first that has none."""
    for text in values:
        standard = notation.standard(text)
        place = None if standard is None else position(standard, notation.kind)
        yield place
        if place is None:
            return


def _guessed(values: Sequence[str], stored: Kind | None) -> tuple[Kind, Notation | None]:
    """The kind of a column that does not declare one, and its notation if that is not the standard one."""
    if stored not in (None, Kind.TEXT):
        return stored, None
    kind, notation = guess_kind(values), None
    found = readings(values) if kind is Kind.TEXT and not may_mean_others(values) else ()
    if len(found) == 1:
        kind, notation = found[0].kind, found[0]
    return (Kind.TEXT, None) if kind is Kind.NUMBER and stored is Kind.TEXT else (kind, notation)


def _other_notation(column: str, values: Sequence[str], kind: Kind) -> Notation | None:
    """The only notation of a kind that reads all values; None if there is none, and an error if there are several."""
    found = [one for one in readings(values) if one.kind is kind]
    if len(found) > 1:
        raise DataError(
            f"column {column!r} is read as {kind}, and its values can be written in several ways: "
            f"{listed(one.name for one in found)}. Say which by `format` in [columns.{column}]."
        )
    return found[0] if found else None


def position(text: str, kind: Kind) -> float | None:
    """The position of a number, date or month in the standard notation on its axis; None if the text is none."""
    read = _ORDERED.get(kind)
    return None if read is None else read(text)


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
    return _day_text(place, kind) if place.is_integer() else text


def _day_text(place: float, kind: Kind | None) -> str:
    """The standard text of a day, or of the month that begins with it."""
    day = date.fromordinal(int(place)).isoformat()
    return day[:7] if kind is Kind.MONTH else day


def _coded(
    values: Sequence[str], kind: Kind, notation: Notation | None
) -> tuple[list[str | None], NDArray[np.float64] | None, NDArray[np.int64]] | None:
    """The ordered distinct values as texts, their positions, and the code of every given value.

    None if a value is not of the kind, or not in the notation.
    """
    if kind is Kind.TEXT:
        distinct: list[str | None] = [*sorted(set(values))]
        code = {text: index for index, text in enumerate(distinct)}
        return distinct, None, np.array([code[text] for text in values], dtype=np.int64)
    if kind is Kind.NUMBER and all(len(text) <= _DIGITS and text.isascii() and text.isdigit() for text in values):
        whole, codes = np.unique(np.array(values, dtype=str).astype(np.int64), return_inverse=True)
        return [str(number) for number in whole.tolist()], whole.astype(np.float64), codes
    if notation is not None:
        values = [notation.standard(text) or "" for text in values]
    places = [position(text, kind) for text in values]
    if None in places:
        return None
    numbers, codes = np.unique(np.array(places, dtype=np.float64), return_inverse=True)
    if kind is Kind.NUMBER:
        return [written(number) for number in numbers], numbers, codes
    if (numbers == np.floor(numbers)).all():
        return [_day_text(number, kind) for number in numbers], numbers, codes
    chosen: dict[int, str] = {}  # if a moment is written in several ways, the first in alphabetical order
    for text, code in zip(values, codes.tolist(), strict=True):
        chosen[code] = min(text, chosen.get(code, text))
    return [chosen[code] for code in range(len(numbers))], numbers, codes


def _unreadable(column: str, values: Sequence[str], kind: Kind, notation: Notation | None) -> DataError:
    """The error for a column with values that are not of its kind."""
    standard = values if notation is None else [notation.standard(text) or "" for text in values]
    count = sum(position(text, kind) is None for text in standard)
    what = _UNREADABLE[kind] if notation is None else f"not written as {notation.name!r}"
    other, found = _guessed(values, None)
    way_out = 'convert the column first, or declare it as type = "text"'
    if other not in (kind, Kind.TEXT):
        written_as = "" if found is None else f" and are written as {found.name!r}"
        way_out = f'its values look like type = "{other}"{written_as}: declare that, or leave the type out'
    return DataError(
        f"column {column!r} is read as {kind}, but {count} of its distinct values {'is' if count == 1 else 'are'} "
        f"{what}; {way_out}."
    )


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
        moment = moment if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
    return date(moment.year, moment.month, moment.day).toordinal() + seconds / 86400


def _month(text: str) -> float | None:
    """The days since the year 1 of the first day of a month; None for other texts."""
    match = _MONTH.fullmatch(text.strip())
    return None if match is None or match[1] == "0000" else float(date(int(match[1]), int(match[2]), 1).toordinal())


_ORDERED: Mapping[Kind, Callable[[str], float | None]] = {
    Kind.NUMBER: _number,
    Kind.DATE: _moment,
    Kind.MONTH: _month,
}
"""How texts of each ordered kind are read in the standard notation."""
