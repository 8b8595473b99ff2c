from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import ParameterError, TaxonomyError
from sfumato.settings.catalogue import entries
from sfumato.taxonomies import builder_from_plan, plan_of
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.reading import builders

HERE = Path("folder")
PLANS: list[tuple[dict[str, Any], TaxonomyBuilder]] = [
    case for entry in entries("taxonomies") for case in import_module(f"tests.taxonomies.test_{entry.name}").IN_PLANS
]
"""Tables of plans, and the builders that they choose when the plan is in `HERE`."""


@pytest.mark.parametrize(("table", "builder"), PLANS)
def test_a_table_asks_for_a_builder(table: dict[str, Any], builder: TaxonomyBuilder) -> None:
    assert builder_from_plan(table, HERE) == builder


@pytest.mark.parametrize(("table", "builder"), PLANS)
def test_there_and_back(table: dict[str, Any], builder: TaxonomyBuilder) -> None:
    again = plan_of(builder)
    assert list(again) == list(table)
    assert builder_from_plan(again, Path()) == builder
    for key in set(table) - {"file", "tree"}:
        assert again[key] == table[key]


@pytest.mark.parametrize("key", ["file", "tree"])
def test_paths_are_seen_from_the_folder_and_written_as_text(key: str, tmp_path: Path) -> None:
    builder = builder_from_plan({key: "a/b.csv"}, tmp_path)
    assert plan_of(builder) == {key: str(tmp_path / "a" / "b.csv")}
    assert builder_from_plan({key: str(tmp_path / "c.csv")}, HERE).path == tmp_path / "c.csv"  # type: ignore[attr-defined]


def test_every_key_of_every_taxonomy_is_tested() -> None:
    assert [key for key in builders() if not any(key in table for table, _ in PLANS)] == []
    assert set(builders().values()) == {entry.thing for entry in entries("taxonomies")}


def test_every_plan_key_is_a_setting() -> None:
    for key, thing in builders().items():
        assert thing.plan_keys[key] in {setting.name for setting in thing.settings()}


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(TaxonomyError, match=r"unknown key 'witdh'; did you mean 'width'?"):
        builder_from_plan({"witdh": 5}, HERE)


def test_an_empty_table_lists_what_there_is() -> None:
    with pytest.raises(TaxonomyError, match=r"an empty table; allowed: branches, dates, file"):
        builder_from_plan({}, HERE)


def test_two_keys_are_refused() -> None:
    with pytest.raises(TaxonomyError, match="by one key; got 'width' and 'mask'"):
        builder_from_plan({"width": 5, "mask": "right"}, HERE)


def test_a_strange_key_beside_a_good_one_is_refused() -> None:
    with pytest.raises(TaxonomyError, match="chosen by 'file' has no key 'seperator'; did you mean 'separator'"):
        builder_from_plan({"file": "x.csv", "seperator": ","}, HERE)
    with pytest.raises(TaxonomyError, match="chosen by 'width' has no key 'from'"):
        builder_from_plan({"width": 5, "from": 1}, HERE)


@pytest.mark.parametrize("table", [{"width": -1}, {"intervals": 5}, {"mask": "up"}, {"dates": False}, {"file": 7}])
def test_a_wrong_value_is_refused_by_the_builder(table: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="must be"):
        builder_from_plan(table, HERE)
