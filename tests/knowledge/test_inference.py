"""Goldens E1 and E2, every assignment there is as an oracle, and where the three ways agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.disclosure.groups import Histogram
from sfumato.errors import KnowledgeError, UsageError
from sfumato.knowledge import inference
from sfumato.knowledge.inference import WAYS, beliefs, exact, maximum_entropy, omega
from sfumato.knowledge.matching import valid_values
from tests.examples import examples
from tests.oracles.beliefs_oracle import by_enumeration

CHANCES = st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0])
Group = tuple[list[int], list[int], np.ndarray]


@st.composite
def single_groups(draw: st.DrawFn, records: int = 6, most: int = 4, possible: bool = True) -> Group:
    """Counts of values and of classes, and what was likely; each class can have something."""
    size = draw(st.integers(1, records))
    kinds = [np.unique(draw(st.lists(st.integers(0, most - 1), min_size=size, max_size=size)), return_counts=True)[1]
             for _ in range(2)]  # fmt: skip
    row = st.lists(CHANCES, min_size=len(kinds[0]), max_size=len(kinds[0])).filter(any)
    rows = draw(st.lists(row, min_size=len(kinds[1]), max_size=len(kinds[1])))
    group = kinds[0].tolist(), kinds[1].tolist(), np.array(rows)
    if possible and not valid_values(*group[:2], group[2] <= 0).any():
        group = *group[:2], np.where(group[2] > 0, group[2], 0.3)
    return group


def enumerated(group: Group) -> np.ndarray | None:
    """What every way to hand the values out says, one row a class."""
    values, classes, chances = group
    handed = [str(value) for value in np.repeat(np.arange(len(values)), values)]
    people = np.repeat(np.arange(len(classes)), classes)
    priors = [{str(value): float(chances[who, value]) for value in range(len(values))} for who in people]
    found = by_enumeration(priors, handed)
    first = np.searchsorted(people, np.arange(len(classes)))
    names = list(map(str, range(len(values))))
    return None if found is None else np.array([[found[at][name] for name in names] for at in first])


class TestExact:
    @given(single_groups())
    def test_is_what_every_assignment_says(self, group):
        np.testing.assert_allclose(exact(*group), enumerated(group), atol=1e-12)

    def test_nothing_known_leaves_the_shares(self):
        """E1, bucket {F, F, L, L, M} and nothing known: F with 2/5."""
        np.testing.assert_allclose(exact([2, 2, 1], [5], [[1, 1, 1]]), [[2 / 5, 2 / 5, 1 / 5]])

    def test_one_value_excluded(self):
        """E1, (1, 0, 0): who does not have L has F with 2/3."""
        assert exact([2, 2, 1], [1, 4], [[1, 0, 1], [1, 1, 1]])[0] == pytest.approx([2 / 3, 0, 1 / 3])

    def test_one_other_known(self):
        """E1, (0, 1, 0): if somebody else is known to have L, everybody has F with 1/2."""
        assert exact([2, 2, 1], [1, 4], [[0, 1, 0], [1, 1, 1]])[1, 0] == pytest.approx(1 / 2)

    @pytest.mark.parametrize("chance", [0.11, 1e-6, 1e-30])
    def test_large_groups_that_nobody_expected(self, chance):
        """One of 400 has the second value: a record of odds r has it with r / (sum of all odds), by hand."""
        odds = np.array([1.0, 0.5]) / chance
        expected = odds / (odds @ [1, 399])
        found = exact([399, 1], [1, 399], [[chance, 1.0], [chance, 0.5]])
        np.testing.assert_allclose(found, np.column_stack([1 - expected, expected]), rtol=1e-9)
        np.testing.assert_allclose(exact([399, 1], [1, 399], [[1.0, 1 / chance], [1.0, 0.5 / chance]]), found)

    def test_what_floating_point_cannot_hold_is_refused_with_a_way_out(self):
        with pytest.raises(UsageError, match=r"too extreme for exact inference .* maximum_entropy"):
            exact([6, 2], [4, 4], [[1.0, 5e-324], [5e-324, 1.0]])
        with pytest.raises(UsageError, match=r"too extreme for exact inference .* maximum_entropy"):
            exact([4, 4], [1, 7], [[5e-324, 1.0], [5e-324, 1e300]])

    def test_large_groups_are_refused_with_a_way_out(self):
        with pytest.raises(UsageError, match=r"a group of 40 records with 20 values and 2 priors .* maximum_entropy"):
            exact([2] * 20, [20, 20], np.ones((2, 20)))


class TestBreastCancer:
    """E2: a man and a woman, breast cancer and flu."""

    @pytest.mark.parametrize("way", WAYS)
    def test_nothing_known(self, way):
        np.testing.assert_allclose(WAYS[way]([1, 1], [2], [[0.5, 0.5]]), [[0.5, 0.5]])
        np.testing.assert_allclose(WAYS[way]([1, 1], [1, 1], [[0.5, 0.5]] * 2), [[0.5, 0.5]] * 2)

    @pytest.mark.parametrize("way", ["exact", "maximum_entropy"])
    def test_a_man_never_has_it(self, way):
        np.testing.assert_allclose(WAYS[way]([1, 1], [1, 1], [[0, 1], [0.5, 0.5]]), [[0, 1], [1, 0]], atol=1e-12)

    def test_the_estimate_does_not_see_it_all(self):
        """By its formula: 1 / (1 + 0.5 / 1.5)."""
        np.testing.assert_allclose(omega([1, 1], [1, 1], [[0, 1], [0.5, 0.5]]), [[0, 1], [3 / 4, 1 / 4]])


class TestWhereTheyAgree:
    @given(single_groups(12))
    def test_sums(self, group):
        values, classes, _ = group
        for way in (exact, maximum_entropy):
            found = way(*group)
            np.testing.assert_allclose(found.sum(axis=1), 1)
            np.testing.assert_allclose(np.array(classes) @ found, values, atol=1e-9)
        np.testing.assert_allclose(omega(*group).sum(axis=1), 1)

    @given(single_groups(8), st.lists(st.floats(0.1, 5), min_size=8, max_size=8))
    def test_a_product_of_classes_and_values_says_nothing(self, group, scales):
        values, classes, _ = group
        sizes = np.array(scales)
        product = sizes[: len(classes), None] * sizes[-len(values) :]
        shares = np.tile(np.array(values) / sum(values), (len(classes), 1))
        for way in (exact, maximum_entropy):
            np.testing.assert_allclose(way(values, classes, product), shares, atol=1e-9)
        same = np.tile(sizes[-len(values) :], (len(classes), 1))
        np.testing.assert_allclose(omega(values, classes, same), shares, atol=1e-9)

    @given(single_groups(8), st.lists(st.floats(0.1, 5), min_size=8, max_size=8))
    def test_scaling(self, group, scales):
        values, classes, chances = group
        sizes = np.array(scales)
        for way in WAYS.values():
            plain = way(*group)
            columns = way(values, classes, chances * sizes[: len(values)])
            np.testing.assert_allclose(columns, plain, atol=1e-8)
            if way in (exact, maximum_entropy):
                rows = way(values, classes, chances * sizes[: len(classes), None])
                np.testing.assert_allclose(rows, plain, atol=1e-8)

    @given(st.lists(CHANCES.filter(bool), min_size=4, max_size=4))
    def test_two_records_with_two_values(self, chances):
        """Odds of r to 1 exactly, of the root of r to 1 by entropy: they agree where r is 1."""
        odds = chances[0] * chances[3] / (chances[1] * chances[2])
        group = [1, 1], [1, 1], np.array(chances).reshape(2, 2)
        assert exact(*group)[0, 0] == pytest.approx(odds / (1 + odds))
        assert maximum_entropy(*group)[0, 0] == pytest.approx(odds**0.5 / (1 + odds**0.5))

    def test_entropy_is_what_large_groups_come_to(self):
        chances = np.array([[0.6, 0.1, 0.3], [0.2, 0.3, 0.5]])
        gaps = [
            np.abs(exact(counts, people, chances) - maximum_entropy(counts, people, chances)).max()
            for times in (1, 4, 16)
            for counts, people in [([times] * 3, [times, 2 * times])]
        ]
        assert gaps[0] > 3 * gaps[1] > 9 * gaps[2] > 0

    def test_only_one_assignment(self):
        chances = np.triu(np.full((4, 4), 0.25))
        for way in (exact, maximum_entropy):
            np.testing.assert_allclose(way([1] * 4, [1] * 4, chances), np.eye(4), atol=1e-9)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
class TestRefusals:
    @given(group=single_groups(possible=False))
    def test_what_contradicts_the_group(self, way, group):
        if enumerated(group) is None:
            with pytest.raises(KnowledgeError, match="contradicts the group"):
                way(*group)
        else:
            assert np.isfinite(way(*group)).all()

    def test_counts_that_are_none(self, way):
        for values, classes, chances in (([1, 1], [1], [[1, 1]]), ([2, 0], [2], [[1, 1]]), ([2], [2], [[1, 1]])):
            with pytest.raises(UsageError, match="every record must have one value"):
                way(values, classes, chances)


class TestBeliefs:
    VALUES = np.array([[2, 0, 1], [1, 1, 1], [0, 3, 0]])
    CLASSES = np.array([[1, 2], [0, 3], [2, 1]])
    CHANCES = np.array([[0.6, 0.4, 0.0], [0.3, 0.3, 0.4]])

    def asked(self, way, watched=(True, True, True)):
        counted = (Histogram.of_matrix(matrix, matrix.sum(axis=0)) for matrix in (self.VALUES, self.CLASSES))
        return beliefs(*counted, self.CHANCES, np.array(watched), way)

    @pytest.mark.parametrize("way", WAYS)
    def test_group_after_group(self, way):
        first = WAYS[way]([2, 1], [1, 2], self.CHANCES[:, [0, 2]]).max(axis=1)
        np.testing.assert_allclose(self.asked(way), [*first, 1 / 3, 1, 1])

    @pytest.mark.parametrize("way", WAYS)
    def test_only_what_is_watched(self, way):
        first = WAYS[way]([2, 1], [1, 2], self.CHANCES[:, [0, 2]])[:, 1]
        np.testing.assert_allclose(self.asked(way, (False, False, True)), [*first, 1 / 3, 0, 0])

    def test_groups_that_take_too_long(self, monkeypatch):
        """Exactly there is no belief, but where all are alike; entropy is found another way, and is the same."""
        expected = self.asked("maximum_entropy")
        monkeypatch.setattr(inference, "MAX_STEPS", 1)
        monkeypatch.setattr(inference, "_MAX_ROUNDS", 0)
        np.testing.assert_array_equal(np.isnan(self.asked("exact")), [True, True, False, False, False])
        np.testing.assert_allclose(self.asked("maximum_entropy"), expected, atol=1e-9)

    @examples(30)
    @given(single_groups(7, possible=False))
    def test_contradicted_groups_have_none(self, group):
        values, classes, chances = (np.array(part) for part in group)
        counted = [Histogram.of_matrix(counts[None, :], counts) for counts in (values, classes)]
        for way in WAYS:
            found = beliefs(*counted, chances, np.ones(len(values), dtype=bool), way)
            assert np.isnan(found).all() if enumerated(group) is None else (found <= 1 + 1e-9).all()
