"""Entries of the audit log other than queries: requests of unknown callers, choices, changed users and policies.

`Logbook`, `live_setup` and the commands for users build them; `AuditLog.append` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from sfumato.errors import StatementError
from sfumato.gateway.log.audit_lines import LONGEST_LINE

if TYPE_CHECKING:
    from sfumato.gateway.people.choices import Choice

_MAX_CHOICES_BYTES = LONGEST_LINE // 2
"""Most bytes of choices in one line; the other half of a line is enough for all other fields."""

_encode = json.JSONEncoder(separators=(",", ":")).encode


class LogEntry(Protocol):
    """An entry that can be written to the log."""

    @property
    def kind(self) -> str:
        """The kind of the entry, as written in the log."""

    def as_dict(self) -> dict[str, Any]:
        """The fields as written in the log."""


@dataclass(frozen=True, kw_only=True)
class UnknownCallerEntry:
    """A request of a caller who is not a known user: the status of the response, and the path of the request.

    Nothing of the request's content is in it. `further` counts the requests since the entry of this kind before it that
    got no entry of their own, because unknown callers must not be able to fill the log.

    >>> UnknownCallerEntry(status=401, path="/query", further=3).as_dict()
    {'status': 401, 'path': '/query', 'further': 3}
    """

    kind: ClassVar[str] = "stranger"

    status: int
    path: str
    further: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The fields as written in the log."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class PolicyEntry:
    """A policy or setup file that changed while the gateway ran: its digest, and whether it is in force now.

    `digest` is empty if the policy could not be read. `in_force` is the policy by which queries are answered from here
    on. `reason` is the type of the error because of which a policy is not applied; `restart` says that a restart would
    apply it. `findings` counts what `sfumato gateway lint` finds.
    """

    kind: ClassVar[str] = "policy"

    digest: str
    in_force: str
    applied: bool
    reason: str = ""
    restart: bool = False
    findings: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The fields as written in the log."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class UsersEntry:
    """A change of the file of users by a command: what was `done` to `who`, and by which `login` on the machine.

    `roles` are those that the user has, or had until now; `expires` is when the token expires, empty for never.
    Attributes are not logged, because they say something about a person.
    """

    kind: ClassVar[str] = "users"

    done: Literal["added", "removed", "renewed", "disabled", "enabled"]
    who: str
    roles: tuple[str, ...] = ()
    expires: str = ""
    login: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The fields as written in the log."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class ChoicesEntry:
    """Choices of data subjects with their keys: the one exception to the rule that the log holds no values.

    It must be provable later who agreed to what, and a choice without its person proves nothing. No other entry of the
    log has keys. `who` entered the choices; `login` is their name on the machine, if they used the command line. Many
    choices are split over `parts` lines with the same `batch`. The entry of the request to choose has the same `batch`;
    if that entry is a refusal, none of the choices was stored.
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
        """The fields as written in the log."""
        fields = dict(vars(self))
        if not self.login:
            del fields["login"]
        return fields

    def split(self) -> list[ChoicesEntry]:
        """The same choices in several entries, each short enough for a line."""
        parts = list(_parts_of(self.choices))
        return [
            replace(self, choices=group, part=place, parts=len(parts)) for place, group in enumerate(parts, start=1)
        ]


def _parts_of(choices: Iterable[Choice]) -> Iterator[tuple[Choice, ...]]:
    """The choices in parts, each of as many choices as fit into one line."""
    group: list[Choice] = []
    size = 0
    for one in choices:
        length = len(_encode(one)) + 1
        if length > _MAX_CHOICES_BYTES:
            raise StatementError("the key, the column and the name of a choice are too long for the log.")
        if size + length > _MAX_CHOICES_BYTES:
            yield tuple(group)
            group, size = [], 0
        group.append(one)
        size += length
    yield tuple(group)
