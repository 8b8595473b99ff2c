"""The order of rows where whose they are is hidden: by all that they show, so that their place tells nothing."""

from __future__ import annotations

from sqlglot import exp

_ORDERED = frozenset({"integer", "date", "timestamp"})


def sort_key(value: exp.Expr, kind: str, engine: str) -> exp.Expr:
    """What rows are sorted by for one value: different for different values, whatever the settings of a session.

    Without an order of their own the third value would be the third person's, whom another question names. PostgreSQL
    writes floats, and what is made of them, with as many digits as a session likes, so that values could be made equal
    and stay in the order of the table. They are sorted by their bytes; texts too, because a collation may take
    different texts for equal.
    """
    if engine != "postgres":
        return exp.cast(value.copy(), "text")
    if kind in _ORDERED:
        return value.copy()
    if kind == "float":
        return exp.Anonymous(this="FLOAT8SEND", expressions=[exp.cast(value.copy(), "double")])
    if kind == "other":
        row = exp.Anonymous(this="ROW", expressions=[value.copy()])
        return exp.Anonymous(this="RECORD_SEND", expressions=[row])
    written = exp.cast(value.copy(), "text")
    return exp.Collate(this=written, expression=exp.to_identifier("C", quoted=True))
