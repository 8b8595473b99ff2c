"""The rules that decide about a value: those of its table and column, row rules, and the choices of data subjects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from typing import TYPE_CHECKING

from sfumato.gateway.conditions.conditions import Condition
from sfumato.gateway.policy.intended_purposes import Access, PurposeCodes
from sfumato.gateway.policy.policy import Policy

if TYPE_CHECKING:
    from sfumato.gateway.transforms.base import Transform

NOT_CHOSEN = 0
"""The stored choice of a person who has not chosen."""

MAX_COMBINED_RULES = 5
"""If a column has more rules with conditions than this, not all combinations of the conditions are tried or listed."""


@dataclass(frozen=True)
class AccessRule:
    """What one part of a policy says about a value for one purpose, and in which rows it applies.

    `conditional` grants access to the generalized value; `narrowed` grants nothing, and reduces a full access that
    another rule grants to the generalized value. `where` is its condition on rows; `choice` the stored choice for which
    it applies. If data subjects choose, only their choices can allow access; all other rules only narrow and prohibit.
    """

    name: str
    allowed: bool
    conditional: bool
    narrowed: bool
    prohibited: bool
    where: Condition | None = None
    choice: int | None = None

    @classmethod
    def of(cls, name: str, codes: PurposeCodes, purpose: int, *, grants: bool = True) -> AccessRule:
        """The rule of intended purposes for one purpose; without `grants` it can only narrow and prohibit."""
        return cls(
            name=name,
            allowed=grants and bool(codes.allowed & purpose),
            conditional=grants and bool(codes.conditional & purpose),
            narrowed=bool(codes.narrowed & purpose),
            prohibited=bool(codes.prohibited & purpose),
        )

    @property
    def has_no_effect(self) -> bool:
        """Whether it says nothing about the purpose."""
        return not (self.allowed or self.conditional or self.narrowed or self.prohibited)

    def applies(self, row: Mapping[str, object], chosen: int) -> bool | None:
        """Whether it applies to a row; None if its condition is unknown."""
        if self.choice is not None:
            return self.choice == chosen
        return True if self.where is None else self.where.check(row)


def rules_for(policy: Policy, table: str, column: str, purpose: str, day: date) -> tuple[AccessRule, ...]:
    """All rules about a column for a purpose on a day; none for a column that the policy does not name."""
    if policy.is_new(table, column):
        return ()
    section, bit = policy.column(table, column), policy.tree.code([policy.tree.require(purpose)])
    grants = not section.by_choice
    rules = [
        AccessRule.of(f"table {table!r}", policy.codes(policy.table(table)), bit, grants=grants),
        AccessRule.of(f"column {column!r}", policy.codes(section), bit, grants=grants),
        *_row_rules(policy, table, column, bit, day, grants),
    ]
    if section.by_choice:
        rules.extend(_choice_rules(policy, section.default_choice, bit))
    return tuple(access_rule for access_rule in rules if not access_rule.has_no_effect)


def _row_rules(policy: Policy, table: str, column: str, bit: int, day: date, grants: bool) -> list[AccessRule]:
    """The `[[rules]]` of the policy for this column that are valid on the day."""
    access_rules = []
    for rule in policy.sections.rules:
        concerns_column = rule.table == table and (rule.columns is None or column in rule.columns)
        if concerns_column and rule.holds_on(day):
            access_rule = AccessRule.of(f"rule {rule.name!r}", policy.codes(rule), bit, grants=grants)
            where = policy.condition_of(rule)
            access_rules.append(replace(access_rule, where=where))
    return access_rules


def _choice_rules(policy: Policy, default: str | None, bit: int) -> list[AccessRule]:
    """One rule for each choice, and one for the default choice."""
    access_rules = []
    for place, (name, section) in enumerate(policy.sections.choices.items()):
        access_rule = AccessRule.of(f"choice {name!r}", policy.codes(section), bit)
        access_rules.append(replace(access_rule, choice=place + 1))
        if name == default:
            access_rules.append(replace(access_rule, name=f"default choice {name!r}", choice=NOT_CHOSEN))
    return access_rules


def access(rules: tuple[AccessRule, ...], row: Mapping[str, object], chosen: int = NOT_CHOSEN) -> Access:
    """What is seen of one value: the reference definition, on a row in Python."""
    return decide(
        rules,
        {id(access_rule): access_rule.applies(row, chosen) for access_rule in rules if access_rule.where is not None},
        chosen,
    )


def decide(rules: tuple[AccessRule, ...], applying: Mapping[int, bool | None], chosen: int) -> Access:
    """What is seen, given which conditions hold, by the id of their rule: equal rules may stand in a policy twice.

    A rule whose condition is unknown never allows, but narrows and prohibits: in doubt a value is not shown.
    """
    applied = [
        (access_rule, applying[id(access_rule)] if access_rule.where is not None else access_rule.applies({}, chosen))
        for access_rule in rules
    ]
    certain = [access_rule for access_rule, applies in applied if applies is True]
    possible = [access_rule for access_rule, applies in applied if applies is not False]
    if any(access_rule.prohibited for access_rule in possible):
        return Access.HIDDEN
    allowed = any(access_rule.allowed for access_rule in certain)
    if any(access_rule.conditional for access_rule in certain) or (
        allowed and any(access_rule.narrowed for access_rule in possible)
    ):
        return Access.CONDITIONAL
    return Access.FULL if allowed else Access.HIDDEN


def effective_access(access: Access, transform: Transform | None) -> Access:
    """What is seen in effect: without a declared weaker form, conditional access shows nothing."""
    return Access.HIDDEN if access is Access.CONDITIONAL and transform is None else access


def outcomes(rules: tuple[AccessRule, ...], choices: int) -> frozenset[Access]:
    """Every access that some row can have; every one there is if too many rules have conditions.

    All combinations of conditions are tried, and one choice more than there are: a database may hold an unknown choice.
    """
    with_condition = [rule for rule in rules if rule.where is not None]
    if len(with_condition) > MAX_COMBINED_RULES:
        return frozenset(Access)
    return frozenset(
        decide(rules, dict(zip(map(id, with_condition), applying, strict=True)), choice)
        for applying in product((True, False, None), repeat=len(with_condition))
        for choice in range(choices + 2 if choices else 1)
    )


def possible_access(policy: Policy, table: str, column: str, purpose: str, day: date) -> frozenset[Access]:
    """Every access that some row can have to a column for a purpose on a day."""
    return outcomes(rules_for(policy, table, column, purpose, day), choices_about(policy, table, column))


def choices_about(policy: Policy, table: str, column: str) -> int:
    """How many choices data subjects have about a column; 0 if they do not choose about it."""
    return len(policy.choices) if policy.column(table, column).by_choice else 0
