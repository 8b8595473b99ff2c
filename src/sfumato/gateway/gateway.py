"""The gateway: checks who asks which query for which purpose, answers or refuses it, and records both in the audit log.

`Gateway` is what `setup/setup.py` builds from a setup file and what the HTTP API, the command line and the local
server call. It joins the rooms of the gateway: `sql` reads and compiles queries, `people` decides which permissions
apply, `views` describes the masked relations, `engines` runs SQL on them, `statistics` answers aggregates, and `log`
records everything.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import islice, product
from typing import TYPE_CHECKING, Any, TypeVar

from sqlglot import exp

from sfumato.errors import (
    BudgetError,
    BusyError,
    DeniedError,
    LimitError,
    PolicyError,
    RowLimitError,
    SfumatoError,
    StatementError,
)
from sfumato.gateway.answers.answer import Answer
from sfumato.gateway.answers.date_bounds import demand_readable_dates
from sfumato.gateway.answers.explaining import Explanation, explanation_of, terms_of
from sfumato.gateway.answers.parameters import kinds_of, supported_parameters
from sfumato.gateway.answers.permitted_query import PermittedQuery
from sfumato.gateway.answers.row_order import normalize_numbers, sorted_by_values
from sfumato.gateway.answers.unexpected_errors import UnexpectedFailure
from sfumato.gateway.engines.failure_messages import row_failure
from sfumato.gateway.engines.limits import Limits
from sfumato.gateway.engines.source import Source
from sfumato.gateway.log.logbook import AuditEvent, Logbook
from sfumato.gateway.log.notices import Notices
from sfumato.gateway.people.authority import Authority, Grant
from sfumato.gateway.people.choices import OWNER, Choice, ChoiceAuthor, choices_of
from sfumato.gateway.people.people import Person
from sfumato.gateway.people.system_attributes import system_attributes
from sfumato.gateway.policy.characters import demand_characters
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.compiling import CompiledQuery, compile_query
from sfumato.gateway.sql.outputs import unscaled_decimals
from sfumato.gateway.sql.parameterize_literals import parameterize_literals
from sfumato.gateway.sql.reading import ParsedQuery, parse_query
from sfumato.gateway.statistics.access import StatisticalAccess
from sfumato.gateway.statistics.accounts import accounts_of
from sfumato.gateway.statistics.aggregate_queries import AggregateQuery
from sfumato.gateway.statistics.query_context import QueryContext
from sfumato.gateway.views.views import PurposeView

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.log.audit_log import AuditLog
    from sfumato.gateway.statistics.ledger import Heads
    from sfumato.gateway.transforms.column_types import ColumnType

_Result = TypeVar("_Result")
_ColumnTypes = tuple[tuple[str, "ColumnType"], ...]
"""The columns of a table with their types."""

_Tables = tuple[tuple[str, _ColumnTypes, frozenset[str] | None], ...]
"""Tables with the types of their columns, and with the columns that may be read; None means all."""

_MAX_RECORDS = 20_000_000
"""Largest number of records over which an aggregate can be audited."""

_MAX_GRANT_COMBINATIONS = 64
"""Largest number of combinations of permissions, one per table, that are tried for one query."""

_CACHE_SIZE = 1000
"""Number of parsed queries, of compiled queries and of views that are kept."""


class Gateway:
    """Answers queries about live personal data for the purposes that the data subjects agreed to.

    An answer is returned only after its log entry is on disk. Refusals are logged too.

    `policy` says who may see what, `source` is the database. `log`, `notices` and `heads` (the heads of the ledgers of
    aggregates) are optional stores. `clock` gives the current time; tests replace it.
    """

    def __init__(
        self,
        policy: Policy,
        source: Source,
        *,
        log: AuditLog | None = None,
        notices: Notices | None = None,
        heads: Heads | None = None,
        limits: Limits | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.policy = policy
        self.source = source
        self._logbook = Logbook(log, notices, policy.digest, clock)
        self._limits = limits or Limits()
        self._statistics = StatisticalAccess(policy, source, heads, seconds=self._limits.seconds)
        self._clock = clock
        self._authority = Authority.of(policy.sections)
        self._views = lru_cache(maxsize=_CACHE_SIZE)(self._view)
        self._read = lru_cache(maxsize=_CACHE_SIZE)(lambda text, kinds=None: parse_query(text, source.engine, kinds))
        self._compiled = lru_cache(maxsize=_CACHE_SIZE)(self._compile)

    def query(self, text: str, *, person: Person, purpose: str | None = None, parameters: Sequence[Any] = ()) -> Answer:
        """Answer a query for the purpose that its text or the argument states, or else for the only permitted one.

        The permitted forms are tried in order. Only a refusal of a form for aggregates leads to the next form, because
        the permissions for aggregates differ in their terms; the first refusal is the one that the caller gets.
        """
        started = time.perf_counter()
        attempts: list[PermittedQuery] = []

        def answer_first_permitted() -> Answer:
            refusal: SfumatoError | None = None
            for permitted in self._permitted_forms(text, supported_parameters(parameters), person, purpose):
                attempts.append(permitted)
                try:
                    return self._answer(permitted)
                except (DeniedError, BudgetError, StatementError) as error:
                    if not permitted.only_aggregates:
                        raise
                    refusal = refusal or error
            raise refusal or DeniedError("this question is not answered.")

        def event() -> AuditEvent:
            return attempts[-1].audit_event if attempts else self._event_of(text, person, purpose)

        answer = self._run_logged(answer_first_permitted, event, started)
        logged = event()
        self._logbook.record(logged, started, rows=len(answer))
        self._logbook.notify(logged)
        return answer

    def choose(self, table: str, choices: Sequence[Choice], *, person: Person, purpose: str | None = None) -> int:
        """Enter choices of data subjects, each a key, a column and a choice; the caller needs permission to `choose`.

        Returns the number of choices. They are logged with keys and values before anything is changed, and they apply
        from the next query on.
        """

        def permit(columns: Sequence[str]) -> Grant:
            return self._grant_to_choose(person, table, columns, purpose)

        return self._enter_choices(table, choices, AuditEvent(person, "", purpose or "", operation="choose"), permit)

    def choose_as_owner(self, table: str, choices: Sequence[Choice], *, login: str) -> int:
        """Enter choices as the owner of the data, who needs no permission; `login` is their name on the machine."""
        return self._enter_choices(
            table, choices, AuditEvent(Person(OWNER), "", "", operation="choose", login=login), None
        )

    def _enter_choices(
        self, table: str, choices: Sequence[Choice], event: AuditEvent, permit: Callable[[Sequence[str]], Grant] | None
    ) -> int:
        """Check, log and store choices, in this order; `permit` finds the caller's grant, and is None for the owner."""
        started, columns = time.perf_counter(), tuple(sorted({column for _, column, _ in choices}))
        event = replace(event, statement=f"choose for {len(choices)} values")

        def store() -> None:
            nonlocal event
            grant = None if permit is None else permit(columns)
            rows = choices_of(choices, self.policy, table)
            event = replace(event, columns={table: columns}, batch=secrets.token_hex(8))
            if grant is not None:
                event = replace(event, purpose=grant.purpose, obligations=grant.obligations)
            self._logbook.record_choices(event, started, table, choices)
            self.source.choose(table, rows, ChoiceAuthor(event.person.name, event.login))

        self._run_logged(store, lambda: event, started)
        self._logbook.notify(event)
        return len(choices)

    def compile(self, text: str, *, person: Person, purpose: str | None = None) -> CompiledQuery:
        """Compile a query for a person and a purpose without running it."""
        return self._first_permitted(text, person, purpose).compiled

    def explain(self, text: str, *, person: Person, purpose: str | None = None) -> Explanation:
        """Say what a query would show of every column that it reads, in which rows, and what decided it."""
        started = time.perf_counter()
        permitted = self._run_logged(
            lambda: self._first_permitted(text, person, purpose),
            lambda: replace(self._event_of(text, person, purpose), operation="explain"),
            started,
        )
        self._logbook.record(replace(permitted.audit_event, operation="explain", obligations=()), started)
        roles = sorted({grant.role for grant in permitted.grants.values()})
        alone = [grant.permission for grant in permitted.grants.values()] if permitted.only_aggregates else []
        terms = tuple(terms_of(permission, self.policy.sections.auditing) for permission in alone)
        return explanation_of(
            permitted.compiled, person=person.name, roles=tuple(roles), purpose=permitted.purpose, terms=terms
        )

    def view(self, table: str, purpose: str) -> PurposeView:
        """The masked view of a table for a purpose, as of today."""
        known, day = self.policy.tree.require(purpose), self._clock().date()
        return self._views(table, known, day, frozenset(), self._column_types(table))

    @property
    def logbook(self) -> Logbook:
        """The writer of audit entries; the HTTP API also records requests that it refuses itself."""
        return self._logbook

    def close(self) -> None:
        """Close the ledgers, the source, the log and the notices."""
        self._statistics.close()
        self.source.close()
        self._logbook.close()

    def _first_permitted(self, text: str, person: Person, stated: str | None) -> PermittedQuery:
        """The permitted form of a query that shows most, without parameters."""
        return next(self._permitted_forms(text, None, person, stated))

    def _permitted_forms(
        self, text: str, parameters: Sequence[Any] | None, person: Person, stated: str | None
    ) -> Iterator[PermittedQuery]:
        """Every form in which a person may run a query, the one that shows most first; raises if there is none.

        Integer literals that columns are compared with become parameters, so that similar queries share one compiled
        plan. If the parameterized text is refused, the query is compiled as it was written.
        """
        if parameters is not None:
            parameterized, values = parameterize_literals(text, parameters, self.source.engine)
            if parameterized != text:
                with suppress(StatementError):
                    yield from self._permitted_forms_of(parameterized, values, person, stated)
                    return
        yield from self._permitted_forms_of(text, None if parameters is None else tuple(parameters), person, stated)

    def _permitted_forms_of(
        self, text: str, parameters: tuple[Any, ...] | None, person: Person, stated: str | None
    ) -> Iterator[PermittedQuery]:
        """The same for one text. Every form uses one permission per table, because permissions do not add up.

        There is at most one form that shows rows: with the first combination of permissions that covers the query.
        After it come the permissions for aggregates only, each with its own terms. A query that no permission covers is
        refused with the reason of the first combination.
        """
        kinds = None if parameters is None else kinds_of(parameters)
        question, now = self._read(text, kinds), self._clock()
        demand_characters(stated or "", "the purpose")
        if stated is not None and question.purpose is not None and stated != question.purpose:
            raise StatementError("the question states one purpose, and the call another.")
        system, day = system_attributes(now), now.date()
        purpose = question.purpose or stated or self._only_purpose(question, person, system, day)
        granted = self._authority.tables(person, purpose, system, day=day)
        named = [table for table in granted if self._is_named(table, question)]
        refusal: SfumatoError | None = None
        offered = False
        for aggregates, grants in _grant_combinations(granted, named):
            try:
                made = self._compiled(text, kinds, purpose, day, self._columns(grants), tuple(granted), aggregates)
            except (StatementError, DeniedError) as error:
                refusal = refusal or error
                continue
            offered = True
            yield PermittedQuery(person, question, purpose, made, grants, aggregates, parameters or ())
            if not aggregates:
                return
        if refusal is not None and not offered:
            raise refusal

    def _only_purpose(self, question: ParsedQuery, person: Person, system: Mapping[str, object], day: date) -> str:
        """The only purpose for which a person may query all named tables.

        A table that the person may not query at all is treated as if it did not exist, so that the refusal says nothing
        about it.
        """
        named = [table for table in self.policy.sections.tables if self._is_named(table, question)]
        mine = [table for table in named if self._authority.purposes(person, system, day=day, table=table)]
        return self._authority.derive_purpose(person, mine, system, day=day)

    def _is_named(self, table: str, question: ParsedQuery) -> bool:
        """Whether a query names a table, or gives a WITH query the name of a table."""
        return table.lower() in question.table_names

    def _answer(self, permitted: PermittedQuery) -> Answer:
        """Run one permitted form of a query and return its answer."""
        self.source.ready(permitted.compiled.views)
        if permitted.only_aggregates:
            ((table, grant),) = permitted.grants.items()
            answer = self._statistics.answer(
                permitted.query.tree, table, grant, self._query_context(permitted, table, grant)
            )
            demand_readable_dates(answer.flat)
            return answer
        flat = self._run(permitted, permitted.compiled.sql, permitted.parameters, self._limits)
        flat = normalize_numbers(flat, unscaled=unscaled_decimals(permitted.compiled.outputs, self.source.engine))
        flat = flat if permitted.compiled.ordered else sorted_by_values(flat)
        demand_readable_dates(flat)
        return Answer(
            flat, permitted.compiled.outputs, permitted.purpose, permitted.compiled.uncertain, permitted.obligations
        )

    def _run(self, permitted: PermittedQuery, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        """Run SQL at the source. If some row can make it fail, exceeding time or memory is reported as that failure.

        Suppose that one row fails and another needs all the memory. Which of the two is met first depends on the stored
        order, which must not show in the error.
        """
        try:
            return self.source.ask(permitted.purpose, sql, parameters, limits)
        except (BusyError, RowLimitError):
            raise
        except LimitError:
            if not permitted.compiled.can_fail:
                raise
        raise row_failure()

    def _query_context(self, permitted: PermittedQuery, table: str, grant: Grant) -> QueryContext:
        """Everything that the statistics need to compile and run the parts of one query for aggregates."""
        limits = Limits(self._limits.seconds, _MAX_RECORDS, self._limits.memory)
        day, types = self._clock().date(), self._column_types(table)

        def compiled(tree: exp.Expr, columns: frozenset[str] | None) -> CompiledQuery:
            return self._compile_tree(tree, permitted.purpose, day, ((table, types, columns),), (table,))

        return QueryContext(
            accounts=accounts_of(permitted.person),
            ledger_name=self.source.ledger_name(table),
            purpose=permitted.purpose,
            day=day,
            engine=self.source.engine,
            parameters=permitted.parameters,
            compile=lambda tree: compiled(tree, grant.columns),
            compile_all=lambda tree: compiled(tree, None),
            ask=lambda sql: normalize_numbers(
                self._run(permitted, sql, permitted.parameters if "$1" in sql else (), limits)
            ),
        )

    def _grant_to_choose(self, person: Person, table: str, columns: Sequence[str], stated: str | None) -> Grant:
        """The permission by which a person may enter choices about all of these columns."""
        now = self._clock()
        system, day, operation = system_attributes(now), now.date(), "choose"
        purpose = stated or self._authority.derive_purpose(person, [table], system, day=day, operation=operation)
        grants = self._authority.grants(person, table, purpose, system, day=day, operation=operation)
        for grant in grants:
            if grant.covers(columns):
                return grant
        raise DeniedError(f"no permission to choose in {table!r} is for all of these columns.")

    def _columns(self, grants: Mapping[str, Grant]) -> _Tables:
        """Every table of a query with its columns and types, and with the columns that the permission lets it read."""
        return tuple((table, self._column_types(table), grant.columns) for table, grant in grants.items())

    def _column_types(self, table: str) -> _ColumnTypes:
        """The columns of a table and their types, part of every cache key: a changed table is compiled anew."""
        types = self.source.types(table)
        if not types:
            raise PolicyError(f"the policy names table {table!r}, which the database does not have.")
        return tuple(types.items())

    def _compile(
        self,
        text: str,
        kinds: tuple[str, ...] | None,
        purpose: str,
        day: date,
        tables: _Tables,
        offered: tuple[str, ...],
        aggregates: bool,
    ) -> CompiledQuery:
        """Compile a query in which these columns may be read; for aggregates only, compile the rows that they read."""
        tree = self._read(text, kinds).tree
        if aggregates:
            tree = AggregateQuery.read(tree, self.source.engine).reading_query()
        return self._compile_tree(tree, purpose, day, tables, offered)

    def _compile_tree(
        self, tree: exp.Expr, purpose: str, day: date, tables: _Tables, offered: tuple[str, ...]
    ) -> CompiledQuery:
        """Compile a parsed query against the views of these tables; `offered` are all tables that it may name."""
        engine = self.source.engine
        known = {one[0] if engine == "postgres" else one[0].lower(): one for one in tables}

        def views(name: str, referencing: frozenset[str] | None) -> PurposeView | None:
            if name not in known:
                return None
            table, types, _ = known[name]
            return self._views(table, purpose, day, referencing, types)

        readable = {table: columns for table, _, columns in tables}
        return compile_query(tree, engine, views, offered, self.source.stored_table, readable)

    def _view(
        self, table: str, purpose: str, day: date, referencing: frozenset[str] | None, types: _ColumnTypes
    ) -> PurposeView:
        """Build the view of a table; `_views` caches it."""
        return PurposeView.of(self.policy, table, purpose, dict(types), day=day, referencing=referencing)

    def _run_logged(self, operation: Callable[[], _Result], event: Callable[[], AuditEvent], started: float) -> _Result:
        """Run an operation and log whatever stops it, including an interrupt.

        For an unexpected error the log gets its type alone, and the caller learns only that there was an error: its
        message may quote values.
        """
        try:
            return operation()
        except BaseException as error:
            self._logbook.record(event(), started, error=error)
            if isinstance(error, SfumatoError) or not isinstance(error, Exception):
                raise
            failed = UnexpectedFailure.of(error)
        raise failed  # outside the except block, so that the error is not attached as its context

    def _event_of(self, text: str, person: Person, purpose: str | None) -> AuditEvent:
        """The audit event of a query that was not permitted, without values; of unreadable text, only the length."""
        try:
            question = self._read(text)
        except Exception:  # also where reading is what failed
            return AuditEvent(person, f"({len(text)} characters that could not be read)", purpose or "")
        return AuditEvent(person, question.normalized, question.purpose or purpose or "")


def _grant_combinations(
    granted: Mapping[str, tuple[Grant, ...]], named: Sequence[str]
) -> Iterator[tuple[bool, dict[str, Grant]]]:
    """One permission for every table that a query names, and whether the combination is for aggregates only.

    Rows can be queried only if rows of every named table may be seen.
    """
    rows = [[grant for grant in granted[table] if not grant.only_aggregates] for table in named]
    for chosen in islice(product(*rows), _MAX_GRANT_COMBINATIONS):
        yield False, dict(zip(named, chosen, strict=True))
    for table in named:
        yield from ((True, {table: grant}) for grant in granted[table] if grant.only_aggregates)
