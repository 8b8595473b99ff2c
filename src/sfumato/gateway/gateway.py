"""The gateway itself: who asks, why, and what; the answer, and an entry in the log for each question."""

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
from sfumato.gateway.answers.limits import Limits
from sfumato.gateway.answers.parameters import kinds_of, supported_parameters
from sfumato.gateway.answers.request import PermittedQuery
from sfumato.gateway.answers.row_order import normalize_numbers, sorted_by_values
from sfumato.gateway.answers.unexpected_errors import UnexpectedFailure
from sfumato.gateway.engines.failure_messages import failure_of_some_row
from sfumato.gateway.engines.source import Source
from sfumato.gateway.log.logbook import Deed, Logbook
from sfumato.gateway.log.notices import Notices
from sfumato.gateway.people.authority import Authority, Grant
from sfumato.gateway.people.choosing import OWNER, Choice, ChoiceAuthor, choices_of
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
from sfumato.gateway.statistics.exact_answers import Asker
from sfumato.gateway.statistics.questions import StatisticalQuestion
from sfumato.gateway.views.views import PurposeView

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.log.audit_log import AuditLog
    from sfumato.gateway.statistics.ledger import Heads
    from sfumato.gateway.transforms.column_types import ColumnType

_Done = TypeVar("_Done")
_Shape = tuple[tuple[str, "ColumnType"], ...]
_Tables = tuple[tuple[str, _Shape, frozenset[str] | None], ...]
_MOST_RECORDS = 20_000_000
"""Of so many records an aggregate can be audited."""

_MOST_CHOICES = 64
"""So many choices of permissions are tried for one question."""

_REMEMBERED = 1000
"""So many questions are kept compiled."""


class Gateway:
    """Answers questions about live personal data, for the purposes that people agreed to.

    Every question is logged before its answer leaves, and every refusal too.
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
        self._views = lru_cache(maxsize=_REMEMBERED)(self._view)
        self._read = lru_cache(maxsize=_REMEMBERED)(lambda text, kinds=None: parse_query(text, source.engine, kinds))
        self._compiled = lru_cache(maxsize=_REMEMBERED)(self._compile)

    def query(self, text: str, *, person: Person, purpose: str | None = None, parameters: Sequence[Any] = ()) -> Answer:
        """The answer to a question, for the purpose that it states, or that is stated here, or the only one allowed."""
        begun = time.perf_counter()
        tried: list[PermittedQuery] = []

        def answered() -> Answer:
            refusal: SfumatoError | None = None
            for asked in self._ways(text, supported_parameters(parameters), person, purpose):
                tried.append(asked)
                try:
                    return self._answered(asked)
                except (DeniedError, BudgetError, StatementError) as error:
                    if not asked.only_aggregates:
                        raise
                    refusal = refusal or error
            raise refusal or DeniedError("this question is not answered.")

        def deed() -> Deed:
            return tried[-1].deed if tried else self._deed(text, person, purpose)

        answer = self._noting(answered, deed, begun)
        done = deed()
        self._logbook.note(done, begun, rows=len(answer))
        self._logbook.notify(done)
        return answer

    def choose(self, table: str, choices: Sequence[Choice], *, person: Person, purpose: str | None = None) -> int:
        """Take in what people chose: key, column and choice of each; by somebody who may `choose`. How many there were.

        It is in the log, with keys and choices, before anything is changed, and holds from the next question on.
        """

        def may(columns: Sequence[str]) -> Grant:
            return self._may_choose(person, table, columns, purpose)

        return self._chosen(table, choices, Deed(person, "", purpose or "", operation="choose"), may)

    def choose_as_owner(self, table: str, choices: Sequence[Choice], *, login: str) -> int:
        """The same for the owner of the data, who needs no permission; `login` is their name on the machine."""
        return self._chosen(table, choices, Deed(Person(OWNER), "", "", operation="choose", login=login), None)

    def _chosen(
        self, table: str, choices: Sequence[Choice], deed: Deed, may: Callable[[Sequence[str]], Grant] | None
    ) -> int:
        begun, columns = time.perf_counter(), tuple(sorted({column for _, column, _ in choices}))
        deed = replace(deed, said=f"choose for {len(choices)} values")

        def chosen() -> None:
            nonlocal deed
            grant = None if may is None else may(columns)
            rows = choices_of(choices, self.policy, table)
            deed = replace(deed, of={table: columns}, batch=secrets.token_hex(8))
            if grant is not None:
                deed = replace(deed, purpose=grant.purpose, duties=grant.obligations)
            self._logbook.note_choices(deed, begun, table, choices)
            self.source.choose(table, rows, ChoiceAuthor(deed.person.name, deed.login))

        self._noting(chosen, lambda: deed, begun)
        self._logbook.notify(deed)
        return len(choices)

    def compiled(self, text: str, *, person: Person, purpose: str | None = None) -> CompiledQuery:
        """What a question becomes, without asking it."""
        return self._asked(text, person, purpose).compiled

    def explain(self, text: str, *, person: Person, purpose: str | None = None) -> Explanation:
        """What would be seen of every column that a question reads, in which rows, and who decided so."""
        begun = time.perf_counter()
        asked = self._noting(
            lambda: self._asked(text, person, purpose),
            lambda: replace(self._deed(text, person, purpose), operation="explain"),
            begun,
        )
        self._logbook.note(replace(asked.deed, operation="explain", duties=()), begun)
        roles = sorted({grant.role for grant in asked.grants.values()})
        alone = [grant.permission for grant in asked.grants.values()] if asked.only_aggregates else []
        terms = tuple(terms_of(permission, self.policy.sections.auditing) for permission in alone)
        return explanation_of(
            asked.compiled, person=person.name, roles=tuple(roles), purpose=asked.purpose, terms=terms
        )

    def view(self, table: str, purpose: str) -> PurposeView:
        """What may be seen of a table for a purpose today."""
        known, day = self.policy.tree.require(purpose), self._clock().date()
        return self._views(table, known, day, frozenset(), self._shape(table))

    @property
    def logbook(self) -> Logbook:
        """Where everything is written down, also what is refused before it gets here."""
        return self._logbook

    def close(self) -> None:
        """Let go of everything."""
        self._statistics.close()
        self.source.close()
        self._logbook.close()

    def _asked(self, text: str, person: Person, stated: str | None) -> PermittedQuery:
        """The first way in which somebody may ask a question."""
        return next(self._ways(text, None, person, stated))

    def _ways(
        self, text: str, parameters: Sequence[Any] | None, person: Person, stated: str | None
    ) -> Iterator[PermittedQuery]:
        """The ways in which somebody may ask a question, the one that shows most first; a refusal if there is none.

        Whole numbers that columns are compared with are taken for parameters, so that similar questions share one
        compiled plan; where that is not understood, the question is taken as it was written.
        """
        if parameters is not None:
            parameterized, values = parameterize_literals(text, parameters, self.source.engine)
            if parameterized != text:
                with suppress(StatementError):
                    yield from self._ways_of(parameterized, values, person, stated)
                    return
        yield from self._ways_of(text, None if parameters is None else tuple(parameters), person, stated)

    def _ways_of(
        self, text: str, parameters: tuple[Any, ...] | None, person: Person, stated: str | None
    ) -> Iterator[PermittedQuery]:
        """By one permission on every table that the question names: permissions do not add up.

        There is one way to see rows, by the first permissions that cover the question; after it come the permissions
        for aggregates alone, each with its own terms. A question that nothing covers is refused with the first reason.
        """
        kinds = None if parameters is None else kinds_of(parameters)
        question, now = self._read(text, kinds), self._clock()
        demand_characters(stated or "", "the purpose")
        if stated is not None and question.purpose is not None and stated != question.purpose:
            raise StatementError("the question states one purpose, and the call another.")
        system, day = system_attributes(now), now.date()
        purpose = question.purpose or stated or self._derived(question, person, system, day)
        granted = self._authority.tables(person, purpose, system, day=day)
        named = [table for table in granted if self._is_named(table, question)]
        refusal: SfumatoError | None = None
        offered = False
        for aggregates, grants in _choices_of_grants(granted, named):
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

    def _derived(self, question: ParsedQuery, person: Person, system: Mapping[str, object], day: date) -> str:
        """The only purpose for which somebody may ask all tables; those that they may not ask count as not there."""
        named = [table for table in self.policy.sections.tables if self._is_named(table, question)]
        mine = [table for table in named if self._authority.purposes(person, system, day=day, table=table)]
        return self._authority.derive_purpose(person, mine, system, day=day)

    def _is_named(self, table: str, question: ParsedQuery) -> bool:
        """Whether a question names a table, or something that WITH defines is called like it."""
        return table.lower() in question.table_names

    def _answered(self, asked: PermittedQuery) -> Answer:
        """The answer by one way."""
        self.source.ready(asked.compiled.views)
        if asked.only_aggregates:
            ((table, grant),) = asked.grants.items()
            return self._statistics.answer(asked.query.tree, table, grant, self._asker(asked, table, grant))
        flat = self._ask(asked, asked.compiled.sql, asked.parameters, self._limits)
        flat = normalize_numbers(flat, unscaled=unscaled_decimals(asked.compiled.outputs, self.source.engine))
        flat = flat if asked.compiled.ordered else sorted_by_values(flat)
        demand_readable_dates(flat)
        return Answer(flat, asked.compiled.outputs, asked.purpose, asked.compiled.uncertain, asked.duties)

    def _ask(self, asked: PermittedQuery, sql: str, parameters: Sequence[Any], limits: Limits) -> pa.Table:
        """What the engine answers; where some row can fail, time and memory that run out are no other error than that.

        Of two rows of which one fails and the other takes all the memory there is, the one stored first is met first.
        """
        try:
            return self.source.ask(asked.purpose, sql, parameters, limits)
        except (BusyError, RowLimitError):
            raise
        except LimitError:
            if not asked.compiled.can_fail:
                raise
        raise failure_of_some_row()

    def _asker(self, asked: PermittedQuery, table: str, grant: Grant) -> Asker:
        """How to compile and ask what a question of aggregates is made of."""
        limits = Limits(self._limits.seconds, _MOST_RECORDS, self._limits.memory)
        day, shape = self._clock().date(), self._shape(table)

        def compiled(tree: exp.Expr, columns: frozenset[str] | None) -> CompiledQuery:
            return self._compile_tree(tree, asked.purpose, day, ((table, shape, columns),), (table,))

        return Asker(
            accounts_of(asked.person),
            self.source.ledger_name(table),
            asked.purpose,
            day,
            self.source.engine,
            asked.parameters,
            lambda tree: compiled(tree, grant.columns),
            lambda tree: compiled(tree, None),
            lambda sql: normalize_numbers(self._ask(asked, sql, asked.parameters if "$1" in sql else (), limits)),
        )

    def _may_choose(self, person: Person, table: str, columns: Sequence[str], stated: str | None) -> Grant:
        now = self._clock()
        system, day, doing = system_attributes(now), now.date(), "choose"
        purpose = stated or self._authority.derive_purpose(person, [table], system, day, operation=doing)
        grants = self._authority.grants(person, table, purpose, system, day=day, operation=doing)
        for grant in grants:
            if grant.covers(columns):
                return grant
        raise DeniedError(f"no permission to choose in {table!r} is for all of these columns.")

    def _columns(self, grants: Mapping[str, Grant]) -> _Tables:
        """The tables of a question with their columns, and those of them that may be read."""
        return tuple((table, self._shape(table), grant.columns) for table, grant in grants.items())

    def _shape(self, table: str) -> _Shape:
        """The columns of a table; what was compiled for others is compiled anew."""
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
        """What a question becomes if these columns of tables may be read; of aggregates alone, what it reads."""
        tree = self._read(text, kinds).tree
        if aggregates:
            tree = StatisticalQuestion.read(tree, self.source.engine).reading()
        return self._compile_tree(tree, purpose, day, tables, offered)

    def _compile_tree(
        self, tree: exp.Expr, purpose: str, day: date, tables: _Tables, offered: tuple[str, ...]
    ) -> CompiledQuery:
        engine = self.source.engine
        known = {one[0] if engine == "postgres" else one[0].lower(): one for one in tables}

        def views(name: str, referencing: frozenset[str] | None) -> PurposeView | None:
            if name not in known:
                return None
            table, shape, _ = known[name]
            return self._views(table, purpose, day, referencing, shape)

        readable = {table: columns for table, _, columns in tables}
        return compile_query(tree, engine, views, offered, self.source.place, readable)

    def _view(
        self, table: str, purpose: str, day: date, referencing: frozenset[str] | None, shape: _Shape
    ) -> PurposeView:
        return PurposeView.of(self.policy, table, purpose, dict(shape), day=day, referencing=referencing)

    def _noting(self, does: Callable[[], _Done], deed: Callable[[], Deed], begun: float) -> _Done:
        """Do something, and note whatever keeps it from being done, an interrupt too.

        Of an error that nobody foresaw its type is noted alone, and people hear only that there was one.
        """
        try:
            return does()
        except BaseException as error:
            self._logbook.note(deed(), begun, error=error)
            if isinstance(error, SfumatoError) or not isinstance(error, Exception):
                raise
            failed = UnexpectedFailure.of(error)
        raise failed  # out here, so that the error itself does not hang on it

    def _deed(self, text: str, person: Person, purpose: str | None) -> Deed:
        """What somebody wanted to ask, without its values; what cannot be read is told by its length alone."""
        try:
            question = self._read(text)
        except Exception:  # also where reading is what failed
            return Deed(person, f"({len(text)} characters that could not be read)", purpose or "")
        return Deed(person, question.normalized, question.purpose or purpose or "")


def _choices_of_grants(
    granted: Mapping[str, tuple[Grant, ...]], named: Sequence[str]
) -> Iterator[tuple[bool, dict[str, Grant]]]:
    """One permission for every table that a question names, each choice with whether it is for aggregates alone.

    Rows are asked for only where rows of all of them may be seen.
    """
    rows = [[grant for grant in granted[table] if not grant.only_aggregates] for table in named]
    for chosen in islice(product(*rows), _MOST_CHOICES):
        yield False, dict(zip(named, chosen, strict=True))
    for table in named:
        yield from ((True, {table: grant}) for grant in granted[table] if grant.only_aggregates)
