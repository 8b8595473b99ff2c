"""Conditions on people, the system and rows, in a language of its own: comparisons, and, or, not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sfumato.gateway.conditions.parser import parsed
from sfumato.gateway.conditions.tree import Node

if TYPE_CHECKING:
    from sqlglot import exp

    from sfumato.gateway.transforms.column_types import ColumnType


@dataclass(frozen=True)
class Condition:
    """Something that is true, false or unknown of a person, a moment or a row.

    Names are compared with values or with each other (`= != < <= > >=`, chains such as `9 <= hour <= 17`), looked for
    in lists (`level in (1, 2)`) or asked whether they are there (`level is null`); `and`, `or`, `not` and parentheses
    join. Values are numbers, 'texts', true, false and days (`date '2026-01-31'`). What is missing, and what cannot be
    compared, is unknown, and so is its opposite.

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
        """What a text says; PolicyError with the place of the first fault."""
        return cls(parsed(text))

    @cached_property
    def names(self) -> frozenset[str]:
        """All attributes or columns that it looks at."""
        return self.root.names

    def check(self, attributes: Mapping[str, object]) -> bool | None:
        """Whether it holds given these attributes; None for unknown."""
        return self.root.check(attributes)

    def sql(self, column: Callable[[str], exp.Expr], types: Mapping[str, ColumnType] | None = None) -> exp.Expr:
        """The same as SQL on columns, true, false and NULL in the same rows as `check`, in every engine.

        The types say what can be compared; without them the engine decides, and may refuse what `check` calls unknown.
        """
        from sfumato.gateway.conditions.sql import ConditionSql

        return ConditionSql(column, types or {}).of(self.root)

    def __str__(self) -> str:
        return str(self.root)
