"""Listens at an address before anything else is opened, so that a port that is in use is told in words of our own."""

from __future__ import annotations

import errno
import socket

from sfumato.errors import UsageError

MAX_PORT = 65_535
_REFUSALS = {
    errno.EADDRINUSE: "port {} is in use; give another with --port.",
    errno.EACCES: "port {} is for administrators alone; give another with --port.",
}


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets at every address that a host stands for."""
    if not 1 <= port <= MAX_PORT:
        raise UsageError(f"a port is a number from 1 to {MAX_PORT}; give one with --port.")
    sockets: list[socket.socket] = []
    for family, address in _addresses(host, port):
        try:
            sockets.append(socket.create_server(address, family=family))
        except OSError as error:
            code = error.errno
        else:
            continue
        if code in _REFUSALS:
            close(sockets)
            raise UsageError(_REFUSALS[code].format(port))
    if not sockets:
        raise UsageError(f"this machine has no address {host!r} to listen at; give another with --host.")
    return sockets


def url_of(host: str, port: int, *, encrypted: bool) -> str:
    """Where to ask.

    >>> url_of("::1", 8443, encrypted=True)
    'https://[::1]:8443'
    """
    return f"{'https' if encrypted else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def close(sockets: list[socket.socket]) -> None:
    """Listen no more."""
    for one in sockets:
        one.close()


def _addresses(host: str, port: int) -> list[tuple[int, tuple[str, int]]]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return []
    known = (socket.AF_INET, socket.AF_INET6)
    return list(dict.fromkeys((one[0], (str(one[4][0]), port)) for one in found if one[0] in known))
