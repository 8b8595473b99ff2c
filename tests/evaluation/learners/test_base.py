"""The promises that every learner keeps, whoever wrote it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from sfumato.errors import UsageError
from sfumato.evaluation.learners import C45, Features, NaiveBayes
from sfumato.evaluation.learners.base import Learner, Majority, training_records
from sfumato.settings import catalogue
from tests.evaluation.learners.records import drawn
from tests.examples import examples

LEARNERS = [entry.thing() for entry in catalogue.entries("learners")]


@pytest.fixture(params=LEARNERS, ids=str)
def learner(request) -> Learner:
    return request.param


def people(records: int = 60) -> tuple[Features, np.ndarray]:
    """Whoever is above fifty or a smith is of class 7, the others are of class 3."""
    ages = np.arange(records) + 20
    jobs = np.array(["cook", "smith", "clerk"])[np.arange(records) % 3]
    features = Features.of_frame(pa.table({"age": ages, "job": jobs}), ["age", "job"])
    return features, np.where((ages > 50) | (jobs == "smith"), 7, 3).astype(np.int32)


def test_learns_what_is_there_to_learn(learner):
    features, classes = people(600)
    guessed = learner.fit(features, classes).predict(features)
    assert set(guessed.tolist()) <= {3, 7}
    assert guessed.dtype == np.int32
    assert (guessed == classes).mean() > 0.9


def test_without_columns_it_is_the_commonest_class(learner):
    features, _ = people()
    classes = np.array([4, 9, 9, 1, 9, 4] * 10, dtype=np.int32)
    learned = learner.fit(features.without(["age", "job"]), classes)
    assert set(learned.predict(features).tolist()) == {9}
    weights = np.where(classes == 1, 10.0, 1.0)
    learned = learner.fit(features.without(["age", "job"]), classes, weights)
    assert set(learned.predict(features).tolist()) == {1}


def test_one_class_is_the_only_answer(learner):
    features, _ = people()
    learned = learner.fit(features, np.full(60, 5, dtype=np.int32))
    assert learned.predict(features.rows(np.arange(4))).tolist() == [5, 5, 5, 5]


def test_new_names_missing_numbers_and_other_orders_of_columns_are_understood(learner):
    features, classes = people(600)
    learned = learner.fit(features, classes)
    strange = Features.of_frame(pa.table({"job": ["astronaut", None], "age": [None, 300]}), ["job", "age"])
    assert set(learned.predict(strange).tolist()) <= {3, 7}
    assert learned.predict(strange).tolist()[1] == 7


def test_no_records_get_no_classes(learner):
    features, classes = people()
    assert learner.fit(features, classes).predict(features.without_records()).tolist() == []


def test_the_same_records_teach_the_same(learner):
    features, classes = people(600)
    one, two = (learner.fit(features, classes).predict(features) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_nothing_that_is_given_is_changed(learner):
    features, classes = people()
    weights = np.ones(60)
    before = [column.values.copy() for column in features.columns]
    learner.fit(features, classes, weights).predict(features)
    assert all((column.values == old).all() for column, old in zip(features.columns, before, strict=True))
    assert (weights == 1).all()
    assert set(classes.tolist()) == {3, 7}


@pytest.mark.parametrize("kind", [C45(), NaiveBayes(), NaiveBayes(numeric="bins")], ids=str)
@given(records=drawn())
@examples(60)
def test_a_weight_of_two_is_a_record_twice(kind, records):
    features, classes, _ = records
    times = np.arange(len(classes)) % 2 + 1
    twice = np.repeat(np.arange(len(classes)), times)
    weighed = kind.fit(features, classes, times.astype(np.float64))
    repeated = kind.fit(features.rows(twice), classes[twice])
    # columns with many names for few records have no say in the mean, and records are counted for that, not weights
    if not any(column.texts and len(column.texts) >= 0.3 * len(classes) for column in features.columns):
        np.testing.assert_array_equal(weighed.predict(features), repeated.predict(features))


def test_what_does_not_fit_is_refused(learner):
    features, classes = people()
    with pytest.raises(UsageError, match="60 records and 59 classes"):
        learner.fit(features, classes[1:])
    with pytest.raises(UsageError, match="60 records and 2 weights"):
        learner.fit(features, classes, np.ones(2))
    with pytest.raises(UsageError, match="no record to learn from"):
        learner.fit(features.without_records(), classes[:0])
    for weights in (np.zeros(60), np.full(60, np.nan), np.linspace(-1, 1, 60)):
        with pytest.raises(UsageError, match="numbers of 0 and more"):
            learner.fit(features, classes, weights)


def test_the_first_of_equally_common_classes():
    features = Features((), 4)
    learned = Majority.of(training_records(features, np.array([8, 2, 8, 2])))
    assert learned.predict(Features((), 2)).tolist() == [2, 2]
