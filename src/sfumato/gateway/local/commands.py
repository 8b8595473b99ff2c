"""The commands of the local command line, executed in this process or in the server that holds the gateway open."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from sfumato.errors import LockedError
from sfumato.gateway.log.audit_entries import UsersEntry
from sfumato.gateway.log.audit_log import AuditLog
from sfumato.gateway.setup.findings import Finding
from sfumato.gateway.setup.linting import lint_with_tables
from sfumato.gateway.setup.setup import Setup

if TYPE_CHECKING:
    from sfumato.gateway.answers.answer import Answer
    from sfumato.gateway.answers.explaining import Explanation
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.gateway import Gateway
    from sfumato.gateway.people.choices import Choice, ChoiceRecord
    from sfumato.gateway.setup.live_setup import LiveSetup


Resource = TypeVar("Resource")
_WAIT_SECONDS, _PAUSE_SECONDS = 2.0, 0.05
"""How long to wait for a file that another process holds, and how long to pause between attempts."""


def retry_while_locked(
    open_resource: Callable[[], Resource],
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Resource:
    """Open a resource, waiting while another process holds it, because other commands take little time."""
    until = clock() + _WAIT_SECONDS
    while True:
        try:
            return open_resource()
        except LockedError:
            if clock() >= until:
                raise
        sleep(_PAUSE_SECONDS)


class LocalCommands(Protocol):
    """Commands of a local user, who is trusted like the owner of the data and may act for any user."""

    def ask(self, question: str, *, who: str, purpose: str | None, parameters: Sequence[Any]) -> Answer:
        """Answer a query of a user, by the name in the file of users."""

    def explain(self, question: str, *, who: str, purpose: str | None) -> Explanation:
        """What a user would see of every column, and which rule decided so."""

    def choose(self, table: str, choices: Sequence[Choice], *, login: str) -> int:
        """Store choices of data subjects; returns how many there were."""

    def choices(self, table: str, key: str) -> list[ChoiceRecord]:
        """The history of the choices of a person, the oldest first."""

    def lint(self) -> list[Finding]:
        """The lint findings about the policy on disk."""

    def note_user(self, change: UsersEntry) -> None:
        """Log a change of the file of users."""


class _Commands(ABC):
    """The commands themselves; subclasses provide the setup and the gateway."""

    def ask(self, question: str, *, who: str, purpose: str | None, parameters: Sequence[Any]) -> Answer:
        """Answer a query of a user, by the name in the file of users."""
        person = self._setup().people.person(who)
        with self._gateway() as gateway:
            return gateway.query(question, person=person, purpose=purpose, parameters=parameters)

    def explain(self, question: str, *, who: str, purpose: str | None) -> Explanation:
        """What a user would see of every column, and which rule decided so."""
        person = self._setup().people.person(who)
        with self._gateway() as gateway:
            return gateway.explain(question, person=person, purpose=purpose)

    def choose(self, table: str, choices: Sequence[Choice], *, login: str) -> int:
        """Store choices of data subjects, as the owner of the data; returns how many there were."""
        with self._gateway() as gateway:
            return gateway.choose_as_owner(table, choices, login=login)

    def choices(self, table: str, key: str) -> list[ChoiceRecord]:
        """The history of the choices of a person, the oldest first."""
        with self._source(table) as source:
            return source.choice_history(table, key)

    def lint(self) -> list[Finding]:
        """The lint findings about the policy on disk."""
        setup = self._on_disk()
        policy = setup.policy
        source = retry_while_locked(lambda: setup.source(policy, keep=False))
        people = setup.people if setup.users.exists() else None
        try:
            return lint_with_tables(policy, source, day=datetime.now(UTC).date(), people=people)
        finally:
            source.close()

    @abstractmethod
    def note_user(self, change: UsersEntry) -> None:
        """Log a change of the file of users."""

    @abstractmethod
    def _setup(self) -> Setup:
        """The setup that is in force."""

    @abstractmethod
    def _on_disk(self) -> Setup:
        """The setup as its file says now."""

    @abstractmethod
    def _gateway(self) -> AbstractContextManager[Gateway]:
        """The gateway, for one command."""

    @abstractmethod
    def _source(self, table: str) -> AbstractContextManager[Source]:
        """The source of a table, for one command."""


class DirectCommands(_Commands):
    """Commands in a process of their own, which opens the gateway for each command and closes it again."""

    def __init__(self, setup: Setup) -> None:
        self._loaded = setup.with_one_worker()

    def note_user(self, change: UsersEntry) -> None:
        """Opens only the log."""
        with AuditLog(self._loaded.log) as log:
            log.append(change)

    def _setup(self) -> Setup:
        return self._loaded

    def _on_disk(self) -> Setup:
        return self._loaded

    @contextmanager
    def _gateway(self) -> Iterator[Gateway]:
        gateway = retry_while_locked(self._loaded.gateway)
        try:
            yield gateway
        finally:
            gateway.close()

    @contextmanager
    def _source(self, table: str) -> Iterator[Source]:
        policy = self._loaded.policy
        policy.table(table)
        source = retry_while_locked(lambda: self._loaded.source(policy, keep=False))
        try:
            yield source
        finally:
            source.close()


class ServedCommands(_Commands):
    """Commands within a server, by the gateway that it holds open."""

    def __init__(self, live: LiveSetup, path: Path) -> None:
        self._live = live
        self._path = path

    def note_user(self, change: UsersEntry) -> None:
        """Writes to the log that the server holds open."""
        self._live.gateway.logbook.write(change)

    def _setup(self) -> Setup:
        return self._live.setup

    def _on_disk(self) -> Setup:
        return Setup.read(self._path)

    def _gateway(self) -> AbstractContextManager[Gateway]:
        return self._live.use()

    @contextmanager
    def _source(self, table: str) -> Iterator[Source]:
        with self._live.use() as gateway:
            gateway.policy.table(table)
            yield gateway.source
