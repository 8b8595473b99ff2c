"""The sections of a policy file. A key that is not named here is refused."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from sfumato.gateway.intended import Intended
from sfumato.sections import Section, Text

Name = Annotated[str, Field(min_length=1, max_length=200)]
Days = Annotated[int, Field(ge=0)]
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


class ColumnSection(IntendedSection):
    """`[tables.NAME.columns.NAME]`: what a column may be used for.

    With `by_choice` everybody decides about their own value; nobody's value is shown who has not chosen, unless
    `default_choice` names what holds for them.
    """

    by_choice: bool = False
    default_choice: Name | None = None
    bounds: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    conditions: list[ConditionSection] = []


class RetentionSection(Section):
    """`[[tables.NAME.retention]]`: for how long records may be used for a purpose, from the day in a column."""

    purpose: Name | None = None
    column: Name
    days: Days


class TableSection(IntendedSection):
    """`[tables.NAME]`: a table that may be asked, what all its columns may be used for, and what happens to rows.

    `key` is the column that tells people apart; choices are kept by it.
    """

    key: Name
    row_policy: RowPolicy = "mask_cell"
    columns: dict[Name, ColumnSection] = {}
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
    epsilon_a_question: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 0.1
    obligations: list[ObligationSection] = []


class AuditingSection(Section):
    """`[auditing]`: how aggregates are watched over that somebody may ask for who may not see rows."""

    least: Annotated[int, Field(ge=1)] = 5
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
