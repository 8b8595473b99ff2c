"""What can go wrong in an engine, in words of our own: an engine's message may quote a value, ours cannot.

A child sends a fault's name and nothing else; the words are found on this side. So not even a child that somebody has
taken over can put a value into a message.
"""

from __future__ import annotations

import re

from sfumato.errors import BusyError, DataError, LimitError, RowLimitError, SfumatoError, StatementError

_LIMITS = {
    "time": "the question took longer than it may; ask for less.",
    "memory": "the question needs more memory than it may have; ask for fewer rows or groups.",
    "rows": "the answer has more rows than it may have; ask for fewer, or have them counted.",
    "ended": "the engine ended while it was answering, most likely for want of memory; ask for less.",
    "busy": "all engines are busy answering others; ask again later.",
    "start": "the engine could not be started with this memory and these threads.",
}
_TEMPORARY = ("busy", "start")
"""Limits that are not the question's own: the same question can be answered later."""

ROW_FAILURE = (
    "a value could not be converted to its type or to the encoding of the database, left the range of its type, or "
    "does not fit where it is used, or the question took more time or memory than it may; CAST to a wider type, have "
    "questions inside give one row, leave such rows out with CASE, or ask for less."
)
"""One sentence for all that can go wrong in a row: of two rows that fail, the one that is stored first is met first."""


def row_failure() -> StatementError:
    """The one error of a question that can fail on some rows, whatever comes of it there."""
    return StatementError(ROW_FAILURE)


_STATEMENTS = {
    **dict.fromkeys(("conversion", "range", "input"), ROW_FAILURE),
    "types": "the question puts names or types together that do not fit the tables.",
    "unknown": "the question names something that is not there.",
    "syntax": "the question is no SQL that the engine understands.",
    "not_a_question": "only one SELECT can be asked at a time.",
    "forbidden": "questions cannot read files, load extensions, change settings or write.",
    "unsupported": "the question needs something that the engine does not offer.",
    "digits": "a number in the answer has more digits than can be handed over; divide or round it.",
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


FATAL_PREFIX = b"!"
"""What stands before the name of a fault after which a child ends."""


class EngineFailure(Exception):
    """What went wrong inside a child, by name."""


class UnusableEngine(EngineFailure):
    """The same, where nobody knows any more what state the engine is in; it is not asked again."""


def failure_kind(error: BaseException) -> str:
    """The name of the fault that an engine's error shows; only its kind is read, never its text.

    >>> failure_kind(ValueError("Conversion Error: Could not convert string 'Ann' to INT32"))
    'conversion'
    """
    if isinstance(error, EngineFailure):
        return str(error)
    if isinstance(error, MemoryError) or "bad_alloc" in str(error):
        return "memory"
    return _BY_PREFIX.get(error_type(error), "engine")


def makes_unusable(error: BaseException) -> bool:
    """Whether an engine must not be asked again after an error."""
    return isinstance(error, UnusableEngine) or error_type(error) in FATAL_TYPES


def error_type(error: BaseException) -> str:
    """The kind of error DuckDB says it is; a stream that breaks off says it in its text alone."""
    found = _PREFIX.match(str(error))
    return found[1] if found else ""


def message_of(kind: str) -> str:
    """A fault in words."""
    return _LIMITS.get(kind) or _STATEMENTS.get(kind, _STATEMENTS["engine"])


def error_for(kind: str, table: str | None = None) -> SfumatoError:
    """The error to raise for a fault; about rows that were to be kept, where a table is named.

    >>> error_for("rows")
    RowLimitError('the answer has more rows than it may have; ask for fewer, or have them counted.')
    """
    if table is not None and kind == "memory":
        return LimitError(f"the rows of {table!r} need more memory than the engine has; give it more.")
    if kind == "rows":
        return RowLimitError(message_of(kind))
    if kind in _LIMITS:
        return (BusyError if kind in _TEMPORARY else LimitError)(message_of(kind))
    if table is not None:
        return DataError(f"the rows of {table!r} cannot be kept as they are: {message_of(kind)}")
    return StatementError(message_of(kind))
