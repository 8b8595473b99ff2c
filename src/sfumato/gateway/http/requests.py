"""What comes in at the door for programs: headers and bodies, read or refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field, ValidationError
from starlette.types import Receive

from sfumato.gateway.sql.reading import MAX_CHARACTERS
from sfumato.settings.toml_sections import Section

ARROW = "application/vnd.apache.arrow.stream"
_LARGEST = 200_000
"""Bytes that a body may have."""

LONGEST_NAME = 500
"""Characters that a purpose, a table, a column or a choice may have."""

_LONGEST_KEY = 2000
_STRANGER = "nobody is known by this token."


_Name = Annotated[str, Field(max_length=LONGEST_NAME)]


class AskedSection(Section):
    """What is asked: one SELECT, the purpose, and what stands for ? in it."""

    question: Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]
    purpose: _Name | None = None
    parameters: list[bool | int | float | str | None] = []


class ChoiceSection(Section):
    """Somebody's choice for one of their values; an empty one takes back what they chose before."""

    key: int | Annotated[str, Field(max_length=_LONGEST_KEY)]
    column: _Name
    choice: _Name


class ChosenSection(Section):
    """What people chose."""

    table: _Name
    choices: Annotated[list[ChoiceSection], Field(min_length=1)]
    purpose: _Name | None = None


class Refused(Exception):
    """A request that is refused before the gateway hears of it; `reason` and `said` are for the log."""

    def __init__(
        self,
        status: int,
        answer: str,
        *,
        reason: str,
        said: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(answer)
        self.status, self.reason, self.said = status, reason, said
        self.headers = dict(headers or {})


def not_known() -> Refused:
    """The same for everybody whom nobody knows: without a token, with a wrong one, with one that has expired."""
    return Refused(401, _STRANGER, reason="NotKnown", headers={"WWW-Authenticate": "Bearer"})


def head_of(headers: Iterable[tuple[bytes, bytes]]) -> tuple[str, bool]:
    """The token in the headers, and whether the answer is to be Arrow; two tokens could be two people, and are refused.

    >>> head_of([(b"authorization", b"Bearer abc"), (b"accept", b"application/vnd.apache.arrow.stream")])
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
        raise Refused(400, "a request has one Authorization header.", reason="TwoTokens")
    kind, _, token = given.decode("latin-1").partition(" ")
    return (token.strip() if kind.lower() == "bearer" else ""), arrow


class _Alarm:
    """Ends what the current task waits for; does what `asyncio.timeout` does in a third of its time."""

    def __init__(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self.task: asyncio.Task[Any] = asyncio.current_task(loop)  # type: ignore[assignment]  # there is one: this one
        self.rang = False
        self.timer = loop.call_later(seconds, self._ring)

    def _ring(self) -> None:
        self.rang = True
        self.task.cancel()


async def body_of(receive: Receive, seconds: float) -> bytes:
    """All that was sent, if it comes in time and is not too large."""
    parts: list[bytes] = []
    size, more = 0, True
    alarm = _Alarm(seconds)
    try:
        while more and size <= _LARGEST:
            message = await receive()
            parts.append(message.get("body", b""))
            size, more = size + len(parts[-1]), message.get("more_body", False)
    except asyncio.CancelledError:
        if not alarm.rang or alarm.task.uncancel() > 0:  # somebody else wants this to end, too
            raise
        answer, said = f"a body has {seconds:g} seconds to arrive.", "(a body that did not arrive in time)"
        raise Refused(408, answer, reason="TooSlow", said=said, headers={"Connection": "close"}) from None
    finally:
        alarm.timer.cancel()
    if size > _LARGEST:
        raise Refused(
            413, f"a body has at most {_LARGEST:,} bytes.", reason="TooLarge", said="(a body that is too large)"
        )
    return b"".join(parts)


def read_body(body: bytes, kind: type[AskedSection] | type[ChosenSection]) -> AskedSection | ChosenSection:
    """What was sent, if it is what the path takes."""
    try:
        return kind.model_validate_json(body)
    except ValidationError:
        pass
    fields = ", ".join(map(repr, kind.model_fields))
    raise Refused(
        400,
        f"a request is JSON with {fields}; a purpose and parameters may be missing, and a question has at most "
        f"{MAX_CHARACTERS:,} characters, a name {LONGEST_NAME}.",
        reason="NotRead",
        said="(a body that cannot be read)",
    )
