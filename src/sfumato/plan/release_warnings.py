"""What the publisher of a release should know before it goes out, beyond what the models promise.

`publication` adds these warnings to the release; the command line and the report show them.
"""

from __future__ import annotations

from collections.abc import Collection

from sfumato.data.schema import Role, Schema
from sfumato.engines.base import Engine
from sfumato.engines.writing.record_order import sorted_columns
from sfumato.errors import listed
from sfumato.models.base import PrivacyModel

_FIRST = 20_000
"""Records at the start of the data in which an order is looked for."""

_SPREAD = 600
"""Records from the whole data in which the order of a column is looked for whose first values are all equal."""


def undeclared_columns(source: Engine, schema: Schema) -> tuple[str, ...]:
    """A warning if columns have no role in the plan: they are published as they are."""
    named = {column.name for column in schema.columns}
    found = [name for name in source.columns if name not in named and name not in source.index_columns]
    if not found:
        return ()
    verb = "is" if len(found) == 1 else "are"
    return (
        f"{listed(found)} {verb} not in the plan and {verb} published unchanged. Give every column a role; the role "
        '"plain" says that a column may be published.',
    )


def unprotected_columns(schema: Schema, model: PrivacyModel) -> tuple[str, ...]:
    """A warning if no model says anything about a sensitive column."""
    covered = model.sensitive_columns(schema)
    found = [name for name in schema.sensitive if name not in covered]
    if not found:
        return ()
    return (
        f"no model protects {listed(found)}: all records of a group may have the same value. Add a model "
        'such as distinct_l_diversity, or the role "plain" if nothing is to be hidden.',
    )


def columns_in_order(source: Engine, schema: Schema, masked: Collection[str] = ()) -> tuple[str, ...]:
    """A warning if the records are sorted by a column that the release hides, and are published in this order.

    Whoever knows the values of such a column for all persons can sort them, and finds every record at its place however
    its values are generalized. The source has the original values: a mask changes values and keeps the order. Masked
    columns are hidden whatever their roles.
    """
    hidden = {*schema.named(Role.IDENTIFIER, Role.PERSON, Role.QUASI), *masked}
    found = _sorted_columns(source.without([name for name in source.columns if name not in hidden]))
    if not found:
        return ()
    return (
        f"records are published in the order of the data, and they are sorted, at least in part, by {listed(found)}. "
        "Somebody who knows these values of all persons can sort them too and finds records at their places, whatever "
        "the models promise. Shuffle the records before you publish them.",
    )


def _sorted_columns(source: Engine) -> list[str]:
    """The columns of a source whose values rise or fall with the order of its records.

    The start of the data shows it, unless a column has only one value there, as a column of few values has in sorted
    data. For these columns the whole data are read once more.
    """
    if not source.columns:
        return []
    first = source.first(_FIRST)
    found = sorted_columns(first)
    if len(first.counts) == _FIRST:
        varying = [name for name in source.columns if len(first.raw[name]) > 1]
        found += _sorted_altogether(source.without(varying))
    return [name for name in source.columns if name in found]


def _sorted_altogether(source: Engine) -> list[str]:
    return sorted_columns(source.spread(_SPREAD)) if source.columns else []
