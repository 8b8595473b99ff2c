"""Delta-presence counted person by person, from the labels that a level of the taxonomies gives every value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from sfumato.data.domain import Domain
from sfumato.data.table import Table

Row = tuple[str | None, ...]


def rows_of(table: Table) -> list[Row]:
    """The quasi values of every record."""
    columns = [[table.domain(name).texts[code] for code in table.codes[name]] for name in table.schema.quasi]
    return [
        row for row, count in zip(zip(*columns, strict=True), table.counts.tolist(), strict=True) for _ in range(count)
    ]


def probabilities(table: Table, people: Sequence[Row], levels: Sequence[int]) -> list[Fraction]:
    """For every group of persons at a node the share of them who are in the table."""
    released, named = rows_of(table), []
    for place, (name, level) in enumerate(zip(table.schema.quasi, levels, strict=True)):
        values = list(dict.fromkeys(row[place] for row in (*released, *people)))
        domain, _ = Domain.of(name, values, kind=table.domain(name).kind)
        builder = table.schema.column(name).taxonomy
        assert builder is not None
        taxonomy, _ = builder.grow(domain)
        named.append(
            {text: taxonomy.labels[taxonomy.nodes[level, code]] for code, text in enumerate(taxonomy.domain.texts)}
        )
    general = [tuple(labels[value] for labels, value in zip(named, row, strict=True)) for row in people]
    present = Counter(tuple(labels[value] for labels, value in zip(named, row, strict=True)) for row in released)
    return [Fraction(present[group], count) for group, count in Counter(general).items()]
