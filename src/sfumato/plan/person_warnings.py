"""Finds an identifier whose values repeat although no column has the role `person`.

In such a table models count records, so a group of five equal records may all belong to one person. `publish` and
`check` warn about it; `init` proposes the role `person` instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sfumato.data.schema import Role, Schema
from sfumato.engines.base import Engine
from sfumato.errors import SchemaError
from sfumato.plan.column_vocabulary import (
    NAME_WORDS,
    NUMBER_WORDS,
    first_word_in,
    is_person_key,
    may_be_shared,
    words_of,
)


def repeated_identifiers(source: Engine, schema: Schema) -> tuple[str, ...]:
    """A warning if a declared identifier repeats and no column has the role `person`; otherwise empty."""
    if schema.person:
        return ()
    counted = _counted(source, schema.named(Role.IDENTIFIER), schema.missing)
    return _warnings(counted, 'declare it with role = "person"')


def repeated_keys(source: Engine, declared: Iterable[str], missing: Sequence[str] = ()) -> tuple[str, ...]:
    """The same for a file without a plan: undeclared columns whose names are those of identifiers."""
    undeclared = [name for name in source.columns if name not in set(declared)]
    keys = [name for name in undeclared if first_word_in(words_of(name), NAME_WORDS | NUMBER_WORDS)]
    return _warnings(_counted(source, keys, missing), "name it with --person {name!r}")


def _warnings(counted: Mapping[str, tuple[int, int]], way_out: str) -> tuple[str, ...]:
    """A warning for the repeated column that most probably is the key of a person: named so, then most values.

    A key of persons that differs in every record speaks against other repeated columns, but not against another key of
    persons: `patient_visit_id` is named as one, and numbers visits.
    """
    unique = [name for name, (records, values) in counted.items() if 1 < values == records]
    one_each = any(is_person_key(name) for name in unique)
    repeated = [
        name
        for name, (records, values) in counted.items()
        if 1 < values < records and (is_person_key(name) or not (one_each or (unique and may_be_shared(name))))
    ]
    if not repeated:
        return ()
    name = max(repeated, key=lambda name: (is_person_key(name), counted[name][1]))
    records, values = counted[name]
    return (
        f"{records:,} records have {values:,} different values of {name!r}. If it identifies persons, "
        f"{way_out.format(name=name)}: now only records are counted, and all records of a group may belong to one "
        "person.",
    )


def _counted(source: Engine, columns: Sequence[str], missing: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The number of records that have a value and of different values, by column."""
    found = {}
    for name in columns:
        try:
            sizes, how_many = source.group_sizes([name])
        except SchemaError:  # nested or binary values cannot be counted
            continue
        records, values = int(sizes @ how_many), int(how_many.sum())
        if values < records:
            absent = [source.filled([name], text) for text in {None, *missing}]
            records, values = records - sum(absent), values - sum(count > 0 for count in absent)
        found[name] = records, values
    return found
