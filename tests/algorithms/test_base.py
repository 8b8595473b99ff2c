"""What the base promises for every algorithm: its random numbers, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sfumato.algorithms import Mondrian, base
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import InfeasibleError, SchemaError, UsageError
from sfumato.models import DistinctLDiversity, KAnonymity, LkcPrivacy
from sfumato.runtime.secret_random import SecretRandom

SCHEMA = Schema.of(quasi=["age"], sensitive=["ill"])
ROWS = {"age": [str(20 + place % 30) for place in range(60)], "ill": [f"d{place % 5}" for place in range(60)]}


def test_searches_are_repeated_without_a_seed() -> None:
    table = Table.of_rows(SCHEMA, ROWS)
    first, second = (Mondrian().anonymize(table, KAnonymity(k=3)) for _ in range(2))
    assert np.array_equal(first.candidate.group_of, second.candidate.group_of)
    assert (first.provenance["seed"], first.provenance["warnings"]) == (0, [])
    assert Mondrian().anonymize(table, KAnonymity(k=3), seed=5).provenance["seed"] == 5


def test_secret_numbers_follow_from_what_an_algorithm_declares() -> None:
    class Hiding(Mondrian):
        needs_secret_randomness = True

    assert isinstance(Hiding()._generator(None), SecretRandom)
    assert not isinstance(Hiding()._generator(1), SecretRandom)
    assert not isinstance(Mondrian()._generator(None), SecretRandom)


@pytest.mark.parametrize(
    "model", [DistinctLDiversity(l=2, sensitive="wage"), LkcPrivacy(l=1, k=2, c=0.5, sensitive="wage")], ids=str
)
def test_a_missing_column_is_refused_before_any_search(model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mondrian, "_publish", lambda *given: pytest.fail("it searched"))
    with pytest.raises(SchemaError, match="'wage'"):
        Mondrian().anonymize(Table.of_rows(SCHEMA, ROWS), model)


def test_one_record_is_counted_as_one() -> None:
    table = Table.of_rows(SCHEMA, {"age": ["20"], "ill": ["d1"]})
    with pytest.raises(InfeasibleError, match="no way to publish 1 record that"):
        Mondrian().anonymize(table, KAnonymity(k=3))


@pytest.mark.parametrize(
    ("person", "within", "above"), [("", 6 / 60, 5 / 60), ("who", 3 / 15, 2 / 15)], ids=["records", "persons"]
)
def test_the_limit_on_suppression_holds_for_what_is_published(person: str, within: float, above: float) -> None:
    """Six of sixty records have the age 20, 25 or 30, and belong to three of fifteen persons with four records each."""

    class Generous(Mondrian):
        def _publish(self, table, model, suppression, random):
            candidate = super()._publish(table, model, suppression, random)
            ages = np.array([int(text) for text in table.domain("age").texts])
            return candidate.suppressing(np.isin(ages[table.codes["age"][candidate.origin]], [20, 25, 30]))

    schema = Schema.of(quasi=["age"], sensitive=["ill"], person=person) if person else SCHEMA
    table = Table.of_rows(schema, ROWS | {"who": [str(place % 30 // 2) for place in range(60)]})
    candidate = Generous().anonymize(table, KAnonymity(k=2), suppression=within).candidate
    assert candidate.suppressed_records == 6
    with pytest.raises(InfeasibleError, match="satisfies k_anonymity"):
        Generous().anonymize(table, KAnonymity(k=2), suppression=above)


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (pa.table(ROWS), "make a table of the frame first: Table.from_frame(frame, schema)"),
        ("patients.csv", "read the file first: Table.read(path, schema)"),
        (Path("patients.csv"), "read the file first: Table.read(path, schema)"),
        (ROWS, "make one with Table.from_frame(frame, schema) or Table.read(path, schema)"),
    ],
    ids=["frame", "name of a file", "path", "dictionary"],
)
def test_what_is_no_table_is_refused_with_the_way_to_make_one(data: object, advice: str) -> None:
    with pytest.raises(UsageError, match="data is given as a table") as refused:
        Mondrian().anonymize(data, KAnonymity(k=3))  # type: ignore[arg-type]
    assert advice in str(refused.value)


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        ("k_anonymity", "got a text: write KAnonymity(k=...)"),
        ("k_anonimity", "did you mean 'k_anonymity'?"),
        (KAnonymity, "got a class: write KAnonymity(k=...)"),
        ([KAnonymity(k=3), DistinctLDiversity(l=2)], "join several models with &"),
        (3, "such as KAnonymity(k=5)"),
    ],
    ids=["name", "wrong name", "class", "list", "number"],
)
def test_what_is_no_model_is_refused_with_what_to_write(model: object, advice: str) -> None:
    with pytest.raises(UsageError) as refused:
        Mondrian().anonymize(Table.of_rows(SCHEMA, ROWS), model)  # type: ignore[arg-type]
    assert advice in str(refused.value)


@pytest.mark.parametrize("name", ["Partitioning", "Bucketizing", "LatticeSearch"])
def test_classes_that_were_here_earlier_are_still_found(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{name} is in sfumato.algorithms."):
        assert getattr(base, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        base.Nothing  # noqa: B018
