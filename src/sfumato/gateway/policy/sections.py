"""The sections of a policy file. A key that is not named here is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from sfumato.gateway.policy.intended_purposes import Intended
from sfumato.settings.toml_sections import Section, Text

Name = Annotated[str, Field(min_length=1, max_length=200)]
Days = Annotated[int, Field(ge=0, le=1_000_000)]
"""Engines have no days before some year: that of PostgreSQL is 6,700 years ago."""

Bound = Annotated[float, Field(allow_inf_nan=False)]
RowPolicy = Literal["mask_cell", "drop_row", "drop_if_all_hidden"]


class IntendedSection(Section):
    """What somebody says about purposes: shown as it is, shown in a weaker form, never shown."""

    allowed: list[Name] = []
    conditional: list[Name] = []
    prohibited: list[Name] = []

    @property
    def intended(self) -> Intended:
        """The three sets."""
        return Intended.of(self.allowed, self.conditional, self.prohibited)


class ValidSection(Section):
    """What holds from one day to another, both included; from ever and for ever where no day is said."""

    valid_from: date | None = None
    valid_until: date | None = None

    def holds_on(self, day: date) -> bool:
        """Whether it holds on a day."""
        return (self.valid_from is None or self.valid_from <= day) and (
            self.valid_until is None or day <= self.valid_until
        )


class ConditionSection(Section):
    """`[[tables.NAME.columns.NAME.conditions]]`: the weaker form of a column, for a purpose and those below it.

    The transform's own settings stand beside its name.
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

    With `by_choice` everybody decides about their own value; nobody's value is shown who has not chosen, unless
    `default_choice` names what holds for them.

    The rest is about questions of somebody who may ask for aggregates alone. `selects` opens the column to conditions
    and groups: who has which value in it counts as known to whoever may ask. `"with_noise"` opens it to conditions of
    questions whose answers carry noise, and to no others. `missing = "open"` says that who has a value at all is no
    secret, which exact sums and means of a column with missing or hidden values would show. `bounds` are the least and
    the largest value that noise is made for.
    """

    by_choice: bool = False
    default_choice: Name | None = None
    selects: bool | Literal["with_noise"] = False
    missing: Literal["secret", "open"] = "secret"
    bounds: Annotated[list[Bound], Field(min_length=2, max_length=2)] | None = None
    conditions: list[ConditionSection] = []


class RetentionSection(Section):
    """`[[tables.NAME.retention]]`: for how long records may be used for a purpose, from the day in a column."""

    purpose: Name | None = None
    column: Name
    days: Days


class TableSection(IntendedSection):
    """`[tables.NAME]`: a table that may be asked, what all its columns may be used for, and what happens to rows.

    `key` is the column that tells people apart; choices are kept by it. A column that the policy does not name is
    hidden, so that one that is added to the table later is not shown by accident; with `new_columns = "as_table"`
    what is said of the table holds for it too. `rows_a_person` is how many rows of one person answers with noise count;
    further ones are left out.
    """

    key: Name
    row_policy: RowPolicy = "mask_cell"
    new_columns: Literal["hidden", "as_table"] = "hidden"
    rows_a_person: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    columns: dict[Name, ColumnRulesSection] = {}
    retention: list[RetentionSection] = []


class RuleSection(IntendedSection, ValidSection):
    """`[[rules]]`: more about columns of a table, or all of them, in the rows where a condition holds."""

    name: Name
    table: Name
    columns: list[Name] | None = None
    where: Text | None = None


class RoleSection(Section):
    """`[roles.NAME]`: a role; it has the permissions of the role above it too."""

    parent: Name | None = None


class ConditionalRoleSection(Section):
    """`[conditional_roles.NAME]`: a role that somebody has only while a condition on them and the system holds."""

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
    """`[[permissions]]`: a role may do something with a table for a purpose and those below it.

    It may ask (`select`), or take in what people choose for their own values (`choose`), and see nothing by that.
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
        """How much of epsilon one question costs: 0.1, or all of it where there is less."""
        return self.epsilon_a_question or min(0.1, self.epsilon or 0.1)


class AuditingSection(Section):
    """`[auditing]`: how exact aggregates are audited that somebody may ask for who may not see rows.

    `keeps_answers` is for how many days the same aggregate of the same people is answered as it was the first time.
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
        """Every table that a rule or permission names columns of, with these columns."""
        yield from ((rule.table, rule.columns or []) for rule in self.rules)
        yield from ((permission.table, permission.columns or []) for permission in self.permissions)
