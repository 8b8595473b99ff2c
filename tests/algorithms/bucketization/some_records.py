"""Records for tests: small drawn ones, the nine patients, and Adult with rules of one item over plain codes."""

import csv
from functools import cache

import numpy as np
from hypothesis import strategies as st

from sfumato.algorithms.bucketization.records import Records

QUASI = ("age", "workclass", "education", "marital-status", "race", "sex")


def plain(value, exclusion, ruled_out):
    """Records without quasi columns."""
    value, exclusion = np.array(value, dtype=np.int32), np.array(exclusion, dtype=np.int32)
    return Records(value, exclusion, np.array(ruled_out, dtype=bool), np.zeros((len(value), 0), dtype=np.int32), (), ())


def nine_patients():
    """Ovarian, prostate, flu, heart as 0 to 3; ovarian cancer is ruled out for men."""
    men = [0, 0, 1, 1, 0, 1, 1, 1, 1]
    return plain([0, 0, 1, 2, 3, 3, 3, 2, 2], men, [[False] * 4, [True, False, False, False]])


@st.composite
def small_records(draw, most=7, values=4, own_value=True):
    """Up to so many records with two quasi columns; with `own_value` everybody can have the value they have."""
    rows = draw(st.integers(0, most))
    sets = draw(st.integers(1, 3))
    flags = st.lists(st.booleans(), min_size=values, max_size=values)
    ruled_out = np.array(draw(st.lists(flags, min_size=sets, max_size=sets)))
    exclusion = np.array(draw(st.lists(st.integers(0, sets - 1), min_size=rows, max_size=rows)), dtype=np.int32)
    value = np.array(draw(st.lists(st.integers(0, values - 1), min_size=rows, max_size=rows)), dtype=np.int32)
    if own_value:
        ruled_out[:, 0] = False
        value[ruled_out[exclusion, value]] = 0
    quasi = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 19)), min_size=rows, max_size=rows))
    codes = np.array(quasi, dtype=np.int32).reshape(rows, 2)
    return Records(value, exclusion, ruled_out, codes, (3, 20), (False, True))


def many_records(rows, seed=0, values=8):
    """Records whose secret leans on both quasi columns, with a value ruled out for part of them."""
    random = np.random.default_rng(seed)
    quasi = np.stack([random.integers(0, 4, rows), random.integers(0, 40, rows)], axis=1).astype(np.int32)
    value = ((quasi[:, 0] + quasi[:, 1] // 10 + random.integers(0, 5, rows)) % values).astype(np.int32)
    ruled_out = np.zeros((5, values), dtype=bool)
    ruled_out[np.arange(1, 5), (np.arange(4) + 7) % values] = True
    exclusion = np.where(ruled_out[quasi[:, 0] + 1, value], 0, quasi[:, 0] + 1).astype(np.int32)
    return Records(value, exclusion, ruled_out, quasi, (4, 40), (False, True))


def adult_records(path, min_expectation):
    """Adult with what single codes rule out for the occupation: codes without a record of it, if that is no chance."""
    coded = _coded(path)
    quasi = np.stack([codes for _, codes in coded[:-1]], axis=1).astype(np.int32)
    sizes = tuple(len(values) for values, _ in coded[:-1])
    value = coded[-1][1].astype(np.int32)
    share = np.bincount(value) / len(value)
    needed = np.log(1 - min_expectation) / np.log(1 - share)
    banned = np.zeros((len(value), len(share)), dtype=bool)
    for place, size in enumerate(sizes):
        counts = np.zeros((size, len(share)), dtype=np.int64)
        np.add.at(counts, (quasi[:, place], value), 1)
        rules = (counts == 0) & (counts.sum(axis=1)[:, None] >= needed)
        banned |= rules[quasi[:, place]]
    row_keys = banned @ (1 << np.arange(len(share))[::-1])  # faster to sort than rows, in the same order
    _, first, exclusion = np.unique(row_keys, return_index=True, return_inverse=True)
    return Records(value, exclusion.astype(np.int32), banned[first], quasi, sizes, (True,) + (False,) * 5)


@cache
def _coded(path):
    """The values of every column and the code of every record, read once; nobody writes into them."""
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return [np.unique([row[name] for row in rows], return_inverse=True) for name in (*QUASI, "occupation")]


def copied(records):
    """What the arrays of records are now, to compare with what they are later."""
    return [array.copy() for array in (records.value, records.exclusion, records.ruled_out, records.quasi)]


def same(records, before):
    return all(np.array_equal(now, then) for now, then in zip(copied(records), before, strict=True))
