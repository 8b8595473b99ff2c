"""Results appear all together or not at all: they are written aside and moved into place when complete."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from sfumato.errors import OutputError
from sfumato.runtime.private_folders import PrivateFolder


class Staging:
    """A private folder beside every target, where results wait until all of them are there.

    Entering proves that the targets can be written at all. Leaving without `commit`, by an error or an interrupt,
    removes what was written and keeps whatever was there before. What a killed process wrote is removed when the next
    one stages something in the same folder.
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
        """Where to write what shall become the target; it has the same name and ending."""
        return self._folders[target.parent].path / target.name

    def commit(self) -> None:
        """Move everything into place; if one move fails, the old files come back."""
        moved: list[Path] = []
        try:
            for target in self._targets:
                moved.append(target)
                if target.exists():
                    _keep(target, self._former(target))
                self.place(target).replace(target)
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
            raise OutputError(
                f"the results cannot be written: {reason(error)} What was there before is kept."
            ) from None

    def _open(self, target: Path) -> None:
        if target.is_dir():
            raise OutputError(f"the output {target.name!r} is a folder; name a file.")
        if target.parent in self._folders:
            return
        try:
            self._folders[target.parent] = PrivateFolder(target.parent)
        except OSError as error:
            raise OutputError(
                f"the output {target.name!r} cannot be written into {str(target.parent)!r}: {reason(error)}"
            ) from None

    def _former(self, target: Path) -> Path:
        return self._folders[target.parent].path / f"{target.name}.former"

    def _restore(self, moved: Iterable[Path]) -> None:
        for target in moved:
            if self._former(target).exists():
                self._former(target).replace(target)
            elif not self.place(target).exists():
                target.unlink(missing_ok=True)

    def _clear(self) -> None:
        for folder in self._folders.values():
            folder.close()
        self._folders.clear()


def _keep(target: Path, former: Path) -> None:
    """Give an old file a second name, so that it is there until the new one takes its place; or move it."""
    try:
        os.link(target, former, follow_symlinks=False)
    except (OSError, NotImplementedError):  # not every file system has second names
        target.replace(former)


def write_text(text: str, path: Path) -> Path:
    """Write a small text file; an old one stays until the new one is complete."""
    with Staging([path]) as staging:
        with staging.place(path).open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        staging.commit()
    return path


def reason(error: OSError) -> str:
    """Why the system refused, in words and without a path."""
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
