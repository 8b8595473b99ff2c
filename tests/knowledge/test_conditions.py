from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import KnowledgeError
from sfumato.knowledge import Item, Knowledge, Rule, conditions
from sfumato.knowledge.conditions import Conditions, complete_shares, normalize_rows
from tests.knowledge.test_priors import people, told

ROWS = told(({"Sex": "M"}, "Flu", 0.6), ({"Sex": "M", "Age": "60"}, "Gout", 0.5), ({"Age": "60"}, "Cold", 0.1))


def test_what_implies_what():
    """A man of sixty is a man and sixty; nothing else follows."""
    made = Conditions.of(ROWS, people())
    assert len(made) == 3
    assert made.implies.astype(int).tolist() == [[1, 0, 0], [1, 1, 1], [0, 0, 1]]


@pytest.mark.parametrize("rows", [1, 2, 2**16])
def test_which_are_true_of_whom(rows, monkeypatch):
    monkeypatch.setattr(conditions, "_ROWS", rows)
    table = people()
    sex, age = (np.array(table.domain(name).texts)[table.codes[name]] for name in ("Sex", "Age"))
    expected = np.stack([sex == "M", (sex == "M") & (age == "60"), age == "60"], axis=1)
    np.testing.assert_array_equal(Conditions.of(ROWS, table).matches(table), expected)


def test_only_the_most_specific_count():
    made = Conditions.of(ROWS, people())
    alone, all_true = made.distribution(np.array([[False, True, False], [True, True, True]]))
    np.testing.assert_allclose(alone, all_true)
    values = people().domain("Disease").texts
    assert all_true[values.index("Gout")] == pytest.approx(0.5)
    np.testing.assert_allclose(made.distribution(np.zeros((1, 3), dtype=bool))[0], made.base)


def test_two_names_for_the_same_values_are_one_condition():
    one = Rule((Item("Age", "[50, 70]"),), "Flu", 0.2)
    other = Rule((Item("Age", "old", ("60",)),), "Cold", 0.3)
    made = Conditions.of(Knowledge("Disease", (), (), (one, other)), people())
    assert len(made) == 1
    np.testing.assert_allclose(made.distribution(np.ones((1, 1), dtype=bool)), [[0.3, 0.2, 0.5]])


class TestCompleted:
    AROUND = np.array([0.5, 0.3, 0.2])

    def test_the_rest_is_spread_as_it_was(self):
        np.testing.assert_allclose(complete_shares(np.array([0.2, np.nan, np.nan]), 0, self.AROUND), [0.2, 0.48, 0.32])

    def test_nothing_left_to_spread(self):
        np.testing.assert_allclose(complete_shares(np.array([0.4, 0.6, np.nan]), 0, self.AROUND), [0.4, 0.6, 0])

    def test_rounded_shares_of_all_values(self):
        np.testing.assert_allclose(complete_shares(np.array([0.33, 0.33, 0.33]), 0, self.AROUND), [1 / 3] * 3)

    def test_too_much(self):
        with pytest.raises(KnowledgeError, match="more than 1"):
            complete_shares(np.array([0.4, 0.4, np.nan]), 0.3, self.AROUND)


def test_rows_of_nothing_stay_nothing():
    assert normalize_rows(np.array([[0.0, 0.0], [1.0, 3.0]])).tolist() == [[0, 0], [0.25, 0.75]]
