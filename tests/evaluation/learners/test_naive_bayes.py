from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.evaluation.learners import Features, NaiveBayes
from sfumato.evaluation.learners.naive_bayes import _even_cuts
from tests.evaluation.learners.records import adult_frame, drawn, features_of
from tests.examples import examples


def test_names_by_hand():
    """Four of class 0 (x x x y), two of class 1 (y y), one case added for each of two names.

    y: class 0 has 5/8 * 2/6 = 0.208, class 1 has 3/8 * 3/4 = 0.281; x: 5/8 * 4/6 against 3/8 * 1/4.
    """
    features = Features.of_frame(pa.table({"a": list("xxxyyy")}), ["a"])
    learned = NaiveBayes().fit(features, np.array([0, 0, 0, 0, 1, 1]))
    assert np.exp(learned.prior) == pytest.approx([5 / 8, 3 / 8])
    assert np.exp(learned.likelihoods[0].shares) == pytest.approx(np.array([[4 / 6, 1 / 4], [2 / 6, 3 / 4]]))
    assert learned.predict(features).tolist() == [0, 0, 0, 1, 1, 1]
    strange = Features.of_frame(pa.table({"a": ["z"]}), ["a"])
    assert learned.predict(strange).tolist() == [0]


def test_bells_by_hand():
    """Class 0 has mean 1 and variance 1, class 1 mean 10 and variance 4; the missing number counts for nothing."""
    features = Features.of_frame(pa.table({"n": [0, 2, 8, 12, None]}), ["n"])
    learned = NaiveBayes().fit(features, np.array([0, 0, 1, 1, 1]))
    assert learned.likelihoods[0].mean.tolist() == [1, 10]
    assert learned.likelihoods[0].variance == pytest.approx([1, 4], rel=1e-6)
    assert learned.predict(features).tolist() == [0, 0, 1, 1, 1]


def test_bins_hold_equally_many_cases():
    values = np.array([5.0, 1.0, 2.0, np.nan, 3.0, 4.0, 6.0])
    assert _even_cuts(values, np.ones(7), 3).tolist() == [2.0, 4.0]
    assert _even_cuts(values, np.array([1, 4.0, 1, 9, 1, 1, 1]), 2).tolist() == [2.0]
    assert _even_cuts(np.full(4, 7.0), np.ones(4), 2).tolist() == []
    assert _even_cuts(np.full(4, np.nan), np.ones(4), 2).tolist() == []


def test_columns_that_say_nothing_have_no_vote():
    rows = {"same": [1.0] * 6, "void": pa.array([None] * 6, pa.float64()), "a": list("xxxyyy")}
    features = Features.of_frame(pa.table(rows), list(rows))
    for kind in ("gaussian", "bins"):
        learned = NaiveBayes(numeric=kind).fit(features, np.array([0, 0, 0, 1, 1, 1]))
        assert learned.predict(features).tolist() == [0, 0, 0, 1, 1, 1]


@given(drawn(missing=False), st.sampled_from([0.5, 1.0, 3.0]))
@examples(60)
def test_names_are_judged_as_scikit_learn_judges_them(records, smoothing):
    """Its prior is not smoothed, so it is given ours."""
    bayes = pytest.importorskip("sklearn.naive_bayes")
    features, classes, weights = records
    features = features.without([column.name for column in features.columns if column.numeric])
    assume(features.columns and len(set(classes.tolist())) > 1)
    table = np.stack([column.values for column in features.columns], axis=1)
    sums = np.bincount(classes, weights=weights)[np.unique(classes)] + smoothing
    peer = bayes.CategoricalNB(alpha=smoothing, class_prior=sums / sums.sum(), min_categories=5)
    peer.fit(table, classes, sample_weight=weights)
    learned = NaiveBayes(smoothing=smoothing).fit(features, classes, weights)
    chances = learned.prior + sum(
        vote.of_values(column.values) for vote, column in zip(learned.likelihoods, features.columns, strict=True)
    )
    np.testing.assert_allclose(chances, peer.predict_joint_log_proba(table), atol=1e-9)


def test_bells_are_those_of_scikit_learn():
    bayes = pytest.importorskip("sklearn.naive_bayes")
    random = np.random.default_rng(5)
    table, classes = random.normal(size=(200, 3)), random.integers(0, 3, size=200)
    table += classes[:, None]
    features = Features.of_frame(pa.table(dict(zip("abc", table.T, strict=True))), list("abc"))
    learned = NaiveBayes().fit(features, classes.astype(np.int32))
    peer = bayes.GaussianNB().fit(table, classes)
    np.testing.assert_allclose([vote.mean for vote in learned.likelihoods], peer.theta_.T, atol=1e-9)
    np.testing.assert_allclose([vote.variance for vote in learned.likelihoods], peer.var_.T, rtol=1e-6)
    assert (learned.predict(features) == peer.predict(table)).mean() > 0.98


def test_adult_comes_near_the_paper(data_folder):
    """Fung, Wang and Yu (2007), section 5.2: a baseline error of 18.07 %, without saying how numbers were treated."""
    features, classes, train, test = features_of(adult_frame(data_folder))
    for kind in ("gaussian", "bins"):
        learned = NaiveBayes(numeric=kind).fit(features.rows(train), classes[train])
        wrong = (learned.predict(features.rows(test)) != classes[test]).mean()
        assert 100 * wrong == pytest.approx(18.07, abs=0.5)
