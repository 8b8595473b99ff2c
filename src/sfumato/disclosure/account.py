"""The account of a release: what the steps that made it spent of a privacy budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple


class Expense(NamedTuple):
    """One step that spent something: what it was for, and how much, such as `{"epsilon": 0.1}`."""

    step: str
    amounts: Mapping[str, float]


@dataclass(frozen=True)
class Account:
    """The expenses of a release, in order. Algorithms that declare `accounts` write it, accounted models read it.

    >>> account = Account((Expense("counts", {"epsilon": 0.5}), Expense("means", {"epsilon": 0.25})))
    >>> account.total("epsilon"), account.total("delta")
    (0.75, 0.0)
    """

    expenses: tuple[Expense, ...] = ()

    def total(self, unit: str) -> float:
        """What all steps spent of a unit, added up."""
        return fsum(expense.amounts.get(unit, 0.0) for expense in self.expenses)

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data for a certificate."""
        return [{"step": expense.step, "amounts": dict(expense.amounts)} for expense in self.expenses]

    @classmethod
    def from_dict(cls, plain: Sequence[Mapping[str, Any]]) -> Account:
        """The account that `to_dict` described."""
        return cls(tuple(Expense(one["step"], dict(one["amounts"])) for one in plain))
