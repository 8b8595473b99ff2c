from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.data.schema import Schema
from sfumato.disclosure.published_view import PublishedView, sizes_of
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.errors import DataError, SchemaError
from sfumato.models import KAnonymity

SCHEMA = Schema.of(quasi=["job", "age"], sensitive=["ill"], kinds={"job": "text", "age": "text"})
BARE = Schema.of(quasi=["job", "age"], kinds={"job": "text", "age": "text"})


def csv_of(folder: Path, text: str, name: str = "r.csv") -> DuckdbEngine:
    (folder / name).write_text(text)
    return DuckdbEngine.over_file(folder / name)


def test_suppressed_records_are_left_out_and_counted(tmp_path: Path) -> None:
    source = csv_of(tmp_path, 'job,age,ill,x\nA,"[1, 2]",flu,1\nA,"[1, 2]",hiv,2\n*,*,*,*\n*,*,*,*\n*,*,flu,3\n')
    seen = PublishedView.of_source(source, SCHEMA, nulls=False)
    assert seen.suppressed == 2
    assert sorted(seen.groups().sizes.tolist()) == [1, 2]
    assert "*" not in seen.table.domain("ill").texts


def test_without_secrets_every_column_must_be_suppressed(tmp_path: Path) -> None:
    source = csv_of(tmp_path, "job,age,x\nA,1,1\nA,1,2\n*,*,*\n*,*,*\n*,*,7\n")
    seen = PublishedView.of_source(source, BARE, nulls=False)
    assert seen.suppressed == 2
    assert sorted(seen.groups().sizes.tolist()) == [1, 2]
    (sizes, how_many), gone = sizes_of(source, ["job", "age"], nulls=False)
    assert (sizes.tolist(), how_many.tolist(), gone) == ([1, 2], [1, 1], 2)


def test_records_that_are_generalized_fully_are_told_from_suppressed_ones_by_their_person(tmp_path: Path) -> None:
    """Rows of `*` differ in the pseudonym, which counts as a judged column: only one of them is suppressed."""
    source = csv_of(tmp_path, "job,age,who\nA,1,p\nA,1,q\n*,*,b\n*,*,c\n*,*,*\n*,*,*\n")
    schema = Schema.of(quasi=["job", "age"], person="who", kinds={"job": "text", "age": "text"})
    seen = PublishedView.of_source(source, schema, nulls=False)
    assert (seen.suppressed, seen.groups().sizes.tolist()) == (2, [2, 2])
    assert "*" not in seen.table.domain("who").texts


def test_a_group_that_is_wholly_suppressed_is_no_group(tmp_path: Path) -> None:
    source = csv_of(tmp_path, "job,age,x\nA,1,1\nA,1,2\n*,*,*\n")
    assert sizes_of(source, ["job", "age"], nulls=False)[0][0].tolist() == [2]
    assert PublishedView.of_source(source, BARE, nulls=False).groups().sizes.tolist() == [2]


def test_missing_values_are_values_in_text_and_suppressed_in_parquet(tmp_path: Path) -> None:
    table = pa.table({"job": ["A", "A", None, None], "age": ["1", "1", None, None], "ill": ["flu", "hiv", None, "flu"]})
    pq.write_table(table, tmp_path / "r.parquet")
    seen = PublishedView.of_source(DuckdbEngine.over_file(tmp_path / "r.parquet"), SCHEMA, nulls=True)
    assert (seen.suppressed, sorted(seen.groups().sizes.tolist())) == (1, [1, 2])
    text = csv_of(tmp_path, "job,age,ill\nA,1,flu\nA,1,hiv\n,,\n,,flu\n")
    seen = PublishedView.of_source(text, SCHEMA, nulls=False)
    assert (seen.suppressed, sorted(seen.groups().sizes.tolist())) == (0, [2, 2])


def test_records_without_known_secrets_are_published_if_another_column_has_a_value(tmp_path: Path) -> None:
    columns = {"job": ["A", "A", None, None, None], "age": ["1", "1", None, None, None]}
    table = pa.table({**columns, "ill": ["flu", "hiv", None, None, "flu"], "cost": [1, 2, 3, None, None]})
    pq.write_table(table, tmp_path / "r.parquet")
    seen = PublishedView.of_source(DuckdbEngine.over_file(tmp_path / "r.parquet"), SCHEMA, nulls=True)
    assert (seen.suppressed, sorted(seen.groups().sizes.tolist())) == (1, [2, 2])
    text = csv_of(tmp_path, "job,age,ill,x\nA,1,flu,1\nA,1,hiv,2\n*,*,*,3\n*,*,*,*\n*,*,flu,*\n")
    seen = PublishedView.of_source(text, SCHEMA, nulls=False)
    assert (seen.suppressed, sorted(seen.groups().sizes.tolist())) == (1, [2, 2])


def test_models_judge_it_like_a_candidate(tmp_path: Path) -> None:
    seen = PublishedView.of_source(csv_of(tmp_path, "job,age,ill\nA,1,flu\nA,1,hiv\nB,2,flu\n"), SCHEMA, nulls=False)
    verdict = KAnonymity(k=2).check(seen)
    assert (verdict.holds, verdict.level, verdict.failing_records) == (False, 1.0, 1)
    assert seen.groups(["job"]) is seen.groups(["job"])


@pytest.mark.parametrize("people", ["age,job\n1,A\n2,B\n", "age,job\n7,C\n"], ids=["fewer", "others"])
def test_a_population_that_lacks_records_of_the_release_is_refused(tmp_path: Path, people: str) -> None:
    release = csv_of(tmp_path, "age,job\n1,A\n1,A\n2,B\n")
    seen = PublishedView.of_source(release, Schema.of(quasi=["age", "job"]), nulls=False)
    lacking = 1 if "1,A" in people else 2
    with pytest.raises(DataError, match=f"{lacking} of 2 groups of the release have fewer records in the population"):
        seen.matched(csv_of(tmp_path, people, "other.csv"))


def test_groups_are_found_in_a_population(tmp_path: Path) -> None:
    seen = PublishedView.of_source(csv_of(tmp_path, "job,age,ill\nA,1,flu\nA,1,hiv\nB,2,flu\n"), SCHEMA, nulls=False)
    people = csv_of(tmp_path, "age,job\n1,A\n1,A\n1,A\n2,B\n2,B\n2,C\n3,B\n", "people.csv")
    sizes, how_many = seen.matched(people)
    assert (sizes.tolist(), how_many.tolist()) == ([2, 3], [1, 1])
    with pytest.raises(SchemaError, match="no column 'job'"):
        seen.matched(csv_of(tmp_path, "age,jobs\n1,A\n", "other.csv"))


def test_a_file_of_suppressed_records_only_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no records"):
        PublishedView.of_source(csv_of(tmp_path, "job,age,ill\n*,*,*\n"), SCHEMA, nulls=False)
