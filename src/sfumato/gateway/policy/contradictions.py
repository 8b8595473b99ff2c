"""Refuses a policy whose parts contradict each other: such a policy would show more than its author believes."""

from __future__ import annotations

from sfumato.errors import PolicyError
from sfumato.gateway.policy.lookalikes import demand_distinct
from sfumato.gateway.policy.sections import PermissionSection, PolicySections, TableSection, ValidSection


def demand_no_contradiction(sections: PolicySections) -> None:
    """Refuse names that look the same, and permissions, bounds and validity dates that contradict themselves."""
    _demand_distinct_names(sections)
    for name, table in sections.tables.items():
        _demand_table(name, table)
    for place, permission in enumerate(sections.permissions, start=1):
        _demand_permission(f"[[permissions]] number {place}", permission)
    for rule in sections.rules:
        _demand_days(f"rule {rule.name!r}", rule)


def _demand_distinct_names(sections: PolicySections) -> None:
    """Refuse two purposes, tables, choices, roles or columns whose names look the same."""
    purposes = {*sections.purposes, *(name for below in sections.purposes.values() for name in below)}
    demand_distinct(sorted(purposes), "purposes")
    demand_distinct(sections.tables, "tables")
    demand_distinct(sections.choices, "choices")
    demand_distinct([*sections.roles, *(set(sections.conditional_roles) - set(sections.roles))], "roles")
    columns: dict[str, set[str]] = {name: {table.key, *table.columns} for name, table in sections.tables.items()}
    for table, named in sections.column_lists():
        columns.setdefault(table, set()).update(named)
    for name, names_of_table in columns.items():
        demand_distinct(sorted(names_of_table), f"columns of {name!r}")


def _demand_table(name: str, table: TableSection) -> None:
    """Refuse bounds that are not in ascending order."""
    for column, rules in table.columns.items():
        if rules.bounds is not None and not rules.bounds[0] < rules.bounds[1]:
            raise PolicyError(
                f"column {column!r} of {name!r} has the bounds {rules.bounds[0]:g} and {rules.bounds[1]:g}; the lower "
                "bound comes first, and they must differ."
            )


def _demand_permission(where: str, permission: PermissionSection) -> None:
    """Refuse settings of a permission that exclude each other."""
    _demand_days(where, permission)
    if permission.operation == "choose" and (permission.only_aggregates or permission.epsilon is not None):
        raise PolicyError(f"{where} is to choose, which returns no data; only_aggregates and epsilon are for select.")
    if permission.epsilon is None and permission.epsilon_a_question is not None:
        raise PolicyError(f"{where} has epsilon_a_question without epsilon, of which it is a part.")
    if permission.epsilon is not None and not permission.only_aggregates:
        raise PolicyError(
            f"{where} has epsilon without only_aggregates = true, so that rows would be shown without noise."
        )
    if permission.epsilon is not None and permission.price > permission.epsilon:
        raise PolicyError(
            f"{where}: one question costs {permission.price:g} epsilon and {permission.epsilon:g} may be spent in all, "
            "so that nothing could ever be asked; lower epsilon_a_question."
        )


def _demand_days(where: str, valid: ValidSection) -> None:
    """Refuse a validity that ends before it begins."""
    if valid.valid_from is not None and valid.valid_until is not None and valid.valid_from > valid.valid_until:
        raise PolicyError(f"{where} ends on {valid.valid_until}, before it begins on {valid.valid_from}.")
