from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.knowledge.axis import ItemAxis
from tests.oracles.plain_miner import codes_of, nodes_of
from tests.strategies import small_tables


def test_the_jobs_of_the_patients() -> None:
    axis = ItemAxis.of(hospital(), "Job")
    assert [item.text for item in axis.items] == ["Professional", "Engineer", "Lawyer", "Artist", "Dancer", "Writer"]
    assert axis.parent.tolist() == [-1, 0, 0, -1, 3, 3]
    assert axis.above.tolist() == [[0, 1, 2, 3, 4, 5], [-1, 0, 0, -1, 3, 3], [-2, -1, -1, -2, -1, -1]]
    assert axis.top.tolist() == [0, 3]


def test_values_that_too_few_have_are_left_out() -> None:
    assert [item.text for item in ItemAxis.of(hospital(), "Age", least=2).items] == ["30", "[35, 40)", "38"]


@settings(deadline=None)
@given(small_tables(max_sensitive=1), st.sampled_from([0.0, 0.25, 1.0]), st.sampled_from(["trapezoid", "triangle"]))
def test_all_nodes_once(table: Table, fuzziness: float, shape: str) -> None:
    for column in table.schema.quasi:
        axis = ItemAxis.of(table, column, fuzziness=fuzziness, shape=shape)  # type: ignore[arg-type]
        nodes = nodes_of(table, column, fuzziness, shape)
        assert {codes_of(table, item) for item in axis.items} == {node.sure for node in nodes}
        assert len(axis) == len(nodes)
        under = {node.sure: node.under for node in nodes}
        for place, parent in enumerate(axis.parent.tolist()):
            narrow = under[codes_of(table, axis.items[place])]
            wider = [other for other in under.values() if other > narrow]
            assert (under[codes_of(table, axis.items[parent])] if parent >= 0 else None) == min(
                wider, key=len, default=None
            )
