"""The sections of a policy file, as pydantic models. A key that is not declared here is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from sfumato.gateway.policy.intended_purposes import IntendedPurposes
from sfumato.settings.toml_sections import Section, Text

Name = Annotated[str, Field(min_length=1, max_length=200)]
Days = Annotated[int, Field(ge=0, le=1_000_000)]
"""A number of days; limited, because the dates of PostgreSQL begin about 6,700 years ago."""

Bound = Annotated[float, Field(allow_inf_nan=False)]
RowPolicy = Literal["mask_cell", "drop_row", "drop_if_all_hidden"]


class IntendedSection(Section):
    """Intended purposes: shown as it is, shown in a weaker form, never shown."""

    allowed: list[Name] = []
    conditional: list[Name] = []
    prohibited: list[Name] = []

    @property
    def intended(self) -> IntendedPurposes:
        """The three sets of purposes."""
        return IntendedPurposes.of(self.allowed, self.conditional, self.prohibited)


class ValidSection(Section):
    """A validity from one day to another, both included; without a day it is not limited.

    >>> january = ValidSection(valid_from=date(2026, 1, 1), valid_until=date(2026, 1, 31))
    >>> january.days_of_change
    [datetime.date(2026, 1, 1), datetime.date(2026, 2, 1)]
    """

    valid_from: date | None = None
    valid_until: date | None = None

    def holds_on(self, day: date) -> bool:
        """Whether it is valid on a day."""
        return (self.valid_from is None or self.valid_from <= day) and (
            self.valid_until is None or day <= self.valid_until
        )

    def has_ended(self, day: date) -> bool:
        """Whether its last day is before a day."""
        return self.valid_until is not None and self.valid_until < day

    @property
    def days_of_change(self) -> list[date]:
        """The days on which it becomes valid and stops being valid."""
        days = [] if self.valid_from is None else [self.valid_from]
        if self.valid_until is not None and self.valid_until < date.max:
            days.append(self.valid_until + timedelta(days=1))
        return days


class ConditionSection(Section):
    """`[[tables.NAME.columns.NAME.conditions]]`: the weaker form of a column, for a purpose and those below it.

    The settings of the transform are keys beside its name.
    """

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    purpose: Name | None = None
    transform: Text

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the transform."""
        return dict(self.model_extra or {})


class ColumnRulesSection(IntendedSection):
    """`[tables.NAME.columns.NAME]`: what a column may be used for.

    With `by_choice` every data subject decides about their own value; without a choice the value is hidden, unless
    `default_choice` names the choice that applies.

    The other keys are about permissions with `only_aggregates`. `selects` allows the column in conditions and groups:
    who has which value in it then counts as known to the requester. `"with_noise"` allows it only in conditions of
    queries whose answers have noise. `missing = "open"` says that it is no secret who has a value at all; exact sums
    and means of a column with missing or hidden values would show that. `bounds` are the lowest and the highest value
    that the noise is calibrated to.
    """

    by_choice: bool = False
    default_choice: Name | None = None
    selects: bool | Literal["with_noise"] = False
    missing: Literal["secret", "open"] = "secret"
    bounds: Annotated[list[Bound], Field(min_length=2, max_length=2)] | None = None
    conditions: list[ConditionSection] = []


class RetentionSection(Section):
    """`[[tables.NAME.retention]]`: for how many days after the day in a column a record may be used for a purpose."""

    purpose: Name | None = None
    column: Name
    days: Days


class TableSection(IntendedSection):
    """`[tables.NAME]`: a table that may be queried, what all its columns may be used for, and what happens to rows.

    `key` is the column that identifies data subjects; their choices are stored by it. A column that the policy does not
    name is hidden, so that a column added to the table later is not shown by accident; with `new_columns = "as_table"`
    the purposes of the table hold for it too. `rows_a_person` is how many rows of one person are counted in answers
    with noise; further rows are left out.
    """

    key: Name
    row_policy: RowPolicy = "mask_cell"
    new_columns: Literal["hidden", "as_table"] = "hidden"
    rows_a_person: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    columns: dict[Name, ColumnRulesSection] = {}
    retention: list[RetentionSection] = []


class RuleSection(IntendedSection, ValidSection):
    """`[[rules]]`: intended purposes for some or all columns of a table, in the rows where a condition holds."""

    name: Name
    table: Name
    columns: list[Name] | None = None
    where: Text | None = None


class RoleSection(Section):
    """`[roles.NAME]`: a role; it inherits the permissions of its parent role."""

    parent: Name | None = None


class ConditionalRoleSection(Section):
    """`[conditional_roles.NAME]`: a role that holders of another role have while a condition holds."""

    role: Name
    when: Text


class ObligationSection(Section):
    """`[[permissions.obligations]]`: what must be done when a permission is used."""

    duty: Literal["log", "notify", "delete_after"]
    to: Text | None = None
    days: Days | None = None

    def __str__(self) -> str:
        days = "" if self.days is None else f" {self.days} days"
        return f"{self.duty}{days}{f' {self.to}' if self.to else ''}"


class PermissionSection(ValidSection):
    """`[[permissions]]`: a role may use a table for a purpose and those below it.

    The operation is to query it (`select`), or to enter the choices of data subjects (`choose`), which shows nothing.
    """

    role: Name
    table: Name
    purpose: Name
    operation: Literal["select", "choose"] = "select"
    columns: list[Name] | None = None
    only_aggregates: bool = False
    epsilon: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    epsilon_a_question: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    obligations: list[ObligationSection] = []

    @property
    def price(self) -> float:
        """How much of epsilon one query costs: 0.1, or all of it if it is less."""
        return self.epsilon_a_question or min(0.1, self.epsilon or 0.1)


class AuditingSection(Section):
    """`[auditing]`: how exact aggregates are audited for requesters who may not see rows.

    `keeps_answers` is the number of days for which the same aggregate of the same people is answered as the first time.
    """

    least: Annotated[int, Field(ge=1)] = 5
    keeps_answers: Annotated[int, Field(ge=0, le=36_500)] = 30
    overlap: Annotated[int, Field(ge=0)] | None = None
    sums: bool = True
    questions: Annotated[int, Field(ge=1)] = 10_000


class PolicySections(Section):
    """A whole policy file."""

    name: Text
    closes_upward: bool = True
    purposes: dict[Name, list[Name]]
    choices: dict[Name, IntendedSection] = {}
    tables: Annotated[dict[Name, TableSection], Field(min_length=1)]
    rules: list[RuleSection] = []
    roles: dict[Name, RoleSection] = {}
    conditional_roles: dict[Name, ConditionalRoleSection] = {}
    permissions: list[PermissionSection] = []
    auditing: AuditingSection = AuditingSection()

    def column_lists(self) -> Iterator[tuple[str, list[str]]]:
        """Every table of which a rule or permission names columns, with these columns."""
        yield from ((rule.table, rule.columns or []) for rule in self.rules)
        yield from ((permission.table, permission.columns or []) for permission in self.permissions)
