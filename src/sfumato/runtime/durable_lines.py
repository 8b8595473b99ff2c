"""Durable lines: many threads append lines to one file, and each line is on disk when `append` returns.

The audit log, the notices and the ledger heads of the gateway are written with it.
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
_LOCK_ATTEMPTS, _LOCK_PAUSE_SECONDS = 5, 0.01
_READ_SIZE = 1 << 16


_REPLACED = (
    "it was moved, replaced or changed by another program while it was written. Restore the file, if it still exists, "
    "and start again."
)


@dataclass(frozen=True)
class Rotation:
    """A rotation between two lines: the file is renamed to `target`, and a new one begins."""

    target: Path


Item = bytes | Rotation


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
    with `repair_end=False` the caller does this itself.

    If another program moves, replaces, truncates or edits the file while it is written, lines that `append` stored
    could be lost. So before each write the file must be the one that was opened and have its last known length;
    otherwise no more lines are accepted. With `follow_moves`, the file may be moved away; a new one begins then.

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

    def __init__(self, path: Path, *, repair_end: bool = True, follow_moves: bool = False) -> None:
        self.path = path
        self._follow_moves = follow_moves
        self._size: int | None = None
        self._order_lock = threading.Lock()
        self._disk_lock = threading.Lock()
        self._open_batch: _Batch | None = None
        self._failed = self._closed = False
        self._lock_file = _open_lock_file(path)
        try:
            self._file = _open_for_append(path)
            if repair_end:
                self._repair_end()
        except BaseException:
            os.close(self._lock_file)
            raise

    @property
    def problem(self) -> str:
        """Why the next line would not be accepted; empty if no problem is known."""
        with self._disk_lock:
            if self._failed:
                return "an earlier line could not be written."
            if self._closed:
                return "it is closed."
            return "" if self._follow_moves or self._is_unchanged() else _REPLACED

    def append(self, make: Callable[[], bytes]) -> None:
        """Write the line that `make` returns, without its line end; calls of `make` have the order of the lines."""
        self._store(lambda: [make() + b"\n"])

    def rotate(self, make: Callable[[], tuple[bytes | None, bytes]], target: Path) -> None:
        """Rotate: write a last line if `make` returns one, rename the file to `target`, and begin a new file."""

        def items() -> list[Item]:
            last, first = make()
            return [*([] if last is None else [last + b"\n"]), Rotation(target), first + b"\n"]

        self._store(items)

    def close(self) -> None:
        """Wait until all lines are written, then close the file and its lock; closing twice is allowed."""
        with self._order_lock:
            is_first_call, self._closed = not self._closed, True
            batch = self._open_batch
        if batch is not None:
            batch.done.wait()
        with self._disk_lock:
            if is_first_call:
                os.close(self._file)
                os.close(self._lock_file)

    def _repair_end(self) -> None:
        try:
            incomplete_end = _incomplete_end(self.path)
            if incomplete_end:
                move_incomplete_end(self.path, incomplete_end)
        except OSError as error:
            os.close(self._file)
            raise OutputError(f"the end of {self.path.name!r} cannot be moved away: {reason(error)}") from None

    def _store(self, make: Callable[[], Sequence[Item]]) -> None:
        with self._order_lock:
            self._demand_open()
            items = make()
            is_first = self._open_batch is None
            batch = self._open_batch = self._open_batch or _Batch()
            batch.items.extend(items)
        if is_first:
            self._write_batch(batch)
        else:
            batch.done.wait()
        if not batch.stored:
            raise OutputError(f"{self.path.name!r} could not be written; the error of another thread has the reason.")

    def _write_batch(self, batch: _Batch) -> None:
        """Wait until the previous batch is written, then write this one; later lines go to the next batch."""
        try:
            with self._disk_lock:
                with self._order_lock:
                    self._open_batch = None
                if not self._failed:
                    self._write(batch)
        finally:  # after an interrupt too: other threads wait for this batch
            self._failed = self._failed or not batch.stored
            batch.done.set()

    def _write(self, batch: _Batch) -> None:
        try:
            for is_rotation, items in groupby(batch.items, key=lambda item: isinstance(item, Rotation)):
                if is_rotation:
                    self._file = _rotate_file(self.path, cast("Rotation", next(items)).target, self._file)
                    self._size = None
                else:
                    self._write_lines(b"".join(cast("Iterator[bytes]", items)))
        except OSError as error:
            self._failed = True
            raise OutputError(f"{self.path.name!r} cannot be written: {reason(error)} Open it again.") from None
        batch.stored = True

    def _write_lines(self, data: bytes) -> None:
        if not self._is_unchanged():
            if not self._follow_moves:
                raise OutputError(f"{self.path.name!r} cannot be written: {_REPLACED}")
            new_file = _open_for_append(self.path)
            os.close(self._file)
            self._file, self._size = new_file, None
        if self._size is None:
            self._size = os.fstat(self._file).st_size
        _write_synced(self._file, data)
        self._size += len(data)

    def _is_unchanged(self) -> bool:
        """Whether the path still refers to the open file, and its length is the last known one."""
        try:
            at_path = self.path.stat()
        except OSError:
            return False
        open_file = os.fstat(self._file)
        return os.path.samestat(at_path, open_file) and self._size in (None, at_path.st_size)

    def _demand_open(self) -> None:
        if self._closed:
            raise UsageError(f"{self.path.name!r} is closed; open it again.")
        if self._failed:
            raise OutputError(f"{self.path.name!r} could not be written before; open it again.")


def _write_synced(file: int, data: bytes) -> None:
    if os.write(file, data) < len(data):
        raise OSError(errno.ENOSPC, "only a part was written")
    _sync(file)


def _rotate_file(path: Path, target: Path, file: int) -> int:
    if target.exists():
        raise OSError(errno.EEXIST, "the older file would be overwritten")
    path.rename(target)
    sync_folder(path)
    new_file = _open_for_append(path)
    os.close(file)
    return new_file


def _open_for_append(path: Path) -> int:
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError as error:
        raise OutputError(f"{path.name!r} cannot be written into {str(path.parent)!r}: {reason(error)}") from None
    sync_folder(path)
    return file


def _incomplete_end(path: Path) -> bytes:
    """The bytes after the last line end of a file."""
    found = b""
    with path.open("rb") as stream:
        place = stream.seek(0, os.SEEK_END)
        while place and b"\n" not in found:
            size = min(place, _READ_SIZE)
            place = stream.seek(place - size)
            found = stream.read(size) + found
    return found.rpartition(b"\n")[2]


def move_incomplete_end(path: Path, incomplete_end: bytes) -> None:
    """Move the last bytes of a file to `<path>.torn`; an interrupt leaves them in both files rather than in none."""
    aside = os.open(path.with_name(path.name + ".torn"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        _write_synced(aside, incomplete_end.rstrip(b"\n") + b"\n")
    finally:
        os.close(aside)
    with path.open("rb+") as stream:
        stream.truncate(path.stat().st_size - len(incomplete_end))
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


def has_writer(path: Path) -> bool:
    """Whether a process has the file open for writing."""
    try:
        with lock_of(path).open("rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _open_lock_file(path: Path) -> int:
    try:
        file = os.open(lock_of(path), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise OutputError(f"{path.name!r} cannot be written into {str(path.parent)!r}: {reason(error)}") from None
    if not _try_lock(file):
        os.close(file)
        raise LockedError(
            f"{path.name!r} is being written by another process; it has one writer at a time. Close that one first, or "
            "name another file."
        )
    return file


def _try_lock(file: int) -> bool:
    """Try to lock a file a few times, since `has_writer` holds it for a moment."""
    for _ in range(_LOCK_ATTEMPTS):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_SECONDS)
        else:
            return True
    return False
