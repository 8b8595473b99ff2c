from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sfumato
from sfumato.checks.metrics import check_metric
from sfumato.checks.models import check_model
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import UsageError
from sfumato.models import KAnonymity
from sfumato.settings import catalogue
from sfumato.settings.params import Declared, Setting
from sfumato.taxonomies import Intervals, Ordered, Tree

PROMISED = {
    "models": {
        "k_anonymity",
        "distinct_l_diversity",
        "entropy_l_diversity",
        "recursive_c_l_diversity",
        "t_closeness",
        "confidence_bounding",
        "alpha_k_anonymity",
        "matching_l_diversity",
        "bounded_belief",
    },
    "algorithms": {"mondrian"},
    "metrics": {
        "ncp",
        "discernibility",
        "average_group_size",
        "classification_metric",
        "loss_metric",
        "discernibility_ratio",
        "class_entropy",
    },
    "masks": {"noise", "pram", "rank_swapping", "record_swapping", "coding", "rounding", "shuffling"},
    "transforms": {
        "bucket",
        "round_to",
        "first_letter",
        "prefix",
        "drop_house_number",
        "generalize",
        "hide_identifiers",
    },
    "clusterers": {"k_means", "bisecting_k_means", "hierarchical"},
    "learners": {"c45", "naive_bayes", "gradient_boosting"},
}


@pytest.mark.parametrize("kind", sorted(PROMISED))
def test_the_names_that_other_plans_rely_on(kind: str) -> None:
    assert PROMISED[kind] <= set(catalogue.names(kind))


@pytest.mark.parametrize("kind", catalogue.kinds())
def test_every_thing_is_named_like_its_file(kind: str) -> None:
    for entry in catalogue.entries(kind):
        module = entry.thing.__module__
        assert issubclass(entry.thing, Declared)
        assert Path(sfumato.__file__).parent.joinpath(*module.split(".")[1:]).with_suffix(".py").is_file()
        assert module.split(".")[-1] == entry.name
        assert kind in module.split(".")
        assert catalogue.find(kind, entry.name) is entry.thing


@pytest.mark.parametrize("entry", [entry for kind in catalogue.kinds() for entry in catalogue.entries(kind)], ids=str)
def test_everything_on_offer_explains_itself(entry: catalogue.Entry) -> None:
    assert len(entry.thing.summary()) > 20
    assert all(setting.doc for setting in entry.thing.settings())
    assert entry.to_dict()["summary"] == entry.thing.summary()
    assert catalogue.describe(entry.name) == entry


def test_one_thing_is_found_without_loading_the_others() -> None:
    code = (
        "import sys; from sfumato.settings.catalogue import describe; describe('mondrian'); "
        "others = [name for name in sys.modules if name.startswith('sfumato.algorithms.microaggregation')]; "
        "print(others, 'numba' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[] False"


def test_names_of_a_package_are_those_on_offer() -> None:
    from sfumato import algorithms

    assert algorithms.Mondrian is catalogue.find("algorithms", "mondrian")
    assert "Mdav1" in dir(algorithms)
    with pytest.raises(AttributeError, match="no attribute 'Mondriaan'"):
        _ = algorithms.Mondriaan
    with pytest.raises(AttributeError, match="no attribute 'mondrian_'"):
        _ = algorithms.mondrian_


def test_unknown_names_get_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="did you mean 'k_anonymity'"):
        catalogue.find("models", "k_anonimity")
    with pytest.raises(UsageError, match="did you mean 'models'"):
        catalogue.names("model")
    with pytest.raises(UsageError, match="did you mean 'mondrian'"):
        catalogue.describe("mondriaan")


def test_contracts_and_private_classes_are_not_on_offer() -> None:
    assert "base" not in catalogue.names("models")
    assert "privacy_model" not in catalogue.names("models")


def small() -> Table:
    """Twelve records in which every model and algorithm finds something to judge."""
    schema = Schema.of(
        quasi=["town", "age"],
        sensitive=["grade"],
        taxonomies={
            "town": Tree(branches={"ANY": {"coast": ["north", "south"], "inland": ["east"]}}),
            "age": Intervals(width=10),
            "grade": Ordered(groups=[["1", "2"], ["3"]]),
        },
    )
    rows = {
        "town": ["north", "south", "east"] * 4,
        "age": ["20", "30", "40", "20"] * 3,
        "grade": ["1", "2", "3", "1", "1", "2"] * 2,
    }
    return Table.of_rows(schema, rows)


def built(thing: type[Declared]) -> Any:
    """The thing with the plainest value for whatever it insists on, so that nobody has to list new ones here."""
    return thing.build({setting.name: _plainest(setting) for setting in thing.settings() if setting.required})


def _plainest(setting: Setting) -> Any:
    if "PrivacyModel" in str(setting.type):
        return (KAnonymity(k=2),)
    if setting.is_path:
        return Path("file.csv")
    number = 2 if setting.at_most is None else setting.at_most / 2
    return number if setting.type is int or setting.at_most is not None else float(number)


@pytest.mark.parametrize("name", catalogue.names("models"))
def test_every_model_conforms(name: str) -> None:
    model = built(catalogue.find("models", name))
    assert check_model(model, small()) is None


@pytest.mark.parametrize("name", catalogue.names("metrics"))
def test_every_metric_conforms(name: str) -> None:
    metric = built(catalogue.find("metrics", name))
    assert check_metric(metric) is None


def test_what_can_be_built_without_settings():
    from sfumato.attacks.base import Attack
    from sfumato.metrics.base import Metric
    from sfumato.models.base import PrivacyModel

    assert catalogue.without_required_settings("models", PrivacyModel) == []
    found = {thing.name() for thing in catalogue.without_required_settings("metrics", Metric)}
    assert "ncp" in found
    assert all(thing() for thing in catalogue.without_required_settings("attacks", Attack))
