"""The socket of a server: who may use it, when it is there, and what is said over it."""

from __future__ import annotations

import errno
import http.client
import os
import socket
import stat
import struct
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import DeniedError, OutputError, UsageError
from sfumato.gateway.local import server as local_server
from sfumato.gateway.local.client import SocketCommands
from sfumato.gateway.local.server import LocalServer
from sfumato.gateway.local.wire import ServerFailure
from sfumato.gateway.setup.findings import Finding


class Stub:
    """Commands that only remember."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def choose(self, table: str, choices: list[tuple[str, str, str]], *, login: str) -> int:
        self.heard.append((table, choices, login))
        return len(choices)

    def lint(self) -> list[Finding]:
        return [Finding("idle", "rule 'x'", "it changes nothing.")]

    def choices(self, table: str, key: str) -> list[Any]:
        raise DeniedError("no")

    def explain(self, question: str, *, who: str, purpose: str | None) -> Any:
        raise ValueError("56 Fay Street")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gateway.sock"


def test_commands_go_over_the_socket(path: Path) -> None:
    stub = Stub()
    with LocalServer(path, stub):  # type: ignore[arg-type]
        client = SocketCommands(path)
        assert client.lint() == stub.lint()
        assert client.choose("customer", [("1", "a", "x"), ("2", "a", "\ud800")], login="root") == 2
        with pytest.raises(DeniedError, match="no"):
            client.choices("customer", "1")
        with pytest.raises(ServerFailure) as failed:
            client.explain("x", who="olga", purpose=None)
    assert stub.heard == [("customer", [("1", "a", "x"), ("2", "a", "\ud800")], "root")]
    assert "Fay" not in str(failed.value) + failed.value.where


def test_the_socket_is_its_owners_and_there_while_the_server_runs(path: Path) -> None:
    before = os.umask(0o022)
    os.umask(before)
    with LocalServer(path, Stub()):  # type: ignore[arg-type]
        found = path.stat()
        assert stat.S_ISSOCK(found.st_mode)
        assert stat.S_IMODE(found.st_mode) == 0o600
    assert not path.exists()
    after = os.umask(before)
    assert after == before


def test_somebody_else_is_not_heard(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalServer(path, Stub()) as server:  # type: ignore[arg-type]
        found = struct.pack("3i", 1, 12345, 12345)

        class Request:
            def getsockopt(self, *_: int) -> bytes:
                return found

        assert server._server is not None
        assert not server._server.verify_request(Request(), "")
        found = struct.pack("3i", 1, 0, 0)
        assert server._server.verify_request(Request(), "")
        monkeypatch.delattr(socket, "SO_PEERCRED")
        assert server._server.verify_request(Request(), "")


def test_a_stale_socket_is_replaced(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    with LocalServer(path, Stub()):  # type: ignore[arg-type]
        assert SocketCommands(path).lint()


def test_the_socket_of_another_server_stays(path: Path) -> None:
    with LocalServer(path, Stub()):  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"another server listens at 'gateway\.sock'"):
            LocalServer(path, Stub())  # type: ignore[arg-type]
        assert SocketCommands(path).lint()


@pytest.mark.parametrize(
    "error", [PermissionError(errno.EACCES, "Permission denied"), TimeoutError(), BlockingIOError()]
)
def test_a_socket_that_cannot_be_asked_stays(path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    class Closed(socket.socket):
        def connect(self, address: object) -> None:
            raise error

    with LocalServer(path, Stub()):  # type: ignore[arg-type]
        with monkeypatch.context() as patch:
            patch.setattr(local_server.socket, "socket", Closed)
            with pytest.raises(UsageError, match=r"'gateway\.sock' may be the socket of another server"):
                LocalServer(path, Stub())  # type: ignore[arg-type]
        assert SocketCommands(path).lint()


def test_what_is_no_socket_stays(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(UsageError, match=r"'gateway\.sock' must be a socket, but is another kind of file"):
        LocalServer(path, Stub())  # type: ignore[arg-type]
    assert path.read_text() == "mine"


def test_a_socket_that_somebody_put_in_its_place_stays(path: Path) -> None:
    server = LocalServer(path, Stub())  # type: ignore[arg-type]
    kept = path.with_name("kept")
    path.rename(kept)
    path.write_text("mine")
    server.close()
    assert path.read_text() == "mine"
    gone = LocalServer(kept.with_name("other.sock"), Stub())  # type: ignore[arg-type]
    kept.with_name("other.sock").unlink()
    gone.close()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"the socket 'gateway\.sock' cannot be created"):
        LocalServer(tmp_path / "nowhere" / "gateway.sock", Stub())  # type: ignore[arg-type]


def test_a_path_without_an_address_goes_without_a_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sfumato.gateway.local.wire._OPEN_FOLDERS", tmp_path / "nowhere")
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    with LocalServer(folder / "gateway.sock", Stub()):  # type: ignore[arg-type]
        assert list(folder.iterdir()) == []
    assert "too long" in caplog.text


def test_commands_that_the_server_does_not_know(path: Path) -> None:
    with LocalServer(path, Stub()):  # type: ignore[arg-type]
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(str(path))
        connection.request("POST", "/drop", b"{}")
        response = connection.getresponse()
        assert (response.status, b"has no such command" in response.read()) == (400, True)
        connection.close()


def test_whoever_goes_away_leaves_the_server_as_it_was(path: Path) -> None:
    with LocalServer(path, Stub()):  # type: ignore[arg-type]
        with socket.socket(socket.AF_UNIX) as gone:
            gone.connect(str(path))
            gone.sendall(b"POST /lint HTTP/1.1\r\nContent-Length: 99\r\n\r\n{")
        assert SocketCommands(path).lint()
