from __future__ import annotations

from fractions import Fraction

import pytest

from sfumato.transforms.column_types import ColumnType
from sfumato.transforms.sql.dense_steps import DenseSteps
from sfumato.transforms.sql.float_steps import FloatSteps
from sfumato.transforms.sql.stepped import stepped
from sfumato.transforms.sql.whole_steps import WholeSteps
from sfumato.transforms.steps import Steps


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
    assert type(stepped(Steps.of(column_type, Fraction(10), Fraction(0)), column_type, "postgres")) is kind
