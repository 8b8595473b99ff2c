"""What the local command line does with a gateway: by itself, or within the server that has the gateway open."""

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
from sfumato.gateway.policy.findings import Finding
from sfumato.gateway.policy.linting import lint_with_tables
from sfumato.gateway.policy.setup import Setup

if TYPE_CHECKING:
    from sfumato.gateway.answers.answer import Answer
    from sfumato.gateway.answers.explaining import Explanation
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.gateway import Gateway
    from sfumato.gateway.people.choosing import Choice, ChoiceRecord
    from sfumato.gateway.policy.live_setup import LiveSetup


Opened = TypeVar("Opened")
_PATIENCE, _PAUSE = 2.0, 0.05
"""For so many seconds a file is waited for that another process has open, and so often it is tried."""


def patiently(
    opens: Callable[[], Opened],
    *,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Opened:
    """What is opened; another command that has it open is most often done a moment later."""
    until = clock() + _PATIENCE
    while True:
        try:
            return opens()
        except LockedError:
            if clock() >= until:
                raise
        sleep(_PAUSE)


class LocalCommands(Protocol):
    """Commands of somebody on the machine, who is trusted like the owner of the data and acts for any user."""

    def ask(self, question: str, *, who: str, purpose: str | None, parameters: Sequence[Any]) -> Answer:
        """Answer a question of a user, by the name in the file of users."""

    def explain(self, question: str, *, who: str, purpose: str | None) -> Explanation:
        """Say what a user would see of every column, and who decided so."""

    def choose(self, table: str, choices: Sequence[Choice], *, login: str) -> int:
        """Take in what people chose; how many choices there were."""

    def choices(self, table: str, key: str) -> list[ChoiceRecord]:
        """What somebody chose when, the oldest first."""

    def lint(self) -> list[Finding]:
        """What is to be said against the policy on disk."""

    def note_user(self, change: UsersEntry) -> None:
        """Put a change of the file of users into the log."""


class _Commands(ABC):
    """The same commands for both: only where the gateway comes from differs."""

    def ask(self, question: str, *, who: str, purpose: str | None, parameters: Sequence[Any]) -> Answer:
        """Answer a question of a user, by the name in the file of users."""
        person = self._setup().people.person(who)
        with self._gateway() as gateway:
            return gateway.query(question, person=person, purpose=purpose, parameters=parameters)

    def explain(self, question: str, *, who: str, purpose: str | None) -> Explanation:
        """Say what a user would see of every column, and who decided so."""
        person = self._setup().people.person(who)
        with self._gateway() as gateway:
            return gateway.explain(question, person=person, purpose=purpose)

    def choose(self, table: str, choices: Sequence[Choice], *, login: str) -> int:
        """Take in what people chose, as the owner of the data; how many choices there were."""
        with self._gateway() as gateway:
            return gateway.choose_as_owner(table, choices, login=login)

    def choices(self, table: str, key: str) -> list[ChoiceRecord]:
        """What somebody chose when, the oldest first."""
        with self._source(table) as source:
            return source.choice_history(table, key)

    def lint(self) -> list[Finding]:
        """What is to be said against the policy on disk."""
        setup = self._on_disk()
        policy = setup.policy
        source = patiently(lambda: setup.source(policy, keep=False))
        people = setup.people if setup.users.exists() else None
        try:
            return lint_with_tables(policy, source, day=datetime.now(UTC).date(), people=people)
        finally:
            source.close()

    @abstractmethod
    def note_user(self, change: UsersEntry) -> None:
        """Put a change of the file of users into the log."""

    @abstractmethod
    def _setup(self) -> Setup:
        """The setup that is in force."""

    @abstractmethod
    def _on_disk(self) -> Setup:
        """The setup as it lies on disk."""

    @abstractmethod
    def _gateway(self) -> AbstractContextManager[Gateway]:
        """The gateway, for one command."""

    @abstractmethod
    def _source(self, table: str) -> AbstractContextManager[Source]:
        """Where the data of a table lie, for one command."""


class DirectCommands(_Commands):
    """Commands in a process of their own, which opens the gateway for each and closes it again."""

    def __init__(self, setup: Setup) -> None:
        self._read = setup

    def note_user(self, change: UsersEntry) -> None:
        """The log is all that is opened for it."""
        with AuditLog(self._read.log) as log:
            log.append(change)

    def _setup(self) -> Setup:
        return self._read

    def _on_disk(self) -> Setup:
        return self._read

    @contextmanager
    def _gateway(self) -> Iterator[Gateway]:
        gateway = patiently(self._read.gateway)
        try:
            yield gateway
        finally:
            gateway.close()

    @contextmanager
    def _source(self, table: str) -> Iterator[Source]:
        policy = self._read.policy
        policy.table(table)
        source = patiently(lambda: self._read.source(policy, keep=False))
        try:
            yield source
        finally:
            source.close()


class ServedCommands(_Commands):
    """Commands within a server, by the gateway that it has open."""

    def __init__(self, live: LiveSetup, path: Path) -> None:
        self._live = live
        self._path = path

    def note_user(self, change: UsersEntry) -> None:
        """By the log that the server has open."""
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
