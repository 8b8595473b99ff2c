"""Models for the checks of algorithms: satisfiable for a table, with the facts that an algorithm declares to need.

`checks.algorithms` and `sfumato warm` use them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.checks.base import ConformanceError
from sfumato.data.table import Table
from sfumato.models.base import PrivacyModel
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.models.k_anonymity import KAnonymity


def satisfiable_models(algorithm: TableAlgorithm, table: Table) -> list[PrivacyModel]:
    """Models that an algorithm serves and that the table can satisfy, so that refusing them is an error.

    >>> from sfumato.algorithms import Anatomy, Mondrian
    >>> from sfumato.datasets import hospital
    >>> [str(model) for model in satisfiable_models(Anatomy(), hospital())]
    ['distinct_l_diversity(l=1, sensitive=Disease)']
    >>> len(satisfiable_models(Mondrian(), hospital()))
    6
    """
    served = [model for model in _candidates(table) if _serves(algorithm, model)]
    if not served:
        raise ConformanceError(f"{algorithm} serves no model that this table can satisfy.")
    return served


def size_models(algorithm: TableAlgorithm, table: Table) -> list[PrivacyModel]:
    """Models of group sizes that an algorithm serves and that the persons of the table can satisfy."""
    return [model for model in _sizes(table) if _serves(algorithm, model)]


def simplest_model(algorithm: TableAlgorithm, table: Table, least: int) -> PrivacyModel:
    """K-anonymity with k = `least`, or distinct l-diversity with l = `least` if the algorithm serves only that."""
    size = KAnonymity(k=least)
    return size if _serves(algorithm, size) else DistinctLDiversity(l=least, sensitive=table.schema.sensitive[0])


def _candidates(table: Table) -> Iterator[PrivacyModel]:
    """Models that the table satisfies as one group.

    Distinct l-diversity is included only for values of l for which all records fit into buckets of l distinct sensitive
    values, that is, if no sensitive value has more than a share of 1/l of the records.
    """
    yield from _sizes(table)
    for column in table.schema.sensitive:
        counts = table.histogram(column)
        if np.count_nonzero(counts) > 1:
            yield KAnonymity(k=2) & DistinctLDiversity(l=2, sensitive=column)
        yield from (DistinctLDiversity(l=l, sensitive=column) for l in (1, 2, 3) if l * counts.max() <= table.records)


def _sizes(table: Table) -> list[PrivacyModel]:
    return [KAnonymity(k=k) for k in sorted({1, min(2, table.persons), min(3, table.persons), table.persons})]


def _serves(algorithm: TableAlgorithm, model: PrivacyModel) -> bool:
    """Whether a model has all facts that the algorithm needs."""
    return all(getattr(model, fact, False) for fact in algorithm.needs)
