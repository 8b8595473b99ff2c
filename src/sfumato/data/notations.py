"""Notations: how numbers and dates are written by persons and spreadsheets, and the standard texts that they stand for.

A number in the standard notation has a point as decimal mark and no other marks; a date is written as yyyy-mm-dd, and a
month as yyyy-mm. `Domain.of` reads a column that is not in the standard notation by the only other one that reads all
its values.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from re import Pattern

from sfumato.data.kinds import Kind
from sfumato.errors import SchemaError, nearest

_TIME = r"(?:[ T]+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d(?:\.\d{1,6})?))? ?(?P<half>[AaPp]\.?[Mm]\.?)?)?"
_PARTS = {"yyyy": r"(?P<year>\d{4})", "mm": r"(?P<month>\d{1,2})", "dd": r"(?P<day>\d{1,2})"}
_SPACES = " \u00a0\u202f\u2009"
"""Characters that stand between groups of three digits: spaces that break a line or do not, and narrow ones."""


@dataclass(frozen=True)
class Notation(ABC):
    """A way of writing numbers or dates, by the name that a plan gives as `format`, and the pattern of its texts."""

    name: str
    kind: Kind
    pattern: Pattern[str] = field(repr=False)

    def standard(self, text: str) -> str | None:
        """The same number or date in the standard notation; None if the text is not in this one.

        >>> notation_named("1.234,5").standard("12.345,60"), notation_named("dd.mm.yyyy").standard("31.12.1999")
        ('12345.60', '1999-12-31')
        """
        match = self.pattern.fullmatch(text.strip())
        return None if match is None else self._standard(match)

    @abstractmethod
    def _standard(self, match: re.Match[str]) -> str | None:
        """The standard text of what the pattern has matched; None if its parts do not fit together."""


class _NumberNotation(Notation):
    """Numbers with a decimal mark and a mark between groups of three digits."""

    @classmethod
    def of(cls, name: str, decimal: str, marks: str) -> _NumberNotation:
        mark = f"[{re.escape(marks)}]"
        whole = rf"[1-9]\d{{0,2}}(?:(?P<mark>{mark})\d{{3}}(?:(?P=mark)\d{{3}})*)?|[1-9]\d*|0"
        return cls(
            name,
            Kind.NUMBER,
            re.compile(rf"(?P<sign>[-+\u2212]?)(?P<whole>{whole})(?:{re.escape(decimal)}(?P<part>\d+))?"),
        )

    def _standard(self, match: re.Match[str]) -> str:
        sign = "-" if match["sign"] in ("-", "\u2212") else ""
        whole = "".join(one for one in match["whole"] if one.isdigit())
        return f"{sign}{whole}" + (f".{match['part']}" if match["part"] else "")


class _DateNotation(Notation):
    """Dates and months with their parts in some order, and a time of day if there is one."""

    @classmethod
    def of(cls, name: str) -> _DateNotation:
        pattern = re.sub("yyyy|mm|dd", lambda part: _PARTS[part[0]], re.escape(name))
        has_days = "dd" in name
        return cls(name, Kind.DATE if has_days else Kind.MONTH, re.compile(pattern + (_TIME if has_days else "")))

    def _standard(self, match: re.Match[str]) -> str | None:
        found = match.groupdict()
        month = f"{found['year']}-{int(found['month']):02}"
        if found.get("day") is None:
            return month
        day = f"{month}-{int(found['day']):02}"
        return day if found["hour"] is None else _with_time(day, found)


def _with_time(day: str, found: dict[str, str]) -> str | None:
    """A day with its time; None if the hour does not fit to a.m. or p.m."""
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"][0] in "Pp" else 0)
    return f"{day}T{hour:02}:{found['minute']}:{found['second'] or '00'}"


_NUMBERS: tuple[Notation, ...] = (
    _NumberNotation.of("1.234,5", ",", "."),
    _NumberNotation.of("1 234,5", ",", _SPACES),
    _NumberNotation.of("1,234.5", ".", ","),
    _NumberNotation.of("1'234.5", ".", "'\u2019"),
    _NumberNotation.of("1 234.5", ".", _SPACES),
)
_DATES: tuple[Notation, ...] = tuple(
    _DateNotation.of(name)
    for name in (
        "yyyy/mm/dd", "yyyy.mm.dd", "dd.mm.yyyy", "dd/mm/yyyy", "mm/dd/yyyy", "dd-mm-yyyy", "mm-dd-yyyy",
        "yyyy/mm", "mm/yyyy",
    )
)  # fmt: skip
_DECLARED: tuple[Notation, ...] = tuple(_DateNotation.of(name) for name in ("yyyymmdd", "mm.yyyy", "yyyymm"))
"""Dates and months that are numbers as well, so that they are read only where a plan says so."""

NOTATIONS = (*_NUMBERS, *_DATES)
"""Notations by which a column may be read that does not say in which one it is."""

_EVERY = {one.name: one for one in (*NOTATIONS, *_DECLARED)}


def notation_named(name: str) -> Notation:
    """The notation with that name; an unknown name is refused with the nearest known one."""
    if name not in _EVERY:
        raise SchemaError(f"there is no format {name!r}; {nearest(name, _EVERY)}")
    return _EVERY[name]
