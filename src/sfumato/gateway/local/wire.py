"""What goes over the socket between the local command line and a server: JSON to ask, Arrow and JSON to answer."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato import errors
from sfumato.errors import DataError, SfumatoError
from sfumato.gateway.answers.unexpected_errors import where_of

if TYPE_CHECKING:
    from sfumato.gateway.answers.answer import Answer

_LONGEST_ADDRESS = 100
"""Bytes that every system takes as the address of a socket."""

_FOLDERS = Path("/proc/self/fd")
_ABOUT = b"sfumato"
DONE, REFUSED, FAILED = 200, 400, 500


class FailedThere(Exception):
    """The server itself failed; `where` says in which line of which file, and nothing else."""

    def __init__(self, where: str) -> None:
        super().__init__("the server failed.")
        self.where = where


def socket_of(setup: Path) -> Path:
    """The socket of the server for a setup file, beside it.

    >>> str(socket_of(Path("shop/gateway.toml")))
    'shop/gateway.sock'
    """
    return setup.with_name(f"{setup.name if setup.suffix == '.sock' else setup.stem}.sock")


@contextmanager
def address_of(path: Path) -> Iterator[str | None]:
    """The address by which a socket is bound or reached; None where the system has none for a path so long.

    The address of a socket holds about a hundred bytes. A longer path is reached through its folder, which is open
    meanwhile.
    """
    if len(os.fsencode(path)) <= _LONGEST_ADDRESS:
        yield str(path)
    elif len(os.fsencode(path.name)) > _LONGEST_ADDRESS - 30 or not _FOLDERS.is_dir():
        yield None
    else:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield str(_FOLDERS / str(folder) / path.name)
        finally:
            os.close(folder)


def answer_to_bytes(found: Answer) -> bytes:
    """An answer as it is shown, with what is said about it beside the columns."""
    import pyarrow as pa

    about = {
        "purpose": found.purpose,
        "uncertain": found.uncertain,
        "obligations": [duty.model_dump() for duty in found.obligations],
        "margins": found.margins,
        "repeated": found.repeated,
    }
    table = found.table.replace_schema_metadata({_ABOUT: json.dumps(about).encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    plain: bytes = sink.getvalue().to_pybytes()
    return plain


def answer_of_bytes(data: bytes) -> Answer:
    """The same answer."""
    import pyarrow as pa

    from sfumato.gateway.answers.answer import Answer
    from sfumato.gateway.policy.sections import ObligationSection

    table = pa.ipc.open_stream(data).read_all()
    about = json.loads(table.schema.metadata[_ABOUT])
    duties = tuple(ObligationSection(**duty) for duty in about.pop("obligations"))
    return Answer.of_table(table.replace_schema_metadata(None), obligations=duties, **about)


def error_to_bytes(error: Exception) -> tuple[int, bytes]:
    """The status and the body for an error; of one that nobody foresaw only where it happened."""
    if isinstance(error, SfumatoError):
        return REFUSED, json.dumps({"error": type(error).__name__, "said": str(error)}).encode()
    return FAILED, json.dumps({"where": where_of(error)}).encode()


def error_of_bytes(status: int, data: bytes) -> Exception:
    """The same error, of the same type."""
    try:
        told: Mapping[str, Any] = json.loads(data)
    except ValueError:
        return DataError("the server on this machine answers in a way that this version does not understand.")
    if status == FAILED:
        return FailedThere(str(told.get("where", "")))
    kind = getattr(errors, str(told.get("error")), SfumatoError)
    known = isinstance(kind, type) and issubclass(kind, SfumatoError)
    return (kind if known else SfumatoError)(str(told.get("said", "")))
