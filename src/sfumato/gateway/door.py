"""The door for programs: questions over HTTP, with a token, answered as JSON or Arrow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Request, Response
from pydantic import Field
from starlette.types import Receive, Scope, Send

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
_THREADS = 32
"""So many questions are looked at at once; most of them wait for an engine."""

_STATUS = ((DeniedError, 403), (LimitError, 429), (DataError, 503))


class AskedSection(Section):
    """What is asked: one SELECT, the purpose, and what stands for ? in it."""

    question: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    purpose: str | None = None
    parameters: list[bool | int | float | str | None] = []


class NotKnown(Exception):
    """Nobody with this token."""


Doing = Callable[["Person", AskedSection, bool], Response]
"""What is done for somebody with what was sent, answered as Arrow where they want that."""


class Door(FastAPI):
    """An application that hands questions to threads of its own, past everything that other requests go through.

    FastAPI and its layers take longer to pass a question on than the gateway does to decide about it.
    """

    def __init__(self, doings: Mapping[str, Doing], people: People, rates: Rates) -> None:
        super().__init__(title="sfumato gateway", docs_url=None, redoc_url=None, openapi_url="/openapi.json")
        self._doings = doings
        self._people = people
        self._rates = rates
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="question")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Questions right away, all else as FastAPI does."""
        does = self._doings.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if does is None:
            await super().__call__(scope, receive, send)
        else:
            await (await self.answered(scope, receive, does))(scope, receive, send)

    async def answered(self, scope: Scope, receive: Receive, does: Doing) -> Response:
        """The answer to somebody who is known, asks not too often, and something that can be read."""
        try:
            headers = dict(scope["headers"])
            person = _person(headers.get(b"authorization", b""), self._people)
            self._rates.take(person.name)
            body = _read(await _body(receive))
            arrow = ARROW.encode() in headers.get(b"accept", b"")
            return await asyncio.get_running_loop().run_in_executor(self._threads, does, person, body, arrow)
        except NotKnown:
            return _refused(401, "nobody is known by this token.", {"WWW-Authenticate": "Bearer"})
        except SfumatoError as error:
            return _refused(_status(error), str(error))


def make_app(gateway: Gateway, people: People, *, rates: Rates | None = None) -> FastAPI:
    """The application, for `gateway serve` or any server of ASGI applications.

    There are no pages that load anything from elsewhere; the description of the interface is at /openapi.json.
    """
    app = FastAPI(title="sfumato gateway", docs_url=None, redoc_url=None, openapi_url="/openapi.json")
    door = _Door(gateway, people, rates or Rates(per_second=1000, burst=2000))
    for path, does in (("/query", door.query), ("/explain", door.explain)):
        app.add_api_route(path, does, methods=["POST"], openapi_extra=_described(), response_model=None)
    app.add_api_route("/health", door.health, methods=["GET"], response_model=None)
    return app


class _Door:
    """What is done with a request, once it is known whose it is."""

    def __init__(self, gateway: Gateway, people: People, rates: Rates) -> None:
        self._gateway = gateway
        self._people = people
        self._rates = rates

    async def query(self, request: Request) -> Response:
        """Answer a question."""
        arrow = ARROW in request.headers.get("accept", "")

        def does(person: Person, body: AskedSection) -> Response:
            found = self._gateway.query(body.question, person=person, purpose=body.purpose, parameters=body.parameters)
            return _as_arrow(found) if arrow else _as_json(found)

        return await self._asked(request, does)

    async def explain(self, request: Request) -> Response:
        """Say what would be seen, and who decided so."""

        def does(person: Person, body: AskedSection) -> Response:
            return _json(self._gateway.explain(body.question, person=person, purpose=body.purpose).to_dict())

        return await self._asked(request, does)

    async def health(self) -> Response:
        """Whether the door is open."""
        return _json({"open": True, "policy": self._gateway.policy.digest})

    async def _asked(self, request: Request, does: Callable[[Person, AskedSection], Response]) -> Response:
        try:
            person = _person(request, self._people)
            self._rates.take(person.name)
            body = _read(await request.body())
            return await run_in_threadpool(does, person, body)
        except NotKnown:
            return _refused(401, "nobody is known by this token.", {"WWW-Authenticate": "Bearer"})
        except SfumatoError as error:
            return _refused(_status(error), str(error))


def _person(header: bytes, people: People) -> Person:
    kind, _, token = header.decode("latin-1").partition(" ")
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
            **({"margins": found.margins} if found.margins else {}),
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
