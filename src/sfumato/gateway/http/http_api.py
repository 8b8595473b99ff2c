"""The HTTP interface for programs: queries with a token, answered as JSON or Arrow.

`sfumato gateway serve` runs `HttpApi` with a setup that follows its files; `make_app` builds one for any ASGI server.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from sfumato.errors import OutputError, PolicyError, RateError, SfumatoError, StatementError
from sfumato.gateway.answers.unexpected_errors import UnexpectedFailure, where_of
from sfumato.gateway.http.allowances import Allowances
from sfumato.gateway.http.concurrent_queries import ConcurrentQueries
from sfumato.gateway.http.gateway_provider import FixedGateway, GatewayProvider
from sfumato.gateway.http.person_queues import PersonQueues
from sfumato.gateway.http.rates import Rates
from sfumato.gateway.http.requests import (
    ARROW,
    ChoicesBody,
    QueryBody,
    RefusedRequest,
    parse_body,
    read_headers,
    receive_body,
    unknown_caller,
)
from sfumato.gateway.http.responses import arrow_answer, error_response, json_answer, json_response, refusal_response
from sfumato.gateway.log.entry_limit import EntryLimit

if TYPE_CHECKING:
    from sfumato.gateway.gateway import Gateway
    from sfumato.gateway.people.people import People, Person
    from sfumato.gateway.people.people_file import PeopleFile

__all__ = ["ARROW", "HttpApi", "make_app"]
_LOGGER = logging.getLogger(__name__)
_NOT_LOGGED = "the log cannot be written now; ask again later."

Handler = Callable[["Gateway", "Person", Any, bool], Response]
"""Handles the body of a request for a person; the flag asks for Arrow."""


@dataclass(frozen=True)
class Endpoint:
    """A path of the interface: the type of its body, its name in the log, and its handler."""

    body_type: type[QueryBody] | type[ChoicesBody]
    operation: str
    handle: Handler


class HttpApi(FastAPI):
    """The application. Queries bypass FastAPI's layers and run on threads of its own.

    FastAPI and its layers take longer to pass a query on than the gateway takes to decide about it. Requests that are
    refused here, before they reach the gateway, are logged too; all unknown callers together get a few entries per
    second.
    """

    def __init__(
        self, provider: GatewayProvider, people: People | PeopleFile, *, entry_limit: EntryLimit | None = None
    ) -> None:
        super().__init__(title="sfumato gateway", docs_url=None, redoc_url=None, redirect_slashes=False)
        self._provider = provider
        self._people = people
        self._entry_limit = entry_limit or EntryLimit()
        self._threads: dict[tuple[str | None, int], ThreadPoolExecutor] = {}
        self._queues = PersonQueues()
        self._disk_thread = ThreadPoolExecutor(1, thread_name_prefix="disk")
        self._endpoints = {
            "/query": Endpoint(QueryBody, "select", _handle_query),
            "/explain": Endpoint(QueryBody, "explain", _handle_explain),
            "/choose": Endpoint(ChoicesBody, "choose", _handle_choose),
        }
        for path, handle in (("/query", query), ("/explain", explain), ("/choose", choose)):
            body_schema = _openapi_body(self._endpoints[path].body_type)
            self.add_api_route(path, handle, methods=["POST"], openapi_extra=body_schema, response_model=None)
        self.add_api_route("/health", health, methods=["GET"], response_model=None)
        self.add_exception_handler(HTTPException, _unknown_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle queries directly, and everything else through FastAPI."""
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in self._endpoints:
            response = await self.handle_request(scope, receive)
            await response(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def health(self) -> Response:
        """Whether the server runs, by which policy it answers, and whether files on disk are not in force."""
        return json_response(await self._run_on_disk_thread(self._health))

    async def handle_request(self, scope: Scope, receive: Receive) -> Response:
        """Answer a known person who does not ask too often and whose request can be parsed."""
        path, person = scope["path"], None
        endpoint, allowed = self._endpoints[path], self._provider.allowances
        try:
            token, arrow = read_headers(scope["headers"])
            person = self._person(token, self._people.by_token_cached)
            allowed.rates.take(person.name)
            allowed.at_once.take(person.name)
            try:
                body = parse_body(await receive_body(receive, allowed.body_seconds), endpoint.body_type)
                threads = self._threads_of(body.purpose)
                async with self._queues.slot(person.name, self._provider.gateway.source.parallel_queries_per_person):
                    loop = asyncio.get_running_loop()
                    return await loop.run_in_executor(threads, self._run_request, token, endpoint, body, arrow)
            finally:
                allowed.at_once.give_back(person.name)
        except RefusedRequest as error:
            refusal = error
        except RateError as error:
            refusal = RefusedRequest(429, str(error), reason="RateError", headers={"Retry-After": str(error.wait)})
        except OutputError as error:  # the log itself failed, and a query that is not logged is not answered
            _LOGGER.error("%s", error)
            return refusal_response(503, _NOT_LOGGED)
        except SfumatoError as error:  # logged by the gateway
            return error_response(error)
        except UnexpectedFailure as error:  # logged by the gateway
            _LOGGER.error("%s", error.where)
            return refusal_response(500, str(error))
        except Exception as error:  # only its location is logged, because its message may quote a value
            _LOGGER.error("%s", where_of(error))
            refusal = RefusedRequest(
                500, "the gateway itself failed, and the question was not answered.", reason="Failure"
            )
        return await self._refuse(refusal, person, path)

    async def _refuse(self, refusal: RefusedRequest, person: Person | None, path: str) -> Response:
        """Log a refusal, unless there are too many of them, and return it."""
        known = None if refusal.status == 401 else person
        limited = known is None or refusal.status == 429
        further = self._entry_limit.admit("" if known is None else known.name) if limited else 0
        if further is not None:
            try:
                await self._run_on_disk_thread(self._log_refusal, refusal, known, path, further)
            except SfumatoError as error:
                _LOGGER.error("%s", error)
                return refusal_response(503, _NOT_LOGGED)
        return refusal_response(refusal.status, str(refusal), refusal.headers)

    def _log_refusal(self, refusal: RefusedRequest, person: Person | None, path: str, further: int) -> None:
        """Write the log entry of a refusal."""
        book = self._provider.gateway.logbook
        if person is None:
            book.record_unknown_caller(refusal.status, path, further=further)
        else:
            book.record_refusal(
                person, self._endpoints[path].operation, refusal.statement, refusal.reason, further=further
            )

    def _run_request(self, token: str, endpoint: Endpoint, body: Any, arrow: bool) -> Response:
        """Run a request; the token is checked again, because its user may have been removed while it waited."""
        person = self._person(token, self._people.by_token)
        with self._provider.use() as gateway:
            return endpoint.handle(gateway, person, body, arrow)

    def _person(self, token: str, look_up: Callable[[str], Person | None]) -> Person:
        """The person of a token."""
        try:
            person = look_up(token) if token else None
        except SfumatoError as error:  # callers must not learn what is wrong with the file of users
            _LOGGER.error("%s", where_of(error))
            raise RefusedRequest(503, "callers cannot be recognised now; ask again later.", reason="NoPeople") from None
        if person is None:
            raise unknown_caller()
        return person

    def _health(self) -> dict[str, Any]:
        """The content of the health response."""
        with suppress(SfumatoError), self._provider.use():  # checks the files; `problem` below says what it found
            pass
        gateway = self._provider.gateway
        status = {"open": True, "policy": gateway.policy.digest}
        problems = [one for one in (self._provider.problem, gateway.logbook.problem, self._people.problem) if one]
        return {**status, "problem": "; ".join(problems)} if problems else status

    async def _run_on_disk_thread(self, handle: Callable[..., Any], *given: Any) -> Any:
        """Run on a thread that handles no queries, because it may wait for the disk."""
        return await asyncio.get_running_loop().run_in_executor(self._disk_thread, handle, *given)

    def _threads_of(self, purpose: str | None) -> ThreadPoolExecutor:
        """The threads of a purpose, so that slow queries for one purpose do not delay others.

        Their number is what the source can use: threads that only wait take time from those that work.
        """
        gateway = self._provider.gateway
        known = purpose if purpose in gateway.policy.tree else None
        purpose_and_size = known, gateway.source.parallel_queries
        if purpose_and_size not in self._threads:
            self._threads[purpose_and_size] = ThreadPoolExecutor(purpose_and_size[1], thread_name_prefix="question")
        return self._threads[purpose_and_size]


def make_app(
    gateway: Gateway,
    people: People | PeopleFile,
    *,
    rates: Rates | None = None,
    at_once: ConcurrentQueries | None = None,
    body_seconds: float = 10.0,
    entry_limit: EntryLimit | None = None,
) -> FastAPI:
    """The application, for any ASGI server; `gateway serve` makes one that follows its files.

    No page loads anything from elsewhere; the description of the interface is at /openapi.json.
    """
    defaults = Allowances(body_seconds=body_seconds)
    allowed = Allowances(rates or defaults.rates, at_once or defaults.at_once, body_seconds=body_seconds)
    return HttpApi(FixedGateway(gateway, allowed), people, entry_limit=entry_limit)


async def query(request: Request) -> Response:
    """Answer a query."""
    return await _handle(request)


async def explain(request: Request) -> Response:
    """Explain what a query would show, and which rule decided it."""
    return await _handle(request)


async def choose(request: Request) -> Response:
    """Store choices of people for their own values."""
    return await _handle(request)


async def health(request: Request) -> Response:
    """Whether the server runs, and by which policy it answers."""
    api: HttpApi = request.app
    return await api.health()


async def _handle(request: Request) -> Response:
    """Handle a request. Routes are no methods, because FastAPI keeps routes forever, and with them the application."""
    api: HttpApi = request.app
    return await api.handle_request(request.scope, request.receive)


def _handle_query(gateway: Gateway, person: Person, body: QueryBody, arrow: bool) -> Response:
    """Run a query."""
    answer = gateway.query(body.question, person=person, purpose=body.purpose, parameters=body.parameters)
    return arrow_answer(answer) if arrow else json_answer(answer)


def _handle_explain(gateway: Gateway, person: Person, body: QueryBody, arrow: bool) -> Response:
    """Explain a query."""
    return json_response(gateway.explain(body.question, person=person, purpose=body.purpose).to_dict())


def _handle_choose(gateway: Gateway, person: Person, body: ChoicesBody, arrow: bool) -> Response:
    """Store choices."""
    given = [(str(one.key), one.column, one.choice) for one in body.choices]
    try:
        number = gateway.choose(body.table, given, person=person, purpose=body.purpose)
    except PolicyError as error:  # the request does not fit the policy, which is the caller's error
        raise StatementError(str(error)) from None
    return json_response({"choices": number})


async def _unknown_path(request: Request, error: Exception) -> Response:
    """The response for an unknown path or method; 405 names the methods."""
    if not isinstance(error, HTTPException):
        raise error
    messages = {404: "there is no such path.", 405: "this path needs another method."}
    return refusal_response(
        error.status_code, messages.get(error.status_code, "this request is not possible."), error.headers
    )


def _openapi_body(kind: type[QueryBody] | type[ChoicesBody]) -> dict[str, Any]:
    """The OpenAPI description of a body."""
    schema = kind.model_json_schema()
    for name, part in schema.pop("$defs", {}).items():  # a reference would be resolved in the whole document
        schema = json.loads(json.dumps(schema).replace(json.dumps({"$ref": f"#/$defs/{name}"}), json.dumps(part)))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
