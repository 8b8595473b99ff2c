"""Hypothesis strategies that everybody shares: small tables with taxonomies, and ways to group their rows."""

from __future__ import annotations

from functools import cache
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
    cuts = draw(_cuts(len(values))) if len(values) > 1 else []
    if not cuts:
        return {value: {} for value in values}
    made: dict[str, Any] = {}
    for first, last in zip([0, *sorted(cuts)], [*sorted(cuts), len(values)], strict=True):
        block = values[first:last]
        if len(block) == 1 and draw(_BOOLEANS):
            made[block[0]] = {}
        else:
            made[next(names)] = draw(_branches(block, names))
    return made


@cache
def _cuts(size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.sampled_from(range(1, size)), unique=True, max_size=3)


@st.composite
def columns(draw: st.DrawFn, rows: int, *, missing: bool) -> tuple[list[str | None], tuple[str, ...]]:
    """A column of words or numbers, and all the values it could have had."""
    values = draw(_POSSIBLE)[: draw(_integers(1, 5))]
    return draw(_lists(values, rows, missing)), values


_POSSIBLE = st.sampled_from([WORDS, NUMBERS])
_BOOLEANS = st.booleans()


@cache
def _integers(least: int, most: int) -> st.SearchStrategy[int]:
    """Strategies are made once: Hypothesis checks each new one, which takes longer than drawing from it."""
    return st.integers(least, most)


@cache
def _lists(values: tuple[str, ...], size: int, missing: bool) -> st.SearchStrategy[list[str | None]]:
    """So many of the values, some of them missing where that is allowed."""
    cell = st.sampled_from(values) if not missing else st.one_of(st.none(), st.sampled_from(values))
    return st.lists(cell, min_size=size, max_size=size)


@cache
def _lists_of_integers(least: int, most: int, size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(least, most), min_size=size, max_size=size)


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
    records = draw(_integers(1, max_rows))
    times = draw(_lists_of_integers(1, max_repeats, records))
    quasi = [f"q{index}" for index in range(draw(_integers(1, max_quasi)))]
    sensitive = [f"s{index}" for index in range(draw(_integers(1, max_sensitive)))]
    cells: dict[str, list[str | None]] = {}
    grown: dict[str, Tree] = {}
    for name in (*quasi, *sensitive):
        found, values = draw(columns(records, missing=missing))
        cells[name] = [cell for cell, often in zip(found, times, strict=True) for _ in range(often)]
        if draw(_BOOLEANS) or (taxonomies and name in quasi):
            grown[name] = draw(trees(values))
    return Table.of_rows(Schema.of(quasi=quasi, sensitive=sensitive, taxonomies=grown), cells)


@st.composite
def groupings(draw: st.DrawFn, table: Table, *, most: int = 8) -> NDArray[np.int32]:
    """A group for every row of a table, numbered from 0 without gaps."""
    labels = draw(_lists_of_integers(0, most - 1, len(table)))
    return np.unique(np.array(labels), return_inverse=True)[1].astype(np.int32)


@st.composite
def grouped_tables(draw: st.DrawFn, **given: Any) -> tuple[Table, NDArray[np.int32]]:
    """A small table and a grouping of its rows."""
    table = draw(small_tables(**given))
    return table, draw(groupings(table))
