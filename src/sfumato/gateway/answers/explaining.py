"""Explains decisions: what is seen of every column that a question reads, in which rows, and who said so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.sections import AuditingSection, PermissionSection
from sfumato.gateway.sql.compiling import CompiledQuery
from sfumato.gateway.views.access_rules import NOT_CHOSEN, Voice, decided
from sfumato.gateway.views.views import PurposeView, ViewColumn

_MOST_RULES = 4
"""Beyond so many rules with conditions on one column, their combinations are not listed one by one."""


@dataclass(frozen=True)
class Line:
    """What is seen of one column in one class of rows."""

    table: str
    column: str
    rows: str
    access: Access
    form: str
    because: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**vars(self), "access": self.access.value, "because": list(self.because)}

    @classmethod
    def of_dict(cls, given: dict[str, Any]) -> Line:
        """The same from plain data."""
        return cls(**{**given, "access": Access(given["access"]), "because": tuple(given["because"])})


@dataclass(frozen=True)
class Explanation:
    """Who asks for which purpose, what is seen of every column, and the SQL that runs on the masked relations.

    `notes` say in words which rows are kept, and on which terms aggregates alone are answered.
    """

    person: str
    roles: tuple[str, ...]
    purpose: str
    row_policies: dict[str, str]
    lines: tuple[Line, ...]
    sql: str
    uncertain: bool
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the command line and the door to programs."""
        lines = [line.to_dict() for line in self.lines]
        return {**vars(self), "roles": list(self.roles), "lines": lines, "notes": list(self.notes)}

    @classmethod
    def of_dict(cls, given: dict[str, Any]) -> Explanation:
        """The same from plain data."""
        lines = tuple(Line.of_dict(line) for line in given["lines"])
        return cls(**{**given, "roles": tuple(given["roles"]), "lines": lines, "notes": tuple(given["notes"])})


def explained(
    made: CompiledQuery, *, person: str, roles: tuple[str, ...], purpose: str, terms: tuple[str, ...] = ()
) -> Explanation:
    """The explanation of a compiled question, and of the terms on which it is answered."""
    lines = tuple(line for view in made.views for line in _of_view(view, made.columns_read.get(view.table, ())))
    policies: dict[str, str] = {view.table: view.row_policy for view in made.views}
    kept = tuple(
        f"rows of {view.table!r} are shown for {limit.days:,} days from the day in {limit.column!r}"
        for view in made.views
        for limit in view.retention()
    )
    return Explanation(person, roles, purpose, policies, lines, made.sql, made.uncertain, (*kept, *terms))


def terms_of(permission: PermissionSection, auditing: AuditingSection) -> str:
    """On which terms aggregates alone are answered."""
    if permission.epsilon is None:
        return f"aggregates alone, each about at least {auditing.least} people, also together with earlier ones"
    return f"aggregates alone, with noise: a question costs {permission.price:g} of {permission.epsilon:g} (epsilon)"


def _of_view(view: PurposeView, read: tuple[str, ...]) -> Iterator[Line]:
    for name in read:
        yield from column_lines(view, view.by_name[name])


def column_lines(view: PurposeView, column: ViewColumn) -> Iterator[Line]:
    """What is seen of a column, one line for each class of rows."""
    ruled = [voice for voice in column.heard if voice.where is not None]
    chosen = sorted({voice.choice for voice in column.heard if voice.choice is not None})
    by_choice = view.policy.column(view.table, column.name).by_choice
    if len(ruled) > _MOST_RULES:
        names = tuple(voice.name for voice in column.heard)
        yield Line(view.table, column.name, "each by its rules", Access.HIDDEN, "", names)
        return
    for speaking in product((True, False), repeat=len(ruled)):
        for choice in [NOT_CHOSEN, *(one for one in chosen if one != NOT_CHOSEN)] if by_choice else [NOT_CHOSEN]:
            said = dict(zip(map(id, ruled), speaking, strict=True))
            seen = decided(column.heard, said, choice)
            if seen is Access.CONDITIONAL and column.transform is None:
                seen = Access.HIDDEN
            heard = tuple(voice for voice in column.heard if _speaks(voice, said, choice))
            yield Line(
                view.table,
                column.name,
                _rows(view, ruled, speaking, choice, by_choice),
                seen,
                str(column.transform) if seen is Access.CONDITIONAL else "",
                _because(heard, seen),
            )


def _speaks(voice: Voice, said: dict[int, bool], choice: int) -> bool:
    return said[id(voice)] if voice.where is not None else voice.choice in (None, choice)


def _rows(view: PurposeView, ruled: list[Voice], speaking: tuple[bool, ...], choice: int, by_choice: bool) -> str:
    """The class of rows in words."""
    parts = [f"{'' if speaks else 'not '}({voice.where})" for voice, speaks in zip(ruled, speaking, strict=True)]
    if by_choice:
        parts.append("not chosen" if choice == NOT_CHOSEN else f"chosen {view.policy.choices[choice - 1]!r}")
    return " and ".join(parts) or "all"


def _because(heard: tuple[Voice, ...], seen: Access) -> tuple[str, ...]:
    """Those who decided: denial before condition before allowance."""
    prohibiting = tuple(voice.name for voice in heard if voice.prohibited)
    if prohibiting:
        return tuple(f"{name} prohibits" for name in prohibiting)
    narrowing = tuple(voice.name for voice in heard if voice.conditional or voice.narrowed)
    allowing = tuple(voice.name for voice in heard if voice.allowed)
    granted = allowing or any(voice.conditional for voice in heard)
    if seen is Access.CONDITIONAL:
        return tuple(f"{name} sets a condition" for name in narrowing)
    if seen is Access.FULL:
        return tuple(f"{name} allows" for name in allowing)
    if narrowing and granted:
        return tuple(f"{name} sets a condition, and no weaker form is declared" for name in narrowing)
    return ("nobody allows it",)
