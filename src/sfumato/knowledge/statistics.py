"""Statistics: the distribution of the sensitive values in all records and under the top nodes of each quasi column.

The miner adds these shares to its rules if its setting `statistics` is on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sfumato.data.table import Table
from sfumato.knowledge.axis import ItemAxis
from sfumato.knowledge.counting import Counting
from sfumato.knowledge.item import Item
from sfumato.knowledge.rule import Rule


def shares(table: Table, sensitive: str) -> Iterator[Rule]:
    """The share of every value in all records, then in the records under each top node of each quasi column.

    Without a taxonomy the values themselves are the top nodes. Shares of 0 are included.

    >>> from sfumato.datasets import hospital
    >>> [str(rule) for rule in shares(hospital(), "Disease")][4:6]
    ['Job is Professional: HIV in 33.3 %', 'Job is Professional: Hepatitis in 66.7 %']
    """
    values = np.arange(len(table.domain(sensitive)))
    yield from _spread(table, sensitive, (), table.histogram(sensitive))
    for column in table.schema.quasi:
        axis = _top_of(ItemAxis.of(table, column))
        for found in Counting.of(table, sensitive, values, {column: axis}, 1).itemsets([column]):
            for place, counts in zip(found.places[:, 0].tolist(), found.counts, strict=True):
                yield from _spread(table, sensitive, (axis.items[place],), counts)


def _top_of(axis: ItemAxis) -> ItemAxis:
    top = axis.top
    items = tuple(axis.items[place] for place in top.tolist())
    return replace(axis, items=items, first=axis.first[top], last=axis.last[top], parent=axis.parent[top])


def _spread(table: Table, sensitive: str, when: tuple[Item, ...], counts: np.ndarray) -> Iterator[Rule]:
    domain, support = table.domain(sensitive), int(counts.sum())
    for code, count in enumerate(counts.tolist()):
        yield Rule(when, domain.named(code), share=count / support, support=support)
