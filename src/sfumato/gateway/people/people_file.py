"""Users as their file lists them now: a user who is disabled or removed there is refused from then on."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import SfumatoError
from sfumato.gateway.people.people import Clock, People, Person, utc_now
from sfumato.runtime.file_identity import identity


class PeopleFile:
    """Checks the file before a token is looked up, and reads it again if it has changed.

    A file that is missing or cannot be read is an error: no user is accepted because the file was valid once.
    """

    def __init__(self, path: str | Path, *, clock: Clock = utc_now) -> None:
        self._path = Path(path)
        self._clock = clock
        self._identity = identity(self._path)
        self._people = People.read(self._path, clock=clock)

    @property
    def problem(self) -> str:
        """Why no user can be recognised, in words that every caller may see; empty if all is well."""
        try:
            self._current_people()
        except SfumatoError:
            return "the file of users on disk cannot be read"
        return ""

    def by_token(self, token: str) -> Person | None:
        """The user with this token; None if there is none, or the user is disabled or expired."""
        return self._current_people().by_token(token)

    def by_token_cached(self, token: str) -> Person | None:
        """The user with this token when the file was last read; the file is checked only if there was none.

        Cheaper than `by_token`, and enough to limit rates; `by_token` decides who is answered.
        """
        return self._people.by_token(token) or self.by_token(token)

    def _current_people(self) -> People:
        """The users, read again if the file has changed."""
        now = identity(self._path)
        if now != self._identity:
            self._people = People.read(self._path, clock=self._clock)
            self._identity = now
        return self._people
