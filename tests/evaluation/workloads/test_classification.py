from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.algorithms import Exhaustive, Mondrian
from sfumato.data.schema import Schema
from sfumato.errors import DataError, ParameterError, SchemaError, UsageError
from sfumato.evaluation.learners import C45, NaiveBayes
from sfumato.evaluation.workloads import Classification, Split
from sfumato.models import KAnonymity
from sfumato.taxonomies import Tree
from tests.evaluation.learners.records import ADULT_TOP, FRAMES

TOWNS = Tree(branches={"ANY": {"coast": ["ayr", "bude"], "inland": ["cork", "dale"]}})


def people(times: int = 12) -> pa.Table:
    """Four towns, two jobs, and illness: always on the coast, for smiths also inland in dale."""
    town = ["ayr", "bude", "cork", "dale"] * 2 * times
    job = (["cook"] * 4 + ["smith"] * 4) * times
    ill = [
        "yes" if t in {"ayr", "bude"} or (t, j) == ("dale", "smith") else "no" for t, j in zip(town, job, strict=True)
    ]
    return pa.table({"name": [f"p{place}" for place in range(len(town))], "town": town, "job": job, "ill": ill})


def schema(**given) -> Schema:
    return Schema.of(quasi=["town"], identifiers=["name"], target=["ill"], taxonomies={"town": TOWNS}, **given)


def test_nothing_masked_costs_nothing():
    """Towns are names before and after; k = 1 leaves each as it is."""
    frame = people()
    split = Split.at_random(frame.num_rows, seed=3)
    found = Classification(masking="all").measure(frame, schema(), Exhaustive(), KAnonymity(k=1), split)
    assert found.baseline == found.masked == found.cost == 0
    assert found.benefit == found.upper > 0


def test_everything_masked_is_as_good_as_left_out():
    frame = people()
    split = Split.at_random(frame.num_rows, seed=3)
    model = KAnonymity(k=frame.num_rows)
    found = Classification(masking="all").measure(frame, schema(), Exhaustive(), model, split)
    assert found.masked == found.upper > found.baseline


def test_one_level_up_by_hand():
    """Coast or inland and the job: all wrong guesses are inland, among smiths, who are ill in dale and not in cork."""
    frame = people()
    split = Split.first(72, 96)
    found = Classification(masking="all").measure(frame, schema(), Exhaustive(), KAnonymity(k=48), split)
    assert found.baseline == 0
    assert found.masked == 3 / 24  # of 24 test records 6 are inland smiths, and half of them are in the other town


def test_cross_validation_masks_by_training_records_alone():
    frame, seen = people(), []

    @dataclass(frozen=True, kw_only=True)
    class Watched(Exhaustive):
        """Remembers how many records it was shown."""

        def anonymize(self, table, model, **given):
            seen.append(table.records)
            return super().anonymize(table, model, **given)

    quarters = np.split(np.arange(96), 4)
    split = Split(tuple((np.setdiff1d(np.arange(96), quarter), quarter) for quarter in quarters), "four quarters")
    found = Classification().measure(frame, schema(), Watched(), KAnonymity(k=20), split)
    assert seen == [72, 72, 72, 72]
    assert found.baseline == 0
    assert found.masked == pytest.approx(12 / 96)
    whole = Classification(masking="all").measure(frame, schema(), Watched(), KAnonymity(k=20), split)
    assert seen == [72, 72, 72, 72, 96]
    assert whole.baseline == found.baseline
    assert "took part in the masking" in whole.protocol
    assert "decided on training records alone" in found.protocol
    assert found.protocol.startswith("c45(); four quarters; ")


def test_folds_count_by_their_test_records():
    """Three wrong of 4 and none of 1: 3 of 5, not the mean of 3/4 and 0."""
    frame = pa.table({"a": ["x"] * 10, "y": ["p", "p", "p", "q", "q", "q", "p", "q", "q", "q"]})
    folds = ((np.array([0, 1, 2]), np.array([3, 4, 5, 6])), (np.array([3, 4]), np.array([7])))
    assert Classification().error(frame, "y", Split(folds)) == pytest.approx(3 / 5)


def test_suppressed_records_are_not_trained_on():
    """One rare town is suppressed; its cells are empty, and its class cannot be learned from."""
    rows = people(3).append_column("rank", pa.array([1.5] * 24))
    rare = pa.table({"name": ["z"], "town": ["cork"], "job": ["pilot"], "ill": ["no"], "rank": [9.0]})
    frame = pa.concat_tables([rare, rows])
    roles = Schema.of(quasi=["town", "job"], identifiers=["name"], target=["ill"], taxonomies={"town": TOWNS})
    split, trained = Split.first(13, 25), []

    @dataclass(frozen=True, kw_only=True)
    class Watched(C45):
        """Remembers how many records it learned from."""

        def fit(self, features, classes, weights=None):
            trained.append(len(features))
            return super().fit(features, classes, weights)

    for masking in ("all", "train"):
        measure = Classification(learner=Watched(), masking=masking).measure
        found = measure(frame, roles, Mondrian(), KAnonymity(k=1), split)
        assert found.masked == found.baseline
        with_gap = measure(frame, roles, Lonely(), KAnonymity(k=1), split, suppression=0.2)
        assert trained[-6:] == [13, 13, 13, 13, 12, 13]
        assert 0 <= with_gap.masked <= 1


@dataclass(frozen=True, kw_only=True)
class Lonely(Mondrian):
    """Leaves the one pilot out, wherever there is one."""

    def _publish(self, table, model, suppression, random):
        candidate = super()._publish(table, model, suppression, random)
        job = candidate.original.codes["job"][candidate.origin]
        return candidate.suppressing(job == candidate.original.domain("job").code_of("pilot"))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "arrow"])
@pytest.mark.parametrize("masking", ["train", "all"])
def test_any_frame_will_do(make, masking):
    frame = make(people().to_pydict())
    split = Split.into_folds(96, 3)
    found = Classification(masking=masking).measure(frame, schema(), Exhaustive(), KAnonymity(k=2), split)
    assert found.baseline == found.masked == 0


def test_sensitive_columns_are_seen_and_identifiers_are_not():
    """The class is told by a sensitive column alone, or by a name alone."""
    told = pa.table({"town": ["ayr"] * 40, "salary": ["low", "high"] * 20, "ill": ["yes", "no"] * 20})
    split = Split.first(30, 40)
    given = Schema.of(quasi=["town"], sensitive=["salary"], target=["ill"])
    assert Classification().measure(told, given, Mondrian(), KAnonymity(k=2), split).masked == 0
    hidden = Schema.of(quasi=["town"], identifiers=["salary"], target=["ill"])
    assert Classification().measure(told, hidden, Mondrian(), KAnonymity(k=2), split).masked == 0.5


def test_missing_markers_are_missing():
    """With `?` as a marker the ages are numbers, and one cut serves ages never seen.

    37 and 39 are of different classes in training, so the cut is at 37, and of 20 test records the one of 38 is
    guessed wrongly. As names the ages in testing would all be new, and every guess the same.
    """
    ages = ["?", *map(str, range(20, 59))]
    frame = pa.table({"age": ages, "town": ["ayr", "bude"] * 20, "ill": ["no"] * 20 + ["yes"] * 20})
    order = np.concatenate([np.arange(0, 40, 2), np.arange(1, 40, 2)])
    frame, split = frame.take(order), Split.first(20, 40)
    roles = Schema.of(quasi=["town"], target=["ill"], missing=["?"])
    measure = Classification(masking="all").measure
    assert measure(frame, roles, Mondrian(), KAnonymity(k=2), split).masked == 1 / 20
    unmarked = Schema.of(quasi=["town"], target=["ill"])
    assert measure(frame, unmarked, Mondrian(), KAnonymity(k=2), split).masked == 10 / 20


def test_the_error_of_a_frame_as_it_is():
    frame = people().drop_columns(["name"])
    split = Split.first(72, 96)
    assert Classification().error(frame, "ill", split) == 0
    assert Classification().error(frame, "ill", split, without=["town"]) > 0.2
    numbers = pa.table({"code": [1, 2, 3, 4] * 6, "y": ["a", "b", "a", "b"] * 6})
    assert Classification().error(numbers, "y", Split.first(16, 24), nominal=["code"]) == 0
    assert Classification(learner=NaiveBayes()).error(numbers, "y", Split.first(16, 24), nominal=["code"]) == 0


def test_classes_are_numbered_as_they_occur():
    """An even leaf is of the class that came first, whatever the frame calls it and however it keeps its texts."""
    for first, second in (("a", "b"), ("b", "a")):
        classes = pd.Categorical([first, second] * 4, categories=["a", "b"])
        frame = pd.DataFrame({"x": ["same"] * 8, "y": classes})
        test_on_second = Split(((np.arange(6), np.array([7])),))
        assert Classification().error(frame, "y", test_on_second) == 1


def test_records_without_a_class():
    gone = pa.table({"x": ["a", "b"] * 4, "y": [None, "q"] + ["p", "q"] * 3})
    assert Classification().error(gone, "y", Split.first(6, 8)) == 0
    with pytest.raises(DataError, match="'y' is empty in 1 test records"):
        Classification().error(gone, "y", Split(((np.arange(2, 8), np.array([0])),)))
    roles = Schema.of(quasi=["x"], target=["y"])
    with pytest.raises(DataError, match="'y' is empty in 1 test records"):
        Classification().measure(gone, roles, Mondrian(), KAnonymity(k=2), Split.first(6, 8))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ParameterError, match="one of 'train', 'all'; got 'test'"):
        Classification(masking="test")
    frame = people()
    with pytest.raises(SchemaError, match="name the target column; the schema has 0"):
        Classification().measure(frame, Schema.of(quasi=["town"]), Mondrian(), KAnonymity(k=2), Split.first(3, 6))
    with pytest.raises(UsageError, match="for at least 100 records, and there are 96"):
        Classification().measure(frame, schema(), Mondrian(), KAnonymity(k=2), Split.first(3, 100))
    with pytest.raises(SchemaError, match="no column 'il' to predict; did you mean 'ill'"):
        Classification().error(frame, "il", Split.first(3, 6))


@pytest.mark.parametrize(("name", "derived"), [("adult", 14.77), ("crx", 15.96), ("german", 28.74)])
def test_baselines_of_the_literature(data_folder, name, derived):
    frame, first, target = FRAMES[name](data_folder)
    found = Classification().error(frame, target, Split.first(first, frame.num_rows))
    assert 100 * found == pytest.approx(derived, abs=0.006)


def test_the_upper_error_of_the_book(data_folder):
    """Book, section 6.7.2: with 13 quasi columns gone only marital status is left, and UE is the minority, 24.57 %."""
    frame, first, target = FRAMES["adult"](data_folder)
    gone = [name for name in frame.column_names if name not in {target, "marital-status"}]
    found = Classification().error(frame, target, Split.first(first, frame.num_rows), without=gone)
    assert 100 * found == pytest.approx(24.57, abs=0.006)


def test_adult_by_the_protocol_of_the_paper(data_folder):
    """BE and UE(Top7) do not depend on how the seven columns are masked."""
    frame, first, target = FRAMES["adult"](data_folder)
    roles = Schema.of(quasi=list(ADULT_TOP[:7]), target=[target])
    split = Split.first(first, frame.num_rows)
    found = Classification(masking="all").measure(frame, roles, Mondrian(), KAnonymity(k=100), split)
    assert 100 * found.baseline == pytest.approx(14.77, abs=0.006)
    assert 100 * found.upper == pytest.approx(21.69, abs=0.006)
    assert found.baseline < found.masked < found.upper
