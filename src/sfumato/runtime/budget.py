"""Budgets: a finite amount that is spent in named steps, such as a privacy budget epsilon.

The accounts of the gateway check every query with noise against one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.errors import BudgetError, ParameterError


@dataclass
class Budget:
    """A finite amount that is spent in named steps; a step that exceeds it raises an error and changes nothing.

    Amounts are added as exact decimal fractions, so ten times 0.1 is exactly 1.

    >>> budget = Budget(total=1.0, unit="epsilon")
    >>> budget.spend(0.4, on="ages")
    >>> budget.left
    0.6
    >>> budget.spend(0.7, on="incomes")
    Traceback (most recent call last):
        ...
    sfumato.errors.BudgetError: 'incomes' needs 0.7 epsilon but 0.6 of 1.0 is left.
    """

    total: float
    unit: str = "units"
    spent: list[tuple[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not 0 < self.total < float("inf"):
            raise ParameterError(f"'total' of Budget must be a finite number > 0; got {self.total!r}.")

    @property
    def left(self) -> float:
        """The amount that is not spent yet."""
        return float(self._left())

    def spend(self, amount: float, *, on: str) -> None:
        """Spend an amount on a step; raises an error if less is left."""
        if not 0 <= amount < float("inf"):
            raise ParameterError(f"an amount to spend must be a finite number >= 0; got {amount!r}.")
        if _exact_fraction(amount) > self._left():
            raise BudgetError(f"{on!r} needs {amount} {self.unit} but {self.left} of {self.total} is left.")
        self.spent.append((on, amount))

    def _left(self) -> Fraction:
        """The exact amount left; comparisons use it, because a float could be rounded up."""
        numbers = Counter(amount for _, amount in self.spent)  # thousands of questions cost one of few prices
        spent = (_exact_fraction(amount) * number for amount, number in numbers.items())
        return _exact_fraction(self.total) - sum(spent, Fraction(0))


def _exact_fraction(amount: float) -> Fraction:
    return Fraction(str(amount))
