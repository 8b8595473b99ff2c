"""Texts with characters masked from one side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class MaskedText(Transform):
    """Masks a number of characters of a text from one side; a text with no more characters is masked whole.

    >>> MaskedText(count=2).weaker("4350", ColumnType.of_duckdb("VARCHAR"))
    '43**'
    """

    makes = "text"
    for_kinds = frozenset({"text"})

    count: int = param(doc="how many characters are masked", at_least=1)
    side: Literal["right", "left"] = param("right", doc="from which side")
    character: str = param("*", doc="the character in place of a masked one")

    def is_total(self, column_type: ColumnType) -> bool:
        """Every text has a weaker form."""
        return True

    def weaker(self, value: Any, column_type: ColumnType) -> str | None:
        """The text with characters masked."""
        if value is None:
            return None
        whole = str(value).rstrip(" ") if column_type.padded else str(value)
        hidden = self.character * min(self.count, len(whole))
        return whole[: -self.count] + hidden if self.side == "right" else hidden + whole[self.count :]

    def text_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The text with characters masked."""
        from sfumato.gateway.transforms.sql.texts import mask_characters

        return mask_characters(value, self.count, self.side, self.character)
