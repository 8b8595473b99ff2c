"""Private folders for unpublished records, such as spilled rows and releases that are not judged yet.

A process removes its private folders when it ends. A killed process cannot, so the next private folder that is made in
the same place removes abandoned ones. `atomic_files`, the DuckDB engines and publication use these folders, so that
there is only one kind to clean up.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import tempfile
import weakref
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType

try:
    import fcntl
except ImportError:  # Windows: folders are removed when their process ends; abandoned ones cannot be detected
    fcntl = None  # type: ignore[assignment]

_NAME_PATTERN = re.compile(r"\.sfumato-(?P<node>[0-9a-f]{8})-(?P<boot>[0-9a-f]{8})-\w+")
_OPEN_FLAGS = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | os.O_RDONLY


class PrivateFolder:
    """A folder that only its owner can enter; it is removed with its contents when it is closed or garbage collected.

    Its process holds a lock on it. The system releases the lock when the process ends, even if it is killed, so a
    folder without a lock is abandoned. Process numbers would not be reliable: they are reused, and containers that
    share a folder have separate ones. The name of the folder identifies the machine, because machines that share a
    folder may not share locks.

    >>> with PrivateFolder() as folder:
    ...     _ = (folder.path / "some.csv").write_text("34")
    >>> folder.path.exists()
    False
    """

    def __init__(self, parent: Path | None = None) -> None:
        place = Path(tempfile.gettempdir()) if parent is None else parent
        remove_abandoned(place)
        self.path, lock = _create_locked(place)
        self._finish = weakref.finalize(self, _remove, self.path, lock, os.getpid())

    def close(self) -> None:
        """Remove the folder; closing twice is allowed."""
        self._finish()

    def __enter__(self) -> PrivateFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def remove_abandoned(parent: Path) -> None:
    """Remove private folders that killed processes of this user and machine left in a folder.

    Folders that are locked, are links, belong to another user or are accessible to others stay. It does not wait for
    locks.
    """
    if fcntl is None:
        return
    with suppress(OSError):
        place = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for name in os.listdir(place):  # noqa: PTH208 - of the open descriptor, which cannot be replaced
                if _is_of_this_machine(name):
                    with suppress(OSError):
                        _remove_if_abandoned(name, place)
        finally:
            os.close(place)


def _remove_if_abandoned(name: str, place: int) -> None:
    folder = os.open(name, _OPEN_FLAGS, dir_fd=place)
    try:
        found = os.fstat(folder)
        if found.st_uid == os.geteuid() and not found.st_mode & 0o077:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if another process uses or removes it
            shutil.rmtree(name, dir_fd=place)
    finally:
        os.close(folder)


def _create_locked(parent: Path) -> tuple[Path, int | None]:
    """Create and lock a folder; tries again if another process removed the folder before it was locked."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=f".sfumato-{_node()}-{_boot()}-", dir=parent))
        if fcntl is None:
            return path, None
        with suppress(FileNotFoundError):
            lock = os.open(path, _OPEN_FLAGS)
            if _try_lock(lock) and path.exists():
                return path, lock
            os.close(lock)


def _try_lock(folder: int) -> bool:
    """Try to lock a folder; true as well if the file system has no locks, since nothing is removed there."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError)
    return True


def _remove(path: Path, lock: int | None, process: int) -> None:
    """Remove a folder and release its lock; a forked child process does not remove the folder of its parent."""
    if os.getpid() == process:
        shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _is_of_this_machine(name: str) -> bool:
    """Whether a folder was made on this machine: with its present name, or since it started (in any container)."""
    match = _NAME_PATTERN.fullmatch(name)
    return match is not None and (match["node"] == _node() or match["boot"] == _boot())


@cache
def _node() -> str:
    return _short(platform.node())


@cache
def _boot() -> str:
    """The boot id of the system, hashed; the name of the machine if there is none."""
    try:
        return _short(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
    except OSError:
        return _short(platform.node())


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
