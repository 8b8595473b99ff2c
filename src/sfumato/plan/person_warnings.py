"""Finds identifiers whose values repeat although no column has the role `person`.

In such a table models count records, so a group of five equal records may all belong to one person. `publish`, `check`
and `init` warn about it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sfumato.data.schema import Role, Schema
from sfumato.engines.base import Engine
from sfumato.errors import SchemaError
from sfumato.plan.column_vocabulary import NAME_WORDS, NUMBER_WORDS, first_word_in, words_of


def repeated_identifiers(source: Engine, schema: Schema) -> tuple[str, ...]:
    """A warning for every declared identifier that repeats, if no column has the role `person`."""
    if schema.person:
        return ()
    return warnings_of(source, schema.named(Role.IDENTIFIER), 'declare it with role = "person"')


def repeated_keys(source: Engine, declared: Iterable[str]) -> tuple[str, ...]:
    """The same for a file without a plan: undeclared columns whose names are those of identifiers."""
    undeclared = [name for name in source.columns if name not in set(declared)]
    keys = [name for name in undeclared if first_word_in(words_of(name), NAME_WORDS | NUMBER_WORDS)]
    return warnings_of(source, keys, f"name it with --person {keys[0]!r}" if keys else "")


def warnings_of(source: Engine, columns: Sequence[str], way_out: str) -> tuple[str, ...]:
    """A warning for each of the columns that has fewer values than the table has records."""
    found = []
    for name in columns:
        try:
            sizes, how_many = source.group_sizes([name])
        except SchemaError:  # nested or binary values cannot be counted
            continue
        records, values = int(sizes @ how_many), int(how_many.sum())
        if 1 < values < records:
            found.append(
                f"{records:,} records have {values:,} different values of {name!r}. If it identifies persons, "
                f"{way_out}: now only records are counted, and all records of a group may belong to one person."
            )
    return tuple(found)
