"""Everybody who has a say about a value: the table's and the column's rules, rules for some rows, people's choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from sfumato.gateway.conditions.conditions import Condition
from sfumato.gateway.policy.intended_purposes import Access, PurposeCodes
from sfumato.gateway.policy.policy import Policy

NOT_CHOSEN = 0


@dataclass(frozen=True)
class Voice:
    """What one says about a value for one purpose, and in which rows.

    `grants` is false for a voice that may only narrow and prohibit: where people choose themselves, nobody else allows.
    `choice` is the choice that it speaks for; `where` is the condition on rows.
    """

    name: str
    allowed: bool
    conditional: bool
    narrowed: bool
    prohibited: bool
    where: Condition | None = None
    choice: int | None = None

    @classmethod
    def of(cls, name: str, codes: PurposeCodes, purpose: int, *, grants: bool = True) -> Voice:
        """What intended purposes say about a purpose."""
        return cls(
            name=name,
            allowed=grants and bool(codes.allowed & purpose),
            conditional=grants and bool(codes.conditional & purpose),
            narrowed=bool(codes.narrowed & purpose),
            prohibited=bool(codes.prohibited & purpose),
        )

    @property
    def everywhere(self) -> bool:
        """Whether it speaks of every row."""
        return self.where is None and self.choice is None

    @property
    def silent(self) -> bool:
        """Whether it says nothing about the purpose."""
        return not (self.allowed or self.conditional or self.narrowed or self.prohibited)

    def speaks(self, row: Mapping[str, object], chosen: int) -> bool | None:
        """Whether it speaks of a row; None where its condition is unknown."""
        if self.choice is not None:
            return self.choice == chosen
        return True if self.where is None else self.where.check(row)


def voices(policy: Policy, table: str, column: str, purpose: str, day: date) -> tuple[Voice, ...]:
    """All who say something about a column for a purpose on a day; nobody about a column that the policy leaves out."""
    if policy.is_new(table, column):
        return ()
    said, bit = policy.column(table, column), policy.tree.code([policy.tree.require(purpose)])
    grants = not said.by_choice
    found = [
        Voice.of(f"table {table!r}", policy.codes(policy.table(table)), bit, grants=grants),
        Voice.of(f"column {column!r}", policy.codes(said), bit, grants=grants),
        *_ruling(policy, table, column, bit, day, grants),
    ]
    if said.by_choice:
        found.extend(_choosing(policy, said.default_choice, bit))
    return tuple(voice for voice in found if not voice.silent)


def _ruling(policy: Policy, table: str, column: str, bit: int, day: date, grants: bool) -> list[Voice]:
    found = []
    for rule in policy.sections.rules:
        meant = rule.table == table and (rule.columns is None or column in rule.columns)
        if meant and rule.holds_on(day):
            voice = Voice.of(f"rule {rule.name!r}", policy.codes(rule), bit, grants=grants)
            where = policy.condition_of(rule)
            found.append(Voice(**{**vars(voice), "where": where}))
    return found


def _choosing(policy: Policy, default: str | None, bit: int) -> list[Voice]:
    found = []
    for place, (name, section) in enumerate(policy.sections.choices.items()):
        voice = Voice.of(f"choice {name!r}", policy.codes(section), bit)
        found.append(Voice(**{**vars(voice), "choice": place + 1}))
        if name == default:
            found.append(Voice(**{**vars(voice), "name": f"default choice {name!r}", "choice": NOT_CHOSEN}))
    return found


def access(heard: tuple[Voice, ...], row: Mapping[str, object], chosen: int = NOT_CHOSEN) -> Access:
    """What is seen of one value: the plain meaning of all voices together."""
    return decided(heard, {id(voice): voice.speaks(row, chosen) for voice in heard if voice.where is not None}, chosen)


def decided(heard: tuple[Voice, ...], speaking: Mapping[int, bool | None], chosen: int) -> Access:
    """What is seen, given which conditions hold (by the identity of their voice).

    A voice whose condition is unknown never grants, but narrows and prohibits: what is not known to be right is not
    shown.
    """
    said = [(voice, speaking[id(voice)] if voice.where is not None else voice.speaks({}, chosen)) for voice in heard]
    certain = [voice for voice, speaks in said if speaks is True]
    possible = [voice for voice, speaks in said if speaks is not False]
    if any(voice.prohibited for voice in possible):
        return Access.HIDDEN
    allowed = any(voice.allowed for voice in certain)
    if any(voice.conditional for voice in certain) or (allowed and any(voice.narrowed for voice in possible)):
        return Access.CONDITIONAL
    return Access.FULL if allowed else Access.HIDDEN
