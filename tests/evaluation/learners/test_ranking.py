from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import ParameterError
from sfumato.evaluation.learners import C45, Features, rank
from tests.evaluation.learners.records import ADULT_TOP, CRX_TOP, adult_frame, crx_frame, features_of


def test_adult_is_ranked_as_in_the_paper(data_folder):
    """Fung, Wang and Yu (2007), section 5: Cg, Ag, M, En, Re, H, S, E, O."""
    features, classes, train, _ = features_of(adult_frame(data_folder))
    assert rank(C45(), features.rows(train), classes[train], 9) == list(ADULT_TOP)


def test_crx_is_ranked_as_in_the_paper(data_folder):
    """The ninth is A4 or A5, which are the same column under other names."""
    features, classes, train, _ = features_of(crx_frame(data_folder))
    found = rank(C45(), features.rows(train), classes[train], 9)
    assert found[:8] == list(CRX_TOP)
    assert found[8] in {"A4", "A5"}


def test_columns_that_tell_nothing_are_not_ranked():
    frame = pa.table({"age": [1, 2, 3, 4, 5, 6], "town": ["a"] * 6})
    features = Features.of_frame(frame, ["town", "age"])
    assert rank(C45(), features, np.array([0, 0, 0, 1, 1, 1]), 2) == ["age"]


@pytest.mark.parametrize("how_many", [0, 3])
def test_how_many_there_can_be(how_many):
    features = Features.of_frame(pa.table({"a": [1], "b": [2]}), ["a", "b"])
    with pytest.raises(ParameterError, match=f"between 1 and the 2 columns; got {how_many}"):
        rank(C45(), features, np.array([0]), how_many)
