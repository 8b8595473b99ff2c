"""Finds mistakes in a policy: contradictions, rules without effect, columns that are never shown.

`sfumato gateway lint` prints the findings; `live_setup` counts them before it applies a policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from difflib import get_close_matches
from typing import TYPE_CHECKING

from sfumato.errors import nearest
from sfumato.gateway.people.authority import Authority
from sfumato.gateway.people.system_attributes import system_attributes
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.sections import IntendedSection
from sfumato.gateway.setup.findings import Finding
from sfumato.gateway.setup.fitting import columns_of, misfits
from sfumato.gateway.views.access_rules import possible_access

if TYPE_CHECKING:
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.people.people import People
    from sfumato.gateway.transforms.column_types import ColumnType


def lint_with_tables(policy: Policy, source: Source, *, day: date, people: People | None = None) -> list[Finding]:
    """All findings about a policy, compared with the tables of its database and with the users."""
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
    """All findings; with `tables` also the columns that are never shown, and what does not fit the tables."""
    columns = {name: list(types) for name, types in (tables or {}).items()}
    for name, section in policy.sections.tables.items():
        columns.setdefault(name, list(section.columns))
    return [
        *misfits(policy, tables or {}, day=day, engine=engine),
        *_unknown_columns(policy, tables or {}),
        *_contradictions(policy),
        *_missing_weaker_forms(policy, columns, day),
        *_unnamed_columns(policy, columns),
        *_uncovered_columns(policy, columns, day),
        *_ineffective_rules(policy, columns, day),
        *_unused_roles(policy),
        *_expired_permissions(policy, day),
        *_unknown_attributes(policy, people),
        *_useless_permissions(policy, columns, day),
        *_useless_aggregate_permissions(policy, day),
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


def _intended_sections(policy: Policy) -> Iterator[tuple[str, IntendedSection]]:
    """Every section that states intended purposes, with its place in the policy."""
    for name, choice in policy.sections.choices.items():
        yield f"choice {name!r}", choice
    for name, table in policy.sections.tables.items():
        yield f"table {name!r}", table
        for column, section in table.columns.items():
            yield f"column {column!r} of {name!r}", section
    for rule in policy.sections.rules:
        yield f"rule {rule.name!r}", rule


def _contradictions(policy: Policy) -> Iterator[Finding]:
    """Purposes that a section allows and prohibits at once."""
    for where, section in _intended_sections(policy):
        for purpose in section.intended.contradictions(policy.tree):
            yield Finding(
                "contradiction", where, f"{purpose!r} is allowed here, but never shown: a prohibition covers it."
            )


def _missing_weaker_forms(policy: Policy, columns: Mapping[str, list[str]], day: date) -> Iterator[Finding]:
    """Columns that are conditional for some purposes and have no weaker form."""
    for table, names in columns.items():
        for column in names:
            purposes = [
                purpose
                for purpose in policy.tree.parents
                if Access.CONDITIONAL in possible_access(policy, table, column, purpose, day)
                and policy.transform(table, column, purpose) is None
            ]
            if purposes:
                yield Finding(
                    "no weaker form",
                    f"column {column!r} of {table!r}",
                    f"it is conditional for {_first_names(purposes)}, but no weaker form is declared, so it is hidden.",
                )


def _unnamed_columns(policy: Policy, columns: Mapping[str, list[str]]) -> Iterator[Finding]:
    """Columns of the tables that the policy does not name, and that are hidden for it."""
    for table, names in columns.items():
        for column in names:
            if policy.is_new(table, column):
                yield Finding(
                    "new column",
                    f"column {column!r} of {table!r}",
                    f"the policy does not name it, so it is hidden; name it in [tables.{table}.columns], if only as "
                    f'{column} = {{}}, or set new_columns = "as_table" for the table.',
                )


def _uncovered_columns(policy: Policy, columns: Mapping[str, list[str]], day: date) -> Iterator[Finding]:
    """Columns that are shown for no purpose."""
    for table, names in columns.items():
        for column in names:
            if not policy.is_new(table, column) and all(
                possible_access(policy, table, column, purpose, day) == {Access.HIDDEN}
                for purpose in policy.tree.parents
            ):
                yield Finding("not covered", f"column {column!r} of {table!r}", "it is shown for no purpose at all.")


def _ineffective_rules(policy: Policy, columns: Mapping[str, list[str]], day: date) -> Iterator[Finding]:
    """Rules that have expired, or whose removal would change nothing."""
    for rule in policy.sections.rules:
        where = f"rule {rule.name!r}"
        if rule.has_ended(day):
            yield Finding("expired", where, f"it ended on {rule.valid_until}.")
            continue
        without = Policy(
            policy.sections.model_copy(update={"rules": [one for one in policy.sections.rules if one is not rule]}),
            policy.folder,
        )
        columns_of_rule = rule.columns if rule.columns is not None else columns.get(rule.table, [])
        if not any(_has_effect(policy, without, rule.table, column, day) for column in columns_of_rule):
            yield Finding(
                "unreachable", where, "it has no effect: other parts of the policy decide before it, for every purpose."
            )


def _has_effect(policy: Policy, without: Policy, table: str, column: str, day: date) -> bool:
    """Whether some outcome of a column differs between the two policies."""
    return any(
        possible_access(policy, table, column, purpose, day) != possible_access(without, table, column, purpose, day)
        for purpose in policy.tree.parents
    )


def _unused_roles(policy: Policy) -> Iterator[Finding]:
    """Conditional roles without a permission."""
    named = {permission.role for permission in policy.sections.permissions}
    for name, conditional in policy.sections.conditional_roles.items():
        if name not in named:
            yield Finding(
                "unreachable",
                f"conditional role {name!r}",
                f"no permission names it; {conditional.role!r} does not need it.",
            )


def _expired_permissions(policy: Policy, day: date) -> Iterator[Finding]:
    """Permissions that have expired."""
    for permission in policy.sections.permissions:
        if permission.has_ended(day):
            where = f"permission of {permission.role!r} on {permission.table!r}"
            yield Finding("expired", where, f"it ended on {permission.valid_until}.")


def _unknown_attributes(policy: Policy, people: People | None) -> Iterator[Finding]:
    """Attributes in conditions of roles that neither the system nor any user who may have the role has.

    Users may have attributes of any name. So while no user may have the role, only a name that is close to a system
    attribute counts as a mistake.
    """
    if people is None:
        return
    authority, system = Authority.of(policy.sections), sorted(system_attributes(datetime.min))
    user_attributes = {name for person in people for name in people.attributes(person)}
    for name, one in authority.conditional.items():
        is_assigned = any(one.role in authority.active(people.roles(person)) for person in people)
        for attribute in sorted(one.when.names - user_attributes - {*system}):
            close = get_close_matches(attribute, system, n=1)
            if close or is_assigned:
                hint = f"did you mean {close[0]!r}?" if close else "give it to users, or test another attribute."
                yield Finding(
                    "unknown attribute",
                    f"conditional role {name!r}",
                    f"it tests {attribute!r}, which no user has, so no user ever has the role; {hint}",
                )


def _useless_permissions(policy: Policy, columns: Mapping[str, list[str]], day: date) -> Iterator[Finding]:
    """Permissions by which nothing can be seen, or nothing chosen."""
    for permission in policy.sections.permissions:
        names = columns.get(permission.table, [])
        if permission.operation == "choose":
            if not any(policy.column(permission.table, column).by_choice for column in permission.columns or names):
                yield Finding(
                    "fruitless",
                    f"permission of {permission.role!r} on {permission.table!r}",
                    "it permits choosing, but none of these columns is by_choice.",
                )
        elif names and all(
            possible_access(policy, permission.table, column, purpose, day) == {Access.HIDDEN}
            for column in names
            for purpose in policy.tree.down([permission.purpose])
        ):
            yield Finding(
                "fruitless",
                f"permission of {permission.role!r} on {permission.table!r}",
                f"no column is shown for {permission.purpose!r} or a purpose below it.",
            )


def _useless_aggregate_permissions(policy: Policy, day: date) -> Iterator[Finding]:
    """Permissions for aggregates only, by which few or no aggregates are answered."""
    for permission in policy.sections.permissions:
        if not permission.only_aggregates:
            continue
        rules = policy.table(permission.table).columns
        where = f"permission of {permission.role!r} on {permission.table!r}"
        key = policy.table(permission.table).key
        purposes = policy.tree.down([permission.purpose])
        if all(possible_access(policy, permission.table, key, purpose, day) != {Access.FULL} for purpose in purposes):
            yield Finding(
                "fruitless",
                where,
                f"it is for aggregates only, but none is answered: people are identified by the key {key!r}, which is "
                f"not shown unchanged for {permission.purpose!r} or a purpose below it; allow it there.",
            )
        if not any(one.selects for one in rules.values()):
            yield Finding(
                "fruitless",
                where,
                "it is for aggregates only, but no column may be used in conditions and groups; set selects = true for "
                "some, or aggregates of the whole table are all that can be queried.",
            )
        if permission.epsilon is not None and not any(one.bounds for one in rules.values()):
            yield Finding(
                "fruitless", where, "answers have noise, but no column has bounds, so rows can only be counted."
            )


def _first_names(names: list[str]) -> str:
    """The first three names, and how many more there are."""
    return ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
