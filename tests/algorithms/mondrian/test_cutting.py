"""The search of Mondrian: what is counted of the sides of cuts changes no groups, and memory follows the rows."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import InfoGainMondrian, Mondrian
from sfumato.algorithms.mondrian import cutting
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import InfeasibleError
from sfumato.models import (
    AlphaKAnonymity,
    ConfidenceBounding,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    LkcPrivacy,
    RecursiveCLDiversity,
    TCloseness,
)
from sfumato.models.all_of import AllOf
from sfumato.runtime.progress import listening
from tests.examples import examples

WAYS = [Mondrian(), Mondrian(cut="median"), Mondrian(cut="median", relaxed=True), InfoGainMondrian()]
MODELS = [
    KAnonymity(k=2) & DistinctLDiversity(l=2),
    DistinctLDiversity(l=3, missing="no value"),
    RecursiveCLDiversity(c=2, l=2),
    RecursiveCLDiversity(c=1.5, l=3, missing="no value"),
    ConfidenceBounding(h=0.5),
    ConfidenceBounding(h=0.4, value="a"),
    AlphaKAnonymity(alpha=0.6, k=2),
    LkcPrivacy(l=2, k=2, c=0.6, values=("a", "b")),
    DistinctLDiversity(l=2) & ConfidenceBounding(h=0.6, value="b"),
]


class EveryValue(AllOf):
    """The same models, of which a search counts all values on the sides of cuts."""

    def values_read(self, column, schema):
        return None


@st.composite
def tables(draw):
    """Rows with two quasi columns and a sensitive column of up to eight values, one of them missing."""
    rows = draw(st.integers(2, 24))
    columns = {
        "age": st.integers(1, 9).map(str),
        "job": st.sampled_from(["x", "y", "z"]),
        "s": st.sampled_from(["a", "b", "c", "d", "e", "f", "g", None]),
        "t": st.sampled_from(["0", "1"]),
    }
    drawn = {name: draw(st.lists(values, min_size=rows, max_size=rows)) for name, values in columns.items()}
    drawn["s"][:2] = ["a", "b"]
    return Table.of_rows(Schema.of(quasi=["age", "job"], sensitive=["s"], target=["t"]), drawn)


def groups_of(algorithm, table, model):
    try:
        release = algorithm.anonymize(table, model)
    except InfeasibleError:
        return None
    candidate = release.candidate
    return {name: candidate.published.codes[name].tolist() for name in table.schema.quasi}, candidate.origin.tolist()


@pytest.mark.parametrize("algorithm", WAYS, ids=str)
@given(table=tables(), model=st.sampled_from(MODELS))
@examples(30)
def test_the_most_frequent_values_give_the_groups_that_all_values_give(algorithm, table, model):
    assert groups_of(algorithm, table, model) == groups_of(algorithm, table, EveryValue(models=model.members()))


@pytest.mark.parametrize("algorithm", WAYS, ids=str)
@given(table=tables(), model=st.sampled_from([*MODELS, EntropyLDiversity(l=1.5), TCloseness(t=0.4)]))
@examples(30)
def test_blocks_of_cuts_do_not_change_the_groups(algorithm, table, model):
    expected = groups_of(algorithm, table, model)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "_CELLS", 1)  # every cut is judged alone
        patch.setattr(cutting, "_LISTED", 1)
        assert groups_of(algorithm, table, model) == expected


def many_values(rows):
    """Rows of which each has a sensitive value and a place of its own."""
    numbers = np.arange(rows)
    columns = {
        "age": (numbers * 7919 % 97).astype(str).tolist(),
        "place": [f"{number:06}" for number in (numbers * 104_729 % rows).tolist()],
        "pay": (numbers * 15_485_863 % rows).astype(str).tolist(),
    }
    return Table.of_rows(Schema.of(quasi=["age", "place"], sensitive=["pay"]), columns)


def peak_of(work):
    work()  # compiles
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cut", ["best", "median"])
def test_memory_follows_the_rows_and_not_the_values_of_all_cuts(cut):
    """10,000 values on both sides of 10,000 cuts would be 1.6 GB, and bits of 10,000 places in every row 12 MB."""
    table = many_values(10_000)
    model = KAnonymity(k=5) & DistinctLDiversity(l=2)
    groups = cutting.best_groups if cut == "best" else cutting.median_groups
    assert peak_of(lambda: groups(table, model, sets=True)) < 40_000_000


def test_models_that_read_all_values_judge_blocks_of_cuts(monkeypatch):
    """2,000 values on both sides of 2,096 cuts are 8 million cells; here at most 100,000 are judged at a time."""
    monkeypatch.setattr(cutting, "_CELLS", 100_000)
    monkeypatch.setattr(cutting, "_LISTED", 10_000)
    table = many_values(2000)
    assert peak_of(lambda: cutting.best_groups(table, EntropyLDiversity(l=2), sets=True)) < 12_000_000


def test_blocks_hold_as_many_cells_as_asked_for():
    """6 and 5 fit into 11; 20 is a block of its own, whatever is asked for."""
    blocks = list(cutting._blocks(np.array([6, 5, 20, 3, 3, 3]), 11))
    assert blocks == [slice(0, 2), slice(2, 3), slice(3, 6)]


def test_progress_is_told_within_a_round(monkeypatch):
    """The first of the eleven rounds has some 2,000 cuts, which are judged in many blocks."""
    monkeypatch.setattr(cutting, "_CELLS", 1000)
    heard = []
    with listening(lambda what, done, total: heard.append(done) if what == "cutting groups" else None):
        cutting.best_groups(many_values(2000), KAnonymity(k=2), sets=True)
    assert heard == sorted(heard)
    assert len({done for done in heard if done <= 1000 // 11}) > 10


def test_a_listing_tells_how_far_it_is():
    """Of four groups of two rows the third is written last: four of eight rows, which is a quarter of the round."""
    table = many_values(8)
    search = cutting.Cutting(table, KAnonymity(k=2), None, None, None)
    ends = np.array([0, 2, 4, 6, 8])
    group = np.array([0, 1, 2, -1], dtype=np.int32)
    assert search._round == 1 / 2
    assert search._listed_part(cutting._Finished(0.5, 0.5), 0, ends, group) == 625
    assert search._listed_part(cutting._Finished(0.5, 0.7), 0, ends, group) == 700
    assert search._listed_part(cutting._Finished(0.5, 0.5), 0, ends, np.full(4, -1, dtype=np.int32)) == -1
