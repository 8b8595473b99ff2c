"""Chooses the SQL of steps by the grid of a column."""

from __future__ import annotations

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.grids import FloatGrid, WholeGrid
from sfumato.gateway.transforms.sql.dense_steps import DenseSteps
from sfumato.gateway.transforms.sql.float_steps import FloatSteps
from sfumato.gateway.transforms.sql.whole_steps import WholeSteps
from sfumato.gateway.transforms.steps import Steps


def sql_steps(steps: Steps, column_type: ColumnType, engine: str) -> WholeSteps | FloatSteps | DenseSteps:
    """The SQL of these steps for a column."""
    if isinstance(steps.grid, WholeGrid):
        return WholeSteps(steps, column_type, engine)
    return (FloatSteps if isinstance(steps.grid, FloatGrid) else DenseSteps)(steps, column_type, engine)
