"""Permutation: one table in which sensitive values are shuffled inside buckets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.bucketization.anatomy import buckets_of_values
from sfumato.algorithms.bucketization.base import USE_INJECTOR, Bucketizing
from sfumato.algorithms.bucketization.eligibility import why_not
from sfumato.data.table import Table
from sfumato.errors import SchemaError, UnsuitableError
from sfumato.models.group_model import GroupModel
from sfumato.runtime.secret_random import Randomness
from sfumato.settings.params import param


@dataclass(frozen=True, kw_only=True)
class Permutation(Bucketizing):
    """One table with unchanged values, in which the sensitive values are shuffled among the records of a bucket.

    If sensitive values are numbers, `ranges` makes buckets of neighbours in the order of these numbers, such that the
    sum of the bucket ranges is as small as the model allows. A sum over some records is then known within narrow
    bounds. This needs a model that a longer run always satisfies, such as `k_e_anonymity`. `draws` makes random buckets
    of distinct values, like `anatomy`. `auto` takes ranges for models about distances between sensitive values,
    which random buckets satisfy only by chance, and draws for all others: neighbours would satisfy these, and their
    near numbers still disclose the approximate value.

    >>> from sfumato.models import KEAnonymity
    >>> from sfumato.data.schema import Schema
    >>> pay = {"age": ["20", "30", "40", "50", "60"], "salary": ["9", "1", "3", "8", "2"]}
    >>> table = Table.of_rows(Schema.of(quasi=["age"], sensitive=["salary"]), pay)
    >>> release = Permutation().anonymize(table, KEAnonymity(k=2, e=1), seed=0)
    >>> shared = release.groups.histogram("salary")
    >>> release.groups.sizes.tolist(), [table.domain("salary").texts[code] for code in shared.values]
    ([2, 3], ['8', '9', '1', '2', '3'])

    References: Zhang, Koudas, Srivastava and Yu (2007); book, sections 3.2 and 5.2.5.
    """

    way_out = USE_INJECTOR
    draws_at_random = True

    buckets: Literal["auto", "ranges", "draws"] = param(
        "auto", doc="neighbours in the order of sensitive values, or random"
    )

    def _choose_buckets(
        self, table: Table, row: NDArray[np.int64], model: GroupModel, random: Randomness
    ) -> NDArray[np.int32]:
        values = self._values(table, row, model)
        if not self._takes_ranges(model):
            return buckets_of_values(values, table, model, random)
        return self._ranges(table, values, model, random)

    def _takes_ranges(self, model: GroupModel) -> bool:
        """Whether buckets are runs of neighbouring numbers."""
        return model.about_distances if self.buckets == "auto" else self.buckets == "ranges"

    def _ranges(
        self, table: Table, values: NDArray[np.int32], model: GroupModel, random: Randomness
    ) -> NDArray[np.int32]:
        """Runs of neighbours; equal values are in random order, and missing values are at the upper end."""
        from sfumato.algorithms.bucketization.loops.permutation import narrowest_runs

        domain = table.domain(model.sensitive_columns(table.schema)[0])
        if domain.numbers is None:
            raise SchemaError(f"{self} makes buckets of near numbers, and the values of {domain.column!r} are texts.")
        rank = np.empty(len(domain), dtype=np.int32)
        rank[np.argsort(domain.numbers, kind="stable")] = np.arange(len(domain))  # missing ones come last
        order = random.permutation(len(values))
        # The sort is stable, so equal values stay in the random order of the permutation.
        order = order[np.argsort(rank[values[order]], kind="stable")]
        line = values[order]
        latest = model.bounds.latest_starts(line, domain)
        if latest is None:
            raise UnsuitableError(
                f"{self.name()} cannot tell for {model} which runs of numbers hold; ask for buckets = 'draws'."
            )
        # Missing numbers, at the end, take the position of the largest number, so that they add no range.
        place = np.fmax.accumulate(domain.numbers[line])
        bucket = np.empty(len(values), dtype=np.int32)
        bucket[order] = narrowest_runs(np.nan_to_num(place), latest)
        return bucket

    def _why(self, table: Table, model: GroupModel, suppression: float) -> str:
        general = super()._why(table, model, suppression)
        if self._takes_ranges(model):
            return general
        return why_not(table, model.sensitive_columns(table.schema)[0], model.bounds.least_size()) or general
