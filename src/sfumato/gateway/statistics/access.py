"""Answers questions of people who may ask for aggregates alone: exact ones that are audited, or ones with noise."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.gateway.answers.answer import Answer
from sfumato.gateway.people.authority import Grant
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.statistics.accounts import Accounts
from sfumato.gateway.statistics.exact_answers import QueryContext, answer_exactly
from sfumato.gateway.statistics.ledger import AttendedStore, EntryStore, Heads
from sfumato.gateway.statistics.noisy_answers import answer_with_noise
from sfumato.gateway.statistics.questions import AggregateQuery

if TYPE_CHECKING:
    from sfumato.gateway.engines.source import Source


class StatisticalAccess:
    """Keeps the accounts of everybody who asks for aggregates, and answers what they allow."""

    def __init__(self, policy: Policy, source: Source, heads: Heads | None = None, *, seconds: float = 10.0) -> None:
        self._policy, self._source, self._heads, self._seconds = policy, source, heads, seconds
        self._accounts: dict[str, tuple[EntryStore, Accounts]] = {}
        self._guard = threading.Lock()

    def answer(self, tree: exp.Expr, table: str, grant: Grant, asker: QueryContext) -> Answer:
        """The answer to one question of aggregates of a table."""
        question = AggregateQuery.read(tree, asker.engine)
        accounts = self._accounts_of(table)
        if grant.permission.epsilon is not None:
            found = answer_with_noise(question, asker, accounts, self._policy, grant.permission)
            return Answer.of_noisy(found, asker.purpose, grant.obligations)
        made = answer_exactly(question, asker, accounts, self._policy, self._source.constraints(table))
        return Answer(made.flat, made.outputs, asker.purpose, made.uncertain, grant.obligations, repeated=made.repeated)

    def close(self) -> None:
        """Let others note heads."""
        if self._heads is not None:
            self._heads.close()

    def _accounts_of(self, table: str) -> Accounts:
        """The accounts of the data that a table lies with; taken anew from the ledger where they may differ from it."""
        given = self._source.entries(table)
        given.seconds = self._seconds
        with self._guard:
            store, accounts = self._accounts.get(given.place, (None, None))
            if store is None or accounts is None or store.doubtful:
                store = AttendedStore(given)
                accounts = Accounts(store, self._policy.sections.auditing, self._heads)
                self._accounts[given.place] = store, accounts
            return accounts
