"""Series of columns: questions of a survey and the like, named alike with other numbers, as `q1` to `q150`.

A decision about one of them is one about all, so commands list and ask for a series once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence

from sfumato.plan.proposals.proposed_column import ProposedColumn

_LEAST = 4
"""Columns from which a series is taken together."""


def series_of(columns: Sequence[ProposedColumn]) -> list[list[ProposedColumn]]:
    """The columns in order, those of a series in one list, at the place of its first one; any other in a list alone.

    The columns of a series have the same type, number of values and role, and names that differ in their numbers.
    """
    alike: dict[Hashable, list[ProposedColumn]] = defaultdict(list)
    for column in columns:
        alike[_likeness(column)].append(column)
    return [
        members if len(members := alike[_likeness(column)]) >= _LEAST else [column]
        for column in columns
        if len(alike[_likeness(column)]) < _LEAST or column is alike[_likeness(column)][0]
    ]


def series_name(columns: Sequence[ProposedColumn]) -> str:
    """How a series is called: by its first and last column, and how many there are."""
    if len(columns) == 1:
        return columns[0].name
    return _span([column.name for column in columns])


def shortened_series(names: Sequence[str]) -> list[str]:
    """Names in order, those of a series as one text.

    >>> shortened_series(["age", "q1", "q2", "q3", "q4", "sex"])
    ['age', 'q1 to q4 (4 columns)', 'sex']
    """
    alike: dict[str, list[str]] = defaultdict(list)
    for name in names:
        alike[_pattern(name)].append(name)
    shown = []
    for name in names:
        members = alike[_pattern(name)]
        if len(members) < _LEAST or _pattern(name) == name:
            shown.append(name)
        elif name == members[0]:
            shown.append(_span(members))
    return shown


def _span(names: Sequence[str]) -> str:
    return f"{names[0]} to {names[-1]} ({len(names)} columns)"


def _pattern(name: str) -> str:
    """The name without its numbers; equal for the columns of a series."""
    return re.sub(r"\d+", "#", name)


def _likeness(column: ProposedColumn) -> Hashable:
    pattern = _pattern(column.name)
    if pattern == column.name:
        return column.name, None
    return pattern, column.kind, column.distinct, column.role, bool(column.decide)
