"""The roles of a policy: which role inherits from which, and which conditional roles there are.

`people.authority` decides with them who has which role.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sfumato.errors import PolicyError, nearest
from sfumato.gateway.conditions.conditions import Condition
from sfumato.gateway.policy.purposes import PurposeTree
from sfumato.gateway.policy.sections import PolicySections


@dataclass(frozen=True)
class ConditionalRole:
    """A role that holders of `role` have too, while `when` is certainly true."""

    role: str
    when: Condition


def checked_roles(
    sections: PolicySections, tree: PurposeTree
) -> tuple[dict[str, str | None], dict[str, ConditionalRole]]:
    """The parent of every role, and the conditional roles.

    Refuses roles in a cycle, and names that do not exist, also in permissions.
    """
    parents = {name: section.parent for name, section in sections.roles.items()}
    _demand_parents(parents)
    conditional = _conditional_roles(sections)
    for place, permission in enumerate(sections.permissions, start=1):
        where = f"[[permissions]] number {place}"
        demand_known(permission.role, {*parents, *conditional}, f"{where}: there is no role")
        demand_known(permission.table, sections.tables, f"{where}: there is no table")
        demand_known(permission.purpose, tree.parents, f"{where}: there is no purpose")
    return parents, conditional


def demand_known(name: str, allowed: Iterable[str], what: str) -> None:
    """Refuse a name that does not exist, with the nearest one that does."""
    names = set(allowed)
    if name not in names:
        raise PolicyError(f"{what} {name!r}; {nearest(name, names) if names else 'the policy names none.'}")


def _demand_parents(parents: Mapping[str, str | None]) -> None:
    """Refuse parents that do not exist, and cycles; every role is visited once."""
    checked: set[str] = set()
    for name in parents:
        path: list[str] = []
        current: str | None = name
        while current is not None and current not in checked:
            if current in path:
                raise PolicyError(f"[roles.{name}]: the roles above it lie in a circle; {current!r} is one of them.")
            path.append(current)
            if (current := parents[current]) is not None:
                demand_known(current, parents, f"[roles.{path[-1]}] parent: there is no role")
        checked.update(path)


def _conditional_roles(sections: PolicySections) -> dict[str, ConditionalRole]:
    """The conditional roles of a policy, with their conditions parsed."""
    conditional = {}
    for name, section in sections.conditional_roles.items():
        where = f"[conditional_roles.{name}]"
        if name in sections.roles:
            raise PolicyError(f"{where}: {name!r} is a role already; give the conditional one a name of its own.")
        demand_known(section.role, sections.roles, f"{where} role: there is no role")
        try:
            conditional[name] = ConditionalRole(section.role, Condition.parse(section.when))
        except PolicyError as error:
            raise PolicyError(f"{where} when: {error}") from None
    return conditional
