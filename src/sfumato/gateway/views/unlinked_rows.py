"""The row order of a masked relation without identifiers: by all visible values, so that positions reveal nothing."""

from __future__ import annotations

from sqlglot import exp

_ORDERED = frozenset({"integer", "date", "timestamp"})
"""Kinds that PostgreSQL sorts the same in every session."""


def distinguishing_key(value: exp.Expr, kind: str, engine: str) -> exp.Expr:
    """The sort key for one value: different for different values, whatever the settings of the session are.

    Without an order of its own, the third row would belong to the third person, whom another query names. PostgreSQL
    writes floats with as many digits as the session sets, so that different values could be made to tie and stay in
    storage order. They are therefore sorted by their bytes; texts too, because a collation may consider different texts
    equal.
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
