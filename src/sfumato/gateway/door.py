"""The door for programs: questions over HTTP, with a token, answered as JSON or Arrow."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from sfumato.errors import DataError, DeniedError, LimitError, SfumatoError
from sfumato.gateway.answers import Answer
from sfumato.gateway.rates import Rates
from sfumato.gateway.sql.reading import LONGEST
from sfumato.sections import Section

if TYPE_CHECKING:
    from sfumato.gateway.gateway import Gateway
    from sfumato.gateway.people import People, Person

ARROW = "application/vnd.apache.arrow.stream"
_LARGEST = 200_000
"""Bytes that a request may have."""

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
}
_STATUS = ((DeniedError, 403), (LimitError, 429), (DataError, 503))


class AskedSection(Section):
    """What is asked: one SELECT, the purpose, and what stands for ? in it."""

    question: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    purpose: str | None = None
    parameters: list[bool | int | float | str | None] = []


class NotKnown(Exception):
    """Nobody with this token."""


def make_app(gateway: Gateway, people: People, *, rates: Rates | None = None) -> FastAPI:
    """The application, for `gateway serve` or any server of ASGI applications.

    There are no pages that load anything from elsewhere; the description of the interface is at /openapi.json.
    """
    app = FastAPI(title="sfumato gateway", docs_url=None, redoc_url=None, openapi_url="/openapi.json")
    allowed = rates or Rates(per_second=1000, burst=2000)

    async def asked(request: Request, does: Callable[[Person, AskedSection], Response]) -> Response:
        try:
            person = _person(request, people)
            allowed.take(person.name)
            body = _read(await request.body())
            return await run_in_threadpool(does, person, body)
        except NotKnown:
            return _refused(401, "nobody is known by this token.", {"WWW-Authenticate": "Bearer"})
        except SfumatoError as error:
            return _refused(_status(error), str(error))

    @app.post("/query", openapi_extra=_described(), response_model=None)
    async def query(request: Request) -> Response:
        """Answer a question."""
        arrow = ARROW in request.headers.get("accept", "")

        def does(person: Person, body: AskedSection) -> Response:
            found = gateway.query(body.question, person=person, purpose=body.purpose, parameters=body.parameters)
            return _as_arrow(found) if arrow else _as_json(found)

        return await asked(request, does)

    @app.post("/explain", openapi_extra=_described(), response_model=None)
    async def explain(request: Request) -> Response:
        """Say what would be seen, and who decided so."""

        def does(person: Person, body: AskedSection) -> Response:
            told = gateway.explain(body.question, person=person, purpose=body.purpose)
            return _json(told.to_dict())

        return await asked(request, does)

    @app.get("/health", response_model=None)
    async def health() -> Response:
        """Whether the door is open."""
        return _json({"open": True, "policy": gateway.policy.digest})

    return app


def _person(request: Request, people: People) -> Person:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    person = people.by_token(token.strip()) if kind.lower() == "bearer" and token else None
    if person is None:
        raise NotKnown
    return person


def _read(body: bytes) -> AskedSection:
    from pydantic import ValidationError

    from sfumato.errors import StatementError

    if len(body) > _LARGEST:
        raise LimitError(f"a request has at most {_LARGEST:,} bytes.")
    try:
        return AskedSection.model_validate_json(body)
    except ValidationError:
        pass
    raise StatementError("a request is JSON with 'question', and maybe 'purpose' and 'parameters'.")


def _status(error: SfumatoError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 400)


def _refused(status: int, said: str, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps({"refused": said}), status, {**_HEADERS, **(headers or {})}, "application/json")


def _as_json(found: Answer) -> Response:
    return _json(
        {
            "purpose": found.purpose,
            "uncertain": found.uncertain,
            "obligations": [duty.model_dump() for duty in found.obligations],
            "columns": found.table.column_names,
            "rows": found.rows(),
        }
    )


def _json(told: Any) -> Response:
    return Response(
        json.dumps(told, default=_plain, ensure_ascii=False), headers=_HEADERS, media_type="application/json"
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


def _as_arrow(found: Answer) -> Response:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, found.table.schema) as stream:
        stream.write_table(found.table)
    return Response(sink.getvalue().to_pybytes(), headers=_HEADERS, media_type=ARROW)


def _described() -> dict[str, Any]:
    schema = AskedSection.model_json_schema()
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
