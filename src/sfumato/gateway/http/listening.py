"""Opens the listening sockets before anything else, so that a port in use gives a clear message.

`sfumato gateway serve` calls it.
"""

from __future__ import annotations

import errno
import socket

from sfumato.errors import UsageError

MAX_PORT = 65_535
"""The largest port number."""
_REFUSALS = {
    errno.EADDRINUSE: "port {} is in use; give another with --port.",
    errno.EACCES: "port {} is reserved for administrators; give another with --port.",
}


def listen(host: str, port: int) -> list[socket.socket]:
    """Listening sockets at every address of a host."""
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
    """The address for clients.

    >>> url_of("::1", 8443, encrypted=True)
    'https://[::1]:8443'
    """
    return f"{'https' if encrypted else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def close(sockets: list[socket.socket]) -> None:
    """Close the sockets."""
    for one in sockets:
        one.close()


def _addresses(host: str, port: int) -> list[tuple[int, tuple[str, int]]]:
    """The addresses of a host."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        return []
    known = (socket.AF_INET, socket.AF_INET6)
    return list(dict.fromkeys((one[0], (str(one[4][0]), port)) for one in found if one[0] in known))
