"""Limits of a worker process: memory, few open files, no written files or core dumps, and an end with its parent.

`worker_process` applies them before it serves queries, so that even a compromised worker can do little.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
from pathlib import Path

from sfumato.errors import ParameterError

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(KB|MB|GB|TB|KiB|MiB|GiB|TiB)")
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4}
_SPARE = 256 << 20
"""Memory for the interpreter and libraries, beyond the limit for data."""
_FILES = 64
"""Most files that a worker may have open; its libraries open some when they are loaded."""
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38


def bytes_of(memory: str) -> int:
    """The number of bytes of a size.

    >>> bytes_of("512MB"), bytes_of("1.5 GiB")
    (512000000, 1610612736)
    """
    found = _SIZE.fullmatch(memory)
    if found is None:
        raise ParameterError("memory is a size like 512MB or 2GiB; got something else.")
    base = 1024 if found[2].endswith("iB") else 1000
    return int(float(found[1]) * base ** _POWERS[found[2][0]])


def bind_to_parent(parent: int) -> None:
    """End together with the parent and never gain privileges (Linux; elsewhere the closed socket ends a worker)."""
    try:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != parent:  # the parent ended before this process was bound to it
        os._exit(1)


def confine(memory: int) -> None:
    """Limits that the operating system enforces, for what DuckDB does not count itself.

    DuckDB counts its tables and hash tables, but not all long texts and no rows of an answer. These get as much memory
    again, on top of what is in use when this is called, because allocators reserve memory at the start.
    """
    import resource

    limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: 0, resource.RLIMIT_NOFILE: _FILES}
    in_use = _in_use()
    if in_use is not None:
        limits[resource.RLIMIT_DATA] = in_use + 2 * memory + _SPARE
    for which, limit in limits.items():
        _, most = resource.getrlimit(which)
        lowered = limit if most == resource.RLIM_INFINITY else min(limit, most)
        resource.setrlimit(which, (lowered, lowered))


def _in_use() -> int | None:
    """Bytes of data memory in use; None if the system does not say."""
    status = Path("/proc/self/status")
    found = re.search(r"VmData:\s+(\d+) kB", status.read_text(encoding="ascii")) if status.is_file() else None
    return int(found[1]) * 1024 if found else None
