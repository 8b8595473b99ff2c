"""How much a bucketized release costs a recipient who counts: the error of the answers to random COUNT queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.errors import ParameterError, UsageError
from sfumato.evaluation.queries.estimator import Estimator
from sfumato.knowledge.item import Item

_DRAWS_PER_QUERY = 100
"""How many queries are drawn per requested one before giving up, because queries that count nothing are dropped."""


class Query(NamedTuple):
    """A query, and the number of records of the original that it counts."""

    where: tuple[Item, ...]
    truth: int


@dataclass(frozen=True, kw_only=True)
class QueryError:
    """The mean relative error of random COUNT queries over some quasi columns and the sensitive column.

    A query selects, for each of `dimensions` quasi columns drawn at random and for the sensitive column, between one
    value and the share `selectivity` of the column's values. Queries that count no record are drawn again. The same
    settings and table give the same queries, so all releases are compared on the same ones. The answer is the expected
    value of an estimate, which assumes independence within buckets, as in the papers.

    >>> from sfumato.algorithms import Anatomy
    >>> from sfumato.datasets import nine_patients
    >>> from sfumato.models import DistinctLDiversity
    >>> release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=1), seed=0)
    >>> QueryError(number=20, selectivity=0.5).measure(nine_patients(), Estimator.of_release(release))
    0.0

    References: Li and Li (2008), section VI-D; Xiao and Tao (2006), section 6.
    """

    number: int = 1000
    dimensions: int = 2
    selectivity: float = 0.1
    sensitive: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.number < 1 or self.dimensions < 0:
            raise ParameterError(
                "'number' of QueryError must be at least 1 and 'dimensions' at least 0; "
                f"got {self.number!r} and {self.dimensions!r}."
            )
        if not 0 < self.selectivity <= 1:
            raise ParameterError(
                f"'selectivity' of QueryError must be above 0 and at most 1; got {self.selectivity!r}."
            )

    def measure(self, original: Table, estimator: Estimator, queries: Sequence[Query] | None = None) -> float:
        """The mean of |estimate - truth| / truth, over the given queries or those that `queries` draws."""
        return float(self.errors(estimator, self.queries(original) if queries is None else queries).mean())

    def errors(self, estimator: Estimator, queries: Sequence[Query]) -> NDArray[np.float64]:
        """The relative error of every query."""
        found = np.array([estimator.count(*query.where).value for query in queries])
        truth = np.array([query.truth for query in queries], dtype=np.float64)
        return np.asarray(np.abs(found - truth) / truth)

    def queries(self, original: Table) -> list[Query]:
        """Random queries that count at least one record."""
        quasi, secret = original.schema.quasi, original.schema.one_sensitive(self.sensitive)
        if self.dimensions > len(quasi):
            raise ParameterError(
                f"'dimensions' of QueryError must be at most {len(quasi)}, the number of quasi columns; "
                f"got {self.dimensions}."
            )
        random = np.random.default_rng(self.seed)
        found: list[Query] = []
        for _ in range(_DRAWS_PER_QUERY * self.number):
            chosen = sorted(random.choice(len(quasi), self.dimensions, replace=False).tolist())
            query = self._draw_query(original, [*(quasi[place] for place in chosen), secret], random)
            found += [query] if query.truth else []
            if len(found) == self.number:
                return found
        raise UsageError(
            f"only {len(found)} of {_DRAWS_PER_QUERY * self.number} random queries count any record, but {self.number} "
            "are needed; use fewer dimensions or a larger selectivity."
        )

    def _draw_query(self, original: Table, columns: Sequence[str], random: np.random.Generator) -> Query:
        items, hit = [], np.ones(len(original), dtype=bool)
        for name, codes in self._values(original, columns, random):
            domain = original.domain(name)
            items.append(Item(name, f"{len(codes)} values", tuple(domain.named(code) for code in codes)))
            mask = np.zeros(len(domain), dtype=bool)
            mask[codes] = True
            hit &= mask.take(original.codes[name])
        return Query(tuple(items), int(original.counts[hit].sum()))

    def _values(
        self, original: Table, columns: Sequence[str], random: np.random.Generator
    ) -> Iterator[tuple[str, list[int]]]:
        """Random values of every column, as codes."""
        for name in columns:
            values = len(original.domain(name))
            most = max(1, int(self.selectivity * values + 1e-9))
            size = int(random.integers(1, most + 1))
            yield name, sorted(random.choice(values, size, replace=False).tolist())
