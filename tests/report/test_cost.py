from __future__ import annotations

from sfumato.catalogue import entries, names
from sfumato.report.cost import costs_of
from tests.golden import workers
from tests.report.releases import book


def test_every_metric_of_the_catalogue_is_there():
    candidate = workers.table_7_2(workers.workers())
    assert tuple(cost.name for cost in costs_of(candidate)) == names("metrics")


def test_metrics_that_need_a_target_are_silent_where_there_is_none():
    asking = {entry.name for entry in entries("metrics") if entry.thing.needs_target}
    assert asking == {"class_entropy", "classification_metric"}
    assert {cost.name for cost in costs_of(book().candidate)} == set(names("metrics")) - asking


def test_goldens_of_table_2_4():
    """Golden G1 and G3."""
    found = {cost.name: cost for cost in costs_of(book().candidate)}
    assert (found["minimal_distortion"].value, found["discernibility"].value) == (14, 25)
    assert found["precision"].better == "higher"
    assert all(cost.meaning for cost in found.values())
