"""Answers queries of callers whose permission is for aggregates only: exact and audited, or with noise.

The gateway has one `StatisticalAccess`; it keeps the accounts of every table and picks the kind of answer.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.gateway.answers.answer import Answer
from sfumato.gateway.engines.entry_store import EntryStore
from sfumato.gateway.people.authority import Grant
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.outputs import Output
from sfumato.gateway.sql.values import Doubt, Scalar
from sfumato.gateway.statistics.accounts import Accounts
from sfumato.gateway.statistics.aggregate_queries import AggregateQuery
from sfumato.gateway.statistics.exact_answers import answer_exactly
from sfumato.gateway.statistics.ledger import Heads, LedgerStore
from sfumato.gateway.statistics.noisy_answers import NoisyNumber, answer_with_noise
from sfumato.gateway.statistics.query_context import QueryContext

if TYPE_CHECKING:
    from sfumato.gateway.engines.source import Source
    from sfumato.gateway.policy.sections import ObligationSection


class StatisticalAccess:
    """Keeps the accounts of everyone who asks for aggregates, and answers what they allow."""

    def __init__(self, policy: Policy, source: Source, heads: Heads | None = None, *, seconds: float = 10.0) -> None:
        self._policy, self._source, self._heads, self._seconds = policy, source, heads, seconds
        self._accounts: dict[str, tuple[EntryStore, Accounts]] = {}
        self._lock = threading.Lock()

    def answer(self, tree: exp.Expr, table: str, grant: Grant, context: QueryContext) -> Answer:
        """The answer to one query for aggregates of a table: with noise if the permission has an epsilon."""
        query = AggregateQuery.read(tree, context.engine)
        accounts = self._accounts_of(table)
        if grant.permission.epsilon is not None:
            noisy = answer_with_noise(query, context, accounts, self._policy, grant.permission)
            return _noisy_answer(noisy, context.purpose, grant.obligations)
        exact = answer_exactly(query, context, accounts, self._policy, self._source.constraints(table))
        return Answer(
            exact.flat, exact.outputs, context.purpose, exact.uncertain, grant.obligations, repeated=exact.repeated
        )

    def close(self) -> None:
        """Close the file of heads, so that another gateway can write it."""
        if self._heads is not None:
            self._heads.close()

    def _accounts_of(self, table: str) -> Accounts:
        """The accounts of a table's ledger.

        They are read again from the ledger if they may differ from it.
        """
        entries = self._source.entries(table)
        entries.seconds = self._seconds
        with self._lock:
            store, accounts = self._accounts.get(entries.location, (None, None))
            # After a failed write, memory may hold charges that the ledger lacks, or
            # the other way round. A new object applies what the ledger really has.
            if store is None or accounts is None or store.may_differ:
                store = LedgerStore(entries)
                accounts = Accounts(store, self._policy.sections.auditing, self._heads)
                self._accounts[entries.location] = store, accounts
            return accounts


def _noisy_answer(numbers: Sequence[NoisyNumber], purpose: str, obligations: tuple[ObligationSection, ...]) -> Answer:
    """One row of numbers with noise, and their margins."""
    import pyarrow as pa

    return Answer(
        pa.table([pa.array([number.value]) for number in numbers], names=[number.name for number in numbers]),
        tuple(Output(number.name, Scalar(exp.null(), "float", doubt=Doubt.NONE), (number.name,)) for number in numbers),
        purpose,
        obligations=obligations,
        margins={number.name: number.margin for number in numbers if number.margin is not None},
    )
