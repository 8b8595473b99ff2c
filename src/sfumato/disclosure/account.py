"""The account of a release: the privacy budget that each step of its algorithm spent.

Algorithms that declare `accounts` write it, `AccountedModel` reads it, and certificates store it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple


class Expense(NamedTuple):
    """The expense of one step: its name and the amounts by unit, such as `{"epsilon": 0.1}`."""

    step: str
    amounts: Mapping[str, float]


@dataclass(frozen=True)
class Account:
    """The expenses of a release, in order.

    >>> account = Account((Expense("counts", {"epsilon": 0.5}), Expense("means", {"epsilon": 0.25})))
    >>> account.total("epsilon"), account.total("delta")
    (0.75, 0.0)
    """

    expenses: tuple[Expense, ...] = ()

    def total(self, unit: str) -> float:
        """The sum of the amounts of all steps in one unit."""
        return fsum(expense.amounts.get(unit, 0.0) for expense in self.expenses)

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data for a certificate."""
        return [{"step": expense.step, "amounts": dict(expense.amounts)} for expense in self.expenses]

    @classmethod
    def from_dict(cls, plain: Sequence[Mapping[str, Any]]) -> Account:
        """Rebuild the account from the result of `to_dict`."""
        return cls(tuple(Expense(one["step"], dict(one["amounts"])) for one in plain))
