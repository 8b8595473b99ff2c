"""The door for programs: questions over HTTP, with a token, answered as JSON or Arrow."""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import FastAPI, Request, Response
from pydantic import Field, ValidationError
from starlette.types import Receive, Scope, Send

from sfumato.errors import DataError, DeniedError, LimitError, PolicyError, SfumatoError, StatementError
from sfumato.gateway.answers import Answer
from sfumato.gateway.rates import Rates
from sfumato.gateway.sql.reading import LONGEST
from sfumato.sections import Section

if TYPE_CHECKING:
    from sfumato.gateway.gateway import Gateway
    from sfumato.gateway.people import People, Person
    from sfumato.gateway.people_file import PeopleFile

_LOGGER = logging.getLogger(__name__)
ARROW = "application/vnd.apache.arrow.stream"
_LARGEST = 200_000
"""Bytes that a request may have."""

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
}
_STATUS = ((DeniedError, 403), (LimitError, 429), (DataError, 503), (PolicyError, 503))


class AskedSection(Section):
    """What is asked: one SELECT, the purpose, and what stands for ? in it."""

    question: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    purpose: str | None = None
    parameters: list[bool | int | float | str | None] = []


class ChoiceSection(Section):
    """Somebody's choice for one of their values; an empty one takes back what they chose before."""

    key: int | str
    column: str
    choice: str


class ChosenSection(Section):
    """What people chose."""

    table: str
    choices: Annotated[list[ChoiceSection], Field(min_length=1)]
    purpose: str | None = None


class NotKnown(Exception):
    """Nobody with this token."""


Doing = Callable[["Person", Any, bool], Response]
"""What is done for somebody with what was sent, answered as Arrow where they want that."""

Way = tuple[type[AskedSection] | type[ChosenSection], Doing]
"""What is sent along a path, and what is done with it."""


class Door(FastAPI):
    """The application: questions go to threads of its own, past everything that other requests go through.

    FastAPI and its layers take longer to pass a question on than the gateway does to decide about it.
    """

    def __init__(self, gateway: Gateway, people: People | PeopleFile, rates: Rates) -> None:
        super().__init__(title="sfumato gateway", docs_url=None, redoc_url=None, redirect_slashes=False)
        self._gateway = gateway
        self._people = people
        self._rates = rates
        self._threads: dict[str | None, ThreadPoolExecutor] = {}
        self._ways: dict[str, Way] = {
            "/query": (AskedSection, self._queried),
            "/explain": (AskedSection, self._explained),
            "/choose": (ChosenSection, self._chosen),
        }
        for path, does in (("/query", self.query), ("/explain", self.explain), ("/choose", self.choose)):
            described = _described(self._ways[path][0])
            self.add_api_route(path, does, methods=["POST"], openapi_extra=described, response_model=None)
        self.add_api_route("/health", self.health, methods=["GET"], response_model=None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Questions right away, all else as FastAPI does."""
        way = self._ways.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if way is None:
            await super().__call__(scope, receive, send)
        else:
            response = await self._asked(scope, receive, way)
            await response(scope, receive, send)

    async def query(self, request: Request) -> Response:
        """Answer a question."""
        return await self._asked(request.scope, request.receive, self._ways["/query"])

    async def explain(self, request: Request) -> Response:
        """Say what would be seen, and who decided so."""
        return await self._asked(request.scope, request.receive, self._ways["/explain"])

    async def choose(self, request: Request) -> Response:
        """Take in what people chose for their own values."""
        return await self._asked(request.scope, request.receive, self._ways["/choose"])

    async def health(self) -> Response:
        """Whether the door is open."""
        return _json({"open": True, "policy": self._gateway.policy.digest})

    async def _asked(self, scope: Scope, receive: Receive, way: Way) -> Response:
        """The answer to somebody who is known, does not ask too often, and asks what can be read."""
        try:
            headers = dict(scope["headers"])
            token = headers.get(b"authorization", b"")
            self._rates.take(_person(token, self._people).name)
            kind, does = way
            body = _read(await _body(receive), kind)
            arrow = ARROW.encode() in headers.get(b"accept", b"")
            threads = self._threads_of(body.purpose)
            return await asyncio.get_running_loop().run_in_executor(threads, self._done, token, does, body, arrow)
        except NotKnown:
            return _refused(401, "nobody is known by this token.", {"WWW-Authenticate": "Bearer"})
        except SfumatoError as error:
            return _refused(_status(error), str(error))
        except Exception as error:  # its message may have somebody's value in it, and would end up in a log
            _LOGGER.error("%s in line %s of %s", *_where(error))
            return _refused(500, "the gateway itself failed, and the question was not answered.")

    def _done(self, token: bytes, does: Doing, body: Any, arrow: bool) -> Response:
        """Whoever asks may have been removed while the question came in, or waited."""
        return does(_person(token, self._people), body, arrow)

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

    def _chosen(self, person: Person, body: ChosenSection, arrow: bool) -> Response:
        given = [(str(one.key), one.column, one.choice) for one in body.choices]
        try:
            number = self._gateway.choose(body.table, given, person=person, purpose=body.purpose)
        except PolicyError as error:  # what was sent does not fit the policy, which is nobody's fault in here
            raise StatementError(str(error)) from None
        return _json({"choices": number})


def make_app(gateway: Gateway, people: People | PeopleFile, *, rates: Rates | None = None) -> FastAPI:
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


def _person(header: bytes, people: People | PeopleFile) -> Person:
    kind, _, token = header.decode("latin-1").partition(" ")
    try:
        person = people.by_token(token.strip()) if kind.lower() == "bearer" and token else None
    except SfumatoError as error:  # what is wrong with the file is nothing for whoever knocks
        _LOGGER.error("%s in line %s of %s", *_where(error))
        raise DataError("nobody can be recognised now; ask again later.") from None
    if person is None:
        raise NotKnown
    return person


def _read(body: bytes, kind: type[AskedSection] | type[ChosenSection]) -> AskedSection | ChosenSection:
    if len(body) > _LARGEST:
        raise LimitError(f"a request has at most {_LARGEST:,} bytes.")
    try:
        return kind.model_validate_json(body)
    except ValidationError:
        pass
    fields = ", ".join(map(repr, kind.model_fields))
    raise StatementError(f"a request is JSON with {fields}; a purpose and parameters may be missing.")


def _where(error: Exception) -> tuple[str, int, str]:
    """What went wrong and where, without a word of the error itself."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    return type(error).__name__, last.lineno or 0, Path(last.filename).name


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
            "rows": _finite(found.rows()),
        }
    )


def _json(told: Any) -> Response:
    return Response(
        json.dumps(told, default=_plain, ensure_ascii=False), headers=_HEADERS, media_type="application/json"
    )


def _finite(value: Any) -> Any:
    """The same, with numbers that JSON does not know as texts."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


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


def _described(kind: type[AskedSection] | type[ChosenSection]) -> dict[str, Any]:
    schema = kind.model_json_schema()
    for name, part in schema.pop("$defs", {}).items():  # a reference would be looked for in the whole document
        schema = json.loads(json.dumps(schema).replace(json.dumps({"$ref": f"#/$defs/{name}"}), json.dumps(part)))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
