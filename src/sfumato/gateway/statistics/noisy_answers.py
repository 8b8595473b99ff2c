"""Aggregates with differentially private noise, until the epsilon of the account is spent; `access` calls it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.policy.sections import PermissionSection
from sfumato.gateway.sql.compiling import CompiledQuery
from sfumato.gateway.sql.values import Scalar
from sfumato.gateway.statistics import noise
from sfumato.gateway.statistics.accounts import Accounts
from sfumato.gateway.statistics.aggregate_queries import AggregateQuery, Measure
from sfumato.gateway.statistics.query_context import QueryContext
from sfumato.gateway.statistics.total_conditions import demand_total
from sfumato.gateway.views.views import PurposeView, ViewColumn

if TYPE_CHECKING:
    from sfumato.gateway.transforms.column_types import ColumnType

_EXACT = 2**53
"""Integers below it are exact as floating-point numbers."""

_JOINT_CONFIDENCE = 1 - (1 - noise.CONFIDENCE) / 2
"""If each of two margins holds with this probability, both hold with the probability of a single margin."""

_CANDIDATES = 1000
"""About how many values between the bounds a quantile can be."""


@dataclass(frozen=True)
class NoisyNumber:
    """A noisy number, and its distance from the true one with probability 95 %; None if that is unknown."""

    name: str
    value: float
    margin: float | None


def answer_with_noise(
    query: AggregateQuery, context: QueryContext, accounts: Accounts, policy: Policy, permission: PermissionSection
) -> list[NoisyNumber]:
    """Counts, sums, means and quantiles with epsilon-differential privacy; BudgetError if the account is spent.

    Two tables that differ in all rows of one person give any answer with probabilities that differ at most by a factor
    of e^epsilon. At most `rows_a_person` rows of each person count. A sum or quantile needs the bounds of its column
    from the policy; values beyond are clamped. What one account is answered about a table adds up, whatever the
    purpose. It is charged before the database runs anything.
    """
    names = _demand_plain(query)
    rows = _Rows.of(query, context, policy)
    plans = [_plan(measure, place, rows) for place, measure in enumerate(query.measures)]
    # All refusals come before this line and depend on the query and the policy only; from here on the price is spent.
    total, price = permission.epsilon or 0.0, permission.price
    accounts.spend(context.accounts, context.ledger_name, price, total)
    # Sequential composition: each drawn number costs an equal part, and together they cost the price.
    share = price / sum(plan.draws for plan in plans)
    return [plan.draw(name, context, rows, share) for name, plan in zip(names, plans, strict=True)]


def _demand_plain(query: AggregateQuery) -> list[str]:
    """The names of the answer's columns; refuses anything but aggregates, and groups."""
    outer = query.outer
    if query.groups or any(outer.args.get(name) for name in ("where", "order", "limit", "offset")):
        raise StatementError(
            "noisy answers are about all records that a condition selects: no groups, no order, no HAVING."
        )
    bare = all(isinstance(item.this, exp.Column) for item in outer.expressions)
    if not bare or len(outer.expressions) != len(query.measures):
        raise StatementError("with noise, a question selects plain aggregates only: count, sum, avg and quantiles.")
    return [item.alias for item in outer.expressions]


@dataclass(frozen=True)
class _Rows:
    """The rows that a query selects, as SQL: the key `k`, and a column `v0`, `v1`, ... for every measure."""

    sql: str
    made: CompiledQuery
    view: PurposeView
    policy: Policy
    engine: str

    @classmethod
    def of(cls, query: AggregateQuery, context: QueryContext, policy: Policy) -> _Rows:
        """Compile the rows of a query, after checking that its condition cannot fail on a row."""
        chosen = context.compile(query.selection_query())
        view = chosen.views[0]
        _demand_selectable(chosen, policy)
        if query.where is not None:
            demand_total(query.where, view, context.parameters)
        key = view.shown_key
        if key is None:
            raise StatementError(
                f"aggregates of {view.table!r} are not answered with noise: its key is not shown for this purpose."
            )
        wanted = [("k", exp.column(key.name, quoted=True))]
        wanted += [(f"v{at}", one.column) for at, one in enumerate(query.measures) if one.column is not None]
        made = context.compile_all(query.selection_query(wanted))
        return cls(made.sql, made, view, policy, context.engine)

    @property
    def max_rows(self) -> int:
        """How many rows of one person count."""
        return self.policy.table(self.view.table).rows_a_person

    def column(self, place: int, column: exp.Column) -> ViewColumn:
        """The measured column; refused if it is shown in a weaker form."""
        output = next(one for one in self.made.outputs if one.name == f"v{place}")
        if not isinstance(output.value, Scalar):
            raise StatementError("with noise, aggregates take columns that are not shown in a weaker form.")
        return self.view.find(column.name)


def _demand_selectable(chosen: CompiledQuery, policy: Policy) -> None:
    """Refuse conditions on columns that are not open to selection."""
    for table, names in chosen.columns_read.items():
        for name in names:
            if policy.column(table, name).selects is False:
                raise StatementError(
                    f"conditions are over columns that are open to selection; {name!r} is not. The policy can set "
                    'selects = "with_noise" for a column.'
                )


@dataclass(frozen=True)
class _Count:
    """A count of rows, or of rows with a value; at most `max_rows` of each person."""

    column: str | None
    draws: int = 1

    def draw(self, name: str, context: QueryContext, rows: _Rows, epsilon: float) -> NoisyNumber:
        counted = "count(*)" if self.column is None else f'count("{self.column}")'
        # Rows are counted per person and capped, so that one person changes the count by at most `max_rows`.
        people = f'SELECT LEAST({counted}, {rows.max_rows}) AS c FROM ({rows.sql}) AS "rows" GROUP BY k'
        total = context.ask(f"SELECT COALESCE(sum(c), 0) AS c FROM ({people}) AS people")
        # Noise is drawn on integers. Noise on floating-point numbers would leak through their gaps and rounding.
        number = noise.laplace(int(total.column(0)[0].as_py()), rows.max_rows, epsilon)
        return NoisyNumber(name, max(number, 0), noise.laplace_margin(rows.max_rows, epsilon))


@dataclass(frozen=True)
class _Grid:
    """A column of integers or decimals between bounds, counted in units of its last digit."""

    column: str
    unit: int
    low: int
    high: int
    bounds: tuple[float, float]

    @classmethod
    def of(cls, place: int, measured: exp.Column, rows: _Rows) -> _Grid:
        """The grid of a measured column, from the bounds in the policy."""
        column = rows.column(place, measured)
        name, kind = column.name, column.type
        bounds = rows.policy.column(rows.view.table, name).bounds
        if bounds is None or not _is_exact(kind):
            raise StatementError(
                f"with noise, sums and quantiles take whole numbers and decimals whose bounds the policy declares; "
                f"{name!r} has none."
            )
        unit = 10 ** (kind.scale or 0)
        low, high = (round(bound * unit) for bound in bounds)
        # The contribution of a person passes through floating point in SQL (see `_Sum`), where it must stay exact.
        if max(abs(low), abs(high)) * rows.max_rows >= _EXACT:
            raise StatementError(f"the bounds of {name!r} are too far apart for noise to be exact; narrow them.")
        return cls(f"v{place}", unit, low, high, (bounds[0], bounds[1]))

    @property
    def sql(self) -> str:
        """A value in units, within the bounds; clamped first, so that no intermediate result overflows.

        A missing value stays missing: GREATEST and LEAST alone would turn it into a bound.
        """
        bounded = f'LEAST(GREATEST("{self.column}", {_number(self.low, self.unit)}), {_number(self.high, self.unit)})'
        units = bounded if self.unit == 1 else f"ROUND(CAST({bounded} AS DOUBLE PRECISION) * {self.unit})"
        return f'CASE WHEN "{self.column}" IS NOT NULL THEN CAST({units} AS BIGINT) END'


@dataclass(frozen=True)
class _Sum:
    """A sum, or a mean as a sum and a count.

    Of a person with more than `max_rows` rows, `max_rows` times the mean of these rows counts.
    """

    grid: _Grid
    mean: bool

    @property
    def draws(self) -> int:
        """How many numbers get noise."""
        return 2 if self.mean else 1

    def draw(self, name: str, context: QueryContext, rows: _Rows, epsilon: float) -> NoisyNumber:
        grid, max_rows = self.grid, rows.max_rows
        people = f'SELECT sum({grid.sql}) AS s, count("{grid.column}") AS c FROM ({rows.sql}) AS "rows" GROUP BY k'
        share = f"CAST(s AS DOUBLE PRECISION) * {max_rows} / NULLIF(c, 0)"
        # Scaling the sum down instead of picking rows needs no order
        # of the rows, and still bounds the contribution of a person.
        bounded = f"CASE WHEN c <= {max_rows} THEN s ELSE CAST(ROUND({share}) AS BIGINT) END"
        sums = f"COALESCE(sum({bounded}), 0) AS s, COALESCE(sum(LEAST(c, {max_rows})), 0) AS c"
        summed = context.ask(f"SELECT {sums} FROM ({people}) AS people")
        total, count = (int(column[0].as_py()) for column in summed.columns)
        sensitivity = max(abs(grid.low), abs(grid.high), 1) * max_rows
        number = noise.laplace(total, sensitivity, epsilon) / grid.unit
        margin = noise.laplace_margin(sensitivity, epsilon) / grid.unit
        if not self.mean:
            return NoisyNumber(name, number, margin)
        # Everything below works on noisy numbers and public bounds only, so it costs no further epsilon.
        noisy_count = max(noise.laplace(count, max_rows, epsilon), 1)
        low, high = grid.bounds
        return NoisyNumber(
            name,
            min(max(number / noisy_count, low), high),
            min(high - low, self._mean_margin(rows, epsilon) / noisy_count),
        )

    def _mean_margin(self, rows: _Rows, epsilon: float) -> float:
        """The combined margin of the sum and of the mean times the noise of the count, each with 97.5 %."""
        grid, max_rows = self.grid, rows.max_rows
        farthest = max(abs(grid.low), abs(grid.high), 1)
        of_sum = noise.laplace_margin(farthest * max_rows, epsilon, _JOINT_CONFIDENCE) / grid.unit
        return of_sum + farthest / grid.unit * noise.laplace_margin(max_rows, epsilon, _JOINT_CONFIDENCE)


@dataclass(frozen=True)
class _Quantile:
    """A median or another quantile; of each person, the `max_rows` smallest values count."""

    grid: _Grid
    share: float
    draws: int = 1

    def draw(self, name: str, context: QueryContext, rows: _Rows, epsilon: float) -> NoisyNumber:
        grid = self.grid
        # The smallest values are a deterministic choice that depends on the person's own rows only. So one person
        # still changes at most `max_rows` values of the list.
        numbered = f"row_number() OVER (PARTITION BY k ORDER BY {grid.sql}) AS r"
        values = f'SELECT {grid.sql} AS v, {numbered} FROM ({rows.sql}) AS "rows" WHERE "{grid.column}" IS NOT NULL'
        column = context.ask(f"SELECT v FROM ({values}) AS people WHERE r <= {rows.max_rows}").column(0)
        # Candidates come from the public bounds, never from the data: the data's own values would reveal themselves.
        step = max(1, (grid.high - grid.low) // _CANDIDATES)
        candidates = sorted({*range(grid.low, grid.high + 1, step), grid.high})
        number = noise.quantile(column.to_pylist(), candidates, self.share, rows.max_rows, epsilon)
        return NoisyNumber(name, number / grid.unit if grid.unit > 1 else number, None)


def _plan(measure: Measure, place: int, rows: _Rows) -> _Count | _Sum | _Quantile:
    """How a measure is computed and drawn."""
    if measure.column is None:
        return _Count(None)
    if measure.function == "count":
        rows.column(place, measure.column)
        return _Count(f"v{place}")
    if measure.function in ("min", "max"):
        raise StatementError("with noise, ask for a quantile near the end instead: quantile(column, 0.99).")
    grid = _Grid.of(place, measure.column, rows)
    if measure.share is not None:
        return _Quantile(grid, measure.share)
    return _Sum(grid, measure.function == "avg")


def _is_exact(kind: ColumnType) -> bool:
    """Whether values are integers in units of a last digit, and clamped ones fit into a word."""
    if kind.kind == "integer":
        return kind.bounds is not None and kind.bounds[1] < 2**64
    return kind.kind == "decimal" and kind.scale is not None


def _number(units: int, unit: int) -> str:
    """A bound as an SQL literal."""
    if unit == 1:
        return f"({units})"
    digits = len(str(unit)) - 1
    sign, whole = "-" if units < 0 else "", str(abs(units)).rjust(digits + 1, "0")
    return f"({sign}{whole[:-digits]}.{whole[-digits:]})"
