"""Finds identifiers that repeat although no column is declared the person's key.

Then promises count records, and a group of five records that look alike may be one person. `publish`, `check` and
`init` say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sfumato.data.schema import Role, Schema
from sfumato.engines.base import Engine
from sfumato.errors import SchemaError
from sfumato.plan.column_vocabulary import NAMING, NUMBERING, known, words_of


def repeated_identifiers(source: Engine, schema: Schema) -> tuple[str, ...]:
    """A warning for every declared identifier that repeats, if no column is declared the person's key."""
    if schema.person:
        return ()
    return warnings_of(source, schema.named(Role.IDENTIFIER), 'declare it with role = "person"')


def repeated_keys(source: Engine, declared: Iterable[str]) -> tuple[str, ...]:
    """The same for a file without a plan: columns that nobody declared, whose names are those of identifiers."""
    named = [name for name in source.columns if name not in set(declared)]
    keys = [name for name in named if known(words_of(name), NAMING | NUMBERING)]
    return warnings_of(source, keys, f"name it with --person {keys[0]!r}" if keys else "")


def warnings_of(source: Engine, columns: Sequence[str], way_out: str) -> tuple[str, ...]:
    """What to say of those of the columns that have fewer values than there are records."""
    found = []
    for name in columns:
        try:
            sizes, how_many = source.group_sizes([name])
        except SchemaError:  # nested or binary values, which name nobody that could be counted
            continue
        records, values = int(sizes @ how_many), int(how_many.sum())
        if 1 < values < records:
            found.append(
                f"{records:,} records have {values:,} different values of {name!r}. If that is who a record is about, "
                f"{way_out}: only records are counted now, and those that look alike may all be one person."
            )
    return tuple(found)
