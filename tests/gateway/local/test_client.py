from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest

from sfumato.errors import DataError, PolicyError
from sfumato.gateway.local.client import SocketCommands, commands_for
from sfumato.gateway.local.commands import DirectCommands
from tests.gateway.folders import shop


def test_without_a_server_commands_are_done_here(tmp_path: Path) -> None:
    setup = shop(tmp_path)
    assert isinstance(commands_for(setup), DirectCommands)
    (tmp_path / "gateway.sock").write_text("no socket")
    assert isinstance(commands_for(setup), DirectCommands)
    with pytest.raises(PolicyError, match="no readable setup"):
        commands_for(tmp_path / "nowhere.toml")


def test_a_server_that_was_killed_is_no_server(tmp_path: Path) -> None:
    setup, path = shop(tmp_path), tmp_path / "gateway.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        assert isinstance(commands_for(setup), SocketCommands)
    assert isinstance(commands_for(setup), DirectCommands)


def test_a_socket_of_somebody_else_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup, path = shop(tmp_path), tmp_path / "gateway.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        owner = path.stat().st_uid
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
        assert isinstance(commands_for(setup), DirectCommands)
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        assert isinstance(commands_for(setup), SocketCommands)


def test_a_server_that_ends_while_it_answers(tmp_path: Path) -> None:
    path = tmp_path / "gateway.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def hang_up() -> None:
            other, _ = server.accept()
            other.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(DataError, match="ended before it answered"):
            SocketCommands(path).lint()
        thread.join()
    path.unlink()
    with pytest.raises(DataError, match="ended before it answered"):
        SocketCommands(path).lint()


def test_a_path_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = shop(tmp_path / ("x" * 120))
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(setup.parent)
        server.bind("gateway.sock")
        server.listen()
        assert isinstance(commands_for(setup), SocketCommands)
        monkeypatch.setattr("sfumato.gateway.local.wire._OPEN_FOLDERS", tmp_path / "nowhere")
        assert isinstance(commands_for(setup), DirectCommands)
        assert isinstance(commands_for(Path("gateway.toml")), SocketCommands)
