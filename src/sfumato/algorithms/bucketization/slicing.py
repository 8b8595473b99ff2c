"""Slicing: blocks of columns that belong together, shuffled against each other inside buckets."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import Bucketizing
from sfumato.algorithms.bucketization.correlation import Columns, closest, correlated_blocks
from sfumato.algorithms.bucketization.every_part import EveryPart
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.linkage import Linkage, free_name
from sfumato.errors import ParameterError, SchemaError, UnsuitableError, listed, nearest
from sfumato.models.base import PrivacyModel
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Slicing(Bucketizing):
    """Quasi columns in several blocks: inside a bucket nobody knows which values of one block go with which of another.

    Columns that tell most of each other stay together, by the mean-square contingency coefficient (numbers by ranges),
    so what is torn apart matters least; `blocks` says it by hand. The secret is alone, or in one block with the quasi
    columns that tell most of it (`companions`): then the model must hold among those of a bucket who agree on them.
    Linkage are cut like those of `mondrian`, so they are of people who are alike; columns that are neither quasi nor
    sensitive stay with the first block.

    >>> from sfumato.datasets import hospital
    >>> from sfumato.models import DistinctLDiversity
    >>> release = Slicing().anonymize(hospital(), DistinctLDiversity(l=2))
    >>> release.candidate.linkage.blocks, sorted(release.groups.sizes.tolist())
    ((('Job', 'Sex'), ('Age',), ('Disease',)), [3, 4])

    References: Li, Li, Zhang and Molloy (2012), Slicing: a new approach for privacy preserving data publishing.
    """

    needs = Bucketizing.needs | {"kept_by_merging"}  # its buckets are cut from larger ones
    randomized = True

    how_many: int = param(2, doc="blocks of quasi columns, not counting that of the secret", at_least=1)
    companions: int = param(0, doc="quasi columns that stay with the secret", at_least=0)
    cut: Literal["best", "median"] = param("best", doc="how buckets are cut, as by mondrian; medians are quicker")
    blocks: tuple[str, ...] = param((), doc="the blocks by hand, each as 'a,b'; sensitive columns may be named too")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.blocks and self.companions:
            raise ParameterError("'blocks' of Slicing say who stays with the secret; leave 'companions' at 0.")

    def prepare(self) -> None:
        """Compile the kernels, or read them from the cache."""
        from sfumato.algorithms.mondrian.mondrian import Mondrian

        Mondrian().prepare()

    def _torn(self, table: Table) -> Linkage:
        schema = table.schema
        names = table.source.columns if table.source is not None else [column.name for column in schema.columns]
        with_secret, *others = self._blocks(table)
        first = others[0] if others else ()
        taken = {name for block in (with_secret, *others[1:]) for name in block} | set(schema.identifiers)
        whole = tuple(name for name in (*first, *names) if name not in taken)
        return Linkage(free_name(names), (tuple(dict.fromkeys(whole)), *others[1:], with_secret))

    def _blocks(self, table: Table) -> tuple[Columns, ...]:
        """The block of the secret, then those of the other quasi columns."""
        quasi, sensitive = table.schema.quasi, table.schema.sensitive
        if self.blocks:
            return self._given(table.schema)
        with_secret = closest(table, quasi, sensitive, self.companions)
        others = tuple(name for name in quasi if name not in with_secret)
        return (*with_secret, *sensitive), *correlated_blocks(table, others, self.how_many)

    def _given(self, schema: Schema) -> tuple[Columns, ...]:
        """The blocks by hand; refuses columns that are in none, in two, or not there."""
        blocks = [tuple(name.strip() for name in row) for row in csv.reader(self.blocks, skipinitialspace=True) if row]
        named = [name for block in blocks for name in block]
        for name in named:
            if name not in (*schema.quasi, *schema.sensitive):
                hint = nearest(name, (*schema.quasi, *schema.sensitive))
                raise SchemaError(f"'blocks' of Slicing name {name!r}, which is neither quasi nor sensitive; {hint}")
        twice = {name for name in named if named.count(name) > 1}
        left = [name for name in schema.quasi if name not in named]
        if twice or left:
            raise SchemaError(f"every quasi column is in one block of Slicing; {listed(sorted(twice) or left)} is not.")
        joined = [name for block in blocks if set(block) & set(schema.sensitive) for name in block]
        joined += [name for name in schema.sensitive if name not in joined]
        return tuple(joined), *(block for block in blocks if not set(block) & set(schema.sensitive))

    def _choose_buckets(
        self, table: Table, row: NDArray[np.int64], model: PrivacyModel, random: np.random.Generator
    ) -> NDArray[np.int32]:
        from sfumato.algorithms.mondrian.cutting import best_groups, median_groups

        companions, secret = self._companions(table), model.sensitive_columns(table.schema)[0]
        possible = self._possible(table, model)
        bucket = np.full(len(table), -1, dtype=np.int32)
        if possible.any():
            rows = table.rows_where(possible)
            asked, rows = EveryPart.of(model, rows, secret, companions) if companions else (model, rows)
            bucket[possible] = (best_groups if self.cut == "best" else median_groups)(rows, asked, sets=True)
        return bucket[row]

    def _companions(self, table: Table) -> Columns:
        return tuple(name for name in self._blocks(table)[0] if name in table.schema.quasi)

    def _possible(self, table: Table, model: PrivacyModel) -> NDArray[np.bool_]:
        """The rows that could be in some bucket: all who agree with them on the companions hold together."""
        groups = Groups.of(table, self._companions(table))
        return model.holds(groups)[groups.labels]

    def _refuse_unsuitable(self, table: Table, model: PrivacyModel) -> None:
        super()._refuse_unsuitable(table, model)
        derived = [name for name in model.sensitive_columns(table.schema) if name not in table.schema.sensitive]
        if derived:
            raise UnsuitableError(
                f"{self.name()} tears apart who people are, and {model} asks for it; anatomy and injector keep it."
            )
        self._blocks(table)

    def _why(self, table: Table, model: PrivacyModel) -> str:
        companions, possible = self._companions(table), self._possible(table, model)
        if not companions or possible.all():
            return super()._why(table, model)
        gone = int(table.counts[~possible].sum())
        return (
            f"Those who agree on {listed(companions)}, which stays with the secret, fail it by themselves for {gone} "
            f"of {table.records} records: allow them to be suppressed, or let fewer columns stay."
        )
