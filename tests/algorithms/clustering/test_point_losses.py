import numpy as np
import pytest

from sfumato.algorithms.clustering.point_losses import point_loss


@pytest.mark.parametrize(("name", "pair"), [("sse", 8.0), ("adm", 4.0)])
def test_each_name_is_a_loss(name, pair):
    assert point_loss(name, np.array([[1.0], [5.0]]), 1).pairs(0)[1] == pair
