"""Reads headers and bodies of requests to the HTTP interface, or refuses them; `HttpApi` calls it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError
from starlette.types import Receive

from sfumato.gateway.sql.reading import MAX_CHARACTERS
from sfumato.settings.toml_sections import Section

ARROW = "application/vnd.apache.arrow.stream"
_MAX_BODY = 200_000
"""Largest size of a body in bytes."""

LONGEST_NAME = 500
"""Most characters of a purpose, a table, a column or a choice."""

_LONGEST_KEY = 2000
_UNKNOWN_CALLER = "the token is missing or not valid."


_Name = Annotated[str, Field(max_length=LONGEST_NAME)]


class QueryBody(Section):
    """One SELECT, the purpose, and the values for ? in it."""

    question: Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]
    purpose: _Name | None = None
    parameters: list[bool | int | float | str | None] = []


class ChoiceBody(Section):
    """The choice of a person for one of their values; an empty one withdraws an earlier choice."""

    key: int | Annotated[str, Field(max_length=_LONGEST_KEY)]
    column: _Name
    choice: _Name


class ChoicesBody(Section):
    """Choices of people in a table."""

    table: _Name
    choices: Annotated[list[ChoiceBody], Field(min_length=1)]
    purpose: _Name | None = None


class RefusedRequest(Exception):
    """A request that is refused before it reaches the gateway; `reason` and `statement` are for the log."""

    def __init__(
        self,
        status: int,
        answer: str,
        *,
        reason: str,
        statement: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(answer)
        self.status, self.reason, self.statement = status, reason, statement
        self.headers = dict(headers or {})


def unknown_caller() -> RefusedRequest:
    """The same refusal for a missing, a wrong and an expired token, so that it does not reveal which it is."""
    return RefusedRequest(401, _UNKNOWN_CALLER, reason="NotKnown", headers={"WWW-Authenticate": "Bearer"})


def read_headers(headers: Iterable[tuple[bytes, bytes]]) -> tuple[str, bool]:
    """The token in the headers, and whether the answer is to be Arrow.

    Two tokens are refused, because they could belong to two people.

    >>> read_headers([(b"authorization", b"Bearer abc"), (b"accept", b"application/vnd.apache.arrow.stream")])
    ('abc', True)
    """
    given = b""
    number, arrow = 0, False
    for name, value in headers:
        if name == b"authorization":
            given, number = value, number + 1
        elif name == b"accept":
            arrow = arrow or ARROW.encode() in value
    if number > 1:
        raise RefusedRequest(400, "a request has one Authorization header.", reason="TwoTokens")
    kind, _, token = given.decode("latin-1").partition(" ")
    return (token.strip() if kind.lower() == "bearer" else ""), arrow


class _BodyTimeout:
    """Cancels the current task after some seconds, like `asyncio.timeout`, which costs three times as much."""

    def __init__(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self.task: asyncio.Task[Any] = asyncio.current_task(loop)  # type: ignore[assignment]  # set inside a task
        self.expired = False
        self.timer = loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        self.expired = True
        self.task.cancel()


async def receive_body(receive: Receive, seconds: float) -> bytes:
    """The whole body, if it arrives in time and is not too large."""
    parts: list[bytes] = []
    size, more = 0, True
    timeout = _BodyTimeout(seconds)
    try:
        while more and size <= _MAX_BODY:
            message = await receive()
            parts.append(message.get("body", b""))
            size, more = size + len(parts[-1]), message.get("more_body", False)
    except asyncio.CancelledError:
        if not timeout.expired or timeout.task.uncancel() > 0:  # something else cancelled the task too
            raise
        answer, statement = f"a body has {seconds:g} seconds to arrive.", "(a body that did not arrive in time)"
        raise RefusedRequest(
            408, answer, reason="TooSlow", statement=statement, headers={"Connection": "close"}
        ) from None
    finally:
        timeout.timer.cancel()
    if size > _MAX_BODY:
        raise RefusedRequest(
            413, f"a body has at most {_MAX_BODY:,} bytes.", reason="TooLarge", statement="(a body that is too large)"
        )
    return b"".join(parts)


def parse_body(body: bytes, kind: type[QueryBody] | type[ChoicesBody]) -> QueryBody | ChoicesBody:
    """The parsed body, if it is what the path takes."""
    try:
        return kind.model_validate_json(body)
    except ValidationError:
        pass
    fields = ", ".join(map(repr, kind.model_fields))
    raise RefusedRequest(
        400,
        f"a request is JSON with {fields}; a purpose and parameters may be missing, and a question has at most "
        f"{MAX_CHARACTERS:,} characters, a name {LONGEST_NAME}.",
        reason="NotRead",
        statement="(a body that cannot be read)",
    )
