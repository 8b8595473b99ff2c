from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import spearmanr

from sfumato.masks import Shuffling
from sfumato.masks.shuffling import normal_scores


def test_values_stay_and_suit_the_given_columns(wide):
    frame, matrix = wide
    made = Shuffling(given=("x",)).mask(frame, ["y"], seed=1)
    assert sorted(made["y"].to_pylist()) == sorted(matrix[:, 1])
    assert spearmanr(made["y"], made["x"])[0] == pytest.approx(spearmanr(matrix)[0], abs=0.02)


def test_masked_values_say_no_more_than_the_given_columns(wide):
    """What is left of the true value once the given column is accounted for has nothing to do with the masked one."""
    frame, matrix = wide
    made = np.array(Shuffling(given=("x",)).mask(frame, ["y"], seed=1)["y"])
    rest = [side - np.polyval(np.polyfit(matrix[:, 0], side, 1), matrix[:, 0]) for side in (matrix[:, 1], made)]
    assert abs(np.corrcoef(rest)[0, 1]) < 0.05


def test_columns_suit_each_other_where_nothing_is_given(wide):
    frame, matrix = wide
    made = Shuffling().mask(frame, ["x", "y"], seed=1)
    assert spearmanr(made["x"], made["y"])[0] == pytest.approx(spearmanr(matrix)[0], abs=0.02)
    assert abs(spearmanr(made["x"], matrix[:, 0])[0]) < 0.05


def test_missing_values_take_no_part():
    table = pa.table({"a": [1.0, 2.0, None, 4.0], "b": [4, None, 2, 1]})
    made = Shuffling(given=("b",)).mask(table, ["a"], seed=1)["a"].to_pylist()
    assert made[2] is None
    assert sorted(made[:2] + made[3:]) == [1, 2, 4]


def test_given_columns_that_say_the_same_or_nothing(wide):
    frame, matrix = wide
    frame = frame.append_column("again", frame["x"]).append_column("same", pa.array([1.0] * len(matrix)))
    made = Shuffling(given=("x", "again", "same")).mask(frame, ["y"], seed=1)
    assert spearmanr(made["y"], made["x"])[0] == pytest.approx(spearmanr(matrix)[0], abs=0.02)


def test_scores_are_those_of_ranks():
    values = np.array([[3.0], [1.0], [np.nan], [1.0], [100.0]])
    scores = normal_scores(values)[:, 0]
    assert scores[2] == 0
    assert scores[1] == scores[3] == pytest.approx(-scores[[0, 4]].sum() / 2, abs=0.1)
    assert scores[1] < scores[0] < scores[4]
