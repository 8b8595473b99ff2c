"""A crowd of clients in one thread: raw sockets that stay open, requests made beforehand; as light as can be.

Runs in measuring processes only, beside the server on the same machine.
"""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections.abc import Callable, Iterator
from itertools import count
from random import Random
from typing import Any

import psutil

POINT = "SELECT name, income FROM customer WHERE id = "
LATE = "SELECT count(*) AS n FROM customer AS a, customer AS b, customer AS c WHERE a.id + b.id + c.id > 5"
BOUND, LITERAL = "bound parameters", "literal SQL"


class Client:
    """One connection that asks, waits for the whole answer and asks again."""

    def __init__(self, port: int, requests: Iterator[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._requests = requests
        self._got = b""
        self._begun = 0.0
        self.seconds: list[float] = []
        self.refused = 0

    def ask(self) -> None:
        """Send the next question."""
        self._begun = time.perf_counter()
        self.socket.sendall(next(self._requests))

    def hear(self) -> bool:
        """Take what has come; whether the answer is complete."""
        part = self.socket.recv(1 << 16)
        if not part:
            raise ConnectionError("the server closed a connection")
        self._got += part
        head = self._got.find(b"\r\n\r\n")
        if head < 0:
            return False
        if len(self._got) < head + 4 + _length(self._got[:head]):
            return False
        self.seconds.append(time.perf_counter() - self._begun)
        self.refused += not self._got.startswith(b"HTTP/1.1 200")
        self._got = b""
        return True


def crowd(
    *, port: int, tokens: list[str], clients: int, seconds: float, way: str, records: int, server: int
) -> dict[str, Any]:
    """So many clients for so long: requests a second, times of an answer, refusals, and memory of the server."""
    everyone = [Client(port, _requests(way, tokens[at % len(tokens)], records, at)) for at in range(clients)]
    _driven(everyone, min(3.0, seconds / 2))
    for one in everyone:
        one.seconds.clear()
    before, begun = memory(server), time.perf_counter()
    _driven(everyone, seconds)
    took = time.perf_counter() - begun
    times = sorted(second for one in everyone for second in one.seconds)
    return {
        "rate": len(times) / took,
        "p50": times[len(times) // 2],
        "p99": times[len(times) * 99 // 100],
        "refused": sum(one.refused for one in everyone),
        "asked": len(times),
        "before": before,
        "after": memory(server),
    }


def late(*, port: int, token: str, allowed: float, repeat: int) -> dict[str, Any]:
    """By how many seconds a question that never ends outlives its limit."""
    client = Client(port, (_request(token, LATE, []) for _ in count()))
    over = []
    for _ in range(repeat):
        client.ask()
        while not client.hear():
            pass
        over.append(client.seconds[-1] - allowed)
    return {"over": max(over), "under": min(over), "refused": client.refused, "asked": repeat}


def memory(server: int) -> int:
    """Bytes that the server and its children hold now."""
    process = psutil.Process(server)
    return sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])


def _driven(everyone: list[Client], seconds: float) -> None:
    """All ask at once, and each again as soon as it has its answer, until time is up and the last answer has come."""
    end = time.perf_counter() + seconds
    with selectors.DefaultSelector() as selector:
        for one in everyone:
            selector.register(one.socket, selectors.EVENT_READ, one)
            one.ask()
        waiting = len(everyone)
        while waiting:
            for key, _ in selector.select():
                if key.data.hear():
                    if time.perf_counter() < end:
                        key.data.ask()
                    else:
                        waiting -= 1


def _requests(way: str, token: str, records: int, at: int) -> Iterator[bytes]:
    ways: dict[str, Callable[[int], bytes]] = {
        BOUND: lambda key: _request(token, POINT + "?", [key]),
        LITERAL: lambda key: _request(token, POINT + str(key), []),
    }
    random = Random(at)
    while True:
        yield ways[way](random.randrange(records))


def _request(token: str, question: str, parameters: list[Any]) -> bytes:
    body = json.dumps({"question": question, "purpose": "Marketing", "parameters": parameters}).encode()
    head = (
        "POST /query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _length(head: bytes) -> int:
    lowered = head.lower()
    at = lowered.index(b"content-length:") + len(b"content-length:")
    return int(lowered[at:].split(b"\r\n", 1)[0])
