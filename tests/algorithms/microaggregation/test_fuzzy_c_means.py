from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import FuzzyCMeans
from sfumato.algorithms.microaggregation.fuzzy_groups import fuzzy_groups
from sfumato.errors import ParameterError
from tests.algorithms.numbers_table import grouped, groups_of, numbers_table, points_of


def test_the_groups_of_standardized_columns_are_published():
    table, way = numbers_table(), FuzzyCMeans(fuzziness=1.2, steps=3)
    expected = fuzzy_groups(points_of(table), 4, np.random.default_rng(3), fuzziness=1.2, steps=3)
    assert grouped(way, table, 4, seed=3) == groups_of(expected)


def test_without_fuzziness_there_are_no_shares():
    with pytest.raises(ParameterError, match="'fuzziness' of FuzzyCMeans must be number > 1"):
        FuzzyCMeans(fuzziness=1.0)
