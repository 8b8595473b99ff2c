"""Base of algorithms that publish values as they are, in buckets, and hide which sensitive value belongs to whom.

Anatomy, permutation, slicing and Injector derive from it.
"""

from __future__ import annotations

from abc import abstractmethod
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.partition import Partition
from sfumato.data.table import Table
from sfumato.disclosure.linkage import Linkage
from sfumato.errors import UnsuitableError
from sfumato.models.group_model import GroupModel
from sfumato.operations.bucketize import bucketize
from sfumato.releases.table_candidate import TableCandidate
from sfumato.runtime.secret_random import Randomness, SecretRandom

USE_INJECTOR = "Allow more suppression, ask for less, or use injector, which takes background knowledge into account."
"""The advice of algorithms that choose buckets without regard to what a model knows about persons."""


class Bucketizing(TableAlgorithm):
    """Algorithms that publish values as they are and hide whose they are; an author writes `_choose_buckets`.

    Secrets that are not in a `separate_table` stay in the one table, shuffled inside their bucket.
    """

    family: ClassVar[str] = "buckets: quasi values are unchanged, and separated from the sensitive ones"
    needs: ClassVar[frozenset[str]] = frozenset({"about_secrets"})
    way_out: ClassVar[str] = "Allow more suppression, or ask for less."
    needs_secret_randomness: ClassVar[bool] = True
    draws_at_random: ClassVar[bool] = False
    """Whether it places records by nothing but their sensitive values and chance, so that records with the same
    sensitive value are equally likely to be in each of the places of this value. Estimates then have an interval."""

    def _publish(
        self, table: Table, model: GroupModel, suppression: float, random: np.random.Generator
    ) -> TableCandidate:
        chance = _unforeseeable(table, random)
        # In the table's order, records of one secret would go to buckets by their quasi values, and that would show.
        row = chance.permutation(np.repeat(np.arange(len(table)), table.counts))
        bucket = self._choose_buckets(table, row, model, chance)
        left_over = bucket < 0
        if left_over.any():
            # Records without a bucket share one more. If the model does not hold there, the common step of all table
            # algorithms suppresses it, within the limit on suppression.
            bucket = np.where(left_over, bucket.max() + 1, bucket).astype(np.int32)
        partition = Partition(row, bucket, np.ones(len(row), dtype=np.int64))
        return bucketize(table, partition, self._cut_linkage(table), separate_table=self.separate_table, random=chance)

    def _provenance(self, data: Table, model: GroupModel, suppression: float, seed: int | None) -> dict[str, Any]:
        # A model that looks at derived columns accepts or suppresses buckets by what is known of persons. Those that
        # are published are then no longer a random draw.
        alone = set(model.sensitive_columns(data.schema)) <= set(data.schema.sensitive)
        drawn = self.draws_at_random and alone
        return {**super()._provenance(data, model, suppression, seed), "random_buckets": drawn}

    def _values(self, table: Table, row: NDArray[np.int64], model: GroupModel) -> NDArray[np.int32]:
        """The secret of every record."""
        return table.codes[model.sensitive_columns(table.schema)[0]][row]

    def _cut_linkage(self, table: Table) -> Linkage:
        """The sensitive columns apart from all others."""
        schema = table.schema
        names = table.source.columns if table.source is not None else [column.name for column in schema.columns]
        others = [name for name in names if name not in (*schema.sensitive, *schema.identifiers)]
        return Linkage.hiding(schema.sensitive, others, names)

    @abstractmethod
    def _choose_buckets(
        self, table: Table, row: NDArray[np.int64], model: GroupModel, random: Randomness
    ) -> NDArray[np.int32]:
        """The bucket of every record, which is one of the given row of the table; -1 where none will do.

        Buckets are numbered from 0 without gaps. Records without one are suppressed if the limit allows it.
        """

    def _refuse_unsuitable(self, table: Table, model: GroupModel) -> None:
        super()._refuse_unsuitable(table, model)
        asked = [name for name in model.sensitive_columns(table.schema) if name in table.schema.sensitive]
        if len(asked) != 1:
            raise UnsuitableError(
                f"{self.name()} makes buckets for one sensitive column; {model} asks for {len(asked)} of them."
            )


def _unforeseeable(table: Table, random: Randomness) -> Randomness:
    """Secret numbers as they are, seeded ones mixed with a digest of the data.

    So somebody who knows the seed but not the data cannot repeat them; the same data and seed give the same numbers.
    """
    if isinstance(random, SecretRandom):
        return random
    digest = sha256(table.counts.tobytes())
    for codes in table.codes.values():
        digest.update(np.ascontiguousarray(codes).data)
    return np.random.default_rng([int(random.integers(2**63)), int.from_bytes(digest.digest())])
