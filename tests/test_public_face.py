from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest

import sfumato
from sfumato.datasets.hospital import ROWS
from sfumato.errors import UsageError


def test_every_public_name_is_there() -> None:
    assert sorted(sfumato.__all__) == dir(sfumato)
    for name in sfumato.__all__:
        assert getattr(sfumato, name).__name__ == name
    assert sfumato.__version__[0].isdigit()
    with pytest.raises(AttributeError, match="Tabel"):
        sfumato.Tabel  # noqa: B018


def test_importing_it_is_light() -> None:
    heavy = ("numpy", "duckdb", "pyarrow", "numba", "pydantic", "pandas", "jinja2", "typer", "rich")
    code = f"import sfumato, sys; print([name for name in {heavy} if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_anonymize_in_one_call() -> None:
    frame = pd.DataFrame(ROWS, index=list("abcdefg"))
    schema = sfumato.Schema.of(quasi=["Job", "Sex", "Age"], sensitive=["Disease"])
    table = sfumato.Table.from_frame(frame, schema)
    release = sfumato.anonymize(table, sfumato.KAnonymity(k=3), algorithm=sfumato.Mondrian(cut="median"))
    published = release.frame()
    assert release.holds
    assert list(published.index) == list("abcdefg")
    assert published["Disease"].tolist() == ROWS["Disease"]
    assert published.groupby(["Job", "Sex", "Age"]).size().min() >= 3


def test_an_algorithm_by_its_name() -> None:
    schema = sfumato.Schema.of(quasi=["Job", "Sex", "Age"], sensitive=["Disease"])
    table = sfumato.Table.from_frame(pd.DataFrame(ROWS), schema)
    model = sfumato.KAnonymity(k=3)
    assert sfumato.anonymize(table, model, algorithm="mondrian").provenance["algorithm"] == {"name": "mondrian"}
    with pytest.raises(UsageError, match="did you mean 'mondrian'"):
        sfumato.anonymize(table, model, algorithm="mondrain")
    with pytest.raises(UsageError, match=r"got a class: write Mondrian\(\)"):
        sfumato.anonymize(table, model, algorithm=sfumato.Mondrian)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"such as Mondrian\(\), or by its name, such as 'mondrian'"):
        sfumato.anonymize(table, model, algorithm=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"sfumato\.anonymize\(frame, model, quasi=\[\.\.\.\]\)"):
        sfumato.Mondrian().anonymize(pd.DataFrame(ROWS), model)  # type: ignore[arg-type]
