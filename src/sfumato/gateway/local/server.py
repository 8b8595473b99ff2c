"""The server's side of the socket through which the local command line asks: the server has the database open."""

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
_POLL = 0.05
_PATIENCE = 10.0
"""Seconds that a command may be silent before it has said what it wants."""


class LocalServer:
    """Answers commands of the local command line on a socket that only the owner of the server may use.

    Whoever can use the socket is trusted like the command line itself: it asks as any user, and enters choices as the
    owner. The socket is there while the server runs, and a stale one is replaced.
    """

    def __init__(self, path: Path, commands: LocalCommands) -> None:
        self._path = path
        demand_free(path)
        with address_of(path) as address:
            if address is None:
                _LOGGER.warning("the path of the socket is too long, so the command line cannot ask this server.")
                self._server = None
                return
            self._server = _bound(path, address, commands)
        self._identity = path.stat().st_ino
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_POLL,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer what was asked, and take the socket away."""
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
        """Only the owner of this process, and the administrator, whatever became of the mode of the socket."""
        if not hasattr(socket, "SO_PEERCRED"):
            return True
        found = request.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", found)[1] in (os.geteuid(), 0)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Somebody went away before the answer was there; nobody is left to be told."""


class _Handler(BaseHTTPRequestHandler):
    """One command."""

    timeout = _PATIENCE
    server: _Server

    def do_POST(self) -> None:
        """Do what is asked, and answer with its result or its error."""
        status, kind, body = DONE, "application/json", b""
        try:
            sent = self.rfile.read(int(self.headers.get("Content-Length", "0")))  # first: who still sends hears nothing
            does = _WAYS.get(self.path)
            if does is None:
                raise StatementError("the server on this machine does not know this command.")
            kind, body = does(self.server.commands, json.loads(sent))
        except Exception as error:
            status, body = error_to_bytes(error)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as it is called there
        """Nothing: what is asked is in the log of the gateway."""


Does = Callable[[LocalCommands, dict[str, Any]], tuple[str, bytes]]
_ARROW, _JSON = "application/vnd.apache.arrow.stream", "application/json"


def _ask(commands: LocalCommands, given: dict[str, Any]) -> tuple[str, bytes]:
    return _ARROW, answer_to_bytes(commands.ask(**given))


def _explain(commands: LocalCommands, given: dict[str, Any]) -> tuple[str, bytes]:
    return _JSON, json.dumps(commands.explain(**given).to_dict()).encode()


def _choose(commands: LocalCommands, given: dict[str, Any]) -> tuple[str, bytes]:
    given["choices"] = [tuple(one) for one in given["choices"]]
    return _JSON, json.dumps(commands.choose(**given)).encode()


def _choices(commands: LocalCommands, given: dict[str, Any]) -> tuple[str, bytes]:
    return _JSON, json.dumps([one.to_dict() for one in commands.choices(**given)]).encode()


def _lint(commands: LocalCommands, given: dict[str, Any]) -> tuple[str, bytes]:
    return _JSON, json.dumps([one.to_dict() for one in commands.lint()]).encode()


def _users(commands: LocalCommands, given: dict[str, Any]) -> tuple[str, bytes]:
    commands.note_user(UsersEntry(**{**given, "roles": tuple(given["roles"])}))
    return _JSON, b"null"


_WAYS: dict[str, Does] = {
    "/ask": _ask,
    "/explain": _explain,
    "/choose": _choose,
    "/choices": _choices,
    "/lint": _lint,
    "/users": _users,
}


def _bound(path: Path, address: str, commands: LocalCommands) -> _Server:
    """Listen at the socket, which has its mode from the start."""
    handler: type[BaseRequestHandler] = _Handler
    server = _Server(address, handler, bind_and_activate=False)
    server.commands = commands
    before = os.umask(0o177)
    try:
        server.server_bind()
        server.server_activate()
    except OSError as error:
        server.server_close()
        raise OutputError(f"the socket {path.name!r} cannot be made in {str(path.parent)!r}: {reason(error)}") from None
    finally:
        os.umask(before)
    return server


def demand_free(path: Path) -> None:
    """Take away a socket that a killed server left; anything else is somebody's."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise UsageError(f"{path.name!r} is to be a socket, and is something else; move it away.")
    with address_of(path) as address, socket.socket(socket.AF_UNIX) as other:
        if address is None:
            return
        other.settimeout(_PATIENCE)
        try:
            other.connect(address)
        except (ConnectionRefusedError, FileNotFoundError):  # nobody listens; anything else may be a busy server
            path.unlink(missing_ok=True)
            return
        except OSError as error:
            why = error.strerror or "the system refused"
            raise UsageError(
                f"{path.name!r} may be the socket of another server, which cannot be asked: {why.lower()}. End that "
                "one, or remove the socket if nobody listens at it."
            ) from None
    raise UsageError(f"another server listens at {path.name!r}; end that one first.")
