"""HideIdentifiers: a value is shown as it is, but not whose it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_args

from sfumato.errors import ParameterError
from sfumato.gateway.transforms.base import Transform
from sfumato.gateway.transforms.column_types import ColumnType, Kind
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class HideIdentifiers(Transform):
    """Shows a value as it is, and hides identifying columns in the same row if a query reads the value.

    >>> HideIdentifiers(columns=["name", "phone"]).hides
    ('name', 'phone')

    References: Kabir (2010), sections 2.3 and 2.4, which name the condition and work no example of it.
    """

    makes = "plain"
    for_kinds = frozenset(get_args(Kind))

    columns: tuple[str, ...] = param(doc="the identifying columns that are hidden then")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.columns:
            raise ParameterError("'columns' of HideIdentifiers names no column; name at least one.")

    @property
    def hides(self) -> tuple[str, ...]:
        """The columns that are hidden in the rows in which this one is shown."""
        return self.columns

    def is_total(self, column_type: ColumnType) -> bool:
        """Every value is shown."""
        return True

    def weaker(self, value: Any, column_type: ColumnType) -> Any:
        """The value itself."""
        return value
