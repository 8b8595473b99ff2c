"""The setup of a gateway: one file that says which policy, whose data, which users and which log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sfumato import sections
from sfumato.errors import PolicyError
from sfumato.gateway.limits import Limits
from sfumato.gateway.policy import Policy
from sfumato.sections import Section, Text

if TYPE_CHECKING:
    from sfumato.gateway.engines.private_duckdb import PrivateDuckDb
    from sfumato.gateway.gateway import Gateway
    from sfumato.gateway.people import People
    from sfumato.gateway.rates import Rates
    from sfumato.gateway.source import Source
    from sfumato.gateway.statistical_access import StatisticalAccess

_CHOICES = "choices.duckdb"
"""Where choices are kept beside tables that are files."""


class SourceSection(Section):
    """`[source]`: a DuckDB database, Parquet or CSV files by the name of their table, or a PostgreSQL database.

    `postgres` is how the gateway connects, as the role of a purpose, `owner` how the owner of the tables does; keep
    passwords out of the file, in a service file or a password file of PostgreSQL. `home` begins the names of everything
    that is deployed. With `tools` other tools have logins of their own.
    """

    duckdb: Text | None = None
    files: dict[str, Text] = {}
    postgres: Text | None = None
    owner: Text | None = None
    home: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")] = "sfumato"
    tools: bool = True


class LimitsSection(Section):
    """`[limits]`: what one question may take, and how often somebody may ask at the door for programs."""

    seconds: Annotated[float, Field(gt=0)] = 10.0
    rows: Annotated[int, Field(ge=1)] = 100_000
    memory: Text = "1GB"
    per_second: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1000.0
    burst: Annotated[int, Field(ge=1)] = 2000


class SetupSections(Section):
    """A whole setup file."""

    policy: Text = "policy.toml"
    users: Text = "users.toml"
    log: Text = "audit.jsonl"
    notices: Text = "notices.jsonl"
    children: Annotated[int, Field(ge=1, le=64)] = 2
    source: SourceSection
    limits: LimitsSection = LimitsSection()


class Setup:
    """Everything that a gateway is made of, by the names of its files, which lie beside the setup file."""

    def __init__(self, given: SetupSections, folder: Path) -> None:
        self.sections = given
        self.folder = folder

    @classmethod
    def read(cls, path: str | Path) -> Setup:
        """From a TOML file."""
        found = Path(path)
        given = sections.read_toml(found, called="setup", error=PolicyError, hint="; see the guide to the gateway")
        described = f"setup {found.name!r}"
        setup = cls(sections.checked(SetupSections, given, described=described, error=PolicyError), found.parent)
        source = setup.sections.source
        if (source.postgres is not None) == (source.duckdb is not None or bool(source.files)):
            raise PolicyError(f"{described}: [source] names a DuckDB database or files, or a PostgreSQL database.")
        return setup

    @property
    def policy(self) -> Policy:
        """The policy."""
        return Policy.read(self._path(self.sections.policy))

    @property
    def users(self) -> Path:
        """The file of users."""
        return self._path(self.sections.users)

    @property
    def log(self) -> Path:
        """The file of the log."""
        return self._path(self.sections.log)

    @property
    def people(self) -> People:
        """All users."""
        from sfumato.gateway.people import People

        return People.read(self.users)

    @property
    def limits(self) -> Limits:
        """What one question may take."""
        given = self.sections.limits
        return Limits(given.seconds, given.rows, given.memory)

    @property
    def rates(self) -> Rates:
        """How often somebody may ask."""
        from sfumato.gateway.rates import Rates

        return Rates(self.sections.limits.per_second, self.sections.limits.burst)

    def gateway(self, *, logged: bool = True) -> Gateway:
        """The gateway, with its log open unless only looked at."""
        from sfumato.gateway.audit_log import AuditLog
        from sfumato.gateway.gateway import Gateway
        from sfumato.gateway.noisy_answers import NoisyAnswers
        from sfumato.gateway.notices import Notices

        policy = self.policy
        source = self.source(policy)
        log = notices = statistics = noise = None
        try:
            log = AuditLog(self.log) if logged else None
            statistics = self._statistics(policy) if logged else None
            noise = NoisyAnswers(self._path("epsilon.jsonl")) if logged and _noisy(policy) else None
            notices = Notices(self._path(self.sections.notices)) if logged and _notifies(policy) else None
        except BaseException:
            source.close()
            for opened in (log, statistics, noise):
                if opened is not None:
                    opened.close()
            raise
        return Gateway(policy, source, log=log, notices=notices, statistics=statistics, noise=noise, limits=self.limits)

    def _statistics(self, policy: Policy) -> StatisticalAccess | None:
        """Who watches over aggregates, where somebody may ask for nothing else."""
        if not any(one.only_aggregates for one in policy.sections.permissions):
            return None
        from sfumato.gateway.statistical_access import StatisticalAccess

        return StatisticalAccess(policy.sections.auditing, self.folder)

    def source(self, policy: Policy) -> Source:
        """Where the data lie."""
        given = self.sections.source
        if given.postgres is not None:
            from sfumato.gateway.engines.postgres_source import PostgresSource

            return PostgresSource(policy, given.postgres, owner=self.owner, home=given.home)
        from sfumato.gateway.engines.embedded import EmbeddedSource

        return EmbeddedSource(self.private(policy), children=self.sections.children, limits=self.limits)

    @property
    def owner(self) -> str:
        """How the owner of the tables connects to PostgreSQL; as the gateway does, where nothing else is said."""
        given = self.sections.source
        if given.postgres is None:
            raise PolicyError("there is nothing to deploy to: [source] names no PostgreSQL database.")
        return given.owner or given.postgres

    def private(self, policy: Policy) -> PrivateDuckDb:
        """The owner's side of a DuckDB database or of files."""
        from sfumato.gateway.engines.private_duckdb import PrivateDuckDb

        given, tables = self.sections.source, policy.sections.tables
        choices = {
            name: [column for column, said in table.columns.items() if said.by_choice] for name, table in tables.items()
        }
        database = given.duckdb or (_CHOICES if any(choices.values()) else None)
        private = PrivateDuckDb(
            None if database is None else self._path(database),
            keys={name: table.key for name, table in tables.items()},
            choices=choices,
            files={name: self._path(path) for name, path in given.files.items()},
        )
        try:
            private.keep_names(policy.choices)
        except BaseException:
            private.close()
            raise
        return private

    def _path(self, name: str) -> Path:
        return self.folder / name


def _notifies(policy: Policy) -> bool:
    """Whether somebody is to be told when a permission is used."""
    return any(duty.duty == "notify" for one in policy.sections.permissions for duty in one.obligations)


def _noisy(policy: Policy) -> bool:
    """Whether somebody is answered with noise."""
    return any(one.epsilon is not None for one in policy.sections.permissions)
