"""Decides which user may query which table for which purpose: roles, conditional roles and permissions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache, partial

from sfumato.errors import DeniedError, StatementError, listed
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.purposes import PurposeTree
from sfumato.gateway.policy.roles import ConditionalRole, checked_roles, demand_known
from sfumato.gateway.policy.sections import ObligationSection, PermissionSection, PolicySections

_CACHED_DECISIONS = 1000
"""The number of decisions that are kept."""


@dataclass(frozen=True)
class Grant:
    """One permission by which a user may query a table for a purpose.

    A user with several permissions uses one at a time: two permissions never add up to more than each of them allows.
    """

    permission: PermissionSection
    purpose: str

    @property
    def role(self) -> str:
        """The role that has the permission."""
        return self.permission.role

    @cached_property
    def columns(self) -> frozenset[str] | None:
        """The columns that may be read; None means all."""
        return None if self.permission.columns is None else frozenset(self.permission.columns)

    @property
    def only_aggregates(self) -> bool:
        """Whether the permission is for aggregates only, and not for rows."""
        return self.permission.only_aggregates

    @property
    def obligations(self) -> tuple[ObligationSection, ...]:
        """What must be done when the permission is used."""
        return tuple(self.permission.obligations)

    def covers(self, columns: Iterable[str]) -> bool:
        """Whether all these columns may be read."""
        return self.columns is None or self.columns.issuperset(columns)


@dataclass(frozen=True)
class Authority:
    """Decides who may query which table for which purpose.

    A role has the permissions of all roles above it. A permission holds for its purpose and all below it. A user
    without a permission that is valid on the day is denied.

    >>> authority = Authority.of(PolicySections.model_validate({
    ...     "name": "shop",
    ...     "purposes": {"General": ["Admin", "Marketing"], "Marketing": ["Phone", "Post"]},
    ...     "tables": {"customer": {"key": "id"}},
    ...     "roles": {"staff": {}, "seller": {"parent": "staff"}},
    ...     "conditional_roles": {"daytime": {"role": "seller", "when": "9 <= hour <= 17"}},
    ...     "permissions": [{"role": "daytime", "table": "customer", "purpose": "Marketing"}],
    ... }))
    >>> ann = Person("ann", frozenset({"seller"}))
    >>> sorted(authority.enabled(ann, {"hour": 10}))
    ['daytime', 'seller', 'staff']
    >>> [grant.role for grant in authority.grants(ann, "customer", "Post", {"hour": 10}, day=date(2026, 1, 5))]
    ['daytime']
    >>> authority.grants(ann, "customer", "Post", {"hour": 20}, day=date(2026, 1, 5))
    Traceback (most recent call last):
    ...
    sfumato.errors.DeniedError: 'ann' may not ask 'customer' for 'Post'; nor for any other purpose now.

    References: Kabir (2010), definitions 3.2.1 to 3.2.3 and 3.3.1 to 3.3.6; a more special role inherits from the more
    general one, which is the reading that fits its examples.
    """

    tree: PurposeTree
    parents: Mapping[str, str | None]
    conditional: Mapping[str, ConditionalRole]
    permissions: tuple[PermissionSection, ...]

    @classmethod
    def of(cls, sections: PolicySections) -> Authority:
        """From a policy; refuses names that do not exist, and roles in a cycle."""
        tree = PurposeTree.of_children(sections.purposes)
        parents, conditional = checked_roles(sections, tree)
        return cls(tree, parents, conditional, tuple(sections.permissions))

    def require_role(self, role: str) -> str:
        """The role, if the policy has it; conditional roles cannot be assigned to users."""
        demand_known(role, self.parents, "there is no role")
        return role

    def active(self, roles: Iterable[str]) -> frozenset[str]:
        """These roles and all above them. A role that the policy does not have (any more) gives nothing."""
        active: set[str] = set()
        for role in roles:
            current: str | None = role if role in self.parents else None
            while current is not None and current not in active:
                active.add(current)
                current = self.parents[current]
        return frozenset(active)

    def enabled(self, person: Person, system: Mapping[str, object]) -> frozenset[str]:
        """All roles of a user now, with the conditional roles whose condition is certainly true.

        A system attribute takes precedence over an attribute of the user with the same name.
        """
        active = self.active(person.roles)
        attributes = {**person.attributes, **system}
        return active | {
            name for name, one in self.conditional.items() if one.role in active and one.when.check(attributes) is True
        }

    def grants(
        self,
        person: Person,
        table: str,
        purpose: str,
        system: Mapping[str, object],
        *,
        day: date,
        operation: str = "select",
    ) -> tuple[Grant, ...]:
        """The permissions by which a user may query a table for a purpose; DeniedError if there is none.

        The most revealing ones come first: rows before aggregates, exact aggregates before noisy ones, more columns
        before fewer.
        """
        grants = self._cached_grants(self.enabled(person, system), table, purpose, day, operation)
        if not grants:
            raise self.denial(person, [table], purpose, system, day=day, operation=operation)
        return grants

    def tables(
        self, person: Person, purpose: str, system: Mapping[str, object], *, day: date
    ) -> dict[str, tuple[Grant, ...]]:
        """The tables that a user may query for a purpose, each with its permissions; DeniedError if there is none.

        The refusal names no table: a user without any permission must not learn which tables exist.
        """
        roles = self.enabled(person, system)
        every = {table: self._cached_grants(roles, table, purpose, day, "select") for table in self._by_table}
        permitted = {table: grants for table, grants in every.items() if grants}
        if not permitted:
            raise self.denial(person, [], purpose, system, day=day)
        return permitted

    def denial(
        self,
        person: Person,
        tables: Collection[str],
        purpose: str,
        system: Mapping[str, object],
        *,
        day: date,
        operation: str = "select",
    ) -> DeniedError:
        """Why a user may not query tables for a purpose; a missing table is denied like a forbidden one."""
        table = next(iter(tables), None)
        covered = self._covered_purposes(self._permissions_of(person, system, day, operation, table))
        return DeniedError(_refusal(person, tables, f" for {purpose!r}", covered, self.tree))

    @cached_property
    def _cached_grants(self) -> Callable[[frozenset[str], str, str, date, str], tuple[Grant, ...]]:
        """`_find_grants` with a cache: its result depends on its arguments alone."""
        return lru_cache(maxsize=_CACHED_DECISIONS)(self._find_grants)

    def _find_grants(
        self, roles: frozenset[str], table: str, purpose: str, day: date, operation: str
    ) -> tuple[Grant, ...]:
        """The permissions of these roles for a table, purpose, day and operation, the most revealing first."""
        above = self.tree.up([purpose]) if purpose in self.tree else frozenset()
        used = [one for one in self._permissions_for(roles, day, operation, table) if one.purpose in above]
        return tuple(Grant(one, purpose) for one in sorted(used, key=_most_revealing_first))

    def purposes(
        self,
        person: Person,
        system: Mapping[str, object],
        *,
        day: date,
        table: str | None = None,
        operation: str = "select",
    ) -> frozenset[str]:
        """All purposes that a user may state now, for any table or for this one."""
        return self._covered_purposes(self._permissions_of(person, system, day, operation, table))

    def derive_purpose(
        self,
        person: Person,
        tables: Collection[str],
        system: Mapping[str, object],
        *,
        day: date,
        operation: str = "select",
    ) -> str:
        """The purpose of a query that states none: the only most general one that is permitted for all tables."""
        purposes_of = partial(self.purposes, person, system, day=day, operation=operation)
        every = [purposes_of(table=table) for table in dict.fromkeys(tables)]
        shared = frozenset.intersection(*every) if every else purposes_of()
        general = _most_general(shared, self.tree)
        if not general:
            raise DeniedError(_refusal(person, tables, "", shared, self.tree))
        if len(general) > 1:
            raise StatementError(
                f"state a purpose; {person.name!r} may ask for several that none covers: {listed(general, 20)}."
            )
        return general[0]

    def _permissions_of(
        self, person: Person, system: Mapping[str, object], day: date, operation: str, table: str | None
    ) -> list[PermissionSection]:
        """The valid permissions of a user for an operation, on this table or on any."""
        return self._permissions_for(self.enabled(person, system), day, operation, table)

    def _permissions_for(
        self, roles: frozenset[str], day: date, operation: str, table: str | None
    ) -> list[PermissionSection]:
        """The valid permissions of these roles for an operation, on this table or on any."""
        candidates = self.permissions if table is None else self._by_table.get(table, [])
        return [one for one in candidates if one.role in roles and one.operation == operation and one.holds_on(day)]

    @cached_property
    def _by_table(self) -> dict[str, list[PermissionSection]]:
        """The permissions by table."""
        by_table: dict[str, list[PermissionSection]] = {}
        for one in self.permissions:
            by_table.setdefault(one.table, []).append(one)
        return by_table

    def _covered_purposes(self, permissions: Iterable[PermissionSection]) -> frozenset[str]:
        """The purposes that these permissions cover."""
        return self.tree.down([one.purpose for one in permissions])


def _most_general(purposes: frozenset[str], tree: PurposeTree) -> list[str]:
    """The purposes that lie below no other of them."""
    return sorted(name for name in purposes if not (tree.up([name]) - {name}) & purposes)


def _refusal(person: Person, tables: Collection[str], purpose: str, allowed: frozenset[str], tree: PurposeTree) -> str:
    """The message of a denial; a table or purpose that does not exist is denied like one that is forbidden."""
    what = " and ".join(repr(table) for table in dict.fromkeys(tables)) or "anything"
    what += " together" if len(set(tables)) > 1 else ""
    these = "this table" if tables else "some tables"
    general = _most_general(allowed, tree)
    sentence = f"{person.name!r} may not ask {what}{purpose}"
    if not general:
        return f"{sentence}; nor for any other purpose now." if purpose else f"{sentence} for any purpose now."
    return f"{sentence}; for {these} they may state {listed(general, 20)}, or a purpose below."


def _most_revealing_first(permission: PermissionSection) -> tuple[bool, float, float]:
    """The sort key of permissions: rows, then exact aggregates, then noisy ones; more columns first."""
    columns = -float("inf") if permission.columns is None else -len(permission.columns)
    noise = -float("inf") if permission.epsilon is None else -permission.epsilon
    return permission.only_aggregates, noise, columns
