"""Private folders: where records lie that are not published, such as spilled rows and releases not judged yet.

A process that ends removes its private folders. A process that is killed cannot, so whoever makes the next private
folder in the same place removes what was left there. Staging, the DuckDB engines and publication make their folders
here, so that no second kind needs to be looked for.
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
except ImportError:  # Windows: folders are removed when their work ends, and nothing is known about those of others
    fcntl = None  # type: ignore[assignment]

_NAME = re.compile(r"\.sfumato-(?P<node>[0-9a-f]{8})-(?P<boot>[0-9a-f]{8})-\w+")
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | os.O_RDONLY


class PrivateFolder:
    """A folder that only its owner can enter, with all that is in it removed when it is closed or no longer used.

    Its process holds a lock on it. The system releases the lock when the process ends, in whatever way, so a folder
    without a lock is abandoned. Process numbers could not tell: they are used again, and containers that share a
    folder count their processes apart. The name says on which machine it was made, because machines that share a
    folder may not share locks.

    >>> with PrivateFolder() as folder:
    ...     _ = (folder.path / "some.csv").write_text("34")
    >>> folder.path.exists()
    False
    """

    def __init__(self, parent: Path | None = None) -> None:
        place = Path(tempfile.gettempdir()) if parent is None else parent
        remove_abandoned(place)
        self.path, lock = _made(place)
        self._finish = weakref.finalize(self, _removed, self.path, lock, os.getpid())

    def close(self) -> None:
        """Remove the folder; closing twice does no harm."""
        self._finish()

    def __enter__(self) -> PrivateFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def remove_abandoned(parent: Path) -> None:
    """Remove the private folders in a folder that processes of this user and machine left when they were killed.

    Whatever is locked, is a link, belongs to somebody else or can be entered by others stays. Nothing is waited for.
    """
    if fcntl is None:
        return
    with suppress(OSError):
        place = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for name in os.listdir(place):  # noqa: PTH208 - by the open folder
                if _is_of_this_machine(name):
                    with suppress(OSError):
                        _remove_if_abandoned(name, place)
        finally:
            os.close(place)


def _remove_if_abandoned(name: str, place: int) -> None:
    folder = os.open(name, _FOLDER, dir_fd=place)
    try:
        found = os.fstat(folder)
        if found.st_uid == os.geteuid() and not found.st_mode & 0o077:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails where its process lives, or another one cleans
            shutil.rmtree(name, dir_fd=place)
    finally:
        os.close(folder)


def _made(parent: Path) -> tuple[Path, int | None]:
    """A new folder and its lock; made again where somebody who cleans saw it before it was locked."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=f".sfumato-{_node()}-{_boot()}-", dir=parent))
        if fcntl is None:
            return path, None
        with suppress(FileNotFoundError):
            lock = os.open(path, _FOLDER)
            if _locked(lock) and path.exists():
                return path, lock
            os.close(lock)


def _locked(folder: int) -> bool:
    """Whether nobody else has the lock, which this process then has; where there are no locks nobody cleans either."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError)
    return True


def _removed(path: Path, lock: int | None, process: int) -> None:
    """Remove a folder and let go of its lock; a forked child leaves that of its parent alone."""
    if os.getpid() == process:
        shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)


def _is_of_this_machine(name: str) -> bool:
    """Whether a folder was made since the system started, if only in another container, or under its present name."""
    named = _NAME.fullmatch(name)
    return named is not None and (named["node"] == _node() or named["boot"] == _boot())


@cache
def _node() -> str:
    return _short(platform.node())


@cache
def _boot() -> str:
    """What changes when the system starts; where it does not tell, the name of the machine stands in."""
    try:
        return _short(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii"))
    except OSError:
        return _short(platform.node())


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
