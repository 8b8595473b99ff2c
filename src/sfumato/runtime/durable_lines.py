"""Durable lines: many threads append lines to one file, and each line is on disk when `append` returns.

The audit log and the statistics ledger of the gateway use it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import cast

from sfumato.errors import LockedError, OutputError, UsageError
from sfumato.runtime.atomic_files import reason

_sync = getattr(os, "fdatasync", os.fsync)  # fdatasync skips the file's times; not every system has it
_TRIES, _PAUSE = 5, 0.01
_WINDOW = 1 << 16


_REPLACED = (
    "it was moved, replaced or changed by another program while it was written. Restore the file, if it still exists, "
    "and start again."
)


@dataclass(frozen=True)
class Turn:
    """A rotation between two lines: the file is renamed to `target`, and a new one begins."""

    target: Path


Item = bytes | Turn


@dataclass
class _Batch:
    """Lines that are written together by the thread that added the first of them."""

    items: list[Item] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    stored: bool = False


class DurableLines:
    r"""An append-only file of lines with one process that writes it.

    While one batch of lines is written to disk, the next one is collected: its first thread waits for the disk and
    writes for all threads, so that many threads share one sync (group commit). A line survives a killed process once
    `append` has returned, and a power failure as far as the disk keeps its guarantees. After a failed write no more
    lines are accepted, because the contents of the file are unknown; opening it again reads them. An incomplete last
    line, left by a killed process, is moved to `<path>.torn` at opening, so that no further line is joined to it;
    with `mends=False` the caller handles the end of the file.

    If another program moves, replaces, truncates or edits the file while it is written, lines that `append` stored
    could be lost. So before each write the file must be the one that was opened and have its last known length;
    otherwise no more lines are accepted. With `follows`, a file that was moved is left there, and a new one begins.

    The lock is on a separate file, `<path>.lock`, so that it stays when the file is rotated. A forked child process
    inherits the lock and would keep it when its parent ends, so start child processes without forking.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     lines = DurableLines(Path(folder) / "some.log")
    ...     lines.append(lambda: b"one")
    ...     lines.close()
    ...     (Path(folder) / "some.log").read_text()
    'one\n'
    """

    def __init__(self, path: Path, *, mends: bool = True, follows: bool = False) -> None:
        self.path = path
        self._follows = follows
        self._size: int | None = None
        self._order = threading.Lock()
        self._disk = threading.Lock()
        self._gathering: _Batch | None = None
        self._failed = self._closed = False
        self._lock_file = _locked(path)
        try:
            self._file = _appending(path)
            if mends:
                self._mend()
        except BaseException:
            os.close(self._lock_file)
            raise

    @property
    def problem(self) -> str:
        """Why the next line would not be accepted; empty if no problem is known."""
        with self._disk:
            if self._failed or self._closed:
                return "it could not be written before."
            return "" if self._follows or self._is_as_left() else _REPLACED

    def append(self, make: Callable[[], bytes]) -> None:
        """Write the line that `make` returns, without its line end; calls of `make` have the order of the lines."""
        self._store(lambda: [make() + b"\n"])

    def turn(self, make: Callable[[], tuple[bytes | None, bytes]], target: Path) -> None:
        """Rotate: write a last line if `make` returns one, rename the file to `target`, and begin a new file."""

        def items() -> list[Item]:
            last, first = make()
            return [*([] if last is None else [last + b"\n"]), Turn(target), first + b"\n"]

        self._store(items)

    def close(self) -> None:
        """Wait until all lines are written, then close the file and its lock; closing twice is allowed."""
        with self._order:
            closes, self._closed = not self._closed, True
            batch = self._gathering
        if batch is not None:
            batch.done.wait()
        with self._disk:
            if closes:
                os.close(self._file)
                os.close(self._lock_file)

    def _mend(self) -> None:
        try:
            torn = _unended(self.path)
            if torn:
                set_aside(self.path, torn)
        except OSError as error:
            os.close(self._file)
            raise OutputError(f"the end of {self.path.name!r} cannot be mended: {reason(error)}") from None

    def _store(self, make: Callable[[], Sequence[Item]]) -> None:
        with self._order:
            self._demand_open()
            items = make()
            leads = self._gathering is None
            batch = self._gathering = self._gathering or _Batch()
            batch.items.extend(items)
        if leads:
            self._lead(batch)
        else:
            batch.done.wait()
        if not batch.stored:
            raise OutputError(f"{self.path.name!r} could not be written; another thread has the reason.")

    def _lead(self, batch: _Batch) -> None:
        """Wait until the previous batch is written, then write this one; later lines go to the next batch."""
        try:
            with self._disk:
                with self._order:
                    self._gathering = None
                if not self._failed:
                    self._write(batch)
        finally:  # after an interrupt too: other threads wait for this batch
            self._failed = self._failed or not batch.stored
            batch.done.set()

    def _write(self, batch: _Batch) -> None:
        try:
            for turns, items in groupby(batch.items, key=lambda item: isinstance(item, Turn)):
                if turns:
                    self._file = _turned(self.path, cast("Turn", next(items)).target, self._file)
                    self._size = None
                else:
                    self._put(b"".join(cast("Iterator[bytes]", items)))
        except OSError as error:
            self._failed = True
            raise OutputError(f"{self.path.name!r} cannot be written: {reason(error)} Open it again.") from None
        batch.stored = True

    def _put(self, data: bytes) -> None:
        if not self._is_as_left():
            if not self._follows:
                raise OutputError(f"{self.path.name!r} cannot be written: {_REPLACED}")
            following = _appending(self.path)
            os.close(self._file)
            self._file, self._size = following, None
        if self._size is None:
            self._size = os.fstat(self._file).st_size
        _written(self._file, data)
        self._size += len(data)

    def _is_as_left(self) -> bool:
        """Whether the path still refers to the open file, and its length is the last known one."""
        try:
            there = self.path.stat()
        except OSError:
            return False
        mine = os.fstat(self._file)
        return os.path.samestat(there, mine) and self._size in (None, there.st_size)

    def _demand_open(self) -> None:
        if self._closed:
            raise UsageError(f"{self.path.name!r} is closed; open it again.")
        if self._failed:
            raise OutputError(f"{self.path.name!r} could not be written before; open it again.")


def _written(file: int, data: bytes) -> None:
    if os.write(file, data) < len(data):
        raise OSError(errno.ENOSPC, "only a part was written")
    _sync(file)


def _turned(path: Path, target: Path, file: int) -> int:
    if target.exists():
        raise OSError(errno.EEXIST, "the older file would be overwritten")
    path.rename(target)
    sync_folder(path)
    following = _appending(path)
    os.close(file)
    return following


def _appending(path: Path) -> int:
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        raise OutputError(f"{path.name!r} cannot be written into {str(path.parent)!r}: {reason(error)}") from None
    sync_folder(path)
    return file


def _unended(path: Path) -> bytes:
    """The bytes after the last line end of a file."""
    found = b""
    with path.open("rb") as stream:
        place = stream.seek(0, os.SEEK_END)
        while place and b"\n" not in found:
            size = min(place, _WINDOW)
            place = stream.seek(place - size)
            found = stream.read(size) + found
    return found.rpartition(b"\n")[2]


def set_aside(path: Path, torn: bytes) -> None:
    """Move the last bytes of a file to `<path>.torn`; an interrupt leaves them in both files rather than in none."""
    aside = os.open(path.with_name(path.name + ".torn"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        _written(aside, torn.rstrip(b"\n") + b"\n")
    finally:
        os.close(aside)
    with path.open("rb+") as stream:
        stream.truncate(path.stat().st_size - len(torn))
        os.fsync(stream.fileno())


def sync_folder(path: Path) -> None:
    """Sync the folder of a file, so that its name is on disk."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def lock_of(path: Path) -> Path:
    """The lock file of a path; the process that writes the path holds its lock."""
    return path.with_name(path.name + ".lock")


def is_written(path: Path) -> bool:
    """Whether a process has the file open for writing."""
    try:
        with lock_of(path).open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _locked(path: Path) -> int:
    try:
        file = os.open(lock_of(path), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise OutputError(f"{path.name!r} cannot be written into {str(path.parent)!r}: {reason(error)}") from None
    if not _is_mine(file):
        os.close(file)
        raise LockedError(
            f"{path.name!r} is being written by another process; it has one writer at a time. Close that one first, or "
            "name another file."
        )
    return file


def _is_mine(file: int) -> bool:
    """Try to lock a file a few times, since `is_written` holds the lock for a moment."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        else:
            return True
    return False
