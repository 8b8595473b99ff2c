"""Atomic files and folders of Parquet files: several results appear together or not at all.

They are written into private folders and moved into place when all are complete. The folders of a killed process are
removed by a later one (`private_folders.remove_abandoned`). Publication, masks, recodings and certificates write their
files this way.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from sfumato.errors import OutputError
from sfumato.runtime.private_folders import PrivateFolder

_HERE, _EXCHANGE = -100, 2
"""Arguments of renameat2: paths are relative to the working directory, and both exist and are exchanged."""
PART_MARK = "sfumato"
"""The key in the metadata of a Parquet file that is a part of a written folder; the value is the name of the file.

Only folders with no other files are replaced. The name tells a part from a copy of it that somebody keeps elsewhere.
"""


class Staging:
    """Private folders beside the targets, in which results are written before `commit` moves them into place.

    Entering the context checks that the targets can be written. Leaving it without `commit`, by an error or an
    interrupt, removes the new files and keeps the old ones. Files of a killed process are removed when the next process
    stages files in the same folder.
    """

    def __init__(self, targets: Iterable[Path]) -> None:
        self._targets = list(targets)
        self._folders: dict[Path, PrivateFolder] = {}

    def __enter__(self) -> Staging:
        try:
            for target in self._targets:
                self._open(target)
        except OutputError:
            self._clear()
            raise
        return self

    def place(self, target: Path) -> Path:
        """The temporary path of a target, with the same name and suffix."""
        return self._folders[target.parent].path / target.name

    def commit(self, then: Callable[[], None] | None = None) -> None:
        """Move all files into place, and call `then`; if one of this fails, the old files are restored."""
        moved: list[Path] = []
        try:
            for target in self._targets:
                moved.append(target)
                if target.is_dir():
                    self._demand_replaceable(target)  # once more: it may have got other files meanwhile
                    exchange(self.place(target), target)
                    self.place(target).replace(self._old_copy(target))
                    continue
                if target.exists():
                    _save_old_file(target, self._old_copy(target))
                self.place(target).replace(target)
            if then is not None:
                then()
        except BaseException as error:
            self._restore(moved)
            if isinstance(error, OSError):
                raise OutputError(f"the results cannot be moved into place: {reason(error)}") from None
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()
        if isinstance(error, OSError):
            raise OutputError(f"the results cannot be written: {reason(error)} Earlier files are kept.") from None

    def _open(self, target: Path) -> None:
        self._demand_replaceable(target)
        if target.parent in self._folders:
            return
        try:
            self._folders[target.parent] = PrivateFolder(target.parent)
        except OSError as error:
            raise OutputError(
                f"the output {target.name!r} cannot be written into {str(target.parent)!r}: {reason(error)}"
            ) from None

    def _demand_replaceable(self, target: Path) -> None:
        """Raise an error for a folder with anything but parts of a release, and for one in the place of a file."""
        if not target.is_dir():
            return
        new = self.place(target) if target.parent in self._folders else target
        if new.is_file() or target.suffix:
            raise OutputError(f"the output {str(target)!r} is a folder, and a file would replace it; name another one.")
        if not _is_replaceable(target):
            raise OutputError(
                f"the output {str(target)!r} is a folder that no publication wrote, or that has other files too. It is "
                "not replaced; remove it if it is not needed, or name a file or a new folder."
            )

    def _old_copy(self, target: Path) -> Path:
        return self._folders[target.parent].path / f"{target.name}.former"

    def _restore(self, moved: Iterable[Path]) -> None:
        # a target without an old copy is new: it is removed if its new file was already moved into place
        for target in moved:
            if self._old_copy(target).is_dir():
                exchange(self._old_copy(target), target)
            elif self._old_copy(target).exists():
                self._old_copy(target).replace(target)
            elif not self.place(target).exists():
                _remove(target)

    def _clear(self) -> None:
        for folder in self._folders.values():
            folder.close()
        self._folders.clear()


def demand_table_possible(target: Path) -> None:
    """Raise an error for a table without an ending, which becomes a folder, in the place of a file or dangling link."""
    if target.suffix or target.is_dir() or not (target.exists() or target.is_symlink()):
        return
    what = "a file" if target.exists() else "a link to nothing"
    raise OutputError(
        f"the output {str(target)!r} is {what}, and a table without an ending is written as a folder; name a new "
        "folder, or a file with an ending such as .csv."
    )


def _is_replaceable(folder: Path) -> bool:
    """Whether a folder is empty, or has nothing but parts of an earlier release."""
    if folder.is_symlink() or folder.is_mount() or folder.resolve() == Path.cwd():
        return False
    return all(map(_is_part, folder.iterdir()))


def _is_part(path: Path) -> bool:
    """Whether a file is a Parquet file that was written as a part of a folder, under this name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if path.is_symlink() or not path.is_file():
        return False
    try:
        marks = pq.read_metadata(path).metadata or {}
    except (OSError, pa.ArrowException):
        return False
    return bool(marks.get(PART_MARK.encode()) == path.name.encode())


def _remove(target: Path) -> None:
    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)


def exchange(one: Path, other: Path) -> None:
    """Exchange two folders of one file system, so that each name has a complete folder at every moment.

    Where the system cannot do so, the second folder gets the name `NAME.former` for a moment. If the process is killed
    in this moment, it is found there.
    """
    if _exchanged_by_linux(one, other):
        return
    former = other.with_name(f"{other.name}.former")
    other.rename(former)
    one.rename(other)
    former.rename(one)


def _exchanged_by_linux(one: Path, other: Path) -> bool:
    """Exchange two paths by a system call that only Linux has; false if it cannot."""
    if sys.platform != "linux":
        return False
    system = ctypes.CDLL(None, use_errno=True)
    if not hasattr(system, "renameat2"):
        return False
    return bool(system.renameat2(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def _save_old_file(target: Path, old_copy: Path) -> None:
    """Save an old file under a second name, by a hard link if possible, so that the name never disappears."""
    try:
        os.link(target, old_copy, follow_symlinks=False)
    except (OSError, NotImplementedError):  # not every file system has hard links
        target.replace(old_copy)


def write_text(text: str, path: Path) -> Path:
    """Write a small text file atomically: an old file stays until the new one is complete."""
    with Staging([path]) as staging:
        with staging.place(path).open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        staging.commit()
    return path


def reason(error: OSError) -> str:
    """The reason for an operating system error, without a path."""
    words = {
        errno.ENOSPC: "the disk is full.",
        errno.EDQUOT: "the disk quota is used up.",
        errno.EACCES: "the folder is not writable.",
        errno.EPERM: "the folder is not writable.",
        errno.EROFS: "the folder is not writable.",
        errno.ENOENT: "there is no such folder.",
        errno.ENOTDIR: "that is not a folder.",
    }
    return words.get(error.errno or 0, f"{(error.strerror or 'the system refused').lower()}.")
