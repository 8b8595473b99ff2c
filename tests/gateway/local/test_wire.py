from __future__ import annotations

import os
import socket
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from sfumato import errors
from sfumato.errors import DataError, SfumatoError
from sfumato.gateway.answers.answer import Answer
from sfumato.gateway.local.wire import (
    ServerFailure,
    address_of,
    answer_of_bytes,
    answer_to_bytes,
    error_of_bytes,
    error_to_bytes,
    socket_of,
)
from sfumato.gateway.policy.sections import ObligationSection

KINDS = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, SfumatoError)]


def test_an_answer_arrives_as_it_was() -> None:
    table = pa.table(
        {
            "text": ["a ★", None], "number": [1, None], "half": [0.5, float("inf")], "day": [date(2026, 1, 2), None],
            "moment": [datetime(2026, 1, 2, 3, 4, 5, 6), None], "exact": [Decimal("1.50"), None], "yes": [True, None],
            "bytes": [b"\xff", None], "list": [[1, 2], None],
        }
    )  # fmt: skip
    duties = (ObligationSection(duty="notify", to="officer"), ObligationSection(duty="delete_after", days=3))
    sent = Answer.of_table(
        table, purpose="Märkte", uncertain=True, in_doubt=["half", "yes"], obligations=duties, margins={"half": 1.25},
        repeated=True,
    )  # fmt: skip
    got = answer_of_bytes(answer_to_bytes(sent))
    assert got.table == sent.table == table
    assert got.table.schema.metadata is None
    assert (got.rows(), len(got), got.purpose, got.uncertain) == (sent.rows(), 2, "Märkte", True)
    assert got.in_doubt == ["half", "yes"]
    assert (got.obligations, got.margins, got.repeated) == (duties, {"half": 1.25}, True)


def test_an_answer_without_rows() -> None:
    sent = Answer.of_table(
        pa.table({"a": pa.array([], pa.int64())}), purpose="x", uncertain=False, obligations=(), margins={}
    )
    assert answer_of_bytes(answer_to_bytes(sent)).table == sent.table


@pytest.mark.parametrize("kind", KINDS)
def test_errors_keep_their_type_and_words(kind: type[SfumatoError]) -> None:
    got = error_of_bytes(*error_to_bytes(kind("there is no table 'ä'.")))
    assert type(got) is kind
    assert str(got) == "there is no table 'ä'."
    assert isinstance(got, SfumatoError)


def test_an_error_nobody_foresaw_is_told_without_a_word_of_it() -> None:
    def fail() -> None:
        raise ValueError("56 Fay Street")

    try:
        fail()
    except ValueError as error:
        status, body = error_to_bytes(error)
    assert b"Fay" not in body
    got = error_of_bytes(status, body)
    assert isinstance(got, ServerFailure)
    assert got.where.startswith("ValueError in test_wire.py, line ")


def test_answers_of_another_version() -> None:
    assert type(error_of_bytes(400, b"no json")) is DataError
    assert type(error_of_bytes(400, b'{"error": "NewError", "said": "no"}')) is SfumatoError
    assert type(error_of_bytes(400, b'{"error": "listed", "said": "no"}')) is SfumatoError


def test_the_socket_lies_beside_the_setup() -> None:
    assert [socket_of(Path(name)).name for name in ("a.toml", "a", "a.sock", "a.b.toml")] == [
        "a.sock", "a.sock", "a.sock.sock", "a.b.sock",
    ]  # fmt: skip


def test_a_path_that_is_too_long_is_reached_through_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    path = folder / "gateway.sock"
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        with address_of(path) as address:
            assert len(os.fsencode(address)) <= 100
            server.bind(address)
        server.listen()
        assert path.is_socket()
        with address_of(path) as address:
            client.connect(address)
    with address_of(folder / ("y" * 120)) as address:
        assert address is None


def test_systems_without_a_way_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.gateway.local.wire._OPEN_FOLDERS", tmp_path / "nowhere")
    with address_of(tmp_path / ("x" * 120) / "gateway.sock") as address:
        assert address is None
    with address_of(Path("gateway.sock")) as address:
        assert address == "gateway.sock"
