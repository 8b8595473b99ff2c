"""Kinds of engine failures, each with a fixed message: an engine's own message can quote a value, these cannot.

A worker process sends only the kind of a failure; the gateway looks up the message. So not even a compromised worker
can put a value into a message.
"""

from __future__ import annotations

import re

from sfumato.errors import BusyError, DataError, LimitError, RowLimitError, SfumatoError, StatementError

_LIMITS = {
    "time": "the question took longer than allowed; ask for less.",
    "memory": "the question needs more memory than allowed; ask for fewer rows or groups.",
    "rows": "the answer has more rows than allowed; ask for fewer, or count them.",
    "ended": "the engine ended while it was answering, most likely because it ran out of memory; ask for less.",
    "busy": "all engines are busy answering others; ask again later.",
    "start": "the engine could not be started with this memory and these threads.",
}
_TEMPORARY = ("busy", "start")
"""Limits that do not depend on the query: the same query may succeed later."""

ROW_FAILURE = (
    "a value could not be converted to its type or to the encoding of the database, is out of the range of its type, "
    "or does not fit where it is used, or the question took more time or memory than allowed; CAST to a wider type, "
    "make subqueries return one row, leave such rows out with CASE, or ask for less."
)
"""One message for every failure of a row. Of two failing rows, the engine reports the one that is stored first, so
distinct messages would reveal the stored order."""


def row_failure() -> StatementError:
    """The error of a query that can fail on some rows; the same for every failure."""
    return StatementError(ROW_FAILURE)


_STATEMENTS = {
    **dict.fromkeys(("conversion", "range", "input"), ROW_FAILURE),
    "types": "the question combines names or types in a way that does not fit the tables.",
    "unknown": "the question names something that does not exist.",
    "syntax": "the engine cannot parse the question as SQL.",
    "not_a_question": "only one SELECT can be asked at a time.",
    "forbidden": "questions cannot read files, load extensions, change settings or write.",
    "unsupported": "the question needs something that the engine does not offer.",
    "digits": "a number in the answer has more digits than can be sent; divide or round it.",
    "engine": "the engine could not answer the question.",
}

_BY_PREFIX = {
    "INTERRUPT": "time",
    "Out of Memory": "memory",
    "Object Size": "memory",
    "Conversion": "conversion",
    "Decimal": "conversion",
    "Out of Range": "range",
    "Divide by Zero": "range",
    "Invalid Input": "input",
    "Sequence": "input",
    "Binder": "types",
    "Mismatch Type": "types",
    "Invalid type": "types",
    "Unknown Type": "types",
    "Expression": "types",
    "Parameter Not Resolved": "types",
    "Parameter Not Allowed": "types",
    "Catalog": "unknown",
    "Missing Extension": "unknown",
    "Parser": "syntax",
    "Syntax": "syntax",
    "Permission": "forbidden",
    "IO": "forbidden",
    "HTTP": "forbidden",
    "Invalid Configuration": "forbidden",
    "Settings": "forbidden",
    "TransactionContext": "forbidden",
    "Not implemented": "unsupported",
}
_PREFIX = re.compile(r"([A-Za-z ]{1,40}?) Error: ")
FATAL_TYPES = ("FATAL", "INTERNAL")
"""DuckDB's types of errors after which the instance must not be used."""


FATAL_PREFIX = b"!"
"""Precedes the kind of a failure after which a worker process ends."""


class EngineFailure(Exception):
    """A failure inside a worker process, by its kind."""


class UnusableEngine(EngineFailure):
    """A failure that leaves the engine in an unknown state; it gets no further queries."""


def failure_kind(error: BaseException) -> str:
    """The kind of failure that an engine's error shows; only the type of the error is read, never its details.

    >>> failure_kind(ValueError("Conversion Error: Could not convert string 'Ann' to INT32"))
    'conversion'
    """
    if isinstance(error, EngineFailure):
        return str(error)
    # The text of the error is only searched, never passed on.
    if isinstance(error, MemoryError) or "bad_alloc" in str(error):
        return "memory"
    return _BY_PREFIX.get(error_type(error), "engine")


def makes_unusable(error: BaseException) -> bool:
    """Whether an engine must not be used after an error."""
    return isinstance(error, UnusableEngine) or error_type(error) in FATAL_TYPES


def error_type(error: BaseException) -> str:
    """DuckDB's type of an error, from the start of its text; an interrupted stream has it nowhere else."""
    found = _PREFIX.match(str(error))
    return found[1] if found else ""


def message_of(kind: str) -> str:
    """The message for a kind of failure; an unknown kind gets the general message."""
    return _LIMITS.get(kind) or _STATEMENTS.get(kind, _STATEMENTS["engine"])


def error_for(kind: str, table: str | None = None) -> SfumatoError:
    """The error to raise for a kind of failure; with `table`, for a failure while rows of that table were loaded.

    >>> error_for("rows")
    RowLimitError('the answer has more rows than allowed; ask for fewer, or count them.')
    """
    if table is not None and kind == "memory":
        return LimitError(f"the rows of {table!r} need more memory than the engine has; give it more.")
    if kind == "rows":
        return RowLimitError(message_of(kind))
    if kind in _LIMITS:
        return (BusyError if kind in _TEMPORARY else LimitError)(message_of(kind))
    if table is not None:
        return DataError(f"the rows of {table!r} cannot be loaded: {message_of(kind)}")
    return StatementError(message_of(kind))
