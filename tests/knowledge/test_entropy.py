"""Golden E2, knowledge that spans groups, and a certificate that nothing is nearer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from sfumato.errors import KnowledgeError, UsageError
from sfumato.knowledge import entropy
from sfumato.knowledge.entropy import KnownShare, maximum_entropy_release, nearest_joint
from sfumato.knowledge.inference import maximum_entropy
from tests.examples import examples

MEN = np.array([True, False])


class TestBreastCancer:
    """E2: buckets of one man and one woman, with breast cancer and flu."""

    def test_nothing_known(self):
        np.testing.assert_allclose(maximum_entropy_release([[1, 1]], [[1, 1]]), [[[0.5, 0.5], [0.5, 0.5]]])

    def test_no_man_has_it(self):
        found = maximum_entropy_release([[1, 1]], [[1, 1]], [KnownShare(MEN, 0, 0.0)])
        np.testing.assert_allclose(found, [[[0, 1], [1, 0]]], atol=1e-9)

    def test_few_men_have_it_whatever_the_bucket(self):
        """Of two men a quarter has it; the buckets are alike, so each man has it with a quarter."""
        found = maximum_entropy_release([[1, 1]] * 2, [[1, 1]] * 2, [KnownShare(MEN, 0, 0.25)])
        np.testing.assert_allclose(found, [[[0.25, 0.75], [0.75, 0.25]]] * 2, atol=1e-9)

    def test_what_one_bucket_tells_of_another(self):
        """One bucket has no breast cancer, so half of the two men having it leaves it to the man of the other."""
        found = maximum_entropy_release([[1, 1], [0, 2]], [[1, 1], [1, 1]], [KnownShare(MEN, 0, 0.5)])
        np.testing.assert_allclose(found, [[[1, 0], [0, 1]], [[0, 1], [0, 1]]], atol=1e-9)

    def test_what_cannot_be(self):
        with pytest.raises(KnowledgeError, match="contradicts the groups"):
            maximum_entropy_release([[1, 1]], [[2, 0]], [KnownShare(MEN, 0, 0.75)])


@given(st.integers(0, 10_000))
@examples(25)
def test_without_knowledge_groups_are_products(seed):
    random = np.random.default_rng(seed)
    values, people = random.integers(0, 4, (3, 4)), np.zeros((3, 2), dtype=int)
    values[:, 0] += 1
    people[:, 0] = random.integers(0, values.sum(axis=1) + 1)
    people[:, 1] = values.sum(axis=1) - people[:, 0]
    product = people[:, :, None] * values[:, None, :] / values.sum(axis=1)[:, None, None]
    np.testing.assert_allclose(maximum_entropy_release(values, people), product, atol=1e-9)


@given(st.integers(0, 10_000))
@examples(25)
def test_nothing_that_agrees_is_nearer(seed):
    """Where every number is above 0, the logarithm of what changed is a sum of one number a constraint."""
    random = np.random.default_rng(seed)
    sums = np.vstack(
        [np.kron(np.eye(3), np.ones((1, 4))), np.kron(np.ones((1, 3)), np.eye(4)), random.random(12) < 0.4]
    )
    truth, before = random.random(12) + 0.05, random.random(12) + 0.05
    found = nearest_joint(before, csr_array(sums), sums @ truth)
    np.testing.assert_allclose(sums @ found, sums @ truth, atol=1e-9)
    change = np.log(found / before)
    explained = sums.T @ np.linalg.lstsq(sums.T, change, rcond=None)[0]
    np.testing.assert_allclose(explained, change, atol=1e-6)


def test_numbers_that_must_be_nothing_are_nothing():
    sums = csr_array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
    found = nearest_joint(np.array([0.0, 1.0, 1.0, 1.0]), sums, np.ones(4))
    np.testing.assert_allclose(found, [0, 1, 1, 0], atol=1e-9)
    assert found[0] == found[3] == 0
    assert nearest_joint(np.ones(4), sums, np.zeros(4)).tolist() == [0, 0, 0, 0]


def test_chances_far_apart():
    """Odds of 1e16 to 1, of which entropy takes the root."""
    found = maximum_entropy([1, 1], [1, 1], [[1.0, 1e-8], [1e-8, 1.0]])
    assert found[0, 1] == pytest.approx(1e-8, rel=1e-3)


def test_what_is_too_much_or_does_not_fit(monkeypatch):
    with pytest.raises(UsageError, match="as many values as persons"):
        maximum_entropy_release([[1, 1]], [[1, 2]])
    monkeypatch.setattr(entropy, "MAX_UNKNOWNS", 3)
    with pytest.raises(UsageError, match="4 unknowns are too many"):
        maximum_entropy_release([[1, 1]], [[1, 1]])
