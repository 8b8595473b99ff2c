"""Reloads a policy or setup file that changes on disk; the change is in force from the next request on.

The HTTP API and the local server ask a `LiveSetup` for the gateway of every request.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import DataError, PolicyError
from sfumato.gateway.log.audit_entries import PolicyEntry
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.setup.findings import Finding
from sfumato.gateway.setup.fitting import demand_fit
from sfumato.gateway.setup.linting import lint_with_tables
from sfumato.gateway.setup.setup import Setup
from sfumato.runtime.file_identity import identity

if TYPE_CHECKING:
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.gateway import Gateway

_RETRY_SECONDS = 5.0
"""The time after which a policy that could not be applied because of the database is tried again."""

NOT_APPLIED = {
    "setup": "the setup file on disk cannot be applied",
    "policy": "the policy file on disk cannot be applied",
    "tables": "the policy file on disk does not fit the tables",
    "restart": "what the files on disk say needs a restart",
}
"""The reasons that every caller may see; `sfumato gateway lint` shows the details to the operator."""

Identities = tuple[tuple[int, ...] | None, ...]
"""The identity of each watched file, None if it is missing."""

Contents = tuple[bytes | None, ...]
"""The content of each watched file, None if it cannot be read."""


@dataclass
class _ActiveGateway:
    """A gateway and the number of requests that use it; a retired one is closed after the last of them."""

    gateway: Gateway
    users: int = 0
    retired: bool = False


@dataclass(frozen=True)
class _Change:
    """What is about to be applied: the setup, the policy, its source, and the number of lint findings."""

    setup: Setup
    policy: Policy
    source: Source
    findings: int


class _NotApplied(Exception):
    """Why a change is not applied: which file is wrong, or that a restart is needed."""

    def __init__(self, what: str, error: Exception | None, digest: str = "", findings: int = 0) -> None:
        super().__init__(NOT_APPLIED[what])
        self.what, self.error, self.digest, self.findings = what, error, digest, findings

    @property
    def is_transient(self) -> bool:
        """Whether the cause lies in the database, which may change while the files stay as they are."""
        return self.what == "tables" or isinstance(self.error, DataError)


class LiveSetup:
    """Provides the gateway of a setup file, and checks the files before every request.

    A change is read, checked, compared with the tables, and applied as a whole; queries that are running finish by the
    policy under which they started. A change that cannot be applied is logged once, and everything stays as it was; at
    the start it is refused. All successive gateways share the log and the other files about people, which are never
    reopened. A change of these files or of the database needs a restart.
    """

    def __init__(self, path: str | Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = Path(path)
        self._clock = clock
        self._guard, self._loading = threading.Lock(), threading.RLock()
        before = _identity(self._path), _content(self._path)
        self._setup = Setup.read(self._path)
        self._watched = self._policy_file(self._setup)
        self._last_identities: Identities = (before[0], _identity(self._watched))
        self._last_contents: Contents = (before[1], _content(self._watched))
        self._last_quick = _quick_identities(self._last_identities)
        self._paths = (str(self._path), str(self._watched))
        self._new_state: tuple[Identities, Contents] = (self._last_identities, self._last_contents)
        policy = self._setup.policy
        demand_fit(_findings(self._setup, policy))
        source = self._setup.source(policy)
        try:
            self._state = self._setup.state(policy)
        except BaseException:
            source.close()
            raise
        self._active = _ActiveGateway(self._setup.gateway_of(policy, source, self._state))
        self._retry_at: float | None = None
        self.allowances = self._setup.allowances
        self.problem = ""

    @property
    def gateway(self) -> Gateway:
        """The gateway that is in force."""
        return self._active.gateway

    @property
    def setup(self) -> Setup:
        """The setup that is in force."""
        return self._setup

    def use(self) -> AbstractContextManager[Gateway]:
        """The gateway that is in force now, for one request."""
        if self._is_reload_due():
            self._reload_if_due()
        return _Use(self)

    def acquire(self) -> _ActiveGateway:
        """The gateway in force, with one more user."""
        with self._guard:
            self._active.users += 1
            return self._active

    def release(self, active: _ActiveGateway) -> None:
        """Remove one user; a retired gateway is closed after the last of them."""
        with self._guard:
            active.users -= 1
            done = active.retired and active.users == 0
        if done:
            active.gateway.source.close()

    def close(self) -> None:
        """Close everything."""
        self._active.gateway.close()

    def _reload_if_due(self) -> None:
        """Apply what changed on disk; other requests wait meanwhile."""
        with self._loading:
            if self._is_reload_due():
                self._reload()
                self._last_quick = _quick_identities(self._last_identities)

    def _is_reload_due(self) -> bool:
        """Whether there is something to do; runs before every request, and so costs two stat calls and no more."""
        if self._last_quick is not None and _stat_identities(self._paths) == self._last_quick:
            return self._is_retry_due()
        return self._identities() != self._last_identities or self._is_retry_due()

    def _is_retry_due(self) -> bool:
        """Whether a change that failed because of the database is to be tried again."""
        return self._retry_at is not None and self._clock() >= self._retry_at

    def _reload(self) -> None:
        """Apply the files if their contents changed, or if a retry is due.

        Files may be touched without being changed, and a file that was just written is always compared by its content.
        """
        identities, contents = self._identities(), self._contents()
        if contents == self._last_contents and not self._is_retry_due():
            self._last_identities = identities
            return
        unchanged, self._new_state = contents == self._last_contents, (identities, contents)
        try:
            change = self._load_change()
            if self.problem or self._differs(change):
                self._apply(change)
        except _NotApplied as refusal:
            self._retry_at = self._clock() + _RETRY_SECONDS if refusal.is_transient else None
            if not unchanged or self.problem != str(refusal):
                self._log_refusal(refusal)
            self.problem = str(refusal)
        # Last: until then other requests wait, instead of being answered by the old policy.
        self._last_identities, self._last_contents = self._new_state

    def _load_change(self) -> _Change:
        """The change that the files ask for; _NotApplied if it cannot be applied."""
        try:
            setup = Setup.read(self._path)
        except Exception as error:
            raise _NotApplied("setup", error) from None
        self._watch(self._policy_file(setup))
        try:
            policy = setup.policy
        except Exception as error:
            raise _NotApplied("policy", error) from None
        if self._needs_restart(setup):
            raise _NotApplied("restart", None, policy.digest)
        if self._is_same_source(setup, policy):
            return _Change(setup, policy, self.gateway.source, 0)
        findings: list[Finding] = []
        try:
            findings = _findings(setup, policy)
        except Exception as error:
            raise _NotApplied("policy", error, policy.digest) from None
        try:
            demand_fit(findings)
        except PolicyError as error:
            raise _NotApplied("tables", error, policy.digest, len(findings)) from None
        try:
            return _Change(setup, policy, setup.source(policy), len(findings))
        except Exception as error:
            raise _NotApplied("policy", error, policy.digest, len(findings)) from None

    def _apply(self, change: _Change) -> None:
        """Open what the new gateway needs, then replace the old one by it."""
        before, policy = self._active, change.policy
        with ExitStack() as undo:
            if change.source is not before.gateway.source:
                undo.callback(change.source.close)
            try:
                state = change.setup.state(policy, self._state)
            except Exception as error:
                raise _NotApplied("policy", error, policy.digest, change.findings) from None
            undo.callback(state.close, except_for=self._state)
            successor = _ActiveGateway(change.setup.gateway_of(policy, change.source, state))
            entry = PolicyEntry(digest=policy.digest, in_force=policy.digest, applied=True, findings=change.findings)
            self.gateway.logbook.write(entry)
            undo.pop_all()
        self._state = state
        self.acquire()
        with self._guard:
            self._active, before.retired = successor, change.source is not before.gateway.source
        limits = change.setup.sections.limits
        self.allowances.set_limits(
            per_second=limits.per_second,
            burst=limits.burst,
            at_once=limits.at_once,
            header_seconds=limits.header_seconds,
            body_seconds=limits.body_seconds,
        )
        self._setup, self._retry_at, self.problem = change.setup, None, ""
        self.release(before)

    def _log_refusal(self, refusal: _NotApplied) -> None:
        """Log why a change was not applied."""
        entry = PolicyEntry(
            digest=refusal.digest,
            in_force=self.gateway.policy.digest,
            applied=False,
            reason="" if refusal.error is None else type(refusal.error).__name__,
            restart=refusal.what == "restart",
            findings=refusal.findings,
        )
        self.gateway.logbook.write(entry)

    def _needs_restart(self, setup: Setup) -> bool:
        """Whether the setup names other files or another database."""
        current, wanted = self._setup.sections, setup.sections
        return any(getattr(current, name) != getattr(wanted, name) for name in ("users", "log", "notices", "source"))

    def _is_same_source(self, setup: Setup, policy: Policy) -> bool:
        """Whether the source in use has the masked relations and processes of the new policy."""
        current, wanted = self._setup.sections, setup.sections
        same = (current.children, current.limits.memory) == (wanted.children, wanted.limits.memory)
        return same and policy.digest == self.gateway.policy.digest and policy.folder == self.gateway.policy.folder

    def _differs(self, change: _Change) -> bool:
        """Whether the change has an effect; a new comment in a file has none."""
        return change.setup.sections != self._setup.sections or change.policy.digest != self.gateway.policy.digest

    def _watch(self, policy: Path) -> None:
        """Watch another policy file from now on if the setup names one, whether or not it can be applied."""
        if policy != self._watched:
            self._watched, self._paths = policy, (str(self._path), str(policy))
            self._new_state = self._identities(), self._contents()

    def _policy_file(self, setup: Setup) -> Path:
        return self._path.parent / setup.sections.policy

    def _identities(self) -> Identities:
        return tuple(_identity(path) for path in self._files())

    def _contents(self) -> Contents:
        return tuple(_content(path) for path in self._files())

    def _files(self) -> tuple[Path, Path]:
        return self._path, self._watched


class _Use:
    """The context manager of a gateway in use; a class, since a generator would cost more than all else here."""

    def __init__(self, live: LiveSetup) -> None:
        self._live = live

    def __enter__(self) -> Gateway:
        self._active = self._live.acquire()
        return self._active.gateway

    def __exit__(self, *_: object) -> None:
        self._live.release(self._active)


def _findings(setup: Setup, policy: Policy) -> list[Finding]:
    """The lint findings about a policy, compared with the tables."""
    source = setup.source(policy, keep=False)
    try:
        return lint_with_tables(policy, source, day=datetime.now(UTC).date())
    finally:
        source.close()


def _quick_identities(identities: Identities) -> Identities | None:
    """What `_stat_identities` returns while the files are unchanged; None if one is missing or too recent to tell."""
    return (
        None
        if any(one is None or one[-1] for one in identities)
        else tuple(one[:-1] for one in identities if one is not None)
    )


def _stat_identities(paths: tuple[str, ...]) -> Identities | None:
    """The identities of files without their age: the fields that one stat call gives."""
    try:
        states = [os.stat(path) for path in paths]  # noqa: PTH116 - Path.stat takes half as long again
    except OSError:
        return None
    return tuple((one.st_mtime_ns, one.st_ctime_ns, one.st_size, one.st_ino) for one in states)


def _identity(path: Path) -> tuple[int, ...] | None:
    """The identity of a file, None if it is missing."""
    try:
        return identity(path)
    except DataError:
        return None


def _content(path: Path) -> bytes | None:
    """The content of a file, None if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None
