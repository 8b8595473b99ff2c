"""The command line's side of the socket: the same commands, done by the server that has the database open."""

from __future__ import annotations

import http.client
import json
import os
import socket
import stat
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import DataError
from sfumato.gateway.answers.explaining import Explanation
from sfumato.gateway.local.commands import DirectCommands, LocalCommands
from sfumato.gateway.local.wire import DONE, address_of, answer_of_bytes, error_of_bytes, socket_of
from sfumato.gateway.log.audit_entries import UsersEntry
from sfumato.gateway.people.choosing import ChoiceRecord
from sfumato.gateway.policy.findings import Finding
from sfumato.gateway.policy.setup import Setup

if TYPE_CHECKING:
    from sfumato.gateway.answers.answer import Answer
    from sfumato.gateway.people.choosing import Choice


def commands_for(setup: Path) -> LocalCommands:
    """The commands for a setup file: through the server if one answers, or else in this process."""
    read = Setup.read(setup)
    path = socket_of(setup)
    return SocketCommands(path) if _answers(path) else DirectCommands(read)


class SocketCommands:
    """Commands that a server does; what it answers or refuses is what a command in this process would."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def ask(self, question: str, *, who: str, purpose: str | None, parameters: Sequence[Any]) -> Answer:
        """Answer a question of a user, by the name in the file of users."""
        given = {"question": question, "who": who, "purpose": purpose, "parameters": list(parameters)}
        return answer_of_bytes(self._told("/ask", given))

    def explain(self, question: str, *, who: str, purpose: str | None) -> Explanation:
        """Say what a user would see of every column, and who decided so."""
        given = {"question": question, "who": who, "purpose": purpose}
        return Explanation.of_dict(json.loads(self._told("/explain", given)))

    def choose(self, table: str, choices: Sequence[Choice], *, login: str) -> int:
        """Take in what people chose; how many choices there were."""
        given = {"table": table, "choices": list(choices), "login": login}
        return int(json.loads(self._told("/choose", given)))

    def choices(self, table: str, key: str) -> list[ChoiceRecord]:
        """What somebody chose when, the oldest first."""
        told = json.loads(self._told("/choices", {"table": table, "key": key}))
        return [ChoiceRecord(**{**one, "at": datetime.fromisoformat(one["at"])}) for one in told]

    def lint(self) -> list[Finding]:
        """What is to be said against the policy on disk."""
        return [Finding(**one) for one in json.loads(self._told("/lint", {}))]

    def note_user(self, change: UsersEntry) -> None:
        """Put a change of the file of users into the log, which the server has open."""
        self._told("/users", change.as_dict())

    def _told(self, path: str, given: dict[str, Any]) -> bytes:
        connection = _Connection(self._path)
        try:
            connection.request("POST", path, json.dumps(given).encode(), {"Content-Type": "application/json"})
            response = connection.getresponse()
            status, body = response.status, response.read()
        except (OSError, http.client.HTTPException):
            raise DataError("the server on this machine ended while it was answering.") from None
        finally:
            connection.close()
        if status != DONE:
            raise error_of_bytes(status, body)
        return body


class _Connection(http.client.HTTPConnection):
    """HTTP over a socket of this machine."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        """To the socket."""
        self.sock = _connected(self._path)


def _answers(path: Path) -> bool:
    """Whether a server of our own listens at the socket."""
    try:
        found = path.lstat()
        if not stat.S_ISSOCK(found.st_mode) or os.geteuid() not in (found.st_uid, 0):
            return False
        _connected(path).close()
    except OSError:
        return False
    return True


def _connected(path: Path) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    try:
        with address_of(path) as address:
            if address is None:
                raise OSError("the path is too long")
            made.connect(address)
    except OSError:
        made.close()
        raise
    return made
