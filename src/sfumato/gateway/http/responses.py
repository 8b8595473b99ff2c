"""Builds the responses of the HTTP interface: answers as JSON or Arrow, and refusals with the right status."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from fastapi import Response

from sfumato.errors import (
    BudgetError,
    BusyError,
    DataError,
    DeniedError,
    LimitError,
    PolicyError,
    RateError,
    SfumatoError,
    UsageError,
)
from sfumato.gateway.answers.answer import Answer
from sfumato.gateway.http.requests import ARROW

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
}
_STATUS: tuple[tuple[type[SfumatoError], int], ...] = (
    (DeniedError, 403),
    (BudgetError, 403),
    (RateError, 429),
    (BusyError, 503),
    (LimitError, 422),
    (DataError, 503),
    (PolicyError, 503),
    (UsageError, 400),
)
"""Ordered from subclasses to base classes; any other error is a failure of the gateway itself."""


def status_of(error: SfumatoError) -> int:
    """The status of an error, from which a program can decide what to do.

    >>> from sfumato.errors import StatementError
    >>> status_of(LimitError("")), status_of(BusyError("")), status_of(StatementError(""))
    (422, 503, 400)
    """
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def error_response(error: SfumatoError) -> Response:
    """The response for an error; details of a wrong policy are only for the operator."""
    wait = error.wait if isinstance(error, RateError) else 1 if isinstance(error, BusyError) else None
    return refusal_response(
        status_of(error), error.outside or str(error), {} if wait is None else {"Retry-After": str(wait)}
    )


def refusal_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """A refusal with one sentence."""
    return Response(json.dumps({"refused": message}), status, {**_HEADERS, **(headers or {})}, "application/json")


def json_answer(answer: Answer) -> Response:
    """An answer as JSON."""
    return json_response(
        {
            "purpose": answer.purpose,
            "uncertain": answer.uncertain,
            **({"in_doubt": answer.in_doubt} if answer.in_doubt else {}),
            "obligations": [obligation.model_dump() for obligation in answer.obligations],
            **({"margins": answer.margins} if answer.margins else {}),
            **({"repeated": True} if answer.repeated else {}),
            "columns": answer.names,
            "rows": _finite(answer.rows()),
        }
    )


def arrow_answer(answer: Answer) -> Response:
    """An answer as an Arrow stream."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, answer.table.schema) as stream:
        stream.write_table(answer.table)
    return Response(sink.getvalue().to_pybytes(), headers=_HEADERS, media_type=ARROW)


def json_response(content: Any) -> Response:
    """Any other content as JSON."""
    return Response(
        json.dumps(content, default=_json_value, ensure_ascii=False), headers=_HEADERS, media_type="application/json"
    )


def _finite(value: Any) -> Any:
    """The same with numbers that JSON does not have, such as infinity, as text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def _json_value(value: Any) -> Any:
    """A decimal, date or other value as JSON data."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    return value.isoformat() if isinstance(value, date | datetime) else str(value)
