"""What a side loses, against what would really be published; no kernel twin has a part in it."""

import numpy as np
from hypothesis import given

from sfumato.algorithms.mondrian.loops.every_cut import every_cut
from sfumato.data.partition import Partition
from sfumato.metrics import Ncp
from sfumato.operations.generalize import generalize_groups
from tests.examples import examples
from tests.kernels.cutting import grouped_rows, listed


@given(grouped_rows())
@examples(60)
def test_the_loss_of_a_side_is_the_ncp_of_publishing_it(given_rows):
    """Independent of the kernels: publish both sides as groups of their own and measure them."""
    table, sets, rows, losses, sizes, _, _ = given_rows
    starts, stops = np.array([0]), np.array([len(table)])
    cuts = listed(every_cut, rows, losses, sizes, starts, stops, 1)
    columns = len(table.schema.quasi)
    for cut in range(len(cuts.group)):
        name = table.schema.quasi[cuts.column[cut]]
        sides = (table.codes[name] > cuts.place[cut]).astype(np.int32)
        candidate = generalize_groups(table, Partition.of_labels(sides), sets=sets)
        expected = Ncp().measure(candidate) * table.records * columns
        np.testing.assert_allclose(cuts.left_loss[cut] + cuts.right_loss[cut], expected, atol=1e-9)
