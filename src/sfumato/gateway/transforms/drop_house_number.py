"""DropHouseNumber: an address is shown without its house number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sqlglot import exp

# Characters are spelled out: engines differ in character classes and in case-insensitive matching.
_BLANK = "[ \t]"
_NUMBER = f"[0-9]+[A-Za-z]?(?:{_BLANK}*(?:[-/&+]|–){_BLANK}*[0-9]+[A-Za-z]?)*"
_WORDS = ("No", "Nr", "Unit", "Flat", "Apartment", "Apt", "Suite", "Level", "Lot", "House")
_ANY_CASE = "|".join("".join(f"[{letter.upper()}{letter.lower()}]" for letter in word) for word in _WORDS)
_BEFORE = f"^{_BLANK}*(?:(?:(?:{_ANY_CASE})[.]?{_BLANK}*|#{_BLANK}*)?{_NUMBER}(?:[ \t,.;:]+|$))+"
_AFTER = f"{_BLANK}+{_NUMBER}([,;]|$)"
_PATTERNS = {"before": (_BEFORE, ""), "after": (_AFTER, r"\1")}


@dataclass(frozen=True, kw_only=True)
class DropHouseNumber(Transform):
    """Shows an address without its house number: 21, West St., TBA as West St., TBA.

    Before the street: all numbers such as 21, 12a, 12-14 or 2/21 are removed, each followed by a blank, a comma or a
    full stop, with or without a word such as Unit, Flat or No. in front. After the street (Hauptstr. 5, Wien): one
    number between a blank and a comma or the end is removed. An address without such a number stays as it is.

    >>> address = ColumnType.of_duckdb("VARCHAR")
    >>> for text in ("21, West St., TBA, QLD 4350", "12a Foo Rd", "Unit 2, 21 West St", "3rd Avenue"):
    ...     print(DropHouseNumber().weaker(text, address))
    West St., TBA, QLD 4350
    Foo Rd
    West St
    3rd Avenue
    >>> DropHouseNumber(stands="after").weaker("Hauptstr. 12a, 1010 Wien", address)
    'Hauptstr., 1010 Wien'
    """

    makes = "text"
    for_kinds = frozenset({"text"})

    stands: Literal["before", "after"] = param("before", doc="where the number stands: before or after the street")

    def is_total(self, column_type: ColumnType) -> bool:
        """Every text has a weaker form."""
        return True

    def weaker(self, value: Any, column_type: ColumnType) -> str | None:
        """The address without the number."""
        if value is None:
            return None
        pattern, instead = _PATTERNS[self.stands]
        whole = str(value).rstrip(" ") if column_type.padded else str(value)
        return re.sub(pattern.replace("$", r"\Z"), instead, whole, count=1)

    def text_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The address without the number."""
        from sfumato.gateway.transforms.sql.texts import replace_match

        return replace_match(value, *_PATTERNS[self.stands], engine)
