from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import UsageError
from sfumato.evaluation.learners import C45, Features, GradientBoosting
from tests.evaluation.learners.records import adult_frame, features_of

pytest.importorskip("sklearn")


def many_names(names: int) -> tuple[Features, np.ndarray]:
    """Every name eight times, even ones of class 1; the first three names far more often."""
    codes = np.concatenate([np.repeat(np.arange(names), 8), np.repeat([0, 1, 2], 300)])
    table = pa.table({"town": [f"t{code:04}" for code in codes], "n": np.zeros(len(codes))})
    return Features.of_frame(table, ["town", "n"]), (codes % 2 == 0).astype(np.int32)


def test_hundreds_of_names_are_no_obstacle():
    features, classes = many_names(700)
    learned = GradientBoosting().fit(features, classes)
    places = learned.places[0]
    assert np.nanmax(places) == 254
    assert sorted(places[:3]) == [0, 1, 2]
    guessed = learned.predict(features)
    common = np.arange(len(classes)) >= 700 * 8
    assert (guessed[common] == classes[common]).all()


def test_names_are_no_numbers():
    """Even and odd names cannot be told apart by a few cuts of their order."""
    features, classes = many_names(100)
    assert (GradientBoosting().fit(features, classes).predict(features) == classes).mean() > 0.9


def test_the_seed_is_all_that_is_drawn():
    features, classes = many_names(700)
    index = np.arange(len(classes))
    one, two = (GradientBoosting(seed=4).fit(features.rows(index), classes).predict(features) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_without_scikit_learn_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    features, classes = many_names(4)
    with pytest.raises(UsageError, match=r"install sfumato\[learn\]"):
        GradientBoosting().fit(features, classes)


def test_it_beats_the_tree_of_the_nineties_on_adult(data_folder):
    features, classes, train, test = features_of(adult_frame(data_folder))

    def error(learner) -> float:
        guessed = learner.fit(features.rows(train), classes[train]).predict(features.rows(test))
        return float((guessed != classes[test]).mean())

    assert error(GradientBoosting()) < error(C45()) - 0.01
