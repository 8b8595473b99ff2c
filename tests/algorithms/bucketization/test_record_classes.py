import numpy as np
from hypothesis import given

from sfumato.algorithms.bucketization import record_classes as module
from sfumato.algorithms.bucketization.record_classes import Classes
from tests.algorithms.bucketization.some_records import small_records


@given(small_records(most=8))
def test_classes_are_pairs_in_order_of_their_first_record(records):
    pairs = list(zip(records.value.tolist(), records.exclusion.tolist(), strict=True))
    distinct = list(dict.fromkeys(pairs))
    classes = Classes.of_records(records)
    assert list(zip(classes.value.tolist(), classes.exclusion.tolist(), strict=True)) == distinct
    assert [distinct[number] for number in classes.of] == pairs
    assert classes.counts.tolist() == [pairs.count(pair) for pair in distinct]
    for number, pair in enumerate(distinct):
        mine = classes.rows[classes.starts[number] : classes.starts[number + 1]]
        assert mine.tolist() == [row for row, other in enumerate(pairs) if other == pair]


@given(small_records(most=8))
def test_rulings_list_what_each_set_rules_out(records):
    classes = Classes.of_records(records)
    for number, ruled_out in enumerate(records.ruled_out):
        mine = classes.rulings[classes.bounds[number] : classes.bounds[number + 1]]
        assert mine.tolist() == np.flatnonzero(ruled_out).tolist()


@given(small_records(most=8))
def test_very_many_possible_classes_are_sorted_instead(records):
    expected = Classes.of_records(records)
    before, module.SPARSE = module.SPARSE, -1
    try:
        rows = len(records)
        found = module._number_classes(records) if records.ruled_out.size > 4 * rows else expected.of
    finally:
        module.SPARSE = before
    assert found.tolist() == expected.of.tolist()
