"""A gateway that follows its files: a policy or setup that changes on disk is in force from the next request on."""

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
from sfumato.gateway.policy.findings import Finding
from sfumato.gateway.policy.fitting import demand_fit
from sfumato.gateway.policy.linting import look_over
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.setup import Setup
from sfumato.runtime.file_identity import identity

if TYPE_CHECKING:
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.gateway import Gateway

_RETRY = 5.0
"""After so many seconds a policy that could not be applied because of the database is tried again."""

NOT_APPLIED = {
    "setup": "the setup file on disk cannot be applied",
    "policy": "the policy file on disk cannot be applied",
    "tables": "the policy file on disk does not fit the tables",
    "restart": "what the files on disk say needs a restart",
}
"""What everybody may hear; details are for whoever runs `sfumato gateway lint`."""

Seen = tuple[tuple[int, ...] | None, ...]
Said = tuple[bytes | None, ...]


@dataclass
class _Held:
    """A gateway, and how many requests use it; one that is retired is closed after the last of them."""

    gateway: Gateway
    users: int = 0
    retired: bool = False


@dataclass(frozen=True)
class _Change:
    """What comes into force: the setup, the policy, where its data lie, and how much there is to say against it."""

    setup: Setup
    policy: Policy
    source: Source
    findings: int


class _NotApplied(Exception):
    """Why something does not come into force: which file is wrong, or that a restart is needed."""

    def __init__(self, what: str, error: Exception | None, digest: str = "", findings: int = 0) -> None:
        super().__init__(NOT_APPLIED[what])
        self.what, self.error, self.digest, self.findings = what, error, digest, findings

    @property
    def may_pass(self) -> bool:
        """Whether it lies in the database, which may be another one soon, while the files stay as they are."""
        return self.what == "tables" or isinstance(self.error, DataError)


class LiveSetup:
    """Hands out the gateway of a setup file, and looks at the files before every request.

    What changed is read, checked and held against the tables, and comes into force as a whole; questions that are under
    way finish by what was in force when they came. What cannot be applied is noted once, and all stays as it was; at
    the start it is refused. The log and whatever else is kept about people is shared by all gateways that follow each
    other, and never opened anew. What would need other files or another database needs a restart.
    """

    def __init__(self, path: str | Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = Path(path)
        self._clock = clock
        self._guard, self._loading = threading.Lock(), threading.RLock()
        before = _identity(self._path), _content(self._path)
        self._setup = Setup.read(self._path)
        self._watched = self._policy_file(self._setup)
        self._seen: Seen = (before[0], _identity(self._watched))
        self._said: Said = (before[1], _content(self._watched))
        self._quiet = _settled(self._seen)
        self._paths = (str(self._path), str(self._watched))
        self._coming: tuple[Seen, Said] = (self._seen, self._said)
        policy = self._setup.policy
        demand_fit(_findings(self._setup, policy))
        source = self._setup.source(policy)
        try:
            self._state = self._setup.state(policy)
        except BaseException:
            source.close()
            raise
        self._held = _Held(self._setup.gateway_of(policy, source, self._state))
        self._again: float | None = None
        self.allowances = self._setup.allowances
        self.problem = ""

    @property
    def gateway(self) -> Gateway:
        """The gateway that is in force."""
        return self._held.gateway

    @property
    def setup(self) -> Setup:
        """The setup that is in force."""
        return self._setup

    def use(self) -> AbstractContextManager[Gateway]:
        """The gateway that is in force now, for one request."""
        if self._is_due():
            self._look()
        return _Use(self)

    def taken(self) -> _Held:
        """What is in force, with one more user."""
        with self._guard:
            self._held.users += 1
            return self._held

    def given_back(self, held: _Held) -> None:
        """One user less; whatever was retired is closed after the last of them."""
        with self._guard:
            held.users -= 1
            done = held.retired and held.users == 0
        if done:
            held.gateway.source.close()

    def close(self) -> None:
        """Let go of everything."""
        self._held.gateway.close()

    def _look(self) -> None:
        """Apply what changed on disk; others wait meanwhile."""
        with self._loading:
            if self._is_due():
                self._follow()
                self._quiet = _settled(self._seen)

    def _is_due(self) -> bool:
        """Whether there is something to do; asked for every request, and so two looks at files and no more."""
        if self._quiet is not None and _quick(self._paths) == self._quiet:
            return self._is_time()
        return self._identities() != self._seen or self._is_time()

    def _is_time(self) -> bool:
        """Whether something that failed because of the database is to be tried again."""
        return self._again is not None and self._clock() >= self._again

    def _follow(self) -> None:
        """Files may be touched without being changed, and one that was written just now is always looked at again."""
        seen, said = self._identities(), self._contents()
        if said == self._said and not self._is_time():
            self._seen = seen
            return
        known, self._coming = said == self._said, (seen, said)
        try:
            change = self._changed()
            if self.problem or self._differs(change):
                self._apply(change)
        except _NotApplied as refused:
            self._again = self._clock() + _RETRY if refused.may_pass else None
            if not known or self.problem != str(refused):
                self._note(refused)
            self.problem = str(refused)
        self._seen, self._said = self._coming  # last: until then others wait instead of asking by the old policy

    def _changed(self) -> _Change:
        """What the files say, if it can be applied."""
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
        found: list[Finding] = []
        try:
            found = _findings(setup, policy)
        except Exception as error:
            raise _NotApplied("policy", error, policy.digest) from None
        try:
            demand_fit(found)
        except PolicyError as error:
            raise _NotApplied("tables", error, policy.digest, len(found)) from None
        try:
            return _Change(setup, policy, setup.source(policy), len(found))
        except Exception as error:
            raise _NotApplied("policy", error, policy.digest, len(found)) from None

    def _apply(self, change: _Change) -> None:
        """Open what is needed beside what is open, then let the new gateway take the place of the old one."""
        before, policy = self._held, change.policy
        with ExitStack() as undo:
            if change.source is not before.gateway.source:
                undo.callback(change.source.close)
            try:
                state = change.setup.state(policy, self._state)
            except Exception as error:
                raise _NotApplied("policy", error, policy.digest, change.findings) from None
            undo.callback(state.close, but=self._state)
            made = _Held(change.setup.gateway_of(policy, change.source, state))
            said = PolicyEntry(digest=policy.digest, in_force=policy.digest, applied=True, findings=change.findings)
            self.gateway.logbook.write(said)
            undo.pop_all()
        self._state = state
        self.taken()
        with self._guard:
            self._held, before.retired = made, change.source is not before.gateway.source
        self.allowances.change(change.setup.sections.limits)
        self._setup, self._again, self.problem = change.setup, None, ""
        self.given_back(before)

    def _note(self, refused: _NotApplied) -> None:
        said = PolicyEntry(
            digest=refused.digest,
            in_force=self.gateway.policy.digest,
            applied=False,
            reason="" if refused.error is None else type(refused.error).__name__,
            restart=refused.what == "restart",
            findings=refused.findings,
        )
        self.gateway.logbook.write(said)

    def _needs_restart(self, setup: Setup) -> bool:
        """Whether other files or another database are asked for."""
        now, then = self._setup.sections, setup.sections
        return any(getattr(now, name) != getattr(then, name) for name in ("users", "log", "notices", "source"))

    def _is_same_source(self, setup: Setup, policy: Policy) -> bool:
        """Whether the masked relations that are there are those of the new policy, in processes as it wants them."""
        now, then = self._setup.sections, setup.sections
        same = (now.children, now.limits.memory) == (then.children, then.limits.memory)
        return same and policy.digest == self.gateway.policy.digest and policy.folder == self.gateway.policy.folder

    def _differs(self, change: _Change) -> bool:
        """Whether something else comes into force; a comment in a file does not."""
        return change.setup.sections != self._setup.sections or change.policy.digest != self.gateway.policy.digest

    def _watch(self, policy: Path) -> None:
        """Look at another policy file from now on, where the setup names one, whether or not it can be applied."""
        if policy != self._watched:
            self._watched, self._paths = policy, (str(self._path), str(policy))
            self._coming = self._identities(), self._contents()

    def _policy_file(self, setup: Setup) -> Path:
        return self._path.parent / setup.sections.policy

    def _identities(self) -> Seen:
        return tuple(_identity(path) for path in self._files())

    def _contents(self) -> Said:
        return tuple(_content(path) for path in self._files())

    def _files(self) -> tuple[Path, Path]:
        return self._path, self._watched


class _Use:
    """A gateway in use; written out, since a generator would take longer than all else that is done here."""

    def __init__(self, live: LiveSetup) -> None:
        self._live = live

    def __enter__(self) -> Gateway:
        self._held = self._live.taken()
        return self._held.gateway

    def __exit__(self, *_: object) -> None:
        self._live.given_back(self._held)


def _findings(setup: Setup, policy: Policy) -> list[Finding]:
    """What there is to say against a policy, held against the tables."""
    source = setup.source(policy, keep=False)
    try:
        return look_over(policy, source, day=datetime.now(UTC).date())
    finally:
        source.close()


def _settled(seen: Seen) -> Seen | None:
    """What a quick look must find for files to be as they were; None where one is gone, or too young to tell."""
    return None if any(one is None or one[-1] for one in seen) else tuple(one[:-1] for one in seen if one is not None)


def _quick(paths: tuple[str, ...]) -> Seen | None:
    """The same as an identity has but for the age of files."""
    try:
        found = [os.stat(path) for path in paths]  # noqa: PTH116 - the way over Path takes half as long again
    except OSError:
        return None
    return tuple((one.st_mtime_ns, one.st_ctime_ns, one.st_size, one.st_ino) for one in found)


def _identity(path: Path) -> tuple[int, ...] | None:
    try:
        return identity(path)
    except DataError:
        return None


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
