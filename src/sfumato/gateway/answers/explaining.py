"""Explains an answer: what is seen of every column that a query reads, in which rows, and which rule decided so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from sfumato.gateway.answers.answer import doubt_note
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.sections import AuditingSection, PermissionSection
from sfumato.gateway.sql.compiling import CompiledQuery
from sfumato.gateway.views.access_rules import MAX_COMBINED_RULES, NOT_CHOSEN, AccessRule, decide, effective_access
from sfumato.gateway.views.views import PurposeView, ViewColumn

DEPENDS_ON_RULES = "depends on rules"
"""What is said of the access to a column if too many of its rules have conditions to list all combinations."""


@dataclass(frozen=True)
class ExplainedColumn:
    """What is seen of one column in one class of rows.

    `access` is None if it depends on more rules with conditions than are listed; `because` then names all rules.
    """

    table: str
    column: str
    rows: str
    access: Access | None
    form: str
    because: tuple[str, ...]

    @property
    def seen(self) -> str:
        """The access in words."""
        return DEPENDS_ON_RULES if self.access is None else self.access.value

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**vars(self), "access": self.seen, "because": list(self.because)}

    @classmethod
    def of_dict(cls, data: dict[str, Any]) -> ExplainedColumn:
        """The same from plain data."""
        access = None if data["access"] == DEPENDS_ON_RULES else Access(data["access"])
        return cls(**{**data, "access": access, "because": tuple(data["because"])})


@dataclass(frozen=True)
class Explanation:
    """Who queries for which purpose, what is seen of every column, and the SQL that runs on the masked relations.

    `notes` say which rows are retained, on which terms aggregates are answered, and which columns are in doubt.
    """

    person: str
    roles: tuple[str, ...]
    purpose: str
    row_policies: dict[str, str]
    lines: tuple[ExplainedColumn, ...]
    sql: str
    uncertain: bool
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the command line and the HTTP API."""
        lines = [line.to_dict() for line in self.lines]
        return {**vars(self), "roles": list(self.roles), "lines": lines, "notes": list(self.notes)}

    @classmethod
    def of_dict(cls, data: dict[str, Any]) -> Explanation:
        """The same from plain data."""
        lines = tuple(ExplainedColumn.of_dict(line) for line in data["lines"])
        return cls(**{**data, "roles": tuple(data["roles"]), "lines": lines, "notes": tuple(data["notes"])})


def explanation_of(
    compiled: CompiledQuery, *, person: str, roles: tuple[str, ...], purpose: str, terms: tuple[str, ...] = ()
) -> Explanation:
    """The explanation of a compiled query, and of the terms on which it is answered."""
    lines = tuple(
        line for view in compiled.views for line in _view_lines(view, compiled.columns_read.get(view.table, ()))
    )
    policies: dict[str, str] = {view.table: view.row_policy for view in compiled.views}
    kept = tuple(
        f"rows of {view.table!r} are shown for {limit.days:,} days from the day in {limit.column!r}"
        for view in compiled.views
        for limit in view.retention()
    )
    return Explanation(
        person, roles, purpose, policies, lines, compiled.sql, compiled.uncertain, (*kept, *terms, *_doubts(compiled))
    )


def _doubts(compiled: CompiledQuery) -> tuple[str, ...]:
    """The note about columns whose values hidden values and missing rows could change, if there are any."""
    columns = [output.name for output in compiled.outputs if output.value.uncertain]
    return (doubt_note(columns),) if columns else ()


def terms_of(permission: PermissionSection, auditing: AuditingSection) -> str:
    """The terms on which a permission answers aggregates."""
    if permission.epsilon is None:
        return f"aggregates only, each about at least {auditing.least} people, also in combination with earlier ones"
    return f"aggregates only, with noise: a query costs {permission.price:g} of {permission.epsilon:g} (epsilon)"


def _view_lines(view: PurposeView, columns: tuple[str, ...]) -> Iterator[ExplainedColumn]:
    """What is seen of these columns of a view."""
    for name in columns:
        yield from column_lines(view, view.by_name[name])


def column_lines(view: PurposeView, column: ViewColumn) -> Iterator[ExplainedColumn]:
    """What is seen of a column, one line for each class of rows."""
    conditional_rules = [rule for rule in column.rules if rule.where is not None]
    if len(conditional_rules) > MAX_COMBINED_RULES:
        names = tuple(rule.name for rule in column.rules)
        yield ExplainedColumn(view.table, column.name, "each by its rules", None, "", names)
        return
    by_choice = view.policy.column(view.table, column.name).by_choice
    chosen = sorted({rule.choice for rule in column.rules if rule.choice is not None} - {NOT_CHOSEN})
    for applying in product((True, False), repeat=len(conditional_rules)):
        for choice in [NOT_CHOSEN, *chosen] if by_choice else [NOT_CHOSEN]:
            holds = dict(zip(map(id, conditional_rules), applying, strict=True))
            seen = effective_access(decide(column.rules, holds, choice), column.transform)
            rules = tuple(rule for rule in column.rules if _applies(rule, holds, choice))
            yield ExplainedColumn(
                view.table,
                column.name,
                _rows(view, conditional_rules, applying, choice, by_choice),
                seen,
                str(column.transform) if seen is Access.CONDITIONAL else "",
                _because(rules, seen),
            )


def _applies(rule: AccessRule, holds: dict[int, bool], choice: int) -> bool:
    """Whether a rule applies, given which conditions hold and which choice was made."""
    return holds[id(rule)] if rule.where is not None else rule.choice in (None, choice)


def _rows(
    view: PurposeView, conditional_rules: list[AccessRule], applying: tuple[bool, ...], choice: int, by_choice: bool
) -> str:
    """The class of rows in words."""
    parts = [
        f"{'' if applies else 'not '}({rule.where})" for rule, applies in zip(conditional_rules, applying, strict=True)
    ]
    if by_choice:
        parts.append("not chosen" if choice == NOT_CHOSEN else f"chosen {view.policy.choices[choice - 1]!r}")
    return " and ".join(parts) or "all"


def _because(rules: tuple[AccessRule, ...], seen: Access) -> tuple[str, ...]:
    """The rules that decided: prohibitions before conditions before allowances."""
    prohibiting = tuple(rule.name for rule in rules if rule.prohibited)
    if prohibiting:
        return tuple(f"{name} prohibits" for name in prohibiting)
    narrowing = tuple(rule.name for rule in rules if rule.conditional or rule.narrowed)
    allowing = tuple(rule.name for rule in rules if rule.allowed)
    granted = allowing or any(rule.conditional for rule in rules)
    if seen is Access.CONDITIONAL:
        return tuple(f"{name} sets a condition" for name in narrowing)
    if seen is Access.FULL:
        return tuple(f"{name} allows" for name in allowing)
    if narrowing and granted:
        return tuple(f"{name} sets a condition, and no weaker form is declared" for name in narrowing)
    return ("no rule allows it",)
