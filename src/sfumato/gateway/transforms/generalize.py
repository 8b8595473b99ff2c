"""Generalize: a value is shown as the node above it in a taxonomy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import ParameterError
from sfumato.gateway.transforms.base import Form, Transform
from sfumato.gateway.transforms.bucket import Bucket
from sfumato.gateway.transforms.calendar import Calendar, Unit
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.generalizing.breaks import Breaks
from sfumato.gateway.transforms.generalizing.masked_text import MaskedText
from sfumato.gateway.transforms.generalizing.taxonomy_nodes import TaxonomyNodes
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.reading import builder_from_plan

if TYPE_CHECKING:
    from sqlglot import exp

_DATES: tuple[Unit, ...] = ("day", "month", "quarter", "year", "decade")
_NUMBERS = frozenset({"integer", "decimal", "float"})
_RANGES = {"width": _NUMBERS, "intervals": _NUMBERS, "dates": frozenset({"date", "timestamp"})}
_UNSUPPORTED = {
    "quantiles": "quantiles are found in the data, and the weaker form of a value must not depend on other values",
    "flat": "a flat taxonomy has no level between a value and hiding it; prohibit the purpose instead",
}
"""Kinds of taxonomies that a transform cannot use, and why."""


@dataclass(frozen=True, kw_only=True)
class Generalize(Transform):
    """Shows a value as the node above it in a taxonomy, declared as in a plan: Dancer as Artist.

    A tree, a level file or groups list the texts; all other texts are hidden. If branches differ in length, a value
    above the level is shown as its parent node. With `numbers` the same is done for a column of numbers, which are
    shown as the range of the numbers under a node. Intervals and widths are for numbers, and merge two neighbours on
    every further level; numbers outside all intervals are hidden. Dates become months, quarters, years and decades;
    timestamps become days first. A mask hides one character more on every level.

    >>> job = Generalize(taxonomy={"branches": {"ANY": {"Artist": ["Dancer", "Writer"], "Engineer": []}}})
    >>> text = ColumnType.of_duckdb("VARCHAR")
    >>> job.weaker("Dancer", text), job.weaker("Engineer", text), job.weaker("Spy", text)
    ('Artist', 'ANY', None)
    >>> Generalize(taxonomy={"intervals": [0, 18, 65, 120]}).weaker(35, ColumnType.of_duckdb("INTEGER"))
    (18, 64)
    """

    taxonomy: Mapping[str, Any] = param(doc="the taxonomy, declared as in a plan")
    level: int = param(1, doc="how many levels above the value", at_least=1, at_most=100)
    numbers: bool = param(False, doc="whether values in a tree, a level file or groups are numbers")
    folder: Path | str = param(".", doc="the folder to which paths in the taxonomy are relative")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._key in _UNSUPPORTED:
            raise ParameterError(f"'taxonomy' of Generalize cannot be {self._key!r}: {_UNSUPPORTED[self._key]}.")

    @property
    def makes(self) -> Form:  # type: ignore[override]
        """A range for numbers and dates, else a text."""
        return "range" if self._key in _RANGES or self.numbers else "text"

    @property
    def for_kinds(self) -> frozenset[str]:  # type: ignore[override]
        """The kinds of columns that the taxonomy applies to."""
        return _RANGES.get(self._key, _NUMBERS if self.numbers else frozenset({"text"}))

    def _objection(self, column_type: ColumnType) -> str | None:
        units = self._units(column_type)
        if self._key == "dates" and self.level > len(units):
            return f"the calendar has {len(units)} levels; choose one of them, or prohibit the purpose"
        return self._transform(column_type).objection(column_type)

    def is_total(self, column_type: ColumnType) -> bool:
        """As the transform that the taxonomy is reduced to."""
        return self._transform(column_type).is_total(column_type)

    def weaker(self, value: Any, column_type: ColumnType) -> Any:
        """The node above the value."""
        return self._transform(column_type).weaker(value, column_type)

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The lowest and the highest value under the node."""
        return self._transform(column_type).range_sql(value, column_type, engine)

    def text_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The name of the node."""
        return self._transform(column_type).text_sql(value, column_type, engine)

    def shown(self, low: Any, column_type: ColumnType) -> str | None:
        """The name of the node with this lowest value."""
        return self._transform(column_type).shown(low, column_type)

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr | None:
        """The name of the node with this lowest value."""
        return self._transform(column_type).shown_sql(low, column_type, engine)

    @cached_property
    def _builder(self) -> TaxonomyBuilder:
        return builder_from_plan(self.taxonomy, Path(self.folder))

    @cached_property
    def _key(self) -> str:
        """The key that declares the taxonomy."""
        return next(key for key in self.taxonomy if key in self._builder.plan_keys)

    @cached_property
    def _nodes(self) -> TaxonomyNodes:
        return TaxonomyNodes(builder=self._builder, level=self.level, numbers=self.numbers)

    @staticmethod
    def _units(column_type: ColumnType) -> tuple[Unit, ...]:
        """The calendar units of the levels; timestamps have days below months."""
        return _DATES if column_type.kind == "timestamp" else _DATES[1:]

    def _transform(self, column_type: ColumnType) -> Transform:
        """The transform that the taxonomy is reduced to."""
        if self._key == "width":
            return Bucket(width=self.taxonomy["width"] * 2 ** (self.level - 1))
        if self._key == "dates":
            return Calendar(unit=self._units(column_type)[self.level - 1])
        if self._key == "intervals":
            return Breaks(breaks=self.taxonomy["intervals"], level=self.level)
        if self._key == "mask":
            settings = {setting.name: getattr(self._builder, setting.name) for setting in self._builder.settings()}
            return MaskedText(count=self.level, **settings)
        return self._nodes
