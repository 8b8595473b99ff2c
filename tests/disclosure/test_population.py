"""Populations: who is covered by which published group, and what is refused."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sfumato.algorithms import Mdav
from sfumato.data.partition import Partition
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital, hospital_population
from sfumato.disclosure import population as population_module
from sfumato.disclosure.population import Population
from sfumato.disclosure.table_view import TableView
from sfumato.errors import DataError, SchemaError, TaxonomyError, UnsuitableError, UsageError
from sfumato.models import KAnonymity
from sfumato.operations.generalize import generalize_groups, generalize_levels
from sfumato.taxonomies import Flat
from tests.golden import book

PERSONS = Population.of_table(hospital_population())


def people(**columns: list[str | None]) -> Population:
    return Population.of_table(Table.of_rows(Schema.of(quasi=list(columns)), columns))


def test_golden_generalized_alike() -> None:
    """Book, tables 2.4 and 2.5: four of five artists, and three of four professionals."""
    view = TableView(table=book.table("patients_3anon", quasi=["Job", "Sex", "Age"]))
    found = Population.of_table(book.table("external_4anon", quasi=["Job", "Sex", "Age"])).regions(view)
    assert sorted(zip(found.present.tolist(), found.people.tolist(), strict=True)) == [(3, 4), (4, 5)]
    assert found.absent == 0


def test_original_values_are_found_under_labels_also_those_that_no_record_has() -> None:
    view = generalize_levels(PERSONS.fitted(hospital()).widened(hospital()), {"Job": 1, "Sex": 0, "Age": 1}).view
    found = PERSONS.regions(view)
    assert (sorted(found.people.tolist()), found.absent) == ([4, 5], 0)
    exact = PERSONS.regions(generalize_levels(hospital(), {"Job": 0, "Sex": 0, "Age": 0}).view)
    assert (exact.people.sum(), exact.absent) == (7, 2)


def test_a_frame_and_a_file_are_read_like_a_table(tmp_path) -> None:
    frame = pa.table(book.read("external_raw"))
    path = tmp_path / "external.csv"
    path.write_text((book.FOLDER / "external_raw.csv").read_text(encoding="utf-8"), encoding="utf-8")
    briefs = [
        population.fitted(hospital()).brief()
        for population in (PERSONS, Population.of_frame(frame), Population.read(path))
    ]
    assert [brief["records"] for brief in briefs] == [9, 9, 9]
    assert len({brief["digest"] for brief in briefs}) == 1
    assert briefs[2]["source"] == "external.csv"


def test_the_widened_table_has_the_same_records_and_more_values() -> None:
    table = hospital()
    wide = PERSONS.fitted(table).widened(table)
    assert "39" in wide.domain("Age").texts
    for name in table.schema.quasi:
        texts, before = wide.domain(name).texts, table.domain(name).texts
        assert [texts[code] for code in wide.codes[name]] == [before[code] for code in table.codes[name]]
    again = PERSONS.fitted(wide).widened(wide)
    assert all((again.codes[name] == wide.codes[name]).all() for name in wide.codes)
    rows = PERSONS.table(wide)
    assert rows.records == 9
    assert all(rows.domain(name).texts == wide.domain(name).texts for name in wide.schema.quasi)


def test_numbers_and_missing_values_are_the_same_however_they_are_written() -> None:
    schema = Schema.of(quasi=["age"], taxonomies={"age": Flat()}, missing=["?"])
    table = Table.of_rows(schema, {"age": ["7", "?", "10"]})
    found = people(age=["7.0", None, "8", "10"]).fitted(table)
    wide = found.widened(table)
    assert wide.domain("age").numbers[:3].tolist() == [7, 8, 10]
    assert found.regions(generalize_levels(wide, {"age": 0}).view).absent == 1


@pytest.mark.parametrize("cells", [1, 4, 1000])
def test_ranges_that_overlap_in_a_column_only(monkeypatch, cells) -> None:
    """Boxes: age 1 to 4 in a, age 1 to 2 in b, age 3 to 4 in b."""
    monkeypatch.setattr(population_module, "_CELLS", cells)
    rows = {"age": ["1", "4", "1", "2", "3", "4"], "town": ["a", "a", "b", "b", "b", "b"]}
    table = Table.of_rows(Schema.of(quasi=["age", "town"]), rows)
    group = {("1", "a"): 0, ("4", "a"): 0, ("1", "b"): 1, ("2", "b"): 1, ("3", "b"): 2, ("4", "b"): 2}
    texts = [[table.domain(name).texts[code] for code in table.codes[name]] for name in ("age", "town")]
    labels = pa.array([group[pair] for pair in zip(*texts, strict=True)], pa.int32()).to_numpy()
    view = generalize_groups(table, Partition.of_labels(labels), sets=False).view
    more = people(age=[*rows["age"], "2", "3", "5"], town=[*rows["town"], "a", "a", "a"])
    found = more.regions(view)
    assert sorted(zip(found.present.tolist(), found.people.tolist(), strict=True)) == [(2, 2), (2, 2), (2, 4)]
    assert found.absent == 1


def test_a_person_who_fits_two_groups_is_refused() -> None:
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["1", "3", "2", "4"]})
    view = generalize_groups(table, Partition.of_labels(pa.array([0, 1, 0, 1], pa.int32()).to_numpy()), sets=False).view
    with pytest.raises(UnsuitableError, match="2 records of the population fit several groups"):
        people(age=["1", "2", "3", "4"]).regions(view)


def test_labels_that_cover_no_original_value_are_refused() -> None:
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["10", "20", "30"]})
    view = Mdav().anonymize(table, KAnonymity(k=3)).view
    with pytest.raises(UnsuitableError, match="do not cover the original values of 2 records"):
        people(age=["10", "20", "30"]).regions(view)


@pytest.mark.parametrize(
    ("population", "error", "words"),
    [
        (people(Job=["Writer"], Sex=["Male"]), SchemaError, "has no column 'Age'"),
        (people(Job=[], Sex=[], Age=[]), DataError, "has no records"),
        (people(Job=["Writer"], Sex=["Female"], Age=["30"]), DataError, "5 of 5 combinations"),
    ],
)
def test_populations_that_do_not_fit_are_refused_without_values(population, error, words) -> None:
    with pytest.raises(error, match=words) as refusal:
        population.fitted(hospital())
    assert not any(value in str(refusal.value) for value in ("Writer", "Female", "30"))


def test_taxonomies_must_have_the_values_of_the_population() -> None:
    rows = {name: hospital_population().domain(name).texts for name in ("Job", "Sex", "Age")}
    more = people(Job=[*rows["Job"], "Pilot"], Sex=["Male"] * 5, Age=["30"] * 5)
    with pytest.raises(TaxonomyError, match="with the values of the population of a table: the tree of 'Job' does not"):
        more.fitted(hospital())


def test_fewer_persons_than_records_are_refused() -> None:
    view = generalize_levels(hospital(), {"Job": 2, "Sex": 1, "Age": 2}).view
    with pytest.raises(DataError, match="1 of 1 groups of the release have fewer records in the population"):
        people(Job=["Writer"], Sex=["Female"], Age=["30"]).fitted(
            Table.of_rows(hospital().schema, {"Job": ["Writer"], "Sex": ["Female"], "Age": ["30"], "Disease": ["Flu"]})
        ).regions(TableView(table=view.table))


def test_labels_without_a_taxonomy_are_refused() -> None:
    view = TableView(table=book.table("patients_3anon", quasi=["Job", "Sex", "Age"]))
    with pytest.raises(UsageError, match="2 labels of column 'Job' are neither values of the population nor labels"):
        PERSONS.regions(view)
