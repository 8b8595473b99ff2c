"""Adult blown up as Fung, Wang and Yu (2007) did: every record as it is, and variants of it with replaced values.

A variant has between one and all of the quasi attributes, drawn at random, replaced by values drawn from their domains.
So nearly every record is different, unlike in `data.py`.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.files import adult_file

if TYPE_CHECKING:
    from sfumato.data.table import Table

ATTRIBUTES = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country",
)  # fmt: skip
NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
TARGET = "salary-class"
SEED = 20070501
CHUNK = 500_000


class Coded(NamedTuple):
    """One column: its distinct texts, and which of them every record has."""

    texts: list[str]
    places: NDArray[np.int32]


def blown_up(records: int, attributes: Sequence[str], seed: int = SEED) -> dict[str, Coded]:
    """So many records of all fifteen columns; values of the given attributes are replaced."""
    source, random = _adult(), np.random.default_rng(seed)
    size = len(source[TARGET].places)
    made = {name: np.resize(column.places, records) for name, column in source.items()}
    for first in range(size, records, CHUNK):
        last = min(first + CHUNK, records)
        how_many = random.integers(1, len(attributes) + 1, last - first)
        order = random.random((last - first, len(attributes))).argsort(axis=1).argsort(axis=1)
        for place, name in enumerate(attributes):
            hit = np.flatnonzero(order[:, place] < how_many)
            made[name][first + hit] = random.integers(0, len(source[name].texts), len(hit))
    return {name: Coded(source[name].texts, places) for name, places in made.items()}


def coded_table(
    records: int, *, quasi_identifiers: Mapping[str, Sequence[str]] | None = None, sensitive: str = ""
) -> Table:
    """The blown-up records as a table of codes, categories with their trees; each record a row of its own."""
    from sfumato.data.domain import Domain
    from sfumato.data.schema import Schema
    from sfumato.data.table import Table
    from sfumato.datasets.adult_trees import adult_trees

    named = quasi_identifiers or {}
    known = {name for columns in named.values() for name in columns} or set(ATTRIBUTES) - {sensitive}
    quasi = [name for name in ATTRIBUTES if name in known]
    trees = {name: tree for name, tree in adult_trees().items() if name in quasi}
    schema = Schema.of(
        quasi=quasi,
        target=[TARGET],
        sensitive=[sensitive] if sensitive else [],
        taxonomies=trees,
        quasi_identifiers=named,
    )
    codes, domains, taxonomies = {}, {}, {}
    columns = blown_up(records, quasi)
    for name in schema.judged:
        domain, code = Domain.of(name, columns[name].texts)
        if name in trees:
            taxonomies[name], order = trees[name].grow(domain)
            domain, code = taxonomies[name].domain, np.argsort(order).astype(np.int32)[code]
        domains[name], codes[name] = domain, code.astype(np.int32)[columns[name].places]
    return Table(schema, codes, np.ones(records, dtype=np.int64), domains, taxonomies)


def arrow_texts(records: int) -> Any:
    """The blown-up records as an Arrow table of plain texts."""
    import pyarrow as pa

    columns = blown_up(records, ATTRIBUTES)
    arrays = [
        pa.DictionaryArray.from_arrays(pa.array(one.places), pa.array(one.texts)).dictionary_decode()
        for one in columns.values()
    ]
    return pa.table(arrays, names=list(columns))


def _adult() -> dict[str, Coded]:
    with adult_file("all").open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    found = {}
    for name, values in zip(header, zip(*rows, strict=True), strict=True):
        texts, places = np.unique(np.array(values), return_inverse=True)
        found[name] = Coded(texts.tolist(), places.astype(np.int32))
    return found
