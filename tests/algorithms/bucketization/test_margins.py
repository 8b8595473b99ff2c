import numpy as np
from hypothesis import given

from sfumato.algorithms.bucketization.margins import COARSE, association, coarsened, views_of
from sfumato.algorithms.bucketization.records import Records
from tests.algorithms.bucketization.some_records import many_records, small_records


@given(small_records())
def test_views_are_columns_and_pairs_and_never_share_a_code(records):
    views, cells, kinds = views_of(records)
    assert views.codes.shape == (len(records), 4)  # two columns, the second once more in a vaguer view, their pair
    assert kinds == records.ruled_out.shape[1]
    assert views.kind.tolist() == list(range(kinds))
    used = [set(views.codes[:, view].tolist()) for view in range(4)]
    assert len(set().union(*used)) == sum(map(len, used))
    assert all(0 <= code < cells for codes in used for code in codes)


@given(small_records())
def test_a_pair_tells_both_columns(records):
    views, _, _ = views_of(records)
    vague, _ = coarsened(records, 1, COARSE)
    seen = {}
    for row, code in enumerate(views.codes[:, 3].tolist()):
        mine = (int(records.quasi[row, 0]), int(vague[row]))
        assert seen.setdefault(code, mine) == mine


@given(small_records())
def test_an_ordered_column_is_coarsened_to_neighbours(records):
    codes, size = coarsened(records, 1, COARSE)
    assert size == COARSE
    order = np.argsort(records.quasi[:, 1], kind="stable")
    assert (np.diff(codes[order]) >= 0).all()
    assert codes.min(initial=0) >= 0
    assert codes.max(initial=0) < COARSE


def test_rare_codes_of_an_unordered_column_come_together():
    column = np.repeat(np.arange(20, dtype=np.int32), [30, 20, *[1] * 18])[:, None]
    nothing = np.zeros(len(column), dtype=np.int32)
    records = Records(nothing, nothing, np.zeros((1, 1), dtype=bool), column, (20,), (False,))
    codes, size = coarsened(records, 0, 3)
    assert size == 3
    assert np.bincount(codes).tolist() == [30, 20, 18]


def test_association_is_zero_by_chance_and_large_where_one_tells_the_other():
    records = many_records(5_000)
    chance = np.random.default_rng(1).integers(0, 4, 5_000)
    secret = records.value.astype(np.int64)
    assert abs(association(chance, 4, records)) < 0.005
    shares = np.bincount(secret) / len(secret)
    entropy = -(shares * np.log(shares)).sum()
    assert abs(association(secret, 8, records) - entropy) < 0.01
