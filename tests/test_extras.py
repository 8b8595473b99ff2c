"""Extras: what needs one says which, and with it everything loads."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from sfumato.errors import UsageError
from sfumato.evaluation.clusterers import BisectingKMeans, Hierarchical, KMeans
from sfumato.evaluation.learners import GradientBoosting
from sfumato.evaluation.learners.features import Features

EXTRAS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]["optional-dependencies"]
MODULES = {
    "learn": ["sklearn.cluster", "sklearn.ensemble", "threadpoolctl"],
    "gateway": ["sqlglot", "sfumato.gateway.engines.duckdb.embedded"],
    "private": ["opendp.measurements"],
    "formats": ["deltalake", "polars", "pyreadstat", "python_calamine", "sfumato.engines.formats.workbooks"],
    "postgres": ["psycopg", "sqlglot", "sfumato.gateway.engines.postgres.source"],
    "serve": ["fastapi", "httptools", "uvicorn", "uvloop", "sfumato.gateway.http.http_api"],
}


def test_every_extra_is_tried() -> None:
    assert set(EXTRAS) == set(MODULES)


@pytest.mark.parametrize("extra", MODULES)
def test_it_loads(extra: str) -> None:
    for module in MODULES[extra]:
        assert import_module(module) is sys.modules[module]


@pytest.mark.parametrize("thing", [KMeans(clusters=2), BisectingKMeans(clusters=2), Hierarchical(clusters=2)], ids=str)
def test_clusterers_say_what_they_miss(thing, monkeypatch: pytest.MonkeyPatch) -> None:
    _without(monkeypatch)
    with pytest.raises(UsageError, match=r"sfumato\[learn\]"):
        thing.labels(np.arange(8.0)[:, None])


def test_boosting_says_what_it_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa

    features = Features.of_frame(pa.table({"a": [1, 2, 3, 4]}), ["a"])
    _without(monkeypatch)
    with pytest.raises(UsageError, match=r"sfumato\[learn\]"):
        GradientBoosting().fit(features, np.array([0, 1, 0, 1], dtype=np.int32))


def _without(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if scikit-learn were not installed."""
    for module in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "sklearn", None)
