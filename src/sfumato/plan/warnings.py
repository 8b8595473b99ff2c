"""What the publisher of a release should know before it goes out, beyond what the models promise.

The warnings are about identifiers that repeat, columns without a role, secrets without a model, the index of a frame,
and records in the order of a hidden column. `publication` and `direct_calls` add them to the release; the command line
and the report show them. A check of a file calls `repeated_keys`.

Other warnings are found elsewhere: `audit/sensitive_columns.py` and `audit/plain_columns.py` measure in the published
file what sensitive and plain columns give away, and `report/note.py` has those that only a report shows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Role, Schema
from sfumato.data.table import Table
from sfumato.engines.base import Counted, Engine
from sfumato.engines.frames.frames import has_own_index
from sfumato.engines.writing.order_disclosure import sorted_columns
from sfumato.errors import SchemaError, listed
from sfumato.models.base import PrivacyModel
from sfumato.plan.proposals.column_roles import is_written_as_code
from sfumato.plan.proposals.column_vocabulary import (
    NAME_WORDS,
    NUMBER_WORDS,
    SPECIAL_WORDS,
    first_word_in,
    is_person_key,
    may_be_shared,
    meaning_of,
    words_of,
)
from sfumato.plan.unread_values import unread_values
from sfumato.releases.table_release import TableRelease

_FIRST = 20_000
"""Records at the start of the data in which an order is looked for."""

_MOST_COUNTED = 10
"""Identifiers whose values are counted to see whether they repeat."""

_FEW_VALUES = 50
_RECORDS_EACH = 20
"""Values up to which a column without the name of a key tells no persons apart, if each has more records than this."""

_SPREAD = 2_400
"""Records from the whole data in which an order is looked for that the start does not show."""
_WINDOWS = (1, 4, 8)
"""The numbers of equal parts of these records, each of which may be sorted alone: the last quarter, or an eighth."""


Door = Literal["plan", "python", "command"]
"""Where the roles of columns are given: in a plan, as arguments in Python, or as options of a command."""

_NAME_PERSON: Mapping[Door, str] = {
    "plan": 'declare it with role = "person"',
    "python": 'name it with person="{name}"',
    "command": "name it with --person {name!r}",
}
_GIVE_ROLES: Mapping[Door, str] = {
    "plan": 'Give every column a role; the role "plain" says that a column may be published.',
    "python": "Name every column: identifiers=[...] leaves a column out, plain=[...] says that it may be published.",
}
_PROTECT: Mapping[Door, str] = {
    "plan": 'Add a model such as distinct_l_diversity, or the role "plain" if nothing is to be hidden.',
    "python": "Add a model, such as & DistinctLDiversity(l=2), or name it in plain=[...] if nothing is to be hidden.",
}
_MAKE_SENSITIVE: Mapping[Door, str] = {
    "plan": 'Give the role "sensitive" to what others must not learn, and add a model such as distinct_l_diversity.',
    "python": "Name in sensitive=[...] what others must not learn, and add a model, such as & DistinctLDiversity(l=2).",
    "command": "Name with --sensitive what others must not learn.",
}
_NAME_INDEX: Mapping[Door, str] = {
    "plan": "Give {them} a role to publish what is there.",
    "python": "Name {them} in plain=[...], or in another role, to publish what is there.",
    "command": "Name {them} to publish what is there.",
}


def with_warnings(release: TableRelease, more: Sequence[str], *, first: bool = False) -> TableRelease:
    """The release with more warnings in its provenance, which the report and the command line show."""
    given = release.provenance["warnings"]
    warnings = [*more, *given] if first else [*given, *more]
    return replace(release, provenance={**release.provenance, "warnings": warnings}) if more else release


def unnamed_columns(source: Engine, schema: Schema) -> list[str]:
    """The columns of a source that a schema does not name, without those that only number the records."""
    named = {column.name for column in schema.columns}
    return [name for name in source.columns if name not in named and name not in source.index_columns]


def undeclared_columns(source: Engine, schema: Schema, *, door: Door = "plan") -> tuple[str, ...]:
    """A warning if columns have no role: they are published as they are."""
    found = unnamed_columns(source, schema)
    if not found:
        return ()
    has, verb = ("has", "is") if len(found) == 1 else ("have", "are")
    return (f"{listed(found)} {has} no role and {verb} published unchanged. {_GIVE_ROLES[door]}",)


def index_columns(source: Engine, schema: Schema, *, door: Door = "plan") -> tuple[str, ...]:
    """A message if columns are left out because they number the records: they have no name, or are a stored index."""
    named = {column.name for column in schema.columns}
    found = [name for name in source.index_columns if name not in named]
    if not found:
        return ()
    verb, what, them = "is", "it has no name in the file, or numbers its records", "it"
    if len(found) > 1:
        verb, what, them = "are", "they have no name in the file, or number its records", "them"
    way_out = _NAME_INDEX[door].format(them=them)
    return (f"{listed(found)} {verb} left out: {what}, as the index of a frame does. {way_out}",)


def kept_index(source: Engine) -> tuple[str, ...]:
    """A warning if the published frame keeps an index that may say whose records these are.

    No model reads an index. Releases keep it, so that their rows can be compared with those of the original.
    """
    if not has_own_index(source.frame):
        return ()
    return (
        "the frame has an index of its own, and release.frame() has the same: whoever gets it with the index can read "
        "the values there, such as names or numbers of persons, beside each record. Publish "
        "release.frame().reset_index(drop=True), or a file by release.write(...), which is written without an index.",
    )


def unprotected_columns(schema: Schema, model: PrivacyModel, *, door: Door = "plan") -> tuple[str, ...]:
    """A warning if no model says anything about a sensitive column, or about a plain one that is named as a secret.

    Plain columns are looked at if none is sensitive: otherwise somebody has told secrets from the rest.
    """
    if not schema.sensitive:
        return _plain_secrets(schema, door)
    covered = model.sensitive_columns(schema)
    found = [name for name in schema.sensitive if name not in covered]
    if not found:
        return ()
    return (f"no model protects {listed(found)}: all records of a group may have the same value. {_PROTECT[door]}",)


def _plain_secrets(schema: Schema, door: Door) -> tuple[str, ...]:
    """A warning about plain columns of a schema without a sensitive one that are named as special categories."""
    found = {name: first_word_in(words_of(name), SPECIAL_WORDS) for name in schema.named(Role.PLAIN)}
    meanings = {name: meaning_of(word) for name, word in found.items() if word is not None}
    if not meanings:
        return ()
    named = "is named as data" if len(meanings) == 1 else "are named as data"
    about = " and ".join(dict.fromkeys(meanings.values()))
    return (
        f"no column is sensitive, and {listed(meanings)} {named} about {about}. Plain "
        f"columns are published unchanged, and no model limits what others learn by them. {_MAKE_SENSITIVE[door]}",
    )


def unread_columns(table: Table, *, in_plan: bool) -> tuple[str, ...]:
    """Warnings about quasi columns whose values look like numbers or dates and are published as texts.

    A column that declares its type or has a taxonomy is meant as it is. `in_plan` chooses the way out.
    """
    said = []
    for name in table.schema.quasi:
        column = table.schema.column(name)
        if column.kind is None and column.taxonomy is None and not is_written_as_code(name):
            stored = None if table.source is None else table.source.kind(name)
            found = unread_values(table.domain(name), stored)
            if found is not None:
                way_out = found.in_plan if in_plan else found.in_python
                meant = 'type = "text"' if in_plan else f'kinds={{{name!r}: "text"}}'
                said.append(
                    f"{name!r} {found.why}, so its values are published as sets of texts; {way_out}, or say by {meant} "
                    "that they are texts."
                )
    return tuple(said)


def columns_in_order(source: Engine, schema: Schema, masked: Collection[str] = ()) -> tuple[str, ...]:
    """A warning if the records are sorted by a column that the release hides, and are published in this order.

    Whoever knows the values of such a column for all persons can sort them, and finds every record at its place however
    its values are generalized. The source has the original values: a mask changes values and keeps the order. Masked
    columns are hidden whatever their roles.
    """
    found = _hidden_in_order(source, schema, masked)
    if not found:
        return ()
    return (
        f"records are published in the order of the data, and they are sorted, at least in part, by {listed(found)}. "
        "Somebody who knows these values of all persons can sort them too and finds records at their places, whatever "
        "the models promise. Shuffle the records before you publish them, or let a plan do it by "
        '[output] order = "random".',
    )


def order_restored_by(source: Engine, schema: Schema, masked: Collection[str] = ()) -> tuple[str, ...]:
    """The same for records that are published in random order: a warning if published columns can restore the order."""
    hidden = _hidden_in_order(source, schema, masked)
    if not hidden:
        return ()
    gone = {*schema.named(Role.IDENTIFIER, Role.PERSON, Role.QUASI), *masked, *source.index_columns}
    found = _sorted_columns(source.without([name for name in source.columns if name in gone]))
    if not found:
        return ()
    return (
        f"records are published in random order, but {listed(found)} can restore, at least in part, the order of the "
        f"data, which are sorted by {listed(hidden)}. {_ways_out(found, schema)}",
    )


def _ways_out(columns: Sequence[str], schema: Schema) -> str:
    """What to do with published columns that restore an order; a sensitive one must not leave its model for a role."""
    secrets = [name for name in columns if name in schema.sensitive]
    others = [name for name in columns if name not in secrets]
    said = []
    if others:
        said.append(f"Leave {listed(others)} out, or make {'it' if len(others) == 1 else 'them'} quasi.")
    if secrets:
        it, verb = ("it", "is") if len(secrets) == 1 else ("them", "are")
        said.append(
            f"Leave {listed(secrets)} out, or change the values by a mask: {listed(secrets)} {verb} sensitive, and the "
            f"role quasi would take {it} out of the models. To sort or shuffle the records does not help."
        )
    return " ".join(said)


def _hidden_in_order(source: Engine, schema: Schema, masked: Collection[str]) -> list[str]:
    """The columns that the release hides, or masks, by which the data are sorted."""
    hidden = {*schema.named(Role.IDENTIFIER, Role.PERSON, Role.QUASI), *masked}
    return _sorted_columns(source.without([name for name in source.columns if name not in hidden]))


def _sorted_columns(source: Engine) -> list[str]:
    """The columns of a source whose values rise or fall with the order of its records.

    The start of the data may show it. It does not if a column has only one value there, as a column of few values has
    in sorted data, or if the sorted records come later. So longer data are read once more, for records from all over;
    a large text file only for columns of one value, because that takes as long as reading all of it.
    """
    if not source.columns:
        return []
    first = source.first(_FIRST)
    found = sorted_columns(first)
    if len(first.counts) == _FIRST:
        varying = [name for name in source.columns if len(first.raw[name]) > 1]
        found += _sorted_later(source.without({*found, *(varying if source.costly else ())}))
    return [name for name in source.columns if name in found]


def _sorted_later(source: Engine) -> list[str]:
    """The columns that are sorted in the whole data or in a large part of them.

    Two halves of the records, every second one each, must show it: there are many tests, and each has false alarms.
    """
    if not source.columns:
        return []
    spread = source.spread(_SPREAD)
    found: set[str] = set()
    for windows in _WINDOWS:
        for places in np.array_split(np.arange(len(spread.counts)), windows):
            names = [name for name in source.columns if name not in found]
            in_one_half = sorted_columns(_records_of(spread, places[::2], names))
            found.update(sorted_columns(_records_of(spread, places[1::2], in_one_half)))
    return list(found)


def _records_of(records: Counted, places: NDArray[np.int64], names: Collection[str]) -> Counted:
    """Some columns of the records at some places."""
    codes = {name: records.codes[name][places] for name in names}
    return Counted({name: records.raw[name] for name in names}, codes, records.counts[places])


def repeated_keys(source: Engine, schema: Schema, *, door: Door = "plan", but: Collection[str] = ()) -> tuple[str, ...]:
    """A warning if a column that may identify persons repeats and no column has the role `person`; otherwise empty.

    In such a table models count records, so a group of five equal records may all belong to one person. Counted are
    identifiers, columns without a role that are named as identifiers, and plain ones that are named as keys of persons;
    none of `but`. A column that has a few values and no name of a key is left out for another reason.
    """
    if schema.person:
        return ()
    named = {column.name for column in schema.columns} | {*but, *source.index_columns}
    keys = [name for name in source.columns if name not in named and _is_named_as_key(name)]
    plain = [name for name in schema.named(Role.PLAIN) if is_person_key(name)]
    candidates = [*schema.named(Role.IDENTIFIER), *keys, *plain]
    counted = _value_counts(source, _likely_keys(source, candidates), schema.missing)
    counted = {name: found for name, found in counted.items() if _may_be_key(name, *found)}
    return _repetition_warnings(counted, _NAME_PERSON[door])


def _is_named_as_key(name: str) -> bool:
    return first_word_in(words_of(name), NAME_WORDS | NUMBER_WORDS) is not None


def _may_be_key(name: str, records: int, values: int) -> bool:
    """Whether a column is named as a key or a name, or has enough values to tell persons apart."""
    if is_person_key(name) or first_word_in(words_of(name), NAME_WORDS | NUMBER_WORDS):
        return True
    return values > _FEW_VALUES or values * _RECORDS_EACH >= records


def _likely_keys(source: Engine, columns: Sequence[str]) -> Sequence[str]:
    """The columns to count: of many, those that are named as person keys and those with most values at the start.

    Counting a column is a pass over the data, and a plan may leave out hundreds of columns.
    """
    if len(columns) <= _MOST_COUNTED:
        return columns
    first = source.without([name for name in source.columns if name not in columns]).first(_FIRST)
    by_values = sorted(columns, key=lambda name: (is_person_key(name), len(first.raw[name])), reverse=True)
    return by_values[:_MOST_COUNTED]


def _repetition_warnings(counted: Mapping[str, tuple[int, int]], way_out: str) -> tuple[str, ...]:
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


def _value_counts(source: Engine, columns: Sequence[str], missing: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The number of records that have a value and of different values, by column."""
    found = {}
    for name in columns:
        try:
            sizes, how_many, absent = source.group_sizes([name], filled_with=list({None, *missing}))
        except SchemaError:  # nested or binary values cannot be counted
            continue
        records = int(sizes @ how_many) - sum(absent)
        values = int(how_many.sum()) - sum(count > 0 for count in absent)
        found[name] = records, values
    return found
