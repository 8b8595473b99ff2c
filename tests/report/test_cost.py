from __future__ import annotations

from sfumato.catalogue import names
from sfumato.report.cost import costs_of
from tests.report.releases import book


def test_every_metric_of_the_catalogue_is_there():
    assert tuple(cost.name for cost in costs_of(book().candidate)) == names("metrics")


def test_goldens_of_table_2_4():
    """Golden G1 and G3."""
    found = {cost.name: cost for cost in costs_of(book().candidate)}
    assert (found["minimal_distortion"].value, found["discernibility"].value) == (14, 25)
    assert found["precision"].better == "higher"
    assert all(cost.meaning for cost in found.values())
