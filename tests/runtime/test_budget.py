from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError, ParameterError
from sfumato.runtime.budget import Budget


def test_ten_tenths_are_one() -> None:
    budget = Budget(total=1)
    for step in range(10):
        budget.spend(0.1, on=f"step {step}")
    assert budget.left == 0
    with pytest.raises(BudgetError, match=r"'more' needs 1e-09 units but 0.0 of 1 is left"):
        budget.spend(1e-9, on="more")


def test_a_refused_step_changes_nothing() -> None:
    budget = Budget(total=1.0, unit="epsilon")
    budget.spend(0.75, on="ages")
    with pytest.raises(BudgetError, match=r"'incomes' needs 0.5 epsilon but 0.25 of 1.0 is left"):
        budget.spend(0.5, on="incomes")
    assert budget.spent == [("ages", 0.75)]
    assert budget.left == 0.25


def test_rounding_never_gives_anything_away() -> None:
    budget = Budget(total=1e16)
    budget.spend(0.1, on="little")
    with pytest.raises(BudgetError):
        budget.spend(1e16, on="everything")


@given(st.integers(1, 10_000), st.lists(st.integers(0, 5_000), max_size=20))
def test_never_more_than_the_total(total: int, amounts: list[int]) -> None:
    """Counted in whole thousandths beside it."""
    budget, spent = Budget(total=total / 1000), 0
    for amount in amounts:
        if spent + amount <= total:
            budget.spend(amount / 1000, on="step")
            spent += amount
        else:
            with pytest.raises(BudgetError):
                budget.spend(amount / 1000, on="step")
    assert budget.left == pytest.approx((total - spent) / 1000, abs=1e-12)


@pytest.mark.parametrize("total", [0, -1, inf, nan])
def test_the_total_is_finite_and_above_zero(total: float) -> None:
    with pytest.raises(ParameterError, match="'total' of Budget must be a finite number > 0; got"):
        Budget(total=total)


@pytest.mark.parametrize("amount", [-0.1, inf, nan])
def test_an_amount_is_finite_and_not_negative(amount: float) -> None:
    budget = Budget(total=1)
    with pytest.raises(ParameterError, match="must be a finite number >= 0; got"):
        budget.spend(amount, on="step")
    assert budget.left == 1
