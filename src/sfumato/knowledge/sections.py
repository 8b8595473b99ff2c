"""The sections of a file of rules: the allowed keys and their types, and messages that name the place of an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sfumato.errors import KnowledgeError, nearest

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

_WORDS = {
    "string_type": "text in quotes",
    "float_type": "a number",
    "finite_number": "a finite number",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "too_short": "given with at least one entry",
    "string_too_short": "a text that is not empty",
    "greater_than_equal": "a number of at least 0",
    "less_than_equal": "a number of at most 1",
}


class KnowledgeSection(BaseModel):
    """One table of the file: no unknown key, no silent conversion, no change after reading."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NeverSection(KnowledgeSection):
    """`[[never]]`: persons with the items never have the value, except for a share of exceptions."""

    when: dict[str, Any]
    value: Any
    share: Share = 0.0
    support: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    expectation: Share | None = None
    conviction: Annotated[float, Field(ge=0)] | None = None


class ShareSection(NeverSection):
    """`[[likely]]` and `[[share]]`: the same keys, but the share is required."""

    share: Share


class KnowledgeSections(KnowledgeSection):
    """A whole file of rules."""

    sensitive: Annotated[str, Field(min_length=1)]
    named: dict[str, dict[str, Annotated[list[Any], Field(min_length=1)]]] = {}
    never: list[NeverSection] = []
    likely: list[ShareSection] = []
    share: list[ShareSection] = []


def read_sections(given: Mapping[str, Any], described: str) -> KnowledgeSections:
    """Validate a file of rules; only the first error is reported, because others often follow from it."""
    try:
        return KnowledgeSections.model_validate(dict(given))
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        fault = next((item for item in faults if item["type"] == "extra_forbidden"), faults[0])
        sentence = _sentence(fault["type"], fault["loc"])
    raise KnowledgeError(f"{described}: {sentence}")


def place(path: Sequence[str | int]) -> str:
    """The place of an error in the file, for messages.

    >>> place(("named", "job", "Artist")), place(("never", 1, "when"))
    ('[named.job] Artist', '[[never]] number 2, when')
    """
    if path and path[0] == "named":
        return " ".join([f"[{'.'.join(map(str, path[:2]))}]", *map(str, path[2:])])
    if len(path) > 1:
        return f"[[{path[0]}]] number {int(path[1]) + 1}" + "".join(f", {part}" for part in path[2:])
    return str(path[0]) if path else "the file"


def _sentence(kind: str, path: tuple[str | int, ...]) -> str:
    inner = path[:-1]
    if kind == "extra_forbidden":
        allowed = (NeverSection if inner else KnowledgeSections).model_fields
        return f"{place(inner)} has no key {str(path[-1])!r}; {nearest(str(path[-1]), allowed)}"
    if kind == "missing":
        return f"{place(inner)} needs {str(path[-1])!r}."
    return f"{place(path)} must be {_WORDS.get(kind, 'of another type')}."
