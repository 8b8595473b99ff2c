"""The door for programs: questions over HTTP, with a token, answered as JSON or Arrow."""

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
from sfumato.gateway.answers.unforeseen import Failed, where_of
from sfumato.gateway.http.allowances import Allowances
from sfumato.gateway.http.at_once import AtOnce
from sfumato.gateway.http.own_turns import OwnTurns
from sfumato.gateway.http.rates import Rates
from sfumato.gateway.http.requests import (
    ARROW,
    AskedSection,
    ChosenSection,
    Refused,
    body_of,
    head_of,
    not_known,
    read_body,
)
from sfumato.gateway.http.responses import as_arrow, as_json, failed, plain_json, refused
from sfumato.gateway.http.serving import OneGateway, Serving
from sfumato.gateway.log.few_entries import FewEntries

if TYPE_CHECKING:
    from sfumato.gateway.gateway import Gateway
    from sfumato.gateway.people.people import People, Person
    from sfumato.gateway.people.people_file import PeopleFile

__all__ = ["ARROW", "Door", "make_app"]
_LOGGER = logging.getLogger(__name__)
_NOT_LOGGED = "the log cannot be written now; ask again later."

Doing = Callable[["Gateway", "Person", Any, bool], Response]
"""What is done for somebody with what was sent, answered as Arrow where they want that."""


@dataclass(frozen=True)
class Way:
    """A path of the door: what is sent along it, what the log calls it, and what is done."""

    sent: type[AskedSection] | type[ChosenSection]
    operation: str
    does: Doing


class Door(FastAPI):
    """The application: questions go to threads of its own, past everything that other requests go through.

    FastAPI and its layers take longer to pass a question on than the gateway does to decide about it. Whatever is
    refused here, before the gateway hears of it, is in the log too; strangers get a few entries a second together.
    """

    def __init__(self, serving: Serving, people: People | PeopleFile, *, few: FewEntries | None = None) -> None:
        super().__init__(title="sfumato gateway", docs_url=None, redoc_url=None, redirect_slashes=False)
        self._serving = serving
        self._people = people
        self._few = few or FewEntries()
        self._threads: dict[tuple[str | None, int], ThreadPoolExecutor] = {}
        self._turns = OwnTurns()
        self._aside = ThreadPoolExecutor(1, thread_name_prefix="aside")
        self._ways = {
            "/query": Way(AskedSection, "select", _queried),
            "/explain": Way(AskedSection, "explain", _explained),
            "/choose": Way(ChosenSection, "choose", _chosen),
        }
        for path, does in (("/query", query), ("/explain", explain), ("/choose", choose)):
            described = _described(self._ways[path].sent)
            self.add_api_route(path, does, methods=["POST"], openapi_extra=described, response_model=None)
        self.add_api_route("/health", health, methods=["GET"], response_model=None)
        self.add_exception_handler(HTTPException, _no_way)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Questions right away, all else as FastAPI does."""
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"] in self._ways:
            response = await self.asked(scope, receive)
            await response(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def health(self) -> Response:
        """Whether the door is open, by which policy it answers, and whether the files on disk say something else."""
        return plain_json(await self._beside(self._health))

    async def asked(self, scope: Scope, receive: Receive) -> Response:
        """The answer to somebody who is known, does not ask too often, and asks what can be read."""
        path, person = scope["path"], None
        way, allowed = self._ways[path], self._serving.allowances
        try:
            token, arrow = head_of(scope["headers"])
            person = self._person(token, self._people.remembered)
            allowed.rates.take(person.name)
            allowed.at_once.take(person.name)
            try:
                body = read_body(await body_of(receive, allowed.body_seconds), way.sent)
                threads = self._threads_of(body.purpose)
                async with self._turns.turn(person.name, self._serving.gateway.source.of_one_person):
                    loop = asyncio.get_running_loop()
                    return await loop.run_in_executor(threads, self._done, token, way, body, arrow)
            finally:
                allowed.at_once.give_back(person.name)
        except Refused as error:
            refusal = error
        except RateError as error:
            refusal = Refused(429, str(error), reason="RateError", headers={"Retry-After": str(error.wait)})
        except OutputError as error:  # nobody noted it: what cannot be logged is not answered
            _LOGGER.error("%s", error)
            return refused(503, _NOT_LOGGED)
        except SfumatoError as error:  # the gateway has noted it
            return failed(error)
        except Failed as error:  # which is noted too
            _LOGGER.error("%s", error.where)
            return refused(500, str(error))
        except Exception as error:  # its message may have somebody's value in it, and would end up in a log
            _LOGGER.error("%s", where_of(error))
            refusal = Refused(500, "the gateway itself failed, and the question was not answered.", reason="Failure")
        return await self._turned_away(refusal, person, path)

    async def _turned_away(self, refusal: Refused, person: Person | None, path: str) -> Response:
        """Note a refusal, unless there are too many of them, and tell it."""
        known = None if refusal.status == 401 else person
        spared = known is None or refusal.status == 429
        further = self._few.take("" if known is None else known.name) if spared else 0
        if further is not None:
            try:
                await self._beside(self._note, refusal, known, path, further)
            except SfumatoError as error:
                _LOGGER.error("%s", error)
                return refused(503, _NOT_LOGGED)
        return refused(refusal.status, str(refusal), refusal.headers)

    def _note(self, refusal: Refused, person: Person | None, path: str, further: int) -> None:
        book = self._serving.gateway.logbook
        if person is None:
            book.record_unknown_caller(refusal.status, path, further=further)
        else:
            book.record_refusal(person, self._ways[path].operation, refusal.said, refusal.reason, further=further)

    def _done(self, token: str, way: Way, body: Any, arrow: bool) -> Response:
        """Whoever asks may have been removed while the question came in, or waited."""
        person = self._person(token, self._people.by_token)
        with self._serving.use() as gateway:
            return way.does(gateway, person, body, arrow)

    def _person(self, token: str, recognise: Callable[[str], Person | None]) -> Person:
        try:
            person = recognise(token) if token else None
        except SfumatoError as error:  # what is wrong with the file is nothing for whoever knocks
            _LOGGER.error("%s", where_of(error))
            raise Refused(503, "nobody can be recognised now; ask again later.", reason="NoPeople") from None
        if person is None:
            raise not_known()
        return person

    def _health(self) -> dict[str, Any]:
        with suppress(SfumatoError), self._serving.use():  # which looks at the files, and says below what it found
            pass
        gateway = self._serving.gateway
        told = {"open": True, "policy": gateway.policy.digest}
        problems = [one for one in (self._serving.problem, gateway.logbook.problem, self._people.problem) if one]
        return {**told, "problem": "; ".join(problems)} if problems else told

    async def _beside(self, does: Callable[..., Any], *given: Any) -> Any:
        """Done by a thread that answers no questions: it may wait for the disk."""
        return await asyncio.get_running_loop().run_in_executor(self._aside, does, *given)

    def _threads_of(self, purpose: str | None) -> ThreadPoolExecutor:
        """A few for every purpose, so that slow questions for one do not keep up others.

        Not more than are of use: threads that wait for their turn take time from those that have it.
        """
        gateway = self._serving.gateway
        known = purpose if purpose in gateway.policy.tree else None
        place = known, gateway.source.at_once
        if place not in self._threads:
            self._threads[place] = ThreadPoolExecutor(place[1], thread_name_prefix="question")
        return self._threads[place]


def make_app(
    gateway: Gateway,
    people: People | PeopleFile,
    *,
    rates: Rates | None = None,
    at_once: AtOnce | None = None,
    body_seconds: float = 10.0,
    few: FewEntries | None = None,
) -> FastAPI:
    """The application, for any server of ASGI applications; `gateway serve` makes one that follows its files.

    There are no pages that load anything from elsewhere; the description of the interface is at /openapi.json.
    """
    usual = Allowances(body_seconds=body_seconds)
    allowed = Allowances(rates or usual.rates, at_once or usual.at_once, body_seconds=body_seconds)
    return Door(OneGateway(gateway, allowed), people, few=few)


async def query(request: Request) -> Response:
    """Answer a question."""
    return await _at_the_door(request)


async def explain(request: Request) -> Response:
    """Say what would be seen, and who decided so."""
    return await _at_the_door(request)


async def choose(request: Request) -> Response:
    """Take in what people chose for their own values."""
    return await _at_the_door(request)


async def health(request: Request) -> Response:
    """Whether the door is open, and by which policy it answers."""
    door: Door = request.app
    return await door.health()


async def _at_the_door(request: Request) -> Response:
    """What FastAPI is given are functions and no methods: it keeps them for good, and with methods every door."""
    door: Door = request.app
    return await door.asked(request.scope, request.receive)


def _queried(gateway: Gateway, person: Person, body: AskedSection, arrow: bool) -> Response:
    found = gateway.query(body.question, person=person, purpose=body.purpose, parameters=body.parameters)
    return as_arrow(found) if arrow else as_json(found)


def _explained(gateway: Gateway, person: Person, body: AskedSection, arrow: bool) -> Response:
    return plain_json(gateway.explain(body.question, person=person, purpose=body.purpose).to_dict())


def _chosen(gateway: Gateway, person: Person, body: ChosenSection, arrow: bool) -> Response:
    given = [(str(one.key), one.column, one.choice) for one in body.choices]
    try:
        number = gateway.choose(body.table, given, person=person, purpose=body.purpose)
    except PolicyError as error:  # what was sent does not fit the policy, which is nobody's fault in here
        raise StatementError(str(error)) from None
    return plain_json({"choices": number})


async def _no_way(request: Request, error: Exception) -> Response:
    """A path or method that the door does not have; 405 says which methods it has."""
    if not isinstance(error, HTTPException):
        raise error
    said = {404: "there is no such path.", 405: "this path is asked in another way."}
    return refused(error.status_code, said.get(error.status_code, "this cannot be asked."), error.headers)


def _described(kind: type[AskedSection] | type[ChosenSection]) -> dict[str, Any]:
    schema = kind.model_json_schema()
    for name, part in schema.pop("$defs", {}).items():  # a reference would be looked for in the whole document
        schema = json.loads(json.dumps(schema).replace(json.dumps({"$ref": f"#/$defs/{name}"}), json.dumps(part)))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
