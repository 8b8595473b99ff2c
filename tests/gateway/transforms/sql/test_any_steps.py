from __future__ import annotations

from fractions import Fraction

import pytest

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.sql.any_steps import sql_steps
from sfumato.gateway.transforms.sql.dense_steps import DenseSteps
from sfumato.gateway.transforms.sql.float_steps import FloatSteps
from sfumato.gateway.transforms.sql.whole_steps import WholeSteps
from sfumato.gateway.transforms.steps import Steps


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("integer", WholeSteps),
        ("numeric(9,2)", WholeSteps),
        ("real", FloatSteps),
        ("double precision", FloatSteps),
        ("numeric", DenseSteps),
    ],
)
def test_every_kind_of_number_has_its_sql(name: str, kind: type) -> None:
    column_type = ColumnType.of_postgres(name)
    assert type(sql_steps(Steps.of(column_type, Fraction(10), Fraction(0)), column_type, "postgres")) is kind
