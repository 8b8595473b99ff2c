"""Hypothesis strategies that everybody shares: small tables with taxonomies, and ways to group their rows."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.taxonomies.tree import Tree

WORDS = ("ant", "bee", "cat", "dog", "eel")
NUMBERS = ("1", "2", "4", "8", "16")


@st.composite
def trees(draw: st.DrawFn, values: tuple[str, ...]) -> Tree:
    """A random tree, unbalanced or not, over values that stay in their order."""
    names = (f"node{number}" for number in count())
    return Tree(branches={"ANY": draw(_branches(values, names))})


@st.composite
def _branches(draw: st.DrawFn, values: tuple[str, ...], names: Any) -> dict[str, Any]:
    inner = range(1, len(values))
    cuts = draw(st.lists(st.sampled_from(inner), unique=True, max_size=3)) if len(values) > 1 else []
    if not cuts:
        return {value: {} for value in values}
    made: dict[str, Any] = {}
    for first, last in zip([0, *sorted(cuts)], [*sorted(cuts), len(values)], strict=True):
        block = values[first:last]
        if len(block) == 1 and draw(st.booleans()):
            made[block[0]] = {}
        else:
            made[next(names)] = draw(_branches(block, names))
    return made


@st.composite
def columns(draw: st.DrawFn, rows: int, *, missing: bool) -> tuple[list[str | None], tuple[str, ...]]:
    """A column of words or numbers, and all the values it could have had."""
    values = draw(st.sampled_from([WORDS, NUMBERS]))[: draw(st.integers(1, 5))]
    cell = st.sampled_from(values) if not missing else st.one_of(st.none(), st.sampled_from(values))
    return draw(st.lists(cell, min_size=rows, max_size=rows)), values


@st.composite
def small_tables(
    draw: st.DrawFn,
    *,
    max_rows: int = 8,
    max_quasi: int = 3,
    max_sensitive: int = 2,
    max_repeats: int = 1,
    missing: bool = True,
    taxonomies: bool = False,
) -> Table:
    """A table of 1 to `max_rows` records with some quasi columns q0, q1, ... and sensitive columns s0, ...

    A record is repeated up to `max_repeats` times, so that `max_rows * max_repeats` is the most there can be. Every
    quasi column has a random taxonomy where `taxonomies`, else some have; sensitive columns have one as it falls.
    """
    records = draw(st.integers(1, max_rows))
    times = draw(st.lists(st.integers(1, max_repeats), min_size=records, max_size=records))
    quasi = [f"q{index}" for index in range(draw(st.integers(1, max_quasi)))]
    sensitive = [f"s{index}" for index in range(draw(st.integers(1, max_sensitive)))]
    cells: dict[str, list[str | None]] = {}
    grown: dict[str, Tree] = {}
    for name in (*quasi, *sensitive):
        found, values = draw(columns(records, missing=missing))
        cells[name] = [cell for cell, often in zip(found, times, strict=True) for _ in range(often)]
        if draw(st.booleans()) or (taxonomies and name in quasi):
            grown[name] = draw(trees(values))
    return Table.of_rows(Schema.of(quasi=quasi, sensitive=sensitive, taxonomies=grown), cells)


@st.composite
def groupings(draw: st.DrawFn, table: Table, *, most: int = 8) -> NDArray[np.int32]:
    """A group for every row of a table, numbered from 0 without gaps."""
    labels = draw(st.lists(st.integers(0, most - 1), min_size=len(table), max_size=len(table)))
    return np.unique(np.array(labels), return_inverse=True)[1].astype(np.int32)


@st.composite
def grouped_tables(draw: st.DrawFn, **given: Any) -> tuple[Table, NDArray[np.int32]]:
    """A small table and a grouping of its rows."""
    table = draw(small_tables(**given))
    return table, draw(groupings(table))
