"""Every algorithm keeps its promises, and the checks notice when one does not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given

from sfumato import algorithms
from sfumato.algorithms.bucketization.base import Bucketizing
from sfumato.algorithms.partitioning import Partitioning
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.checks import algorithms as checks
from sfumato.checks.base import ConformanceError
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital, nine_patients
from sfumato.errors import InfeasibleError
from sfumato.operations.generalize import generalize_groups
from sfumato.runtime.time_limit import enough
from sfumato.settings.catalogue import entries, names
from sfumato.settings.params import param
from sfumato.taxonomies import Intervals, Masking, Tree
from tests.algorithms.full_domain import test_fixed_levels
from tests.examples import examples
from tests.instances import instances_of
from tests.strategies import small_tables

VARIANTS = [
    algorithms.Mondrian(),
    algorithms.Mondrian(categories="taxonomy"),
    algorithms.Mondrian(cut="median"),
    algorithms.Mondrian(cut="median", relaxed=True),
    algorithms.KMember(),
    algorithms.KMember(categories="taxonomy", rows_at_once=4),
    algorithms.KMember(loss="sse"),
    algorithms.SystematicClustering(),
    algorithms.SystematicClustering(loss="adm", categories="taxonomy"),
    algorithms.LoukidesShao(threshold=0.3),
    algorithms.LoukidesShao(),
    algorithms.TopDownRefinement(),
    algorithms.TopDownRefinement(taxonomies=False),
    algorithms.Genetic(population=8, evaluations=40),
    algorithms.Datafly(),
    algorithms.Datafly(stop="k"),
    algorithms.Slicing(),
    algorithms.Slicing(how_many=3, cut="median"),
    algorithms.Injector(),
    algorithms.Injector(strategy="guarded", tables="two"),
    algorithms.Injector(strategy="three_phases"),
    algorithms.Mdav(),
    algorithms.Mdav(leftovers="nearest", centroid="median", standardize=False, rows_at_once=6),
    algorithms.PartitionImprover(effort=20),
    algorithms.PartitionImprover(start="k_member", effort=20),
    algorithms.VMdav(gamma=1.1),
    algorithms.Tfrp(),
    algorithms.Tfrp(stage=1),
    algorithms.Tfrp(capped=True),
    algorithms.Dba(),
    algorithms.Dba(stage=1),
    algorithms.PairwiseSystematic(),
    algorithms.PairwiseSystematic(nearest="seed", last="retaken"),
    algorithms.SystematicMicroaggregation(),
    algorithms.SystematicMicroaggregation(loss="adm"),
    algorithms.MedianMicroaggregation(start="cbfs"),
    algorithms.MaximumDistance(),
    algorithms.MaximumDistance(leader="lowest"),
    algorithms.Mst(),
    algorithms.Mst(split="cbfs"),
    algorithms.Mhm(),
    algorithms.Mhm(path="npn"),
    algorithms.GeneticMicroaggregation(population=6, generations=10),
    algorithms.TwoStepMicroaggregation(second="mst"),
]
"""Settings other than the defaults; of algorithms that have several ways, the defaults too."""

ON_A_LINE = [algorithms.HansenMukherjee()]
"""Those that serve one column of numbers without gaps, and nothing else."""

FOR_ONE_TABLE = [*test_fixed_levels.CONFORMING]
"""Those whose settings name columns: they serve the running example, and no other table."""

WAYS = [
    *VARIANTS,
    *(
        one
        for entry in entries("algorithms")
        if issubclass(entry.thing, TableAlgorithm)
        and entry.name not in {one.name() for one in (*VARIANTS, *ON_A_LINE, *FOR_ONE_TABLE)}
        for one in instances_of(entry)
    ),
]
"""Every algorithm of the catalogue: in the settings above, or as `instances_of` makes it."""


def survey() -> Table:
    """Fourteen records over a tree, intervals and a mask, some of them alike."""
    schema = Schema.of(
        quasi=["town", "age", "zip"],
        sensitive=["vote"],
        kinds={"zip": "text"},
        taxonomies={
            "town": Tree(branches={"ANY": {"coast": ["north", "south"], "inland": ["east", "west"]}}),
            "age": Intervals(width=10),
            "zip": Masking(side="right"),
        },
    )
    rows = {
        "town": ["north", "south", "east", "west", "north", "south", "east"] * 2,
        "age": ["20", "21", "29", "30", "30", "45", "20"] * 2,
        "zip": ["101", "101", "102", "110", "110", "210", "102"] * 2,
        "vote": ["left", "right", "left", "green", "left", "left", "right", *["left"] * 7],
    }
    return Table.of_rows(schema, rows)


def test_every_algorithm_of_the_catalogue_is_checked():
    assert set(names("algorithms")) == {way.name() for way in (*WAYS, *ON_A_LINE, *FOR_ONE_TABLE)}


@pytest.mark.parametrize("algorithm", WAYS, ids=str)
def test_every_algorithm_conforms(algorithm):
    assert checks.check_algorithm(algorithm, survey()) is None


@pytest.mark.parametrize("algorithm", [*WAYS, *FOR_ONE_TABLE], ids=str)
def test_every_algorithm_conforms_on_the_running_example(algorithm):
    assert checks.check_algorithm(algorithm, hospital(), without=[checks.check_missing_counts_as_a_value]) is None


def test_a_root_that_is_an_interval_does_not_stand_for_a_missing_value():
    """The ages of the running example have the root [30, 40)."""
    checks.check_missing_counts_as_a_value(algorithms.Exhaustive(), hospital())


@pytest.mark.parametrize("algorithm", ON_A_LINE, ids=str)
def test_every_algorithm_for_one_column_conforms(algorithm):
    table = survey()
    texts = {name: [table.domain(name).texts[code] for code in table.codes[name]] for name in ("age", "vote")}
    ages = Table.of_rows(Schema.of(quasi=["age"], sensitive=["vote"], taxonomies={"age": Intervals(width=10)}), texts)
    assert checks.check_algorithm(algorithm, ages, without=[checks.check_missing_counts_as_a_value]) is None


@pytest.mark.parametrize("algorithm", WAYS, ids=str)
@examples(2)
@given(table=small_tables(max_quasi=2, max_sensitive=1, max_repeats=2, taxonomies=True))
def test_every_algorithm_conforms_on_small_tables(algorithm, table):
    assert checks.check_algorithm(algorithm, table) is None


@dataclass(frozen=True, kw_only=True)
class Whole(Partitioning):
    """Puts all records into one group; safe, and the base of the spoilers below."""

    def _choose_groups(self, table, model, random):
        return Partition.of_labels(np.zeros(len(table), dtype=np.int32))


class Trusting(Whole):
    """Releases what it chose without looking."""

    def _choose_groups(self, table, model, random):
        return Partition.of_labels(np.arange(len(table), dtype=np.int32))

    def anonymize(self, table, model, *, suppression=0.0, seed=0):
        release = super().anonymize(table, _Anything(), suppression=suppression, seed=seed)
        return replace(release, verdicts=())


class _Anything(algorithms.base.GroupModel):
    """Holds always."""

    required = 0.0

    @classmethod
    def settings(cls):
        return ()

    def level(self, groups):
        return np.ones(len(groups))


class Forgetful(Whole):
    """Leaves a row out without saying so."""

    def _publish(self, table, model, suppression, random):
        candidate = super()._publish(table, model, suppression, random)
        counts = candidate.published.counts.copy()
        counts[0] = 0
        return replace(candidate, published=replace(candidate.published, counts=counts))


class Lying(Whole):
    """Publishes the first value of every column for everybody."""

    def _publish(self, table, model, suppression, random):
        candidate = generalize_groups(table, self._choose_groups(table, model, random), sets=False)
        labels = {
            name: replace(found, texts=(table.domain(name).texts[0],), hi=found.lo)
            for name, found in candidate.recoding.labels.items()
        }
        return replace(candidate, recoding=replace(candidate.recoding, labels=labels))


class Meddling(Whole):
    """Writes into the table."""

    def _choose_groups(self, table, model, random):
        table.codes["Sex"][:] = 0
        return super()._choose_groups(table, model, random)


class Moody(Whole):
    """Cuts where it likes, whatever the seed."""

    mood = iter(range(1000))

    def _choose_groups(self, table, model, random):
        apart = np.arange(len(table), dtype=np.int32)
        wants = next(self.mood) % 2 == 0 and model.bounds.least_size() == 1
        return Partition.of_labels(apart) if wants else super()._choose_groups(table, model, random)


class Evasive(Whole):
    """Raises the same thing whatever is wrong."""

    def anonymize(self, table, model, *, suppression=0.0, seed=0):
        try:
            return super().anonymize(table, model, suppression=suppression, seed=seed)
        except Exception as error:
            raise InfeasibleError("no.") from error


class Gossip(Whole):
    """Says whose record stands in the way."""

    def anonymize(self, table, model, *, suppression=0.0, seed=0):
        try:
            return super().anonymize(table, model, suppression=suppression, seed=seed)
        except InfeasibleError:
            raise InfeasibleError("the one with HIV stands alone.") from None


class Shy(Whole):
    """Does not publish a single record."""

    def anonymize(self, table, model, *, suppression=0.0, seed=0):
        release = super().anonymize(table, model, suppression=suppression, seed=seed)
        return (
            release
            if table.records > 1
            else replace(release, candidate=release.candidate.suppressing(table.counts > 0))
        )


class Incurious(Whole):
    """Leaves everybody out whose age is not known."""

    def _publish(self, table, model, suppression, random):
        candidate = super()._publish(table, model, suppression, random)
        domain = table.domain("Age")
        return candidate.suppressing(table.codes["Age"] >= domain.present) if domain.has_missing else candidate


class Spendthrift(Whole):
    """Leaves out as many records as the limit allows, whoever they belong to."""

    def _publish(self, table, model, suppression, random):
        candidate = super()._publish(table, model, suppression, random)
        return candidate.suppressing(candidate.published.counts.cumsum() <= suppression * table.records)


class Regardless(Spendthrift):
    """The same, and does not have the limit checked."""

    def anonymize(self, table, model, *, suppression=0.0, seed=0):
        candidate = self._publish(table, model, suppression, None)
        return replace(super().anonymize(table, model), candidate=candidate)


class OnlyRecords(Whole):
    """Says that it cannot count persons, and publishes them all the same."""

    counts_persons = False

    def _refuse_persons(self, table):
        pass


class FirstRow(Whole):
    """Singles out whoever comes first in an order that nobody promised."""

    def anonymize(self, table, model, *, suppression=0.0, seed=0):
        release = super().anonymize(table, model, suppression=suppression, seed=seed)
        ordered = all((np.diff(codes) >= 0).all() for codes in [table.codes["Job"]])
        return release if ordered else Trusting().anonymize(table, model)


@dataclass(frozen=True, kw_only=True)
class Amnesiac(Whole):
    """Does not say how it was set."""

    rounds: int = param(3, doc="how often it looks")

    def to_dict(self):
        return {"name": self.name()}


class Endless(Whole):
    """Says that it can be stopped, and does not ask."""

    anytime = True


class Interruptible(Whole):
    """Asks whether to stop, and does not say so."""

    def _choose_groups(self, table, model, random):
        enough()
        return super()._choose_groups(table, model, random)


class WithoutBooks(Whole):
    """Says that it keeps an account, and keeps none."""

    accounts = True


class OffersTheWrong(Whole):
    """Is for a kind of data that does not exist."""

    serves = frozenset({"table", "tabel"})


@dataclass(frozen=True, kw_only=True)
class OneBucket(Bucketizing):
    """Puts all records into one bucket; safe, and the base of the spoilers below."""

    def _choose_buckets(self, table, row, model, random):
        return np.zeros(len(row), dtype=np.int32)


class Exchanging(OneBucket):
    """Hands out the same secret again and again."""

    def _publish(self, table, model, suppression, random):
        candidate = super()._publish(table, model, suppression, random)
        moved = {name: np.full_like(codes, codes[0]) for name, codes in candidate.recoding.moved.items()}
        return replace(candidate, recoding=replace(candidate.recoding, moved=moved))


class Miscounting(OneBucket):
    """Says of the first secret in its table that nobody has it."""

    separate_table = True

    def anonymize(self, table, model, *, suppression=0.0, seed=0):
        release = super().anonymize(table, model, suppression=suppression, seed=seed)
        secrets = release.parts["sensitive"]
        parts = {**release.parts, "sensitive": replace(secrets, counts=secrets.counts - 1)}
        release.candidate.__dict__["parts"] = parts  # what was computed once is kept there
        return release


class Careless(OneBucket):
    """Gives everybody a bucket of their own and releases that without looking."""

    def _choose_buckets(self, table, row, model, random):
        return np.arange(len(row), dtype=np.int32)

    def anonymize(self, table, model, *, suppression=0.0, seed=0):
        easy = replace(model, l=1)
        return replace(super().anonymize(table, easy, suppression=suppression, seed=seed), verdicts=())


class Restless(OneBucket):
    """Shuffles anew whatever the seed."""

    seeds = iter(range(1000))

    def anonymize(self, table, model, *, suppression=0.0, seed=0):
        return super().anonymize(table, model, suppression=suppression, seed=next(self.seeds))


@pytest.mark.parametrize(
    ("algorithm", "check", "complaint"),
    [
        (Exchanging(), checks.check_labels_are_true, "values that its records do not have"),
        (Miscounting(), checks.check_labels_are_true, "values that its records do not have"),
        (Careless(), checks.check_keeps_its_promise, "does not satisfy distinct_l_diversity"),
        (Restless(), checks.check_same_seed_same_result, "with the same seed"),
    ],
    ids=lambda case: type(case).__name__ if isinstance(case, TableAlgorithm) else None,
)
def test_a_promise_broken_in_buckets_is_noticed(algorithm, check, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check(algorithm, nine_patients())


@pytest.mark.parametrize(
    ("algorithm", "check", "complaint"),
    [
        (Amnesiac(rounds=4), checks.check_declarations, "not rebuilt"),
        (OffersTheWrong(), checks.check_declarations, "serves 'tabel'; imported kinds of data are"),
        (Endless(), checks.check_stops_when_asked, "never asks whether to stop"),
        (Interruptible(), checks.check_stops_when_asked, "does not declare `anytime`"),
        (WithoutBooks(), checks.check_accounts_for_every_record, "keeps no account"),
        (Trusting(), checks.check_keeps_its_promise, "does not satisfy k_anonymity"),
        (Trusting(), checks.check_one_record, "does not raise InfeasibleError"),
        (Forgetful(), checks.check_accounts_for_every_record, "loses records"),
        (Lying(), checks.check_labels_are_true, "does not cover"),
        (Incurious(), checks.check_missing_counts_as_a_value, "refuses k_anonymity"),
        (FirstRow(), checks.check_record_order_does_not_matter, "does not satisfy"),
        (Meddling(), checks.check_leaves_its_input_alone, "changed the table"),
        (Moody(), checks.check_same_seed_same_result, "with the same seed"),
        (Evasive(), checks.check_refuses_by_type, "where SchemaError is expected"),
        (Gossip(), checks.check_refuses_by_type, "names a sensitive value"),
        (Shy(), checks.check_one_record, "a single record"),
        (Spendthrift(), checks.check_counts_persons, "refuses k_anonymity"),
        (Regardless(), checks.check_counts_persons, "suppresses more than 30% of the persons"),
        (OnlyRecords(), checks.check_counts_persons, "does not raise UnsuitableError"),
    ],
    ids=lambda case: type(case).__name__ if isinstance(case, TableAlgorithm) else None,
)
def test_a_broken_promise_is_noticed(algorithm, check, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check(algorithm, hospital())
    with pytest.raises(ConformanceError):
        checks.check_algorithm(algorithm, hospital())


@pytest.mark.parametrize(
    ("algorithm", "check"),
    [
        (Amnesiac(rounds=4), checks.check_declarations),
        (Lying(), checks.check_labels_are_true),
        (OnlyRecords(), checks.check_counts_persons),
    ],
    ids=lambda case: type(case).__name__ if isinstance(case, TableAlgorithm) else None,
)
def test_a_check_that_is_left_out_is_not_run(algorithm, check):
    others = [other for other in checks.CHECKS if other is not check]
    assert checks.check_algorithm(algorithm, hospital(), without=[check, *others]) is None
    with pytest.raises(ConformanceError):
        checks.check_algorithm(algorithm, hospital(), without=others)


def test_the_spoilers_differ_from_an_honest_one():
    assert checks.check_algorithm(Whole(), hospital()) is None
    assert checks.check_algorithm(OneBucket(), hospital()) is None
