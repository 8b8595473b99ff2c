"""Aggregates with noise that hides every single record, until an allowance is spent."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sfumato.budget import Budget
from sfumato.errors import DataError, PolicyError, StatementError, UsageError
from sfumato.gateway.durable_lines import DurableLines
from sfumato.gateway.sql.measures import Measure, measures_of, records_asked
from sfumato.gateway.sql.values import Plain

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.gateway.policy import Policy
    from sfumato.gateway.sql.compiling import Answerable

Compile = Callable[[exp.Expr], "Answerable"]
Ask = Callable[[str], "pa.Table"]

_LIKELY = 0.95
_KINDS = ("integer", "decimal")


@dataclass(frozen=True)
class Allowance:
    """How much of epsilon somebody may spend in all, and what one question costs."""

    total: float
    a_question: float


@dataclass(frozen=True)
class Noisy:
    """A noisy number, and how far it lies from the true one with a probability of 95 %."""

    name: str
    value: float
    margin: float


class NoisyAnswers:
    """Answers counts, sums and means with epsilon-differential privacy, and keeps the account.

    Two tables that differ in one record give any answer with probabilities that differ by a factor of e^epsilon at
    most. What one person was answered for one purpose of one table adds up; when the allowance is spent, there is no
    more. A sum needs the bounds of its column in the policy: values beyond are taken for the bound. All noise is drawn
    by OpenDP, and cannot be repeated. The account is on disk before an answer leaves.
    """

    def __init__(self, path: str | Path) -> None:
        self._lines = DurableLines(Path(path))
        self._guard = threading.Lock()
        self._spent: dict[tuple[str, str, str], list[float]] = {}
        try:
            self._restore(Path(path))
        except BaseException:
            self._lines.close()
            raise

    def answer(
        self,
        tree: exp.Expr,
        asker: tuple[str, str],
        allowance: Allowance,
        policy: Policy,
        compile_tree: Compile,
        ask: Ask,
        engine: str,
    ) -> list[Noisy]:
        """The answer to a question of aggregates alone; BudgetError when it would cost more than is left."""
        if not isinstance(tree, exp.Select) or any(
            tree.args.get(name) for name in ("group", "having", "order", "limit")
        ):
            raise StatementError("noisy answers are of all records that a condition chooses: no groups, no order.")
        measures = measures_of(tree)
        if len(measures) != len(tree.expressions):
            raise StatementError("with noise, a question asks for aggregates as they are: count, sum and avg.")
        made = compile_tree(records_asked(tree, measures, _key(policy, made_of(tree))))
        table = made.views[0].table
        plans = [_planned(measure, place, made, policy) for place, measure in enumerate(measures)]
        exact = ask(_sql(plans, made, engine)).to_pylist()[0]
        share = allowance.a_question / sum(len(plan.parts) for plan in plans)
        self._spend((*asker, table), allowance)
        names = [item.alias_or_name or f"column{place + 1}" for place, item in enumerate(tree.expressions)]
        return [plan.noisy(name, exact, share) for name, plan in zip(names, plans, strict=True)]

    def close(self) -> None:
        """Let others write."""
        self._lines.close()

    def _spend(self, key: tuple[str, str, str], allowance: Allowance) -> None:
        """Take what a question costs from what is left, on disk."""
        with self._guard:
            spent = self._spent.setdefault(key, [])
            budget = Budget(allowance.total, "epsilon", [("before", one) for one in spent])
            budget.spend(allowance.a_question, on="this question")
            spent.append(allowance.a_question)
        told = {"who": key[0], "purpose": key[1], "table": key[2], "epsilon": allowance.a_question}
        self._lines.append(lambda: json.dumps(told, sort_keys=True, separators=(",", ":")).encode())

    def _restore(self, path: Path) -> None:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.endswith(b"\n"):
                    raise DataError(f"the last line of {path.name!r} was torn; remove it, and count it as spent.")
                try:
                    told = json.loads(line)
                    key = told["who"], told["purpose"], told["table"]
                    self._spent.setdefault(key, []).append(float(told["epsilon"]))
                except (ValueError, KeyError, TypeError):
                    raise DataError(f"line {number} of {path.name!r} is no entry of an account.") from None


@dataclass(frozen=True)
class _Part:
    """One number that noise is added to: its SQL on the flat column, and how much one record can change it."""

    name: str
    sql: str
    sensitivity: int


@dataclass(frozen=True)
class _Plan:
    """The parts of one aggregate; a mean is a sum and a count."""

    function: str
    parts: tuple[_Part, ...]
    bounds: tuple[float, float]
    unit: int

    def noisy(self, name: str, exact: dict[str, Any], epsilon: float) -> Noisy:
        """The aggregate with noise."""
        drawn = [_laplace(int(exact[part.name] or 0), part.sensitivity, epsilon) for part in self.parts]
        scale = self.parts[0].sensitivity / epsilon * math.log(1 / (1 - _LIKELY))
        if self.function == "count":
            return Noisy(name, max(drawn[0], 0), scale)
        if self.function == "sum":
            return Noisy(name, drawn[0] / self.unit, scale / self.unit)
        many = max(drawn[1], 1)
        low, high = self.bounds
        return Noisy(name, min(max(drawn[0] / self.unit / many, low), high), scale / self.unit / many)


def made_of(tree: exp.Select) -> str:
    """The table that a question is of, as it is written."""
    name: str = tree.args["from_"].this.name
    return name


def _key(policy: Policy, written: str) -> str:
    found = [name for name in policy.sections.tables if name.lower() == written.lower()]
    if not found:
        raise StatementError(f"there is no table {written!r}.")
    return policy.table(found[0]).key


def _planned(measure: Measure, place: int, made: Answerable, policy: Policy) -> _Plan:
    if measure.column is None:
        return _Plan("count", (_Part(f"c{place}", "count(*)", 1),), (0, 0), 1)
    output = next(one for one in made.outputs if one.name == f"v{place}")
    if not isinstance(output.value, Plain):
        raise StatementError("with noise, aggregates are of columns that are not shown in a weaker form.")
    column = f'"v{place}"'
    count = _Part(f"c{place}", f"count({column})", 1)
    if measure.function == "count":
        return _Plan("count", (count,), (0, 0), 1)
    view = made.views[0]
    name = next(one.name for one in view.columns if one.name.lower() == measure.name)
    bounds, kind = policy.column(view.table, name).bounds, view.by_name[name].type
    if bounds is None or kind.kind not in _KINDS or (kind.kind == "decimal" and kind.scale is None):
        raise StatementError(
            f"with noise, sums are of whole numbers and decimals whose bounds the policy says; {name!r} has none."
        )
    unit = 10 ** (kind.scale or 0)
    low, high = (round(bound * unit) for bound in bounds)
    clamped = f"CAST(LEAST(GREATEST({column} * {unit}, {low}), {high}) AS BIGINT)"
    total = _Part(f"s{place}", f"CAST(sum({clamped}) AS BIGINT)", max(abs(low), abs(high), 1))
    parts = (total,) if measure.function == "sum" else (total, count)
    return _Plan(measure.function, parts, (bounds[0], bounds[1]), unit)


def _sql(plans: Sequence[_Plan], made: Answerable, engine: str) -> str:
    chosen = ", ".join(f"{part.sql} AS {part.name}" for plan in plans for part in plan.parts)
    return f'SELECT {chosen} FROM ({made.sql}) AS "rows"'


def _laplace(value: int, sensitivity: int, epsilon: float) -> int:
    """The value with noise from OpenDP, which proves what it costs."""
    try:
        from opendp.core import enable_features  # type: ignore[import-not-found,unused-ignore]
        from opendp.domains import atom_domain
        from opendp.measurements import make_laplace
        from opendp.metrics import absolute_distance
    except ImportError:
        raise UsageError("noisy answers need OpenDP; install sfumato[private].") from None
    enable_features("contrib")
    noise = make_laplace(atom_domain(T=int), absolute_distance(T=int), sensitivity / epsilon)
    if noise.map(sensitivity) > epsilon * (1 + 1e-9):  # type: ignore[no-untyped-call,unused-ignore]
        raise PolicyError("the noise would cost more than was meant.")
    drawn: int = noise(value)
    return drawn


def allowance_of(permissions: Sequence[Any]) -> Allowance | None:
    """What permissions let spend; None where one of them asks for no noise."""
    if any(one.epsilon is None for one in permissions):
        return None
    return Allowance(max(one.epsilon for one in permissions), min(one.price for one in permissions))
