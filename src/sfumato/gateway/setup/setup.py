"""The setup of a gateway: one file that names the policy, the data, the users and the log."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from sfumato.errors import DataError, PolicyError
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.policy.policy import Policy
from sfumato.settings import toml_sections as sections
from sfumato.settings.toml_sections import Section, Text

if TYPE_CHECKING:
    from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb
    from sfumato.gateway.engines.duckdb.source_files import SourceFile
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.gateway import Gateway
    from sfumato.gateway.http.allowances import Allowances
    from sfumato.gateway.http.rates import Rates
    from sfumato.gateway.log.audit_log import AuditLog
    from sfumato.gateway.log.notices import Notices
    from sfumato.gateway.people.people import People
    from sfumato.gateway.statistics.ledger import Heads

_CHOICES = "choices.duckdb"
"""The file that stores choices if the tables are files."""

_HEADS = "accounts.jsonl"
"""The file that stores the last hashes of the ledgers of answered aggregates."""

_FORMER_ACCOUNT_FILES = ("epsilon.jsonl", "aggregates.jsonl", "records.bin")
"""Files in which former versions stored accounts."""


class FileSection(Section):
    """A CSV file of `[source] files` with the types of its columns; a value that does not fit its type is NULL."""

    path: Text
    types: Annotated[dict[Text, Text], Field(min_length=1)]


class SourceSection(Section):
    """`[source]`: a DuckDB database, Parquet or CSV files by table name, or a PostgreSQL database.

    `postgres` is the connection of the gateway, which acts as the role of a purpose, and `owner` that of the owner of
    the tables; keep passwords out of the file, in a service file or a password file of PostgreSQL. `home` is the prefix
    of the names of everything that is deployed (`deployed_names`). With `tools` other tools get logins of their own.
    """

    duckdb: Text | None = None
    files: dict[str, Text | FileSection] = {}
    postgres: Text | None = None
    owner: Text | None = None
    home: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")] = "sfumato"
    tools: bool = True


class LimitsSection(Section):
    """`[limits]`: what one query may use, and how often and how slowly programs may send requests."""

    seconds: Annotated[float, Field(gt=0)] = 10.0
    rows: Annotated[int, Field(ge=1)] = 100_000
    memory: Text = "1GB"
    per_second: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1000.0
    burst: Annotated[int, Field(ge=1)] = 2000
    at_once: Annotated[int, Field(ge=1)] = 4
    header_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 10.0
    body_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 10.0


class SetupSections(Section):
    """A whole setup file."""

    policy: Text = "policy.toml"
    users: Text = "users.toml"
    log: Text = "audit.jsonl"
    notices: Text = "notices.jsonl"
    children: Annotated[int, Field(ge=1, le=64)] = 2
    source: SourceSection
    limits: LimitsSection = LimitsSection()


@dataclass
class StateFiles:
    """The files that a gateway writes, which one process holds open; all gateways of the process share them."""

    log: AuditLog | None = None
    notices: Notices | None = None
    heads: Heads | None = None

    def close(self, *, except_for: StateFiles | None = None) -> None:
        """Close the files, except those that others still use."""
        for name, opened in vars(self).items():
            if opened is not None and opened is not getattr(except_for, name, None):
                opened.close()


class Setup:
    """Everything that a gateway needs, by the names of its files, which are relative to the setup file."""

    def __init__(self, given: SetupSections, folder: Path) -> None:
        self.sections = given
        self.folder = folder

    @classmethod
    def read(cls, path: str | Path) -> Setup:
        """From a TOML file."""
        setup_file = Path(path)
        given = sections.read_toml(setup_file, called="setup", error=PolicyError, hint="; see the guide to the gateway")
        described = f"setup {setup_file.name!r}"
        setup = cls(
            sections.validate_sections(SetupSections, given, described=described, error=PolicyError), setup_file.parent
        )
        source = setup.sections.source
        if (source.postgres is not None) == (source.duckdb is not None or bool(source.files)):
            raise PolicyError(f"{described}: [source] names a DuckDB database or files, or a PostgreSQL database.")
        return setup

    def with_one_worker(self) -> Setup:
        """The same setup for one query after the other, which a second worker process would only delay."""
        return Setup(self.sections.model_copy(update={"children": 1}), self.folder)

    @property
    def policy(self) -> Policy:
        """The policy, read from its file."""
        return Policy.read(self._path(self.sections.policy))

    @property
    def users(self) -> Path:
        """The path of the file of users."""
        return self._path(self.sections.users)

    @property
    def log(self) -> Path:
        """The path of the log."""
        return self._path(self.sections.log)

    @property
    def people(self) -> People:
        """All users, read from their file."""
        from sfumato.gateway.people.people import People

        return People.read(self.users)

    @property
    def limits(self) -> Limits:
        """What one query may use."""
        given = self.sections.limits
        return Limits(given.seconds, given.rows, given.memory)

    @property
    def rates(self) -> Rates:
        """How often a caller may send requests."""
        from sfumato.gateway.http.rates import Rates

        return Rates(self.sections.limits.per_second, self.sections.limits.burst)

    @property
    def allowances(self) -> Allowances:
        """What callers of the HTTP API may do."""
        from sfumato.gateway.http.allowances import Allowances
        from sfumato.gateway.http.concurrent_queries import ConcurrentQueries

        given = self.sections.limits
        return Allowances(self.rates, ConcurrentQueries(given.at_once), given.header_seconds, given.body_seconds)

    def gateway(self, *, logged: bool = True) -> Gateway:
        """The gateway, with its log open unless it is only inspected."""
        policy = self.policy
        source = self.source(policy)
        try:
            state = self.state(policy) if logged else StateFiles()
        except BaseException:
            source.close()
            raise
        return self.gateway_of(policy, source, state)

    def gateway_of(self, policy: Policy, source: Source, state: StateFiles) -> Gateway:
        """The gateway for a policy, a source and open files."""
        from sfumato.gateway.gateway import Gateway

        return Gateway(policy, source, limits=self.limits, **vars(state))

    def state(self, policy: Policy, already_open: StateFiles | None = None) -> StateFiles:
        """The files that a gateway writes, open; files that are `already_open` are kept."""
        from sfumato.gateway.log.audit_log import AuditLog
        from sfumato.gateway.log.notices import Notices
        from sfumato.gateway.statistics.ledger import Heads

        self._demand_no_former_accounts()
        state = replace(already_open or StateFiles())
        try:
            state.log = state.log or AuditLog(self.log)
            if state.heads is None and _answers_aggregates(policy):
                state.heads = Heads(self._path(_HEADS))
            if state.notices is None and _notifies(policy):
                state.notices = Notices(self._path(self.sections.notices))
        except BaseException:
            state.close(except_for=already_open)
            raise
        return state

    def _demand_no_former_accounts(self) -> None:
        """Refuse to start if a former version left accounts in files, which are no longer read."""
        for name in _FORMER_ACCOUNT_FILES:
            if self._path(name).exists():
                raise PolicyError(
                    f"{name!r} beside the setup is of an earlier version; accounts are kept in the database now, and "
                    "begin anew. Move the file away when that is acceptable."
                )

    def source(self, policy: Policy, *, keep: bool = True) -> Source:
        """The database of the gateway; `keep` stores the names of choices there, unless a policy is only inspected."""
        given = self.sections.source
        if given.postgres is not None:
            from sfumato.gateway.engines.postgres.source import PostgresSource

            return PostgresSource(policy, given.postgres, owner=self.owner, prefix=given.home)
        from sfumato.gateway.engines.duckdb.embedded import EmbeddedSource

        return EmbeddedSource(
            self.private_database(policy, keep=keep), children=self.sections.children, limits=self.limits
        )

    @property
    def owner(self) -> str:
        """The connection of the owner of the tables to PostgreSQL; by default that of the gateway."""
        given = self.sections.source
        if given.postgres is None:
            raise PolicyError("there is nothing to deploy to: [source] names no PostgreSQL database.")
        return given.owner or given.postgres

    def private_database(self, policy: Policy, *, keep: bool = True) -> PrivateDuckDb:
        """The owner's side of a DuckDB database or of files."""
        from sfumato.gateway.engines.duckdb.private_database import PrivateDuckDb

        given, tables = self.sections.source, policy.sections.tables
        choices = {
            name: [column for column, said in table.columns.items() if said.by_choice] for name, table in tables.items()
        }
        database = given.duckdb or (_CHOICES if any(choices.values()) else None)
        if given.duckdb is not None and not given.files and not self._path(given.duckdb).exists():
            raise DataError(f"there is no database {given.duckdb!r}; check duckdb in [source].")
        private_database = PrivateDuckDb(
            None if database is None else self._path(database),
            keys={name: table.key for name, table in tables.items()},
            choices=choices,
            files={name: self._file(said) for name, said in given.files.items()},
        )
        try:
            private_database.keep_names(policy.choices, write=keep)
        except BaseException:
            private_database.close()
            raise
        return private_database

    def _file(self, said: str | FileSection) -> SourceFile:
        from sfumato.gateway.engines.duckdb.source_files import SourceFile

        if isinstance(said, str):
            return SourceFile(self._path(said))
        return SourceFile(self._path(said.path), said.types)

    def _path(self, name: str) -> Path:
        return self.folder / name


def _notifies(policy: Policy) -> bool:
    """Whether some permission requires a notice when it is used."""
    return any(
        obligation.duty == "notify"
        for permission in policy.sections.permissions
        for obligation in permission.obligations
    )


def _answers_aggregates(policy: Policy) -> bool:
    """Whether some permission is for aggregates only."""
    return any(one.only_aggregates for one in policy.sections.permissions)
