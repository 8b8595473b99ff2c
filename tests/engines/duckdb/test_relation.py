"""Small numbers for values, against looking them up one by one; and connections that come and go."""

import gc
import tempfile
from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Mondrian
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.engines.base import Encoding
from sfumato.engines.duckdb import databases
from sfumato.engines.duckdb import relation as relations
from sfumato.engines.duckdb.databases import shared_database
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.engines.duckdb.relation import Relation
from sfumato.errors import DataError, OutputError
from sfumato.models import KAnonymity
from tests.examples import examples

WHOLE = st.lists(st.none() | st.integers(-(2**31), 2**31 - 1) | st.integers(-3, 3), min_size=1, max_size=8)


@given(WHOLE, st.data())
@examples(60)
def test_numbers_stand_for_the_given_values(column, data):
    """Whole numbers near each other go by offset, others and texts by enumeration; both must say the same."""
    texts = [None if value is None else str(value) for value in column]
    given_values = data.draw(st.permutations(list(dict.fromkeys(texts))))
    given_values = given_values[: data.draw(st.integers(0, len(given_values)))]
    expected = [given_values.index(text) if text in given_values else -1 for text in texts]
    for table in (pa.table({"v": pa.array(column, pa.int32())}), pa.table({"v": pa.array(texts, pa.string())})):
        relation = Relation("frame", ["v"], described="the frame", size=table.nbytes, frame=table)
        coded = relation.coded("v", given_values)
        found = relation.query(f"SELECT {coded.expression} AS k FROM {relation.source}").column(0).combine_chunks()
        if given_values:
            assert coded.at(found).tolist() == expected
        else:
            assert found.null_count == len(found)


def test_a_disconnected_relation_answers_again():
    frame = pa.table([[1, 2], [3, 4]], names=["a", "A"])
    relation = Relation("frame", ["a", "A"], described="the frame", size=frame.nbytes, frame=frame)
    first = relation.query(f"SELECT {relation.raw('A')} AS n FROM {relation.source}")
    relation.disconnect()
    relation.disconnect()
    assert relation.query(f"SELECT {relation.raw('A')} AS n FROM {relation.source}") == first
    assert first.column(0).to_pylist() == [3, 4]


def test_what_spills_goes_to_a_private_folder_that_is_gone_afterwards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setitem(databases.SETTINGS, "memory_limit", "60MB")
    frame = pa.table({"n": range(3_000_000)})
    relation = Relation("frame", ["n"], described="the frame", size=frame.nbytes, frame=frame)
    groups = relation.query(f"SELECT count(*) FROM (SELECT c0 * 7 AS k, count(*) FROM {relation.source} GROUP BY 1)")
    assert groups.column(0).to_pylist() == [3_000_000]
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith(".sfumato-")
    assert folder.stat().st_mode & 0o077 == 0
    relation.disconnect()
    assert list(tmp_path.iterdir()) == []


DAMAGES = {
    "has another number of values": b"canary,x,y\n",
    "is not in the expected encoding": b"canary\xff,x\n",
    "does not end where it should": b'canary,"x\n',
}


def shown_by(error: BaseException | None) -> Iterator[str]:
    """What an error and those that it came from say, and what the functions it passed knew."""
    while error is not None:
        yield f"{error} {error!r} {error.args} {vars(error)} {getattr(error, 'strerror', '')}"
        trace = error.__traceback__
        while trace is not None:
            if "sfumato" in trace.tb_frame.f_globals["__name__"]:
                yield str({name: value for name, value in trace.tb_frame.f_locals.items() if isinstance(value, str)})
            trace = trace.tb_next
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize(("reason", "damage"), DAMAGES.items(), ids=DAMAGES)
def test_a_damage_that_is_found_late_is_told_without_the_record(reason, damage, tmp_path):
    """The decision reads one column, and DuckDB finds the damage when all are streamed, through Arrow."""
    path = tmp_path / "in.csv"
    path.write_bytes(b"age,note\n" + b"1,x\n" * 300_000)
    release = Mondrian().anonymize(Table.read(path, Schema.of(quasi=["age"])), KAnonymity(k=2))
    with path.open("ab") as stream:
        stream.write(damage + b"1,x\n" * 10)
    for publish in (release.frame, lambda: release.write(tmp_path / "out.csv")):
        with pytest.raises(DataError, match=f"^file 'in.csv' cannot be read near line 300002: .*{reason}") as caught:
            publish()
        assert not isinstance(caught.value, OutputError)
        assert "canary" not in "".join(shown_by(caught.value))


@pytest.mark.parametrize(
    ("kind", "said"),
    [(OSError, (5, "canary")), (pa.ArrowInvalid, ("canary",)), (duckdb.DataError, ("canary line 777",))],
)
def test_no_error_of_a_reader_is_passed_on(kind, said):
    def failing() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"v": ["a"]})
        raise kind(*said)

    relation = small(["a"])
    with pytest.raises(DataError, match="the frame cannot be read: its format") as caught, relation._translated():
        list(relations._batches(failing()))
    assert "canary" not in "".join(shown_by(caught.value))


def small(values: list[str]) -> Relation:
    frame = pa.table({"v": values})
    return Relation("frame", ["v"], described="the frame", size=frame.nbytes, frame=frame)


def test_small_sources_share_a_database_and_see_nothing_of_each_other():
    one, other = small(["a", "b"]), small(["x"])
    for relation, value in ((one, "b"), (other, "x")):
        code = relation.coded("v", [value])
        assert relation.number(f"SELECT count({code.expression}) FROM {relation.source}") == 1
    database = shared_database().connection
    assert database.sql("SELECT count(*) FROM duckdb_types() WHERE type_name LIKE 'domain%'").fetchall() == [(0,)]
    assert database.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchall() == [(0,)]
    one.disconnect()
    assert other.query(f"SELECT c0 FROM {other.source}").column(0).to_pylist() == ["x"]


def test_a_database_is_held_as_long_as_a_source_uses_it():
    """Its folder would be removed with it, while rows are spilled into it."""
    relation = small([f"v{place}" for place in range(300_000)])
    folder = shared_database().spill.path
    batches = relation.stream(f"SELECT c0 FROM {relation.source}")
    read = next(batches).num_rows
    databases._shared.clear()
    gc.collect()
    assert folder.exists()
    assert read + sum(batch.num_rows for batch in batches) == 300_000
    relation.disconnect()
    gc.collect()
    assert not folder.exists()


class Refusing:
    """A connection that quotes what it was given."""

    def register(self, name: str, listed: pa.Table) -> None:
        raise duckdb.InvalidInputException(str(listed))


def test_a_domain_that_duckdb_refuses_is_told_without_its_values():
    relation = small(["a"])
    relation._open = Refusing()
    with pytest.raises(DataError, match="the frame cannot be read") as caught:
        next(DuckdbEngine(relation).rows({"v": Encoding(["canary"], np.zeros(1, dtype=np.int32))}))
    assert "canary" not in "".join(shown_by(caught.value))


FATAL = (
    duckdb.FatalException("database has been invalidated"),
    duckdb.InternalException("an assertion failed"),
    OSError("FATAL Error: database has been invalidated"),
)


def fail(relation: Relation, error: Exception) -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        raise type(error)(*error.args)
        yield

    with pytest.raises(DataError), relation._translated():
        list(relations._batches(failing()))


@pytest.mark.parametrize("error", FATAL, ids=repr)
def test_a_database_that_failed_is_not_used_again(error):
    """Neither by the source that met the failure, nor by others, nor by new ones."""
    one, other, before = small(["a"]), small(["b"]), shared_database()
    assert one._database is other._database is before
    fail(one, error)
    assert (one._open, one._database) == (None, None)
    for relation, value in ((one, "a"), (other, "b"), (small(["c"]), "c")):
        assert relation.query(f"SELECT c0 FROM {relation.source}").column(0).to_pylist() == [value]
        assert relation._database is shared_database() is not before


def test_a_large_source_that_failed_has_another_database_and_releases_the_first():
    frame = pa.table({"v": ["a"]})
    relation, shared = Relation("frame", ["v"], described="the frame", size=10**9, frame=frame), shared_database()
    spill = relation._database.spill.path
    fail(relation, FATAL[0])
    assert not spill.exists()
    assert relation.query(f"SELECT c0 FROM {relation.source}").column(0).to_pylist() == ["a"]
    assert shared_database() is shared


def test_other_errors_leave_the_database_as_it_is():
    relation = small(["a"])
    database = relation._database
    fail(relation, OSError("Invalid Input Error: CSV Error on Line: 3"))
    assert relation._database is database
    assert database.usable
