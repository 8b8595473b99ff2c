"""FirstLetter: the first character of a text, for example of a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class FirstLetter(Transform):
    """Shows the first character of a text: Jak as J.

    >>> FirstLetter().weaker("Jak", ColumnType.of_duckdb("VARCHAR"))
    'J'

    References: Kabir (2010), tables 2.5 and 3.3.
    """

    makes = "text"
    for_kinds = frozenset({"text"})

    def is_total(self, column_type: ColumnType) -> bool:
        """Every text has a weaker form."""
        return True

    def weaker(self, value: Any, column_type: ColumnType) -> str | None:
        """The first character; an empty text stays empty."""
        return None if value is None else str(value)[:1].rstrip(" " if column_type.padded else "")

    def text_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The first character; an empty text stays empty."""
        from sfumato.gateway.transforms.sql.texts import first_characters

        return first_characters(value, 1)
