"""Who may ask for which purpose: roles, roles on a condition, and what they permit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache, partial

from sfumato.errors import DeniedError, PolicyError, StatementError, listed, nearest
from sfumato.gateway.conditions.conditions import Condition
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.purposes import PurposeTree
from sfumato.gateway.policy.sections import ObligationSection, PermissionSection, PolicySections

_REMEMBERED = 1000


@dataclass(frozen=True)
class ConditionalRole:
    """A role that somebody who has `role` has too, while `when` is certainly true."""

    role: str
    when: Condition


@dataclass(frozen=True)
class Grant:
    """One permission by which somebody may ask a table for a purpose.

    Whoever has several uses one of them at a time: what two permissions allow does not add up to more than each allows.
    """

    permission: PermissionSection
    purpose: str

    @property
    def role(self) -> str:
        """The role that has the permission."""
        return self.permission.role

    @cached_property
    def columns(self) -> frozenset[str] | None:
        """The columns that may be read; None where all may."""
        return None if self.permission.columns is None else frozenset(self.permission.columns)

    @property
    def only_aggregates(self) -> bool:
        """Whether aggregates alone may be asked for."""
        return self.permission.only_aggregates

    @property
    def obligations(self) -> tuple[ObligationSection, ...]:
        """What must be done when it is used."""
        return tuple(self.permission.obligations)

    def covers(self, columns: Iterable[str]) -> bool:
        """Whether these columns may be read."""
        return self.columns is None or self.columns.issuperset(columns)


@dataclass(frozen=True)
class Authority:
    """Decides who may ask which table for which purpose.

    A role has the permissions of all roles above it. A permission lets ask for its purpose and all below it. Whoever
    has no permission that is valid on the day is denied.

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
        """From a policy; refuses names that nothing has, and roles in a circle."""
        tree = PurposeTree.of_children(sections.purposes)
        parents = {name: section.parent for name, section in sections.roles.items()}
        _demand_roles(parents)
        conditional = _conditional_roles(sections)
        for place, permission in enumerate(sections.permissions, start=1):
            where = f"[[permissions]] number {place}"
            _demand(permission.role, {*parents, *conditional}, f"{where}: there is no role")
            _demand(permission.table, sections.tables, f"{where}: there is no table")
            _demand(permission.purpose, tree.parents, f"{where}: there is no purpose")
        return cls(tree, parents, conditional, tuple(sections.permissions))

    def known(self, role: str) -> str:
        """The role, if the policy has it; conditional roles are not given to people."""
        _demand(role, self.parents, "there is no role")
        return role

    def active(self, roles: Iterable[str]) -> frozenset[str]:
        """These roles and all above them. What the policy does not know (any more) gives nothing."""
        found: set[str] = set()
        for role in roles:
            at: str | None = role if role in self.parents else None
            while at is not None and at not in found:
                found.add(at)
                at = self.parents[at]
        return frozenset(found)

    def enabled(self, person: Person, system: Mapping[str, object]) -> frozenset[str]:
        """All roles of a person now, those on a condition too if it is certainly true.

        What the system says counts more than an attribute of a person with the same name.
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
        """The permissions by which somebody may ask a table for a purpose; DeniedError if there is none.

        Those that show most come first: rows before aggregates, exact aggregates before noisy ones, more columns before
        fewer.
        """
        found = self._decided(self.enabled(person, system), table, purpose, day, operation)
        if not found:
            raise self.denial(person, [table], purpose, system, day=day, operation=operation)
        return found

    def tables(
        self, person: Person, purpose: str, system: Mapping[str, object], *, day: date
    ) -> dict[str, tuple[Grant, ...]]:
        """The tables that somebody may ask for a purpose, with the permissions for each; DeniedError if there is none.

        The refusal names no table: whoever may ask nothing does not learn what there is.
        """
        roles = self.enabled(person, system)
        every = {table: self._decided(roles, table, purpose, day, "select") for table in self._of_table}
        found = {table: grants for table, grants in every.items() if grants}
        if not found:
            raise self.denial(person, [], purpose, system, day=day)
        return found

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
        """Why somebody may not ask tables for a purpose; what is not there is denied like what is forbidden."""
        table = next(iter(tables), None)
        covered = self._covered(self._mine(person, system, day, operation, table))
        return DeniedError(_refusal(person, tables, f" for {purpose!r}", covered, self.tree))

    @cached_property
    def _decided(self) -> Callable[[frozenset[str], str, str, date, str], tuple[Grant, ...]]:
        """What lets some roles do something on a day; found once, since it depends on nothing else."""
        return lru_cache(maxsize=_REMEMBERED)(self._decide)

    def _decide(self, roles: frozenset[str], table: str, purpose: str, day: date, operation: str) -> tuple[Grant, ...]:
        above = self.tree.up([purpose]) if purpose in self.tree else frozenset()
        used = [one for one in self._for(roles, day, operation, table) if one.purpose in above]
        return tuple(Grant(one, purpose) for one in sorted(used, key=_shows_most))

    def purposes(
        self,
        person: Person,
        system: Mapping[str, object],
        *,
        day: date,
        table: str | None = None,
        operation: str = "select",
    ) -> frozenset[str]:
        """All purposes that somebody may state now, for some table or for this one."""
        return self._covered(self._mine(person, system, day, operation, table))

    def derived(
        self,
        person: Person,
        tables: Collection[str],
        system: Mapping[str, object],
        day: date,
        *,
        operation: str = "select",
    ) -> str:
        """The purpose of somebody who states none: the only most general one that they may state for all tables."""
        found = partial(self.purposes, person, system, day=day, operation=operation)
        every = [found(table=table) for table in dict.fromkeys(tables)]
        shared = frozenset.intersection(*every) if every else found()
        general = _most_general(shared, self.tree)
        if not general:
            raise DeniedError(_refusal(person, tables, "", shared, self.tree))
        if len(general) > 1:
            raise StatementError(
                f"state a purpose; {person.name!r} may ask for several that none covers: {listed(general, 20)}."
            )
        return general[0]

    def _mine(
        self, person: Person, system: Mapping[str, object], day: date, operation: str, table: str | None
    ) -> list[PermissionSection]:
        return self._for(self.enabled(person, system), day, operation, table)

    def _for(self, roles: frozenset[str], day: date, operation: str, table: str | None) -> list[PermissionSection]:
        looked_at = self.permissions if table is None else self._of_table.get(table, [])
        return [one for one in looked_at if one.role in roles and one.operation == operation and one.holds_on(day)]

    @cached_property
    def _of_table(self) -> dict[str, list[PermissionSection]]:
        found: dict[str, list[PermissionSection]] = {}
        for one in self.permissions:
            found.setdefault(one.table, []).append(one)
        return found

    def _covered(self, permissions: Iterable[PermissionSection]) -> frozenset[str]:
        return self.tree.down([one.purpose for one in permissions])


def _demand(name: str, known: Iterable[str], what: str) -> None:
    names = set(known)
    if name not in names:
        raise PolicyError(f"{what} {name!r}; {nearest(name, names) if names else 'the policy names none.'}")


def _demand_roles(parents: Mapping[str, str | None]) -> None:
    grounded: set[str] = set()
    for name in parents:
        path: list[str] = []
        at: str | None = name
        while at is not None and at not in grounded:
            if at in path:
                raise PolicyError(f"[roles.{name}]: the roles above it lie in a circle; {at!r} is one of them.")
            path.append(at)
            if (at := parents[at]) is not None:
                _demand(at, parents, f"[roles.{path[-1]}] parent: there is no role")
        grounded.update(path)


def _conditional_roles(sections: PolicySections) -> dict[str, ConditionalRole]:
    made = {}
    for name, section in sections.conditional_roles.items():
        where = f"[conditional_roles.{name}]"
        if name in sections.roles:
            raise PolicyError(f"{where}: {name!r} is a role already; give the conditional one a name of its own.")
        _demand(section.role, sections.roles, f"{where} role: there is no role")
        try:
            made[name] = ConditionalRole(section.role, Condition.parse(section.when))
        except PolicyError as error:
            raise PolicyError(f"{where} when: {error}") from None
    return made


def _most_general(purposes: frozenset[str], tree: PurposeTree) -> list[str]:
    """Those that no other of them lies above."""
    return sorted(name for name in purposes if not (tree.up([name]) - {name}) & purposes)


def _refusal(person: Person, tables: Collection[str], purpose: str, allowed: frozenset[str], tree: PurposeTree) -> str:
    """Why somebody is denied; a table or a purpose that does not exist is denied like one that is forbidden."""
    asked = " and ".join(repr(table) for table in dict.fromkeys(tables)) or "anything"
    asked += " together" if len(set(tables)) > 1 else ""
    these = "this table" if tables else "some tables"
    general = _most_general(allowed, tree)
    sentence = f"{person.name!r} may not ask {asked}{purpose}"
    if not general:
        return f"{sentence}; nor for any other purpose now." if purpose else f"{sentence} for any purpose now."
    return f"{sentence}; for {these} they may state {listed(general, 20)}, or a purpose below."


def _shows_most(permission: PermissionSection) -> tuple[bool, float, float]:
    """The place of a permission among others: what shows most comes first."""
    columns = -float("inf") if permission.columns is None else -len(permission.columns)
    noise = -float("inf") if permission.epsilon is None else -permission.epsilon
    return permission.only_aggregates, noise, columns
