"""The door for programs: questions over HTTP, with a token, answered as JSON or Arrow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
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
    """The application: questions go to threads of its own, past everything that other requests go through.

    FastAPI and its layers take longer to pass a question on than the gateway does to decide about it.
    """

    def __init__(self, gateway: Gateway, people: People, rates: Rates) -> None:
        super().__init__(title="sfumato gateway", docs_url=None, redoc_url=None, openapi_url="/openapi.json")
        self._gateway = gateway
        self._people = people
        self._rates = rates
        self._threads: dict[str | None, ThreadPoolExecutor] = {}
        self._doings: dict[str, Doing] = {"/query": self._queried, "/explain": self._explained}
        for path, does in (("/query", self.query), ("/explain", self.explain)):
            self.add_api_route(path, does, methods=["POST"], openapi_extra=_described(), response_model=None)
        self.add_api_route("/health", self.health, methods=["GET"], response_model=None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Questions right away, all else as FastAPI does."""
        does = self._doings.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if does is None:
            await super().__call__(scope, receive, send)
        else:
            response = await self._asked(scope, receive, does)
            await response(scope, receive, send)

    async def query(self, request: Request) -> Response:
        """Answer a question."""
        return await self._asked(request.scope, request.receive, self._queried)

    async def explain(self, request: Request) -> Response:
        """Say what would be seen, and who decided so."""
        return await self._asked(request.scope, request.receive, self._explained)

    async def health(self) -> Response:
        """Whether the door is open."""
        return _json({"open": True, "policy": self._gateway.policy.digest})

    async def _asked(self, scope: Scope, receive: Receive, does: Doing) -> Response:
        """The answer to somebody who is known, does not ask too often, and asks what can be read."""
        try:
            headers = dict(scope["headers"])
            person = _person(headers.get(b"authorization", b""), self._people)
            self._rates.take(person.name)
            body = _read(await _body(receive))
            arrow = ARROW.encode() in headers.get(b"accept", b"")
            threads = self._threads_of(body.purpose)
            return await asyncio.get_running_loop().run_in_executor(threads, does, person, body, arrow)
        except NotKnown:
            return _refused(401, "nobody is known by this token.", {"WWW-Authenticate": "Bearer"})
        except SfumatoError as error:
            return _refused(_status(error), str(error))

    def _threads_of(self, purpose: str | None) -> ThreadPoolExecutor:
        """A few for every purpose, so that slow questions for one do not keep up others.

        Not more than are of use: threads that wait for their turn take time from those that have it.
        """
        known = purpose if purpose in self._gateway.policy.tree else None
        if known not in self._threads:
            self._threads[known] = ThreadPoolExecutor(self._gateway.source.at_once, thread_name_prefix="question")
        return self._threads[known]

    def _queried(self, person: Person, body: AskedSection, arrow: bool) -> Response:
        found = self._gateway.query(body.question, person=person, purpose=body.purpose, parameters=body.parameters)
        return _as_arrow(found) if arrow else _as_json(found)

    def _explained(self, person: Person, body: AskedSection, arrow: bool) -> Response:
        return _json(self._gateway.explain(body.question, person=person, purpose=body.purpose).to_dict())


def make_app(gateway: Gateway, people: People, *, rates: Rates | None = None) -> FastAPI:
    """The application, for `gateway serve` or any server of ASGI applications.

    There are no pages that load anything from elsewhere; the description of the interface is at /openapi.json.
    """
    return Door(gateway, people, rates or Rates(per_second=1000, burst=2000))


async def _body(receive: Receive) -> bytes:
    """All that was sent, or as much as is enough to refuse it."""
    parts: list[bytes] = []
    size, more = 0, True
    while more and size <= _LARGEST:
        message = await receive()
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
    return b"".join(parts)


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
