"""Entries of the audit log beside questions: callers that nobody knows, choices, users, policies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from sfumato.errors import StatementError
from sfumato.gateway.log.audit_lines import LONGEST_LINE

if TYPE_CHECKING:
    from sfumato.gateway.people.choosing import Choice

_ROOM = LONGEST_LINE // 2
"""Bytes of choices in one line; the other half is more than enough for everything else."""

_encode = json.JSONEncoder(separators=(",", ":")).encode


class LogEntry(Protocol):
    """What can be written into the log."""

    @property
    def kind(self) -> str:
        """Which of all entries it is, as it stands in the log."""

    def as_dict(self) -> dict[str, Any]:
        """The fields as they stand in the log."""


@dataclass(frozen=True, kw_only=True)
class UnknownCallerEntry:
    """A request of somebody whom nobody knows: what it was answered with, and on which path of the door.

    Nothing of what was sent is in it. `further` says how many more there were since the entry of this kind before;
    these have no entry of their own, because strangers must not be able to fill the log.

    >>> UnknownCallerEntry(status=401, path="/query", further=3).as_dict()
    {'status': 401, 'path': '/query', 'further': 3}
    """

    kind: ClassVar[str] = "stranger"

    status: int
    path: str
    further: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The fields as they stand in the log."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class PolicyEntry:
    """A policy or setup file that changed while the gateway ran: its digest, and whether it is in force now.

    `digest` is empty where the policy could not be read. `in_force` is the policy that questions are answered by from
    here on. `reason` names the kind of error for which a policy is not applied; `restart` says that it would be after
    a restart. `findings` counts what `sfumato gateway lint` finds.
    """

    kind: ClassVar[str] = "policy"

    digest: str
    in_force: str
    applied: bool
    reason: str = ""
    restart: bool = False
    findings: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The fields as they stand in the log."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class UsersEntry:
    """A change of the file of users on the command line: what was `done` to `who`, and by whom on the machine.

    `roles` are those that the user has, or had until now, and `expires` is when the token does, empty for never.
    Attributes are not in it, which say something about a person.
    """

    kind: ClassVar[str] = "users"

    done: Literal["added", "removed", "renewed", "disabled", "enabled"]
    who: str
    roles: tuple[str, ...] = ()
    expires: str = ""
    login: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields as they stand in the log."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ChoicesEntry:
    """What people chose, with their keys: the one exception to the rule that the log holds no values.

    Who agreed to what must be proved later, and a choice without the person who made it proves nothing. So keys stand
    here, and nowhere else in the log. `who` entered the choices, `login` is their name on the machine where they did so
    on the command line. Many choices are split over `parts` lines, all with the same `batch`; the entry of the question
    to choose has it too, and where a refusal has it, none of them was kept.
    """

    kind: ClassVar[str] = "chose"

    who: str
    table: str
    choices: tuple[Choice, ...]
    batch: str
    purpose: str = ""
    login: str = ""
    part: int = 1
    parts: int = 1

    def as_dict(self) -> dict[str, Any]:
        """The fields as they stand in the log."""
        return {name: value for name, value in vars(self).items() if value != "" or name != "login"}

    def split(self) -> list[ChoicesEntry]:
        """The same in lines that are short enough for the log."""
        groups = list(_groups(self.choices))
        return [
            replace(self, choices=group, part=place, parts=len(groups)) for place, group in enumerate(groups, start=1)
        ]


def _groups(choices: Iterable[Choice]) -> Iterator[tuple[Choice, ...]]:
    """As many choices together as fit into a line."""
    group: list[Choice] = []
    size = 0
    for one in choices:
        length = len(_encode(one)) + 1
        if length > _ROOM:
            raise StatementError("the key, the column and the name of a choice are too long for the log.")
        if size + length > _ROOM:
            yield tuple(group)
            group, size = [], 0
        group.append(one)
        size += length
    yield tuple(group)
