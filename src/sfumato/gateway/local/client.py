"""The client of the local socket: the command line sends its commands to the server that holds the database open."""

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
from sfumato.gateway.people.choices import ChoiceRecord
from sfumato.gateway.setup.findings import Finding
from sfumato.gateway.setup.setup import Setup

if TYPE_CHECKING:
    from sfumato.gateway.answers.answer import Answer
    from sfumato.gateway.people.choices import Choice


def commands_for(setup: Path) -> LocalCommands:
    """The commands for a setup file: through a running server, or else in this process."""
    read = Setup.read(setup)
    path = socket_of(setup)
    return SocketCommands(path) if _server_listens(path) else DirectCommands(read)


class SocketCommands:
    """Commands that a server executes; answers and refusals are those of a command in this process."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def ask(self, question: str, *, who: str, purpose: str | None, parameters: Sequence[Any]) -> Answer:
        """Answer a query of a user, by the name in the file of users."""
        fields = {"question": question, "who": who, "purpose": purpose, "parameters": list(parameters)}
        return answer_of_bytes(self._request("/ask", fields))

    def explain(self, question: str, *, who: str, purpose: str | None) -> Explanation:
        """What a user would see of every column, and which rule decided so."""
        fields = {"question": question, "who": who, "purpose": purpose}
        return Explanation.of_dict(json.loads(self._request("/explain", fields)))

    def choose(self, table: str, choices: Sequence[Choice], *, login: str) -> int:
        """Store choices of data subjects; returns how many there were."""
        fields = {"table": table, "choices": list(choices), "login": login}
        return int(json.loads(self._request("/choose", fields)))

    def choices(self, table: str, key: str) -> list[ChoiceRecord]:
        """The history of the choices of a person, the oldest first."""
        data = json.loads(self._request("/choices", {"table": table, "key": key}))
        return [ChoiceRecord(**{**one, "at": datetime.fromisoformat(one["at"])}) for one in data]

    def lint(self) -> list[Finding]:
        """The lint findings about the policy on disk."""
        return [Finding(**one) for one in json.loads(self._request("/lint", {}))]

    def note_user(self, change: UsersEntry) -> None:
        """Log a change of the file of users; the server holds the log open."""
        self._request("/users", change.as_dict())

    def _request(self, path: str, fields: dict[str, Any]) -> bytes:
        """Send one command; returns the body of the response, or raises the error that the server reports."""
        connection = _Connection(self._path)
        try:
            connection.request("POST", path, json.dumps(fields).encode(), {"Content-Type": "application/json"})
            response = connection.getresponse()
            status, body = response.status, response.read()
        except (OSError, http.client.HTTPException):
            raise DataError("the server on this machine ended before it answered.") from None
        finally:
            connection.close()
        if status != DONE:
            raise error_of_bytes(status, body)
        return body


class _Connection(http.client.HTTPConnection):
    """An HTTP connection over a Unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = _connect(self._path)


def _server_listens(path: Path) -> bool:
    """Whether a server of the same user listens at the socket."""
    try:
        found = path.lstat()
        if not stat.S_ISSOCK(found.st_mode) or os.geteuid() not in (found.st_uid, 0):
            return False
        _connect(path).close()
    except OSError:
        return False
    return True


def _connect(path: Path) -> socket.socket:
    """A socket that is connected to this path."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        with address_of(path) as address:
            if address is None:
                raise OSError("the path is too long")
            connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection
