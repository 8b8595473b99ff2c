"""Prefix: the first characters of a text, for example of a postal code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sfumato.errors import ParameterError
from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.settings.params import param

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, kw_only=True)
class Prefix(Transform):
    """Shows the first characters of a text: 4350 as 43, or as 43** with `fill`.

    A text that is no longer than that is shown whole, and with `fill` the length of the text is shown too.

    >>> code = ColumnType.of_duckdb("VARCHAR")
    >>> Prefix(length=2).weaker("4350", code), Prefix(length=2, fill="*").weaker("4350", code)
    ('43', '43**')
    """

    makes = "text"
    for_kinds = frozenset({"text"})

    length: int = param(doc="how many characters are shown", at_least=1, at_most=1000)
    fill: str = param("", doc="the character in place of each of the others; none by default")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.fill) > 1:
            raise ParameterError(f"'fill' of Prefix must be one character or none; got {self.fill!r}.")

    def is_total(self, column_type: ColumnType) -> bool:
        """Every text has a prefix."""
        return True

    def weaker(self, value: Any, column_type: ColumnType) -> str | None:
        """The first characters."""
        if value is None:
            return None
        whole = str(value).rstrip(" ") if column_type.padded else str(value)
        return whole[: self.length] + self.fill * (len(whole) - self.length)

    def text_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The first characters."""
        from sfumato.gateway.transforms.sql.texts import first_characters, first_characters_filled

        return (
            first_characters_filled(value, self.length, self.fill)
            if self.fill
            else first_characters(value, self.length)
        )
