from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.setup.findings import MISFIT
from sfumato.gateway.setup.fitting import columns_of, demand_fit, misfits
from sfumato.gateway.transforms.column_types import ColumnType
from tests.gateway.memory import customers

DAY = date(2026, 11, 16)
TYPES = {"id": "INTEGER", "zip": "VARCHAR", "born": "DATE", "income": "INTEGER"}
COLUMNS = {"visits": {name: ColumnType.of_duckdb(kind) for name, kind in TYPES.items()}}


def policy(rules: Any = (), **table: Any) -> Policy:
    return Policy.of(
        {
            "name": "hospital",
            "purposes": {"General": ["Care", "Research"]},
            "tables": {"visits": {"key": "id", "allowed": ["General"], **table}},
            "rules": list(rules),
        }
    )


def weaker(**form: Any) -> dict[str, Any]:
    return {"conditional": ["Research"], "conditions": [form]}


@pytest.mark.parametrize(
    ("table", "where", "said"),
    [
        ({"key": "idd"}, "table 'visits'", "'idd', which 'visits' does not have; did you mean 'id'?"),
        ({"columns": {"zap": {}}}, "column 'zap' of 'visits'", "did you mean 'zip'?"),
        (
            {"columns": {"born": weaker(transform="bucket", width=10)}},
            "column 'born' of 'visits'",
            "cannot be shown as bucket",
        ),
        ({"retention": [{"column": "since", "days": 9}]}, "retention of 'visits'", "'since', which 'visits'"),
        ({"retention": [{"column": "zip", "days": 9}]}, "retention of 'visits'", "name a column of dates"),
        ({"rules": [{"name": "r", "table": "visits", "columns": ["zap"]}]}, "rule 'r'", "did you mean 'zip'?"),
        ({"rules": [{"name": "r", "table": "visits", "where": "incom > 3"}]}, "rule 'r'", "did you mean 'income'?"),
        (
            {"columns": {"zip": weaker(transform="hide_identifiers", columns=["nmae"])}},
            "column 'zip' of 'visits'",
            "'nmae', which 'visits' does not have",
        ),
    ],
)
def test_what_the_tables_do_not_bear(table: dict[str, Any], where: str, said: str) -> None:
    (found,) = misfits(policy(**table), COLUMNS, day=DAY)
    assert (found.kind, found.where) == (MISFIT, where)
    assert said in found.said
    with pytest.raises(PolicyError, match="the policy does not fit the database"):
        demand_fit([found])


def test_a_policy_that_fits() -> None:
    fits = policy(columns={"born": {}, "income": weaker(transform="bucket", width=10)}, retention=[])
    assert misfits(fits, COLUMNS, day=DAY) == []
    demand_fit([])


def test_everything_is_found_at_once() -> None:
    given = policy(key="idd", columns={"zap": {}, "born": weaker(transform="bucket", width=10)})
    found = misfits(given, COLUMNS, day=DAY)
    assert len(found) == 3
    with pytest.raises(PolicyError, match="`sfumato gateway lint` names all 3"):
        demand_fit(found)


def test_a_form_that_nobody_is_shown_does_no_harm() -> None:
    form = {"conditions": [{"transform": "bucket", "width": 9}]}
    assert misfits(policy(columns={"born": form}), COLUMNS, day=DAY) == []


def test_a_form_that_is_shown_later_is_found_now() -> None:
    later = {"name": "later", "table": "visits", "columns": ["born"], "conditional": ["Care"]}
    columns = {"born": {"conditions": [{"transform": "bucket", "width": 9}]}}
    for day, number in ((date(2027, 1, 1), 1), (None, 1)):
        rule = {**later, **({} if day is None else {"valid_from": day})}
        assert len(misfits(policy([rule], columns=columns), COLUMNS, day=DAY)) == number
    ended = {**later, "valid_until": date(2026, 1, 1)}
    assert misfits(policy([ended], columns=columns), COLUMNS, day=DAY) == []


def test_whatever_else_stands_in_the_way_is_found_too() -> None:
    dotted = {"visits": {**COLUMNS["visits"], "a.b": ColumnType.of_duckdb("INTEGER")}}
    (found,) = misfits(policy(), dotted, day=DAY)
    assert "has a dot in its name" in found.said


def test_tables_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def types(table: str) -> dict[str, ColumnType]:
        raise PolicyError(f"the database has no table {table!r}")

    source = customers()
    monkeypatch.setattr(source, "types", types)
    columns, missing = columns_of(policy(), source)
    assert columns == {}
    assert [(one.kind, one.where) for one in missing] == [(MISFIT, "table 'visits'")]
