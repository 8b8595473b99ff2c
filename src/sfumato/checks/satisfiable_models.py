"""What an algorithm can be asked about a table, by the facts that it declares to need."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.algorithms.base import Algorithm
from sfumato.checks.base import ConformanceError
from sfumato.data.table import Table
from sfumato.models.base import PrivacyModel
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.models.k_anonymity import KAnonymity


def questions(algorithm: Algorithm, table: Table) -> list[PrivacyModel]:
    """Models with all the facts that an algorithm needs, and that it has no excuse to refuse.

    >>> from sfumato.algorithms import Anatomy, Mondrian
    >>> from sfumato.datasets import hospital
    >>> [str(model) for model in questions(Anatomy(), hospital())], len(questions(Mondrian(), hospital()))
    (['distinct_l_diversity(l=1, sensitive=Disease)'], 6)
    """
    served = [model for model in _every_question(table) if _serves(algorithm, model)]
    if not served:
        raise ConformanceError(f"{algorithm} serves no model that this table could be asked about.")
    return served


def plain_question(algorithm: Algorithm, table: Table, least: int) -> PrivacyModel:
    """Groups of at least so many records; of so many different secrets where the algorithm needs to hide some."""
    size = KAnonymity(k=least)
    return size if _serves(algorithm, size) else DistinctLDiversity(l=least, sensitive=table.schema.sensitive[0])


def _every_question(table: Table) -> Iterator[PrivacyModel]:
    """Models that all records as one group satisfy.

    Of those about secrets alone only such that buckets of l different secrets exist for all records: no secret has more
    than one in l of them.
    """
    for k in sorted({1, min(2, table.records), min(3, table.records), table.records}):
        yield KAnonymity(k=k)
    for column in table.schema.sensitive:
        counts = table.histogram(column)
        if np.count_nonzero(counts) > 1:
            yield KAnonymity(k=2) & DistinctLDiversity(l=2, sensitive=column)
        yield from (DistinctLDiversity(l=l, sensitive=column) for l in (1, 2, 3) if l * counts.max() <= table.records)


def _serves(algorithm: Algorithm, model: PrivacyModel) -> bool:
    return all(getattr(model, fact, False) for fact in algorithm.needs)
