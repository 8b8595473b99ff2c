"""Taxonomies that list every value: trees, level files and lists of groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import TaxonomyError
from sfumato.gateway.transforms.base import Form, Transform
from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import WholeGrid, exact_fraction, grid_of
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder

if TYPE_CHECKING:
    from sqlglot import exp

MAX_VALUES = 5000
"""The largest number of values in a taxonomy; the engine compares every row with all of them."""


@dataclass(frozen=True, kw_only=True)
class TaxonomyNodes(Transform):
    """Shows a text as the node above it on a level; with `numbers`, a number as the range of those under its node.

    A text that is its own node on the level is shown as its parent node. A number that is alone under its node would be
    revealed by the range, and is refused. Values that the taxonomy does not list are hidden.
    """

    for_kinds = frozenset({"text", "integer", "decimal", "float"})

    builder: TaxonomyBuilder = param(doc="the taxonomy")
    level: int = param(1, doc="how many steps above the values")
    numbers: bool = param(False, doc="whether values are numbers")

    @property
    def makes(self) -> Form:  # type: ignore[override]
        """A range for numbers, else a text."""
        return "range" if self.numbers else "text"

    def _objection(self, column_type: ColumnType) -> str | None:
        if self.numbers == (column_type.kind == "text"):
            return f"set numbers to {'false' if self.numbers else 'true'} for such a column"
        height = len(self._rows[0]) - 1 if self._rows else 0
        if self.level > height:
            return f"the taxonomy has {height} levels above its values; there is no level {self.level}"
        if self.numbers and any(members[0] == members[-1] for _, members in self._sets(column_type)):
            return f"on level {self.level} some number is alone under its node; add its neighbours, or climb higher"
        return None

    @cached_property
    def _rows(self) -> list[list[str]]:
        """Every value with the names of the nodes above it."""
        values = self.builder.values()
        if len(values) > MAX_VALUES:
            raise TaxonomyError(
                f"the taxonomy names {len(values)} values, and a transform takes {MAX_VALUES} at most; use intervals, "
                "a mask or a prefix, or store the generalized value in a column of its own."
            )
        domain, _ = Domain.of("values", values, kind=Kind.NUMBER if self.numbers else Kind.TEXT)
        return self.builder.grow(domain)[0].level_rows()

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        """The values that are shown as each node."""
        found: dict[str, list[str]] = {}
        for row in self._rows:
            above = row[self.level :]
            name = above[0] if self.numbers else next((label for label in above if label != row[0]), None)
            if name is not None:
                found.setdefault(name, []).append(row[0])
        return found

    def weaker(self, value: Any, column_type: ColumnType) -> Any:
        """The name of the node, or the lowest and the highest number under it."""
        if value is None:
            return None
        if self.numbers:
            return next(((members[0], members[-1]) for _, members in self._sets(column_type) if value in members), None)
        whole = str(value).rstrip(" ") if column_type.padded else str(value)
        return next((name for name, members in self._members.items() if whole in members), None)

    def text_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr:
        """The name of the node."""
        from sfumato.gateway.transforms.sql.texts import name_of_set

        return name_of_set(value, self._members)

    def range_sql(self, value: exp.Expr, column_type: ColumnType, engine: str) -> tuple[exp.Expr, exp.Expr]:
        """The lowest and the highest number under the node."""
        from sfumato.gateway.transforms.sql import pieces

        sets = [members for _, members in self._sets(column_type)]
        return pieces.sets_sql(sets, value, column_type, engine)

    def shown(self, low: Any, column_type: ColumnType) -> str | None:
        """The name of the node with this lowest number."""
        sets = self._sets(column_type) if self.numbers else []
        return next((name for name, members in sets if members[0] == low), None)

    def shown_sql(self, low: exp.Expr, column_type: ColumnType, engine: str) -> exp.Expr | None:
        """The name of the node with this lowest number."""
        if not self.numbers:
            return None
        from sfumato.gateway.transforms.sql import pieces

        labels = [(members[0], name) for name, members in self._sets(column_type)]
        return pieces.shown_sql(labels, low, column_type, engine)

    def _sets(self, column_type: ColumnType) -> list[tuple[str, list[Any]]]:
        """The numbers under every node that the column can have, in ascending order."""
        all_values = {name: [_value(one, column_type) for one in members] for name, members in self._members.items()}
        possible = {name: sorted(one for one in members if one is not None) for name, members in all_values.items()}
        return [(name, members) for name, members in possible.items() if members]


def _value(text: str, column_type: ColumnType) -> Any:
    """A number as a value of the column; None if the column cannot have it."""
    limit, grid = exact_fraction(float(text)), grid_of(column_type)
    value = grid.at(limit)
    is_possible = not isinstance(grid, WholeGrid) or (value == limit and grid.clamped(value) == value)
    return value if is_possible else None
