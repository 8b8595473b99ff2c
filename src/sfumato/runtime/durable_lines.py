"""Lines that many threads append to one file, each on disk before its writer goes on."""

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

_sync = getattr(os, "fdatasync", os.fsync)  # not every system can leave the file's times out
_TRIES, _PAUSE = 5, 0.01
_WINDOW = 1 << 16


_REPLACED = (
    "it was moved, replaced or changed by somebody else while it was written. Put the file back as it was, if it is "
    "still somewhere, and start again."
)


@dataclass(frozen=True)
class Turn:
    """Between two lines: the file so far gets another name, and a new one begins."""

    target: Path


Item = bytes | Turn


@dataclass
class _Batch:
    """Lines that go to disk together; whoever came first writes them for all."""

    items: list[Item] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    stored: bool = False


class DurableLines:
    r"""An append-only file of lines with one process that writes it.

    While one batch of lines is on its way to the disk, the next one gathers: its first writer waits for the disk and
    writes for all others, so that many threads share one wait for the disk. What `append` returned from survives a
    killed process and, as far as the disk keeps its word, a power cut. After a failed write nothing more is taken,
    since nobody knows what the disk holds; opening the file again finds out. A line without an end, which a process
    leaves that is killed while it writes, is moved to `<path>.torn` then, so that no further line hangs on to it;
    whoever looks at the end on their own says so with `mends=False`.

    Somebody who moves, replaces, cuts or edits the file while it is written would take lines away that are promised to
    be there. So the file must be the one that was opened, and as long as it was left; otherwise nothing more is taken.
    With `follows`, a file that was moved away is left to whoever did so, and a new one begins.

    The lock is on a file of its own, `<path>.lock`, so that it outlives a turn to a new file. A forked child
    inherits it: start children without forking, or they keep the lock when their parent dies.

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
        """Why the next line would not be taken; empty where nothing is known that is against it."""
        with self._disk:
            if self._failed or self._closed:
                return "it could not be written before."
            return "" if self._follows or self._is_as_left() else _REPLACED

    def append(self, make: Callable[[], bytes]) -> None:
        """Write the line that `make` gives, without its end; it is called in the order of the lines in the file."""
        self._store(lambda: [make() + b"\n"])

    def turn(self, make: Callable[[], tuple[bytes | None, bytes]], target: Path) -> None:
        """Write a last line, if there is one, name the file `target`, and begin a new one with a first line."""

        def items() -> list[Item]:
            last, first = make()
            return [*([] if last is None else [last + b"\n"]), Turn(target), first + b"\n"]

        self._store(items)

    def close(self) -> None:
        """Wait for the lines on their way, then let go of the file; closing twice does no harm."""
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
            raise OutputError(f"{self.path.name!r} could not be written, as another thread that wrote it was told.")

    def _lead(self, batch: _Batch) -> None:
        """Wait for the batch before; from then on newcomers gather in the next one."""
        try:
            with self._disk:
                with self._order:
                    self._gathering = None
                if not self._failed:
                    self._write(batch)
        finally:  # after an interrupt too: those who wait for this batch must hear of it
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
        """Whether the file with this name is the one that is written, and nobody else changed how long it is."""
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
    """What stands behind the last end of a line."""
    found = b""
    with path.open("rb") as stream:
        place = stream.seek(0, os.SEEK_END)
        while place and b"\n" not in found:
            size = min(place, _WINDOW)
            place = stream.seek(place - size)
            found = stream.read(size) + found
    return found.rpartition(b"\n")[2]


def set_aside(path: Path, torn: bytes) -> None:
    """Move the last bytes of a file to `<path>.torn`; they are in both rather than in none."""
    aside = os.open(path.with_name(path.name + ".torn"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        _written(aside, torn.rstrip(b"\n") + b"\n")
    finally:
        os.close(aside)
    with path.open("rb+") as stream:
        stream.truncate(path.stat().st_size - len(torn))
        os.fsync(stream.fileno())


def sync_folder(path: Path) -> None:
    """Put the names in the folder of a file on disk."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def lock_of(path: Path) -> Path:
    """The file that whoever writes `path` has locked."""
    return path.with_name(path.name + ".lock")


def is_written(path: Path) -> bool:
    """Whether somebody has the file open to write."""
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
            f"{path.name!r} is being written by somebody else; it has one writer at a time. Close that one first, or "
            "name another file."
        )
    return file


def _is_mine(file: int) -> bool:
    """Lock a file; a few tries, since a reader that looks for a writer holds the lock for a moment."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE)
        else:
            return True
    return False
