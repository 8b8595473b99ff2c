"""Errors for the SQLSTATEs of PostgreSQL, each with a fixed message, because the server's messages can quote values."""

from __future__ import annotations

from sfumato.errors import BusyError, DataError, LimitError, SfumatoError, StatementError
from sfumato.gateway.engines.failure_messages import ROW_FAILURE

_STATES: dict[str, tuple[type[SfumatoError], str]] = {
    "57014": (LimitError, "the answer took longer than allowed; ask for less, or narrow the question."),
    "53300": (BusyError, "the database has no connection left for the gateway; ask again later."),
    "55P03": (BusyError, "the question waited too long for locks of other sessions; ask again."),
    "42501": (StatementError, "the question uses something that is not available for this purpose."),
    "42P01": (StatementError, "the question names a relation that does not exist."),
    "42703": (StatementError, "the question names a column that does not exist."),
    "42883": (StatementError, "the question uses a function or operator that does not fit its values."),
    "08P01": (StatementError, "the question was given another number of parameters than it has."),
    "42P18": (StatementError, "the type of a parameter cannot be inferred; cast it."),
    "21000": (StatementError, ROW_FAILURE),
    "XX000": (LimitError, "the database could not answer the question; make it smaller."),  # such as too long a text
    "25006": (StatementError, "the question would change something; only reading is allowed."),
}
_CLASSES: dict[str, tuple[type[SfumatoError], str]] = {
    "08": (DataError, "the database cannot be reached; ask again later."),
    "0A": (StatementError, ROW_FAILURE),  # such as the year of an infinite date
    "22": (StatementError, ROW_FAILURE),
    "28": (DataError, "the database refuses the login of the gateway; check how it connects."),
    "40": (DataError, "the data changed while the question was answered; ask again."),
    "42": (StatementError, "the database cannot run the question as it is written."),
    "53": (LimitError, "the question needs more memory, space or connections than there are; ask for less."),
    "54": (LimitError, "the question is too large or too deep; make it simpler."),
    "57": (DataError, "the database is shutting down; ask again later."),
}
_OTHERWISE = (DataError, "the database could not answer the question.")


def error_for_state(state: str) -> SfumatoError:
    """The error for an SQLSTATE, or else for its class.

    >>> len({str(error_for_state(state)) for state in ("22012", "22P02", "22P05", "22021", "21000", "0A000")})
    1
    >>> error_for_state("54001")
    LimitError('the question is too large or too deep; make it simpler.')
    """
    error, sentence = _STATES.get(state) or _CLASSES.get(state[:2]) or _OTHERWISE
    return error(sentence)
