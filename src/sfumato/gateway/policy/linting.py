"""Looks over a policy: what contradicts itself, what can never be reached, what nobody covers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING

from sfumato.errors import nearest
from sfumato.gateway.people.authority import Authority
from sfumato.gateway.people.system_attributes import system_attributes
from sfumato.gateway.policy.findings import Finding
from sfumato.gateway.policy.fitting import columns_of, misfits
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.sections import IntendedSection
from sfumato.gateway.views.access_rules import voices
from sfumato.gateway.views.views import outcomes

if TYPE_CHECKING:
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.people.people import People
    from sfumato.gateway.transforms.column_types import ColumnType


def look_over(policy: Policy, source: Source, *, day: date, people: People | None = None) -> list[Finding]:
    """All findings about a policy, held against the tables of its database and against those who ask."""
    columns, missing = columns_of(policy, source)
    return [*missing, *lint(policy, columns, day=day, people=people, engine=source.engine)]


def lint(
    policy: Policy,
    tables: Mapping[str, Mapping[str, ColumnType]] | None = None,
    *,
    day: date,
    people: People | None = None,
    engine: str = "duckdb",
) -> list[Finding]:
    """All findings; with the columns of the tables also those that nobody covers, and what does not fit them."""
    columns = {name: list(found) for name, found in (tables or {}).items()}
    for name, section in policy.sections.tables.items():
        columns.setdefault(name, list(section.columns))
    return [
        *misfits(policy, tables or {}, day=day, engine=engine),
        *_unknown_columns(policy, tables or {}),
        *_contradictions(policy),
        *_without_form(policy, columns, day),
        *_new_columns(policy, columns),
        *_uncovered(policy, columns, day),
        *_idle_rules(policy, columns, day),
        *_idle_roles(policy, day),
        *_unknown_attributes(policy, people),
        *_fruitless(policy, columns, day),
        *_aggregates(policy, day),
    ]


def _unknown_columns(policy: Policy, tables: Mapping[str, Mapping[str, ColumnType]]) -> Iterator[Finding]:
    """Columns that permissions name and tables do not have."""
    for permission in policy.sections.permissions:
        for name in permission.columns or ():
            columns = tables.get(permission.table)
            if columns is not None and name not in columns:
                yield Finding(
                    "no such column",
                    f"permission of {permission.role!r} on {permission.table!r}",
                    f"it names column {name!r}, which {permission.table!r} does not have; {nearest(name, columns)}",
                )


def _said(policy: Policy) -> Iterator[tuple[str, IntendedSection]]:
    for name, choice in policy.sections.choices.items():
        yield f"choice {name!r}", choice
    for name, table in policy.sections.tables.items():
        yield f"table {name!r}", table
        for column, section in table.columns.items():
            yield f"column {column!r} of {name!r}", section
    for rule in policy.sections.rules:
        yield f"rule {rule.name!r}", rule


def _contradictions(policy: Policy) -> Iterator[Finding]:
    for where, said in _said(policy):
        for purpose in said.intended.contradictions(policy.tree):
            yield Finding(
                "contradiction", where, f"{purpose!r} is allowed here, and never shown: a prohibition covers it."
            )


def _outcomes(policy: Policy, table: str, column: str, purpose: str, day: date) -> frozenset[Access]:
    chosen = len(policy.choices) if policy.column(table, column).by_choice else 0
    return outcomes(voices(policy, table, column, purpose, day), chosen)


def _without_form(policy: Policy, columns: Mapping[str, list[str]], day: date) -> Iterator[Finding]:
    for table, names in columns.items():
        for column in names:
            purposes = [
                purpose
                for purpose in policy.tree.parents
                if Access.CONDITIONAL in _outcomes(policy, table, column, purpose, day)
                and policy.transform(table, column, purpose) is None
            ]
            if purposes:
                yield Finding(
                    "no weaker form",
                    f"column {column!r} of {table!r}",
                    f"it is conditional for {_some(purposes)}, but no weaker form is declared, so it is hidden.",
                )


def _new_columns(policy: Policy, columns: Mapping[str, list[str]]) -> Iterator[Finding]:
    for table, names in columns.items():
        for column in names:
            if policy.is_new(table, column):
                yield Finding(
                    "new column",
                    f"column {column!r} of {table!r}",
                    f"the policy does not name it, so it is hidden; name it in [tables.{table}.columns], if only as "
                    f'{column} = {{}}, or say new_columns = "as_table" of the table.',
                )


def _uncovered(policy: Policy, columns: Mapping[str, list[str]], day: date) -> Iterator[Finding]:
    for table, names in columns.items():
        for column in names:
            if not policy.is_new(table, column) and all(
                _outcomes(policy, table, column, purpose, day) == {Access.HIDDEN} for purpose in policy.tree.parents
            ):
                yield Finding("not covered", f"column {column!r} of {table!r}", "it is shown for no purpose at all.")


def _idle_rules(policy: Policy, columns: Mapping[str, list[str]], day: date) -> Iterator[Finding]:
    for rule in policy.sections.rules:
        where = f"rule {rule.name!r}"
        if rule.valid_until is not None and rule.valid_until < day:
            yield Finding("expired", where, f"it ended on {rule.valid_until}.")
            continue
        without = Policy(
            policy.sections.model_copy(update={"rules": [one for one in policy.sections.rules if one is not rule]}),
            policy.folder,
        )
        meant = rule.columns if rule.columns is not None else columns.get(rule.table, [])
        if not any(_changes(policy, without, rule.table, column, day) for column in meant):
            yield Finding("unreachable", where, "it changes nothing: others decide before it, for every purpose.")


def _changes(policy: Policy, without: Policy, table: str, column: str, day: date) -> bool:
    return any(
        _outcomes(policy, table, column, purpose, day) != _outcomes(without, table, column, purpose, day)
        for purpose in policy.tree.parents
    )


def _idle_roles(policy: Policy, day: date) -> Iterator[Finding]:
    sections = policy.sections
    named = {permission.role for permission in sections.permissions}
    for name, conditional in sections.conditional_roles.items():
        if name not in named:
            yield Finding(
                "unreachable",
                f"conditional role {name!r}",
                f"no permission names it; {conditional.role!r} does not need it.",
            )
    for permission in sections.permissions:
        if permission.valid_until is not None and permission.valid_until < day:
            where = f"permission of {permission.role!r} on {permission.table!r}"
            yield Finding("expired", where, f"it ended on {permission.valid_until}.")


def _unknown_attributes(policy: Policy, people: People | None) -> Iterator[Finding]:
    """Attributes that conditions of roles ask about, and neither the moment nor anybody who may have the role has.

    Attributes of people can be called anything, so where nobody has the role yet, only a name that is nearly one of the
    moment is taken for a mistake.
    """
    if people is None:
        return
    authority, system = Authority.of(policy.sections), sorted(system_attributes(datetime.min))
    had = {name for person in people for name in people.attributes(person)}
    for name, one in authority.conditional.items():
        known = any(one.role in authority.active(people.roles(person)) for person in people)
        for attribute in sorted(one.when.names - had - {*system}):
            close = get_close_matches(attribute, system, n=1)
            if close or known:
                hint = f"did you mean {close[0]!r}?" if close else "give it to them, or ask about another."
                yield Finding(
                    "unknown attribute",
                    f"conditional role {name!r}",
                    f"it asks about {attribute!r}, which no user has, so nobody ever has the role; {hint}",
                )


def _fruitless(policy: Policy, columns: Mapping[str, list[str]], day: date) -> Iterator[Finding]:
    """Permissions with which nothing can be seen, or nothing chosen."""
    for permission in policy.sections.permissions:
        names = columns.get(permission.table, [])
        if permission.operation == "choose":
            if not any(policy.column(permission.table, column).by_choice for column in permission.columns or names):
                yield Finding(
                    "fruitless",
                    f"permission of {permission.role!r} on {permission.table!r}",
                    "it is to choose, and nobody chooses about these columns.",
                )
        elif names and all(
            _outcomes(policy, permission.table, column, purpose, day) == {Access.HIDDEN}
            for column in names
            for purpose in policy.tree.down([permission.purpose])
        ):
            yield Finding(
                "fruitless",
                f"permission of {permission.role!r} on {permission.table!r}",
                f"no column is shown for {permission.purpose!r} or a purpose below it.",
            )


def _aggregates(policy: Policy, day: date) -> Iterator[Finding]:
    """Permissions for aggregates of tables about which little or nothing can be asked."""
    for permission in policy.sections.permissions:
        if not permission.only_aggregates:
            continue
        said = policy.table(permission.table).columns
        where = f"permission of {permission.role!r} on {permission.table!r}"
        key = policy.table(permission.table).key
        purposes = policy.tree.down([permission.purpose])
        if all(_outcomes(policy, permission.table, key, purpose, day) != {Access.FULL} for purpose in purposes):
            yield Finding(
                "fruitless",
                where,
                f"aggregates alone may be asked for, and none is answered: people are told apart by the key {key!r}, "
                f"which is not shown as it is for {permission.purpose!r} or a purpose below it; allow it there.",
            )
        if not any(one.selects for one in said.values()):
            yield Finding(
                "fruitless",
                where,
                "aggregates alone may be asked for, and no column is open to conditions and groups; say of some "
                "selects = true, or the whole table is all that can be asked about.",
            )
        if permission.epsilon is not None and not any(one.bounds for one in said.values()):
            yield Finding(
                "fruitless", where, "answers have noise, and no column has bounds, so that rows can be counted only."
            )


def _some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
