from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.transforms import Bucket, ColumnType, FirstLetter, HideIdentifiers
from sfumato.gateway.transforms.base import Transform

TEXT, NUMBER = ColumnType.of_duckdb("VARCHAR"), ColumnType.of_duckdb("INTEGER")


@dataclass(frozen=True, kw_only=True)
class Bare(Transform):
    """Makes nothing of anything."""

    makes = "plain"
    for_kinds = frozenset({"integer"})

    def weaker(self, value, column_type):
        return value


def test_a_column_of_another_kind_is_refused_with_the_reason() -> None:
    with pytest.raises(PolicyError, match=r"column 'age' is integer \(INTEGER\).*first_letter is for.* text") as caught:
        FirstLetter().demand(NUMBER, "age")
    assert not FirstLetter().suits(NUMBER)
    assert FirstLetter().suits(TEXT)
    assert "35" not in str(caught.value)


def test_a_column_of_the_right_kind_can_be_refused_too() -> None:
    with pytest.raises(PolicyError, match="multiples of 1"):
        Bucket(width=0.5).demand(NUMBER, "age")
    assert Bucket(width=5).demand(NUMBER, "age") is None


def test_what_it_does_not_make_is_refused() -> None:
    from sqlglot import exp

    with pytest.raises(PolicyError, match="no ranges"):
        Bare().range_sql(exp.column("x"), NUMBER, "duckdb")
    with pytest.raises(PolicyError, match="no texts"):
        Bare().text_sql(exp.column("x"), NUMBER, "duckdb")
    assert (Bare().shown(1, NUMBER), Bare().shown_sql(exp.column("x"), NUMBER, "duckdb"), Bare().hides) == (
        None,
        None,
        (),
    )
    assert HideIdentifiers(columns=["name"]).hides == ("name",)


def test_what_is_on_offer_can_be_listed_without_the_library_that_writes_sql() -> None:
    code = (
        "import sys; sys.modules['sqlglot'] = None; from sfumato import catalogue; print(catalogue.names('transforms'))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "'bucket'" in told.stdout
