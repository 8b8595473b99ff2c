"""The input of Injector's strategies: for each record its sensitive value, the values ruled out and its quasi codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.errors import UsageError
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.exclusions import Exclusions
from sfumato.models.group_model import GroupModel


@dataclass(frozen=True, eq=False)
class Records:
    """One entry per record, in an order that does not depend on persons."""

    value: NDArray[np.int32]
    """Record: the code of its sensitive value."""
    exclusion: NDArray[np.int32]
    """Record: the number of its excluded set, the values that it cannot have."""
    ruled_out: Flags
    """Excluded set, value: whether the set rules out the value."""
    quasi: NDArray[np.int32]
    """Record, quasi column: the code."""
    sizes: tuple[int, ...]
    """Quasi column: the number of its codes."""
    ordered: tuple[bool, ...]
    """Quasi column: whether near codes are near values."""

    def __len__(self) -> int:
        return len(self.value)

    @property
    def own_value_ruled_out(self) -> Flags:
        """Whether the set of a record rules out its own value; such a record fits no bucket."""
        return self.ruled_out[self.exclusion, self.value]

    @classmethod
    def of(cls, table: Table, row: NDArray[np.int64], model: GroupModel) -> Records:
        """The records of a table, given the row of each, with the sensitive value and the exclusions of a model."""
        schema = table.schema
        sensitive = model.sensitive_columns(schema)[0]
        number, ruled_out = _sets(table, model, len(table.domains[sensitive]))
        quasi = np.stack([table.codes[name][row] for name in schema.quasi], axis=1)
        return cls(
            value=table.codes[sensitive][row],
            exclusion=number[row],
            ruled_out=ruled_out,
            quasi=np.ascontiguousarray(quasi),
            sizes=tuple(len(table.domains[name]) for name in schema.quasi),
            ordered=tuple(table.domain(name).ordered for name in schema.quasi),
        )


def _sets(table: Table, model: GroupModel, values: int) -> tuple[NDArray[np.int32], Flags]:
    """The number of the excluded set of each row, and the sets.

    A set is the union of what the exclusion columns rule out; the model derived these columns.
    """
    worked_out = [name for name in model.sensitive_columns(table.schema) if name not in table.schema.judged]
    if not worked_out:
        return np.zeros(len(table), dtype=np.int32), np.zeros((1, values), dtype=bool)
    # Rows that agree in all derived columns have the same excluded set, and one of them represents it.
    number = table.group_numbers(worked_out)
    first = np.empty(int(number.max()) + 1, dtype=np.int64)
    first[number] = np.arange(len(number))
    texts = table.domain(model.sensitive_columns(table.schema)[0]).texts
    sets = [_exclusions(table, name).against(texts)[table.codes[name][first]] for name in worked_out]
    return number, np.asarray(np.logical_or.reduce(sets), dtype=np.bool_)


def _exclusions(table: Table, name: str) -> Exclusions:
    """The domain of a derived column, which has the excluded values of each code."""
    found = table.domain(name)
    if not isinstance(found, Exclusions):
        raise UsageError(f"column {name!r} does not say what is ruled out; prepare the table with its model first.")
    return found
