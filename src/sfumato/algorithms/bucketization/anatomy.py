"""Anatomy: everything as it was, with secrets in a table of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.base import Bucketizing
from sfumato.algorithms.bucketization.anatomized import anatomized
from sfumato.algorithms.bucketization.eligibility import why_not
from sfumato.data.table import Table
from sfumato.models.base import PrivacyModel


@dataclass(frozen=True, kw_only=True)
class Anatomy(Bucketizing):
    """Two tables: records as they were with the number of a bucket, and how often each secret occurs in each bucket.

    Linkage get one record of each of the l values that most records are left of, chosen at random, so that nobody's
    secret can be guessed more surely than with 1 in l; l is the least size of a group that the model allows. The few
    records left in the end join buckets that do not have their value. If some value is more frequent than 1 in l no
    such buckets exist, and as many of its records as must be are left out where the limit on suppression allows it.

    Linkage know nothing of what people are: whoever can rule out values for somebody may be left with one. See
    `injector` for that.

    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import DistinctLDiversity
    >>> release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3))
    >>> release.groups.sizes.tolist()
    [3, 3, 3]

    References: Xiao and Tao (2006); book, sections 3.2 and 5.2.4.
    """

    randomized = True
    way_out = "Allow more suppression, ask for less, or use injector, which heeds what the model knows of people."

    @property
    def apart(self) -> bool:
        """Secrets have a table of their own."""
        return True

    def _choose_buckets(
        self, table: Table, row: NDArray[np.int64], model: PrivacyModel, random: np.random.Generator
    ) -> NDArray[np.int32]:
        return anatomized(self._values(table, row, model), model.least_size(), random)

    def _why(self, table: Table, model: PrivacyModel) -> str:
        sensitive = model.sensitive_columns(table.schema)[0]
        return why_not(table, sensitive, model.least_size()) or super()._why(table, model)
