from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.disclosure.groups import Histogram
from sfumato.errors import UsageError
from sfumato.knowledge.matching import admissible_cells, valid_cells, valid_values
from tests.knowledge.loops.test_matching import matrices, single_groups
from tests.oracles.matching_oracle import by_enumeration


@given(single_groups(7, 4))
def test_valid_are_the_values_of_some_assignment(group):
    values, classes, ruled_out = group
    people, handed = (np.repeat(np.arange(len(often)), often) for often in (classes, values))
    never = [set(np.flatnonzero(ruled_out[who])) for who in people]
    found = valid_values(values, classes, ruled_out.tolist())
    assert [set(np.flatnonzero(found[who])) for who in people] == by_enumeration(never, handed.tolist())


@given(st.data())
def test_cells_of_many_groups(data):
    ruled_out = data.draw(matrices(3, 4))
    groups = data.draw(st.integers(1, 5))
    secrets, classes = np.zeros((groups, 4), dtype=np.int64), np.zeros((groups, 3), dtype=np.int64)
    for group in range(groups):
        for matrix in (secrets, classes):
            drawn = data.draw(st.lists(st.integers(0, matrix.shape[1] - 1), min_size=5, max_size=5))
            matrix[group] = np.bincount(drawn, minlength=matrix.shape[1])
    given_ = Histogram.of_matrix(secrets, secrets.sum(axis=0)), Histogram.of_matrix(classes, classes.sum(axis=0))
    valid, admissible = [], []
    for group, place in zip(*np.nonzero(classes), strict=True):
        there, who = np.flatnonzero(secrets[group]), np.flatnonzero(classes[group])
        found = valid_values(
            secrets[group][there].tolist(), classes[group][who].tolist(), ruled_out[np.ix_(who, there)]
        )
        valid.append(found[who.tolist().index(place)].sum())
        admissible.append((~ruled_out[place, there]).sum())
    for order in ("C", "F"):  # whatever way the rules lie in memory
        assert valid_cells(*given_, np.asarray(ruled_out, order=order)).tolist() == valid
        assert admissible_cells(*given_, np.asarray(ruled_out, order=order)).tolist() == admissible
    assert all(one <= other for one, other in zip(valid, admissible, strict=True))


@pytest.mark.parametrize(("values", "people"), [([2], [1]), ([0, 1], [1]), ([1], [1, 0])])
def test_every_record_has_one_value(values, people):
    with pytest.raises(UsageError, match="every record must have one value"):
        valid_values(values, people, np.zeros((len(people), len(values)), dtype=bool))
