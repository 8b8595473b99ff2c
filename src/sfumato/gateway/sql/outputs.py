"""Output columns of a query: their names, their values, and the flat columns that hold them.

A scalar is held in one flat column, a range in two (`name.lo`, `name.hi`), a weaker text in two (`name`, `name.exact`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.expression_size import count_built
from sfumato.gateway.sql.expressions import aligned_parts, value_from_parts
from sfumato.gateway.sql.names import folded_name
from sfumato.gateway.sql.supported_nodes import demand_only
from sfumato.gateway.sql.values import Doubt, Range, Scalar, Value, WeakerText

if TYPE_CHECKING:
    from sfumato.gateway.sql.queries import CompiledTree

Sql = exp.Expr


@dataclass(frozen=True)
class Output:
    """An output column of a query: its name, its value, and the names of the flat columns that hold it."""

    name: str
    value: Value
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        count_built(*self.value.shared_parts)  # its SELECT list holds a copy


@dataclass(frozen=True)
class NamedQuery:
    """A query that WITH names: its output columns, and the doubt about its rows."""

    outputs: tuple[Output, ...]
    doubt: Doubt = Doubt.NONE


def outputs_of(found: Sequence[tuple[str, Value]]) -> tuple[Output, ...]:
    """Output columns from pairs of name and value."""
    return tuple(Output(name, one, flat_names(name, one)) for name, one in found)


def flat_names(name: str, one: Value) -> tuple[str, ...]:
    """The names of the flat columns that hold a value."""
    if isinstance(one, Range):
        return f"{name}.lo", f"{name}.hi"
    return (name, f"{name}.exact") if isinstance(one, WeakerText) else (name,)


def unscaled_decimals(outputs: Sequence[Output], engine: str) -> list[int]:
    """The positions of flat columns with decimals of varying scale; their trailing zeros are not shown.

    Only PostgreSQL has such decimals. How many zeros it writes depends on the stored values.
    """
    values = [output.value for output in outputs for _ in output.names] if engine == "postgres" else []
    return [
        place
        for place, one in enumerate(values)
        if (one.unscaled_decimals if isinstance(one, Range) else one.kind == "number")
    ]


def flat_value(alias: str, output: Output) -> Value:
    """The output column of a nested query, as the query around it sees it.

    A column that holds nothing but NULL is read as NULL: as a column of a query, PostgreSQL would take it for a text.
    """
    if output.value.kind == "null":
        return Scalar(exp.null(), "null", doubt=output.value.doubt)
    columns = [exp.column(name, table=alias, quoted=True) for name in output.names]
    return output.value.held_in(*columns)


def select_list(outputs: Sequence[Output]) -> list[Sql]:
    """The SELECT list that computes the flat columns."""
    return [
        exp.alias_(part, name, quoted=True, copy=False)
        for output in outputs
        for part, name in zip(output.value.parts, output.names, strict=True)
    ]


def output_name(item: Sql, place: int, engine: str) -> str:
    """The name of an output column: its alias, the name of its column, or its position."""
    if isinstance(item, exp.Alias):
        demand_only(item, ("this", "alias"))
        return folded_name(item.args["alias"], engine)
    if isinstance(item, exp.Column):
        return folded_name(item.this, engine)
    return f"column{place + 1}"


def union_side(side: CompiledTree, pairs: Sequence[Sequence[Value]], place: int, names: Sequence[str]) -> Sql:
    """One side of UNION, with as many flat columns for every value as the other side needs, under common names."""
    rows = side.sql.subquery("side", copy=True)
    seen = [flat_value("side", output) for output in side.outputs]
    columns: list[Sql] = []
    for name, pair, one in zip(names, pairs, seen, strict=True):
        both = [pair[0], pair[1]]
        # Aligned with the other side's value, so that a scalar beside a range becomes two bounds.
        both[place] = one
        flat = flat_names(name, union_value(name, pair))
        columns.extend(
            exp.alias_(part, to, quoted=True) for part, to in zip(aligned_parts(both)[place], flat, strict=True)
        )
    return exp.select(*columns).from_(rows)


def union_value(name: str, pair: Sequence[Value]) -> Value:
    """The value of a column of UNION that may have different forms on both sides."""
    parts = aligned_parts(pair)[0]
    # The parts are placeholders: only kind, form and number of the columns are
    # used, and outer queries read the flat columns by name (`flat_value`).
    return value_from_parts(pair, [exp.column(name, quoted=True) for _ in parts])


def alias_of(node: Sql, engine: str) -> tuple[str, list[str]]:
    """The alias that a query gives to a relation, and the aliases of its columns."""
    alias = node.args.get("alias")
    if alias is None or alias.this is None:
        raise StatementError("a query inside another one needs a name: (SELECT ...) AS name.")
    demand_only(alias, ("this", "columns"))
    return folded_name(alias.this, engine), [folded_name(column, engine) for column in alias.args.get("columns") or ()]


def rename_outputs(outputs: tuple[Output, ...], names: Sequence[str]) -> tuple[Output, ...]:
    """The same columns under other names; unchanged if there are none."""
    if not names:
        return outputs
    if len(names) != len(outputs):
        raise StatementError(f"{len(outputs)} columns need {len(outputs)} names; there are {len(names)}.")
    return outputs_of([(name, output.value) for name, output in zip(names, outputs, strict=True)])


def table_alias(name: str, outputs: Sequence[Output]) -> exp.TableAlias:
    """The alias of a relation, with the names of its flat columns."""
    columns = [exp.to_identifier(flat, quoted=True) for output in outputs for flat in output.names]
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=columns)
