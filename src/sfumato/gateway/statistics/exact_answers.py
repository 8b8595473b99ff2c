"""Exact aggregates for a caller who may see no rows, each audited together with those answered before.

The steps: find the selected rows by hashes (`selected_rows`), have the accounts admit the aggregates (`accounts`),
measure them and check that the measured rows are the audited ones (`measured_numbers`), give earlier answers again
where they exist, and evaluate what the query makes of the numbers (`outer_evaluation`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from sfumato.errors import StatementError
from sfumato.gateway.answers.row_order import normalize_numbers
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.outputs import Output, unscaled_decimals
from sfumato.gateway.statistics.accounts import Accounts
from sfumato.gateway.statistics.aggregate_queries import AggregateQuery
from sfumato.gateway.statistics.exact_checks import demand_measures
from sfumato.gateway.statistics.measured_numbers import checked_numbers, measuring_sql
from sfumato.gateway.statistics.outer_evaluation import evaluate_outer
from sfumato.gateway.statistics.query_context import QueryContext
from sfumato.gateway.statistics.selected_rows import select_rows

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ExactAnswer:
    """The rows and columns of an answer; `repeated` if some numbers are those of an earlier answer."""

    flat: pa.Table = field(repr=False)
    outputs: tuple[Output, ...]
    uncertain: bool
    repeated: bool


def answer_exactly(
    query: AggregateQuery, context: QueryContext, accounts: Accounts, policy: Policy, constraints: Constraints
) -> ExactAnswer:
    """Answer a query for aggregates, or refuse it with the one message for answers that could reveal too few people.

    The decision depends on the text of the query, on columns that are open to selection, and on earlier queries and
    answers. The query is charged before anything is measured.
    """
    if any(measure.function == "quantile" for measure in query.measures):
        raise StatementError("medians and quantiles are answered with noise only, which this permission does not have.")
    # All refusals up to `admit` depend on the text of the query, the policy and the open columns. None of them
    # depends on a measured value, so a refusal reveals nothing about one.
    measured = context.compile(query.measuring_query())
    view = measured.views[0]
    columns = [None if measure.column is None else view.find(measure.column.name) for measure in query.measures]
    demand_measures(query, columns, policy, view.table, constraints)
    rows = select_rows(query, columns, context, policy, measured, constraints)
    admitted = accounts.admit(context.accounts, context.ledger_name, rows.key_description, rows.unseen, rows.aggregates)
    # The query is charged now, whether measuring succeeds or not.
    # Otherwise failures could be used to test values for free.
    flat = normalize_numbers(context.ask(measuring_sql(measured, rows, columns, context.engine)))
    # The rows were selected and the numbers measured in two statements. If the table changed in between, the numbers
    # would be about a set of records that was never audited.
    numbers = checked_numbers(flat, measured, rows, admitted, context.day)
    # The same question about the same records gets its earlier answer. Otherwise two answers over time would reveal
    # how the value of whoever changed in between has changed.
    since = context.day - timedelta(days=policy.sections.auditing.keeps_answers - 1)
    settled, repeated = accounts.settle_answers(context.accounts, context.ledger_name, numbers.answers(), since)
    settled_numbers = normalize_numbers(
        numbers.with_answers(settled), unscaled=unscaled_decimals(measured.outputs, context.engine)
    )
    flat, outputs = evaluate_outer(query, measured, settled_numbers)
    return ExactAnswer(flat, outputs, measured.uncertain, repeated)
