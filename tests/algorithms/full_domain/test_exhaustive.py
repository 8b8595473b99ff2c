"""The reference search against the book's lattice (golden B11)."""

import pytest

from sfumato.algorithms import Exhaustive, Mondrian
from sfumato.algorithms.full_domain.lattice import Lattice
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, TaxonomyError, UsageError
from sfumato.metrics import Discernibility, MinimalDistortion
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.runtime.progress import listening
from sfumato.taxonomies import Flat

LEAST = Exhaustive(objective="minimal_distortion")


@pytest.mark.parametrize(("k", "node"), [(2, (1, 0, 1)), (3, (1, 0, 1)), (4, (2, 1, 2)), (7, (2, 1, 2))])
def test_golden_least_distortion_without_suppression(k, node):
    release = LEAST.anonymize(hospital(), KAnonymity(k=k))
    assert tuple(release.recoding.levels.values()) == node


@pytest.mark.parametrize(("k", "distortion", "discernibility"), [(3, 14, 25), (4, 35, 49)])
def test_golden_costs(k, distortion, discernibility):
    candidate = LEAST.anonymize(hospital(), KAnonymity(k=k)).candidate
    assert MinimalDistortion().measure(candidate) == distortion
    assert Discernibility().measure(candidate) == discernibility


@pytest.mark.parametrize(("l", "node"), [(2, (1, 0, 1)), (3, (2, 1, 2))])
def test_golden_distinct_diversity(l, node):
    release = LEAST.anonymize(hospital(), DistinctLDiversity(l=l))
    assert tuple(release.recoding.levels.values()) == node


@pytest.mark.parametrize(
    ("k", "most", "minimal"),
    [(2, 1, {(0, 0, 1), (1, 0, 0)}), (3, 1, {(1, 0, 1)}), (3, 3, {(1, 0, 0)})],
)
def test_golden_minimal_nodes_with_suppression(k, most, minimal):
    """B11: every node below a minimal one fails, every minimal one holds with at most `most` records left out."""
    table, found = hospital(), set()
    lattice = Lattice.over(table)
    for node in lattice:
        if any(all(low <= high for low, high in zip(seen, node, strict=True)) for seen in found):
            continue
        if KAnonymity(k=k).check(suppressed(table, node, k, most).view).holds:
            found.add(node)
    assert found == minimal


def suppressed(table, node, k, most):
    from sfumato.operations.generalize import generalize_levels
    from sfumato.operations.suppress import suppress_failing

    levels = dict(zip(table.schema.quasi, node, strict=True))
    return suppress_failing(generalize_levels(table, levels), KAnonymity(k=k), most / table.records)


def test_limits_suppression():
    release = LEAST.anonymize(hospital(), KAnonymity(k=2), suppression=1 / 7)
    assert release.candidate.suppressed_records == 1
    assert LEAST.anonymize(hospital(), KAnonymity(k=2), suppression=0.14).candidate.suppressed_records == 0


def test_an_unknown_objective_is_refused_with_a_hint():
    with pytest.raises(ParameterError, match="did you mean 'precision'"):
        Exhaustive(objective="precission")


def test_a_metric_for_which_higher_is_better_is_maximized():
    release = Exhaustive(objective="precision").anonymize(hospital(), KAnonymity(k=3))
    assert tuple(release.recoding.levels.values()) == (1, 0, 1)


def test_a_metric_that_needs_a_target_is_served_where_there_is_one():
    """Only hiding the column that says nothing about the class keeps every guess right."""
    rows = {"telling": ["a", "a", "b", "b"] * 2, "idle": ["x", "y"] * 4, "class": ["1", "1", "2", "2"] * 2}
    flat = {"telling": Flat(), "idle": Flat()}
    table = Table.of_rows(Schema.of(quasi=["telling", "idle"], target=["class"], taxonomies=flat), rows)
    search = Exhaustive(objective="classification_metric")
    assert search.anonymize(table, KAnonymity(k=4)).recoding.levels == {"telling": 0, "idle": 1}
    with pytest.raises(SchemaError, match="name the target column"):
        search.anonymize(hospital(), KAnonymity(k=3))


def test_refuses_lattices_that_are_too_large():
    with pytest.raises(UsageError, match="18 combinations"):
        Exhaustive(most=17).anonymize(hospital(), KAnonymity(k=2))


def test_needs_a_taxonomy_for_every_column():
    table = Table.of_rows(Schema.of(quasi=["a"]), {"a": ["x", "y"]})
    with pytest.raises(TaxonomyError, match="'a' has no taxonomy"):
        Exhaustive().anonymize(table, KAnonymity(k=2))


def test_says_when_nothing_holds():
    with pytest.raises(InfeasibleError):
        Exhaustive().anonymize(hospital(), KAnonymity(k=8))


def test_local_recoding_loses_no_more_than_full_domain():
    from sfumato.metrics import Ncp

    table = hospital()
    full = Exhaustive().anonymize(table, KAnonymity(k=3))
    local = Mondrian(categories="taxonomy").anonymize(table, KAnonymity(k=3))
    assert Ncp().measure(local) <= Ncp().measure(full)


def test_it_tells_how_far_it_is():
    """The lattice of jobs (two levels above the values), sexes (one) and ages (two) has 3 * 2 * 3 nodes."""
    heard = []
    with listening(lambda what, done, total: heard.append((what, done, total))):
        Exhaustive().anonymize(hospital(), KAnonymity(k=3))
    assert heard == [("searching", done, 18) for done in range(18)]
