"""The columns of an answer: their names, what they are, and the flat columns that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sfumato.errors import StatementError
from sfumato.gateway.sql.expressions import built, parts_alike
from sfumato.gateway.sql.names import folded
from sfumato.gateway.sql.supported_nodes import demand_only
from sfumato.gateway.sql.values import Range, Value, Weak

if TYPE_CHECKING:
    from sfumato.gateway.sql.queries import Compiled

Sql = exp.Expr


@dataclass(frozen=True)
class Output:
    """A column of an answer: its name, what it is, and the columns that hold it."""

    name: str
    value: Value
    names: tuple[str, ...]


def outputs_of(found: Sequence[tuple[str, Value]]) -> tuple[Output, ...]:
    """Columns of an answer, from their names and what they are."""
    return tuple(Output(name, one, flat_names(name, one)) for name, one in found)


def flat_names(name: str, one: Value) -> tuple[str, ...]:
    """The columns that hold a value in a flat relation."""
    if isinstance(one, Range):
        return f"{name}.lo", f"{name}.hi"
    return (name, f"{name}.exact") if isinstance(one, Weak) else (name,)


def any_digits(outputs: Sequence[Output], engine: str) -> list[int]:
    """The flat columns of an answer with decimals of any number of digits, of which zeros at the end are not shown."""
    values = [output.value for output in outputs for _ in output.names] if engine == "postgres" else []
    return [
        place
        for place, one in enumerate(values)
        if (one.any_digits if isinstance(one, Range) else one.kind == "number")
    ]


def flat_value(alias: str, output: Output) -> Value:
    """A column of a question inside another one, as seen from outside."""
    columns = [exp.column(name, table=alias, quoted=True) for name in output.names]
    if isinstance(output.value, Range):
        return Range(columns[0], columns[1], output.value.kind, output.value.column, output.value.hideable)
    if isinstance(output.value, Weak):
        return Weak(columns[0], columns[1], output.value.hideable)
    return replace(output.value, sql=columns[0])


def projected(outputs: Sequence[Output]) -> list[Sql]:
    """The SELECT list that makes the flat columns."""
    return [
        exp.alias_(part, name, quoted=True)
        for output in outputs
        for part, name in zip(output.value.parts, output.names, strict=True)
    ]


def called(item: Sql, place: int, engine: str) -> str:
    """The name of a column of the answer."""
    if isinstance(item, exp.Alias):
        demand_only(item, ("this", "alias"))
        return folded(item.args["alias"], engine)
    if isinstance(item, exp.Column):
        return folded(item.this, engine)
    return f"column{place + 1}"


def reshaped(side: Compiled, pairs: Sequence[Sequence[Value]], place: int, names: Sequence[str]) -> Sql:
    """One side of UNION with as many columns for every value as the other side needs, under the same names."""
    rows = side.sql.subquery("side", copy=True)
    seen = [flat_value("side", output) for output in side.outputs]
    made: list[Sql] = []
    for name, pair, one in zip(names, pairs, seen, strict=True):
        both = [pair[0], pair[1]]
        both[place] = one
        flat = flat_names(name, shape_of(name, pair))
        made.extend(exp.alias_(part, to, quoted=True) for part, to in zip(parts_alike(both)[place], flat, strict=True))
    return exp.select(*made).from_(rows)


def shape_of(name: str, pair: Sequence[Value]) -> Value:
    """What a column of UNION is, that is one thing on one side and another on the other."""
    parts = parts_alike(pair)[0]
    return built(pair, [exp.column(name, quoted=True) for _ in parts])


def alias_of(node: Sql, engine: str) -> tuple[str, list[str]]:
    """The name that a question gives to rows, and to their columns."""
    alias = node.args.get("alias")
    if alias is None or alias.this is None:
        raise StatementError("a question inside another one needs a name: (SELECT ...) AS name.")
    demand_only(alias, ("this", "columns"))
    return folded(alias.this, engine), [folded(column, engine) for column in alias.args.get("columns") or ()]


def renamed(outputs: tuple[Output, ...], names: Sequence[str]) -> tuple[Output, ...]:
    """The same columns under other names, if there are any."""
    if not names:
        return outputs
    if len(names) != len(outputs):
        raise StatementError(f"{len(outputs)} columns need {len(outputs)} names; there are {len(names)}.")
    return outputs_of([(name, output.value) for name, output in zip(names, outputs, strict=True)])


def table_alias(name: str, outputs: Sequence[Output]) -> exp.TableAlias:
    """A name for rows, with the names of their flat columns."""
    columns = [exp.to_identifier(flat, quoted=True) for output in outputs for flat in output.names]
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=columns)
