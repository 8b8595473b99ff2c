"""The server of the local socket: executes commands of the command line while it holds the database open."""

from __future__ import annotations

import json
import logging
import os
import socket
import stat
import struct
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingMixIn, UnixStreamServer
from types import TracebackType
from typing import Any

from sfumato.errors import OutputError, StatementError, UsageError
from sfumato.gateway.local.commands import LocalCommands
from sfumato.gateway.local.wire import DONE, address_of, answer_to_bytes, error_to_bytes
from sfumato.gateway.log.audit_entries import UsersEntry
from sfumato.runtime.atomic_files import reason

_LOGGER = logging.getLogger(__name__)
_POLL_SECONDS = 0.05
_SILENCE_SECONDS = 10.0
"""How long the server waits for the next bytes of a request."""


class LocalServer:
    """Executes commands of the local command line, on a socket that only the owner of the server may use.

    A process that can use the socket is trusted like the command line itself: it queries as any user, and enters
    choices as the owner. The socket exists while the server runs, and a stale one is replaced.
    """

    def __init__(self, path: Path, commands: LocalCommands) -> None:
        self._path = path
        demand_free(path)
        with address_of(path) as address:
            if address is None:
                _LOGGER.warning("the path of the socket is too long, so the command line cannot use this server.")
                self._server = None
                return
            self._server = _listen(path, address, commands)
        self._identity = path.stat().st_ino
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Finish the running commands, and remove the socket."""
        if self._server is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        try:
            if self._path.stat().st_ino == self._identity:
                self._path.unlink()
        except FileNotFoundError:
            pass

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Server(ThreadingMixIn, UnixStreamServer):
    """One thread for every command; closing waits for them."""

    commands: LocalCommands

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Accept only the owner of this process and root, whatever the mode of the socket is."""
        if not hasattr(socket, "SO_PEERCRED"):
            return True
        found = request.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", found)[1] in (os.geteuid(), 0)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Do nothing: the client has disconnected before the response."""


class _Handler(BaseHTTPRequestHandler):
    """One command."""

    timeout = _SILENCE_SECONDS
    server: _Server

    def do_POST(self) -> None:
        """Execute the command, and respond with its result or its error."""
        status, kind, body = DONE, "application/json", b""
        try:
            # Read everything first: a client that is still sending reads no response.
            sent = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            command = _COMMANDS.get(self.path)
            if command is None:
                raise StatementError("the server on this machine has no such command.")
            kind, body = command(self.server.commands, json.loads(sent))
        except Exception as error:
            status, body = error_to_bytes(error)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        """Write no access log, because the audit log has every query."""


Command = Callable[[LocalCommands, dict[str, Any]], tuple[str, bytes]]
"""Takes the commands and the fields of a request; returns the content type and the body of the response."""

_ARROW, _JSON = "application/vnd.apache.arrow.stream", "application/json"


def _ask(commands: LocalCommands, fields: dict[str, Any]) -> tuple[str, bytes]:
    return _ARROW, answer_to_bytes(commands.ask(**fields))


def _explain(commands: LocalCommands, fields: dict[str, Any]) -> tuple[str, bytes]:
    return _JSON, json.dumps(commands.explain(**fields).to_dict()).encode()


def _choose(commands: LocalCommands, fields: dict[str, Any]) -> tuple[str, bytes]:
    fields["choices"] = [tuple(one) for one in fields["choices"]]
    return _JSON, json.dumps(commands.choose(**fields)).encode()


def _choices(commands: LocalCommands, fields: dict[str, Any]) -> tuple[str, bytes]:
    return _JSON, json.dumps([one.to_dict() for one in commands.choices(**fields)]).encode()


def _lint(commands: LocalCommands, fields: dict[str, Any]) -> tuple[str, bytes]:
    return _JSON, json.dumps([one.to_dict() for one in commands.lint()]).encode()


def _users(commands: LocalCommands, fields: dict[str, Any]) -> tuple[str, bytes]:
    commands.note_user(UsersEntry(**{**fields, "roles": tuple(fields["roles"])}))
    return _JSON, b"null"


_COMMANDS: dict[str, Command] = {
    "/ask": _ask,
    "/explain": _explain,
    "/choose": _choose,
    "/choices": _choices,
    "/lint": _lint,
    "/users": _users,
}


def _listen(path: Path, address: str, commands: LocalCommands) -> _Server:
    """Listen at the socket; the umask gives it its mode from the start."""
    handler: type[BaseRequestHandler] = _Handler
    server = _Server(address, handler, bind_and_activate=False)
    server.commands = commands
    before = os.umask(0o177)
    try:
        server.server_bind()
        server.server_activate()
    except OSError as error:
        server.server_close()
        raise OutputError(
            f"the socket {path.name!r} cannot be created in {str(path.parent)!r}: {reason(error)}"
        ) from None
    finally:
        os.umask(before)
    return server


def demand_free(path: Path) -> None:
    """Remove a socket that a killed server left; refuse anything else at the path."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise UsageError(f"{path.name!r} must be a socket, but is another kind of file; move it away.")
    with address_of(path) as address, socket.socket(socket.AF_UNIX) as other:
        if address is None:
            return
        other.settimeout(_SILENCE_SECONDS)
        try:
            other.connect(address)
        except (ConnectionRefusedError, FileNotFoundError):  # no server listens; a busy one gives another error
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            why = error.strerror or "the system refused"
            raise UsageError(
                f"{path.name!r} may be the socket of another server, which cannot be reached: {why.lower()}. End that "
                "one, or remove the socket if no server listens at it."
            ) from None
    raise UsageError(f"another server listens at {path.name!r}; end that one first.")
