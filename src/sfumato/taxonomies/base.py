"""The contract of a taxonomy builder: given the values of a column, say what each becomes on every level."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.domain import Domain
from sfumato.params import Declared
from sfumato.taxonomies.taxonomy import Taxonomy


class TaxonomyBuilder(Declared):
    """Base of all builders: an author writes `_levels`, the base checks and builds the tree.

    `plan_keys` says how a plan file asks for the builder: `{"width": "width"}` means that `{ width = 5 }` in a plan
    builds it with the setting `width=5`.
    """

    plan_keys: ClassVar[Mapping[str, str]] = {}

    def build(self, domain: Domain) -> tuple[Taxonomy, NDArray[np.int64]]:
        """The taxonomy over these values, and the order of codes that makes every node a range of codes.

        The domain inside the taxonomy is already in that order.
        """
        return Taxonomy.of_levels(domain, self._levels(domain))

    @abstractmethod
    def _levels(self, domain: Domain) -> Sequence[Sequence[str]]:
        """Labels of the levels above the values, lowest first, one for each value that is not missing."""
