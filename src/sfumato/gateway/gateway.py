"""The gateway itself: who asks, why, and what; the answer, and an entry in the log for each question."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sfumato.errors import DeniedError, PolicyError, SfumatoError, StatementError
from sfumato.gateway.answers import Answer
from sfumato.gateway.asked import Asked
from sfumato.gateway.authority import Authority, Grant
from sfumato.gateway.choosing import OWNER, Choice, Entered, choices_of
from sfumato.gateway.days import demand_days
from sfumato.gateway.explaining import Explanation, explained
from sfumato.gateway.limits import Limits
from sfumato.gateway.logbook import Deed, Logbook
from sfumato.gateway.noisy_answers import Allowance, Ask, Compile, NoisyAnswers
from sfumato.gateway.notices import Notices
from sfumato.gateway.parameters import demand_known, kinds_of
from sfumato.gateway.people import Person
from sfumato.gateway.policy import Policy
from sfumato.gateway.source import Source
from sfumato.gateway.sql.compiling import Answerable, compile_question
from sfumato.gateway.sql.lifting import lifted
from sfumato.gateway.sql.reading import Question, read_question
from sfumato.gateway.system_attributes import system_attributes
from sfumato.gateway.views import PurposeView

if TYPE_CHECKING:
    from sfumato.gateway.audit_log import AuditLog
    from sfumato.gateway.statistical_access import StatisticalAccess
    from sfumato.transforms.column_types import ColumnType

_Shape = tuple[tuple[str, "ColumnType"], ...]
_Shapes = tuple[tuple[str, _Shape], ...]
_MOST_RECORDS = 20_000_000
"""Of so many records an aggregate can be watched over."""

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
        statistics: StatisticalAccess | None = None,
        noise: NoisyAnswers | None = None,
        limits: Limits | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.policy = policy
        self.source = source
        self._logbook = Logbook(log, notices, policy.digest, clock)
        self._statistics = statistics
        self._noise = noise
        self._limits = limits or Limits()
        self._clock = clock
        self._authority = Authority.of(policy.sections)
        self._views = lru_cache(maxsize=_REMEMBERED)(self._view)
        self._read = lru_cache(maxsize=_REMEMBERED)(lambda text, kinds=None: read_question(text, source.engine, kinds))
        self._compiled = lru_cache(maxsize=_REMEMBERED)(self._compile)

    def query(self, text: str, *, person: Person, purpose: str | None = None, parameters: Sequence[Any] = ()) -> Answer:
        """The answer to a question, for the purpose that it states, or that is stated here, or the only one allowed."""
        begun = time.perf_counter()
        asked: Asked | None = None
        try:
            asked, parameters = self._asked_alike(text, demand_known(parameters), person, purpose)
            self.source.ready(asked.made.views)
            if asked.only_aggregates and (allowance := asked.allowance) is not None:
                return self._noisy(asked, parameters, allowance, begun)
            if asked.only_aggregates:
                self._watch(asked, parameters)
            flat = self.source.ask(asked.purpose, asked.made.sql, parameters, self._limits)
            demand_days(flat)
        except SfumatoError as error:
            deed = self._deed(text, person, purpose) if asked is None else asked.deed
            self._logbook.note(deed, begun, error=error)
            raise
        deed = asked.deed
        self._logbook.note(deed, begun, rows=flat.num_rows)
        self._logbook.notify(deed)
        return Answer(flat, asked.made.outputs, asked.purpose, asked.made.uncertain, tuple(deed.duties))

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
        try:
            grant = None if may is None else may(columns)
            rows = choices_of(choices, self.policy, table)
            deed = replace(deed, of={table: columns}, batch=secrets.token_hex(8))
            if grant is not None:
                deed = replace(deed, purpose=grant.purpose, duties=grant.obligations)
            self._logbook.note_choices(deed, begun, table, choices)
            self.source.choose(table, rows, Entered(deed.person.name, deed.login))
        except SfumatoError as error:
            self._logbook.note(deed, begun, error=error)
            raise
        self._logbook.notify(deed)
        return len(choices)

    def compiled(self, text: str, *, person: Person, purpose: str | None = None) -> Answerable:
        """What a question becomes, without asking it."""
        return self._asked(text, person, purpose).made

    def explain(self, text: str, *, person: Person, purpose: str | None = None) -> Explanation:
        """What would be seen of every column that a question reads, in which rows, and who decided so."""
        begun = time.perf_counter()
        try:
            asked = self._asked(text, person, purpose)
        except SfumatoError as error:
            self._logbook.note(replace(self._deed(text, person, purpose), operation="explain"), begun, error=error)
            raise
        self._logbook.note(replace(asked.deed, operation="explain", duties=()), begun)
        roles = sorted({role for grant in asked.grants.values() for role in grant.roles})
        return explained(asked.made, person=person.name, roles=tuple(roles), purpose=asked.purpose)

    def view(self, table: str, purpose: str) -> PurposeView:
        """What may be seen of a table for a purpose today."""
        known, day = self.policy.tree.known(purpose), self._clock().date()
        return self._views(table, known, day, frozenset(), self._shape(table))

    @property
    def logbook(self) -> Logbook:
        """Where everything is written down, also what is refused before it gets here."""
        return self._logbook

    def close(self) -> None:
        """Let go of everything."""
        self.source.close()
        self._logbook.close()
        for opened in (self._statistics, self._noise):
            if opened is not None:
                opened.close()

    def _asked_alike(
        self, text: str, parameters: Sequence[Any], person: Person, stated: str | None
    ) -> tuple[Asked, Sequence[Any]]:
        """The question without its numbers, and these as parameters: questions that differ in them are compiled once.

        Where that is not understood, or every word counts, the question is taken as it was written.
        """
        alike, values = lifted(text, parameters, self.source.engine)
        if alike != text:
            with suppress(StatementError):
                asked = self._asked(alike, person, stated, kinds_of(values))
                if not asked.only_aggregates:
                    return asked, values
        return self._asked(text, person, stated, kinds_of(parameters)), parameters

    def _asked(self, text: str, person: Person, stated: str | None, kinds: tuple[str, ...] | None = None) -> Asked:
        question, now = self._read(text, kinds), self._clock()
        if stated is not None and question.purpose is not None and stated != question.purpose:
            raise StatementError("the question states one purpose, and the call another.")
        system, day = system_attributes(now), now.date()
        purpose = self._purpose(question, question.purpose or stated, person, system, day)
        granted = self._granted(person, purpose, system, day)
        made = self._compiled(text, kinds, purpose, day, tuple((table, self._shape(table)) for table in granted))
        grants = {view.table: granted[view.table] for view in made.views}
        for table, columns in made.read.items():
            allowed = grants[table].columns
            if allowed is not None and not set(columns) <= allowed:
                raise DeniedError(f"the permission on {table!r} is for some columns, and the question reads others.")
        return Asked(person, question, purpose, made, grants)

    def _purpose(
        self, question: Question, stated: str | None, person: Person, system: Mapping[str, object], day: date
    ) -> str:
        if stated is not None:
            if stated not in self.policy.tree:
                raise DeniedError(f"nobody may ask for {stated!r}, which is no purpose.")
            return stated
        named = {name.lower() for name in question.names}
        tables = [table for table in self.policy.sections.tables if table.lower() in named]
        return self._authority.derived(person, tables, system, day=day)

    def _granted(self, person: Person, purpose: str, system: Mapping[str, object], day: date) -> dict[str, Grant]:
        """The tables that somebody may ask for a purpose, and what lets them."""
        found = {}
        for table in self.policy.sections.tables:
            with suppress(DeniedError):
                found[table] = self._authority.grant(person, table, purpose, system, day=day)
        if not found:
            any_table = next(iter(self.policy.sections.tables))
            self._authority.grant(person, any_table, purpose, system, day=day)
        return found

    def _may_choose(self, person: Person, table: str, columns: Sequence[str], stated: str | None) -> Grant:
        now = self._clock()
        system, day, doing = system_attributes(now), now.date(), "choose"
        purpose = stated or self._authority.derived(person, [table], system, day, operation=doing)
        grant = self._authority.grant(person, table, purpose, system, day=day, operation=doing)
        if grant.columns is not None and not set(columns) <= grant.columns:
            raise DeniedError(f"the permission to choose in {table!r} is for some columns, and these are others.")
        return grant

    def _watch(self, asked: Asked, parameters: Sequence[Any]) -> None:
        """Let aggregates pass that tell nobody's value, given those before."""
        if self._statistics is None:
            raise DeniedError("aggregates alone may be asked for here, and nobody watches over them.")
        compile_tree, ask = self._beside(asked, parameters)
        who, tree = asked.person.name, asked.question.tree
        self._statistics.admit(tree, who, asked.purpose, compile_tree, ask, self.source.engine)

    def _noisy(self, asked: Asked, parameters: Sequence[Any], allowance: Allowance, begun: float) -> Answer:
        """Answer aggregates with noise."""
        if self._noise is None:
            raise DeniedError("noisy aggregates alone may be asked for here, and nobody keeps the account.")
        compile_tree, ask = self._beside(asked, parameters)
        asker, tree = (asked.person.name, asked.purpose), asked.question.tree
        found = self._noise.answer(tree, asker, allowance, self.policy, compile_tree, ask, self.source.engine)
        deed = asked.deed
        self._logbook.note(deed, begun, rows=1)
        self._logbook.notify(deed)
        return Answer.of_noisy(found, asked.purpose, tuple(deed.duties))

    def _beside(self, asked: Asked, parameters: Sequence[Any]) -> tuple[Compile, Ask]:
        """How to compile and ask what a question of aggregates needs to be judged."""
        limits = Limits(self._limits.seconds, _MOST_RECORDS, self._limits.memory)
        tables = tuple((view.table, self._shape(view.table)) for view in asked.made.views)
        return (
            lambda tree: self._compile_tree(tree, asked.purpose, self._clock().date(), tables),
            lambda sql: self.source.ask(asked.purpose, sql, parameters if "$1" in sql else (), limits),
        )

    def _shape(self, table: str) -> _Shape:
        """The columns of a table; what was compiled for others is compiled anew."""
        types = self.source.types(table)
        if not types:
            raise PolicyError(f"the policy names table {table!r}, which the database does not have.")
        return tuple(types.items())

    def _compile(
        self, text: str, kinds: tuple[str, ...] | None, purpose: str, day: date, tables: _Shapes
    ) -> Answerable:
        return self._compile_tree(self._read(text, kinds).tree, purpose, day, tables)

    def _compile_tree(self, tree: exp.Expr, purpose: str, day: date, tables: _Shapes) -> Answerable:
        engine, shapes = self.source.engine, dict(tables)
        names = {name if engine == "postgres" else name.lower(): name for name in shapes}

        def views(name: str, referencing: frozenset[str] | None) -> PurposeView | None:
            table = names.get(name)
            return None if table is None else self._views(table, purpose, day, referencing, shapes[table])

        return compile_question(tree, engine, views, tuple(names), self.source.place)

    def _view(
        self, table: str, purpose: str, day: date, referencing: frozenset[str] | None, shape: _Shape
    ) -> PurposeView:
        return PurposeView.of(self.policy, table, purpose, dict(shape), day=day, referencing=referencing)

    def _deed(self, text: str, person: Person, purpose: str | None) -> Deed:
        """What somebody wanted to ask, without its values; what cannot be read is told by its length alone."""
        try:
            question = self._read(text)
        except SfumatoError:
            return Deed(person, f"({len(text)} characters that could not be read)", purpose or "")
        return Deed(person, question.normalized, question.purpose or purpose or "")
