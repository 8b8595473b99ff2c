"""Conditions on people, on the time and on rows, in a small language: comparisons joined by and, or and not.

Policies state them for conditional roles and for row rules. `people.authority` checks them with the attributes of a
person, `views.access_rules` on a row, and `views.cells` writes them as SQL on the columns of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sfumato.gateway.conditions.parser import parse_condition
from sfumato.gateway.conditions.tree import Node

if TYPE_CHECKING:
    from sqlglot import exp

    from sfumato.gateway.transforms.column_types import ColumnType


@dataclass(frozen=True)
class Condition:
    """A condition that is true, false or unknown for a person, a time or a row.

    A name is compared with a value or with another name (`= != < <= > >=`, chains such as `9 <= hour <= 17`), tested
    for membership in a list (`level in (1, 2)`) or for a missing value (`level is null`); `and`, `or`, `not` and
    parentheses combine these. Values are numbers, 'texts', true, false and dates (`date '2026-01-31'`). A comparison
    with a missing value, or of values that cannot be compared, is unknown, and so is its negation.

    >>> office = Condition.parse("experience > 10 and 9 <= hour <= 17")
    >>> office.check({"experience": 12, "hour": 10}), office.check({"experience": 12, "hour": 18})
    (True, False)
    >>> office.check({"hour": 10}) is None
    True

    References: Kabir (2010), definitions 3.3.2 to 3.3.4, with `in`, `is null` and chains, and unknown as in SQL.
    """

    root: Node

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Parse a condition; PolicyError with the position of the first mistake."""
        return cls(parse_condition(text))

    @cached_property
    def names(self) -> frozenset[str]:
        """All attributes or columns that it reads."""
        return self.root.names

    def check(self, attributes: Mapping[str, object]) -> bool | None:
        """Whether the condition holds for these attributes; None for unknown."""
        return self.root.check(attributes)

    def sql(self, column: Callable[[str], exp.Expr], types: Mapping[str, ColumnType] | None = None) -> exp.Expr:
        """The condition as SQL: true, false and NULL for the same rows as `check`, in every engine.

        `column` returns the SQL of a column. `types` say which columns can be compared; without them the engine
        decides, and may raise an error where `check` returns unknown.
        """
        from sfumato.gateway.conditions.sql import ConditionSql

        return ConditionSql(column, types or {}).of(self.root)

    def __str__(self) -> str:
        return str(self.root)
