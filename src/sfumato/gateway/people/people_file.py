"""People as their file says at this moment: who is disabled or removed there can ask no more from then on."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import SfumatoError
from sfumato.gateway.people.people import Clock, People, Person, utc_now
from sfumato.runtime.file_identity import identity


class PeopleFile:
    """Looks at the file before anybody is recognised, and reads it again if it has changed.

    A file that is gone, or cannot be read, is an error: nobody is let in because it was right once.
    """

    def __init__(self, path: str | Path, *, clock: Clock = utc_now) -> None:
        self._path = Path(path)
        self._clock = clock
        self._identity = identity(self._path)
        self._people = People.read(self._path, clock=clock)

    @property
    def problem(self) -> str:
        """What keeps everybody from being recognised, in words for everybody; empty where nothing does."""
        try:
            self._look()
        except SfumatoError:
            return "the file of users on disk cannot be read"
        return ""

    def by_token(self, token: str) -> Person | None:
        """Whose token this is; None if it is nobody's, or theirs who may ask nothing."""
        return self._look().by_token(token)

    def remembered(self, token: str) -> Person | None:
        """Whose token this was when the file was last read; the file is looked at only where it was nobody's.

        Cheaper than `by_token`, and enough to turn others away; who is answered is decided by `by_token`.
        """
        return self._people.by_token(token) or self.by_token(token)

    def _look(self) -> People:
        now = identity(self._path)
        if now != self._identity:
            self._people = People.read(self._path, clock=self._clock)
            self._identity = now
        return self._people
