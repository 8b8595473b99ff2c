"""The entry point of a worker process; `WorkerHandle` starts it with `python -m`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class WithoutPandas:
    """An import finder that hides pandas, which Arrow would import with its first array and a worker does not use."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Raises for pandas, and leaves every other module to other finders."""
        if name == "pandas":
            raise ModuleNotFoundError("a worker process does not load pandas.", name=name)
        return None


def main(end: str, memory: str, threads: str, parent: str) -> None:
    """Run a worker until the gateway closes the connection; the arguments are words of the command line."""
    import signal
    import socket

    from sfumato.gateway.engines.duckdb.confinement import bind_to_parent, bytes_of, confine
    from sfumato.gateway.engines.duckdb.wire import Channel
    from sfumato.gateway.engines.duckdb.worker import Worker

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # on Ctrl-C the gateway ends its workers itself
    bind_to_parent(int(parent))
    channel = Channel(socket.socket(fileno=int(end)))
    worker = Worker(channel, memory=memory, threads=int(threads))
    # After DuckDB has started, because its threads and allocators reserve memory and open files at the start.
    confine(bytes_of(memory))
    try:
        worker.serve()
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    sys.meta_path.insert(0, WithoutPandas())
    main(*sys.argv[1:])
