from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from sfumato.algorithms import Cbfs, KMember, Mondrian, PartitionImprover, SystematicMicroaggregation
from sfumato.algorithms.microaggregation.base import method_named
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError, UnsuitableError
from sfumato.metrics import Ncp, SquaredError
from sfumato.models import DistinctLDiversity, KAnonymity
from tests.examples import seeds
from tests.oracles.optimal_microaggregation import least_sse


def numbers(records: int, seed: int = 0) -> Table:
    random = np.random.default_rng(seed)
    columns = {name: [f"{value:.3f}" for value in random.standard_normal(records)] for name in ("height", "weight")}
    return Table.of_rows(Schema.of(quasi=list(columns)), columns)


def survey(records: int = 300) -> Table:
    """People with an age, a town and a vote."""
    random = np.random.default_rng(5)
    rows = {
        "age": [str(age) for age in random.integers(18, 90, records)],
        "town": random.choice(list("abcdefgh"), records).tolist(),
        "vote": random.choice(["left", "right", "none"], records).tolist(),
    }
    return Table.of_rows(Schema.of(quasi=["age", "town"], sensitive=["vote"]), rows)


def loss(table: Table, algorithm, k: int, seed: int = 0) -> float:
    return SquaredError().measure(algorithm.anonymize(table, KAnonymity(k=k), seed=seed).candidate)


@pytest.mark.parametrize("start", ["mdav", "cbfs"])
def test_lowers_the_squared_errors_of_every_start(start: str) -> None:
    table = numbers(120)
    release = PartitionImprover(start=start).anonymize(table, KAnonymity(k=4))
    assert SquaredError().measure(release) < 0.97 * loss(table, method_named(start), 4)
    assert release.groups.sizes.min() >= 4


def test_finds_the_optimum_of_a_tiny_table() -> None:
    table = numbers(9, seed=4)
    points = np.column_stack([table.domain(name).numbers[table.codes[name]] for name in table.schema.quasi])
    points = (points - points.mean(axis=0)) / points.std(axis=0)
    best = 100 * least_sse(points, 3) / (points**2).sum()
    assert loss(table, PartitionImprover(), 3) == pytest.approx(best)


@pytest.mark.parametrize("start", ["mondrian", "k_member", "oka"])
def test_lowers_what_ranges_and_sets_lose(start: str) -> None:
    table = survey()
    model = KAnonymity(k=5)
    before = Ncp().measure(PartitionImprover(start=start, effort=0).anonymize(table, model).candidate)
    release = PartitionImprover(start=start, effort=300).anonymize(table, model)
    assert Ncp().measure(release) < before
    assert release.groups.sizes.min() >= 5
    assert release.candidate.recoding.labels["age"].numbers is None


def test_other_promises_are_kept_too() -> None:
    table, model = survey(), KAnonymity(k=4) & DistinctLDiversity(l=3)
    for start in ("k_member", "mdav"):
        release = PartitionImprover(start=start, effort=100).anonymize(table, model)
        assert release.groups.histogram("vote").distinct.min() >= 3
        assert release.groups.sizes.min() >= 4


def test_the_bound_is_in_the_same_measure_whatever_the_columns() -> None:
    """Categories, waivers and raw numbers: what was lost is never below what must be."""
    frame = pd.DataFrame(
        {
            "age": np.random.default_rng(2).integers(18, 90, 80),
            "town": np.random.default_rng(3).choice(list("abc"), 80),
            "open": ["yes", "no"] * 40,
        }
    )
    schema = Schema.of(quasi=["age", "town"], waiver="open")
    for standardize in (True, False):
        improver = PartitionImprover(settings_of_start={"standardize": standardize}, effort=2000)
        told = improver.anonymize(Table.from_frame(frame, schema), KAnonymity(k=3)).provenance["microaggregated"]
        assert 0 < told["least"] <= told["lost"] < 100


@seeds(6)
def test_squared_errors_never_grow_for_other_models_either(seed: int) -> None:
    table, model = survey(200), KAnonymity(k=3) & DistinctLDiversity(l=2)
    start, improver = (PartitionImprover(effort=effort) for effort in (0, 200))
    before, after = (one.anonymize(table, model, seed=seed).provenance["microaggregated"] for one in (start, improver))
    assert after["lost"] <= before["lost"]


def test_never_loses_more_than_its_start() -> None:
    table, model = survey(60), KAnonymity(k=2) & DistinctLDiversity(l=3)
    for algorithm in (KMember(), Mondrian()):
        before = Ncp().measure(algorithm.anonymize(table, model).candidate)
        after = PartitionImprover(start=algorithm.name(), effort=20).anonymize(table, model)
        assert Ncp().measure(after) <= before + 1e-12


def test_the_same_seed_gives_the_same_groups() -> None:
    table = numbers(60)
    one, other = (PartitionImprover(start="cbfs").anonymize(table, KAnonymity(k=5), seed=3) for _ in range(2))
    texts = [[release.recoding.labels[name].texts for name in table.schema.quasi] for release in (one, other)]
    assert texts[0] == texts[1]
    assert one.provenance["algorithm"] == {"name": "partition_improver", "start": "cbfs"}
    assert one.provenance["microaggregated"]["standardized"] is True


def test_says_how_far_from_the_best_it_may_be() -> None:
    table = numbers(60)
    release = PartitionImprover().anonymize(table, KAnonymity(k=3))
    told = release.provenance["microaggregated"]
    assert told["lost"] == pytest.approx(loss(table, PartitionImprover(), 3), rel=1e-6)
    assert 0.3 * told["lost"] < told["least"] <= told["lost"]
    (shown,) = re.findall(r"lose less than (\S+) %", " ".join(release.report().text().split()))
    assert told["least"] * 0.99 <= float(shown) <= told["least"]
    assert len(shown.replace(".", "").lstrip("0")) <= 3
    assert "microaggregated" not in PartitionImprover(start="k_member").anonymize(table, KAnonymity(k=3)).provenance


def test_no_effort_is_the_start() -> None:
    table = numbers(50)
    assert loss(table, PartitionImprover(start="cbfs", effort=0), 4) == pytest.approx(loss(table, Cbfs(), 4))


def test_the_start_can_be_set() -> None:
    table = numbers(40)
    raw = PartitionImprover(start="mdav", settings_of_start={"standardize": False, "centroid": "median"})
    told = raw.anonymize(table, KAnonymity(k=4)).provenance["microaggregated"]
    assert (told["standardized"], told["centroid"]) == (False, "median")
    nodes = PartitionImprover(start="k_member", settings_of_start={"categories": "taxonomy"})
    assert nodes.begin == KMember(categories="taxonomy")


def test_blocks_of_records_are_for_the_start_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start sees at most so many records at once, the search all of them."""
    seen = []
    real = Cbfs._partition

    def watched(self, points, k, random):
        seen.append(len(points))
        return real(self, points, k, random)

    monkeypatch.setattr(Cbfs, "_partition", watched)
    table = numbers(100)
    found = loss(table, PartitionImprover(start="cbfs", settings_of_start={"rows_at_once": 30}), 3)
    assert max(seen) <= 30
    assert found < 1.1 * loss(table, PartitionImprover(start="cbfs"), 3)


def test_refuses_what_its_start_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SystematicMicroaggregation, "most_rows", 20)
    improver = PartitionImprover(start="systematic_microaggregation")
    with pytest.raises(UnsuitableError, match="systematic_microaggregation compares all pairs"):
        improver.anonymize(numbers(30), KAnonymity(k=3))


@pytest.mark.parametrize("start", ["exhaustive", "anatomy", "partition_improver", "nobody", ""])
def test_refuses_a_start_that_makes_no_groups(start: str) -> None:
    with pytest.raises(ParameterError, match="makes groups"):
        PartitionImprover(start=start)


@pytest.mark.parametrize("setting", [{"effort": -1}, {"seconds": -1}])
def test_refuses_settings_out_of_bounds(setting: dict) -> None:
    with pytest.raises(ParameterError, match=">= 0"):
        PartitionImprover(**setting)


def test_refuses_settings_that_its_start_does_not_have() -> None:
    with pytest.raises(ParameterError, match="settings_of_start"):
        PartitionImprover(start="mdav", settings_of_start={"gamma": 1})


def test_an_algorithm_without_groups_has_nothing_to_improve() -> None:
    from sfumato.algorithms import Exhaustive

    with pytest.raises(UnsuitableError, match="no groups"):
        Exhaustive()._publish_improved(numbers(4), KAnonymity(k=1), np.random.default_rng(0), None)
