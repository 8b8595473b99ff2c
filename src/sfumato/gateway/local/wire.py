"""The protocol of the local socket, for client and server: requests are JSON, responses Arrow or JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sfumato import errors
from sfumato.errors import DataError, SfumatoError
from sfumato.gateway.answers.answer import Answer
from sfumato.gateway.answers.unexpected_errors import where_of
from sfumato.gateway.policy.sections import ObligationSection

_MAX_ADDRESS_BYTES = 100
"""The number of bytes that every system accepts as the address of a socket."""

_OPEN_FOLDERS = Path("/proc/self/fd")
_METADATA_KEY = b"sfumato"
DONE, REFUSED, FAILED = 200, 400, 500


class ServerFailure(Exception):
    """The server itself failed; `where` is the file and line, and nothing else."""

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
    """The address by which a socket is bound or reached; None if the system has none for so long a path.

    The address of a socket holds about a hundred bytes. A longer path is reached through a descriptor of its folder,
    which is open meanwhile.
    """
    if len(os.fsencode(path)) <= _MAX_ADDRESS_BYTES:
        yield str(path)
    elif len(os.fsencode(path.name)) > _MAX_ADDRESS_BYTES - 30 or not _OPEN_FOLDERS.is_dir():
        yield None
    else:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield str(_OPEN_FOLDERS / str(folder) / path.name)
        finally:
            os.close(folder)


def answer_to_bytes(answer: Answer) -> bytes:
    """An answer as it is displayed, with its other fields in the metadata of the schema."""
    import pyarrow as pa

    metadata = {
        "purpose": answer.purpose,
        "uncertain": answer.uncertain,
        "in_doubt": answer.in_doubt,
        "obligations": [obligation.model_dump() for obligation in answer.obligations],
        "margins": answer.margins,
        "repeated": answer.repeated,
    }
    table = answer.table.replace_schema_metadata({_METADATA_KEY: json.dumps(metadata).encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def answer_of_bytes(data: bytes) -> Answer:
    """The answer from these bytes."""
    import pyarrow as pa

    table = pa.ipc.open_stream(data).read_all()
    metadata = json.loads(table.schema.metadata[_METADATA_KEY])
    obligations = tuple(ObligationSection(**fields) for fields in metadata.pop("obligations"))
    return Answer.of_table(table.replace_schema_metadata(None), obligations=obligations, **metadata)


def error_to_bytes(error: Exception) -> tuple[int, bytes]:
    """The status and the body for an error; an unexpected error is reduced to its location."""
    if isinstance(error, SfumatoError):
        return REFUSED, json.dumps({"error": type(error).__name__, "said": str(error)}).encode()
    return FAILED, json.dumps({"where": where_of(error)}).encode()


def error_of_bytes(status: int, data: bytes) -> Exception:
    """The error from a status and a body, of the same type."""
    try:
        fields: Mapping[str, Any] = json.loads(data)
    except ValueError:
        return DataError("the server on this machine sent a response that this version cannot read.")
    if status == FAILED:
        return ServerFailure(str(fields.get("where", "")))
    kind = getattr(errors, str(fields.get("error")), SfumatoError)
    is_own_error = isinstance(kind, type) and issubclass(kind, SfumatoError)
    return (kind if is_own_error else SfumatoError)(str(fields.get("said", "")))
