import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms.microaggregation.loops.membership import apart, joining, leaving, relocate, settle
from tests.kernels.some_groups import groups, is_in_order, loss
from tests.oracles.optimal_microaggregation import sse


@given(groups())
def test_settles_from_labels_alone(at):
    losses = settle(at)
    for group in range(len(at.sizes)):
        mine = at.points[at.labels == group]
        assert np.isclose(losses[group], sse(mine, np.zeros(len(mine))) if len(mine) else 0.0)
    assert is_in_order(at, 3)


@given(groups(), st.data())
def test_joining_and_leaving_are_what_the_sse_change_by(at, data):
    record = data.draw(st.integers(0, len(at.labels) - 1))
    group = data.draw(st.sampled_from([g for g in range(len(at.sizes)) if g != at.labels[record] and at.sizes[g]]))
    before, grows, falls = loss(at), joining(at, record, group), leaving(at, record)
    after = at.labels.copy()
    after[record] = group
    assert np.isclose(sse(at.points, after) - before, grows - falls)
    middle = at.points[at.labels == group].mean(axis=0)
    assert np.isclose(apart(at, record, group), ((at.points[record] - middle) ** 2).sum())


@given(groups(), st.data())
def test_relocating_keeps_everything_up_to_date_and_can_be_taken_back(at, data):
    able = [record for record in range(len(at.labels)) if at.sizes[at.labels[record]] > 3]
    if not able:
        return
    record = data.draw(st.sampled_from(able))
    targets = [g for g in range(len(at.sizes)) if g != at.labels[record] and 0 < at.sizes[g] < 5]
    if not targets:
        return
    old, group = at.labels[record], data.draw(st.sampled_from(targets))
    relocate(at, record, group)
    assert at.labels[record] == group
    assert is_in_order(at, 3)
    relocate(at, record, old)
    assert at.labels[record] == old
    assert is_in_order(at, 3)


@given(groups())
def test_the_first_and_the_last_of_a_group_cost_nothing(at):
    spare = [group for group in range(len(at.sizes)) if at.sizes[group] == 0]
    if not spare:
        return
    assert joining(at, 0, spare[0]) == 0
    relocate(at, 0, spare[0])
    assert leaving(at, 0) == 0
    assert at.centroids[spare[0]].tolist() == at.points[0].tolist()
