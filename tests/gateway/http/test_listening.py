from __future__ import annotations

import errno
import socket

import pytest

from sfumato.errors import UsageError
from sfumato.gateway.http.listening import close, listen, url_of


def free() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@pytest.mark.parametrize("port", [-1, 0, 65_536, 99_999])
def test_ports_that_there_are_not(port: int) -> None:
    with pytest.raises(UsageError, match="a number from 1 to 65535"):
        listen("127.0.0.1", port)


def test_a_port_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = one.getsockname()[1]
        with pytest.raises(UsageError, match=f"^port {port} is in use; give another with --port"):
            listen("127.0.0.1", port)


def test_a_port_of_administrators(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(socket, "create_server", refuse)
    with pytest.raises(UsageError, match="port 80 is reserved for administrators"):
        listen("127.0.0.1", 80)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "a" * 70 + ".b"])
def test_an_address_that_is_not_ours(host: str) -> None:
    with pytest.raises(UsageError, match="this machine has no address"):
        listen(host, free())


def test_somebody_listens() -> None:
    port = free()
    made = listen("localhost", port)
    socket.create_connection(("127.0.0.1", port)).close()
    close(made)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_where_to_ask() -> None:
    assert url_of("127.0.0.1", 80, encrypted=False) == "http://127.0.0.1:80"
