"""An allowance that refuses when it is spent, and remembers what it was spent on."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from sfumato.errors import BudgetError, ParameterError


@dataclass
class Budget:
    """A finite allowance, spent in named steps; a step that does not fit is refused and changes nothing.

    Amounts are kept as exact fractions of what was written, so ten times 0.1 is exactly 1.

    >>> budget = Budget(total=1.0, unit="epsilon")
    >>> budget.spend(0.4, on="ages")
    >>> budget.left
    0.6
    >>> budget.spend(0.7, on="incomes")
    Traceback (most recent call last):
        ...
    sfumato.errors.BudgetError: 'incomes' asks for 0.7 epsilon but 0.6 of 1.0 is left.
    """

    total: float
    unit: str = "units"
    spent: list[tuple[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not 0 < self.total < float("inf"):
            raise ParameterError(f"'total' of Budget must be a finite number > 0; got {self.total!r}.")

    @property
    def left(self) -> float:
        """What has not been spent yet."""
        return float(self._left())

    def spend(self, amount: float, *, on: str) -> None:
        """Take an amount from the allowance, or refuse and leave it as it was."""
        if not 0 <= amount < float("inf"):
            raise ParameterError(f"an amount to spend must be a finite number >= 0; got {amount!r}.")
        if _exact(amount) > self._left():
            raise BudgetError(f"{on!r} asks for {amount} {self.unit} but {self.left} of {self.total} is left.")
        self.spent.append((on, amount))

    def _left(self) -> Fraction:
        """Compared before it becomes a float, which could round up."""
        return _exact(self.total) - sum((_exact(amount) for _, amount in self.spent), Fraction(0))


def _exact(amount: float) -> Fraction:
    return Fraction(str(amount))
