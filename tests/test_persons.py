"""Persons with several records: every promise counts persons, from the table to the written file."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sfumato.algorithms import Exhaustive, KMember, Mdav, Mondrian, TopDownRefinement
from sfumato.attacks import BackgroundKnowledge, NaiveBayesInference
from sfumato.audit.audit import Audit
from sfumato.cli.app import app
from sfumato.data.pseudonyms import Pseudonyms
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.errors import InfeasibleError, SchemaError, UnsuitableError
from sfumato.knowledge.knowledge import Knowledge
from sfumato.metrics import AverageGroupSize, Discernibility
from sfumato.models import (
    ConfidenceBounding,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    MatchingLDiversity,
    RecursiveCLDiversity,
    TCloseness,
)
from sfumato.models.judge import judge
from sfumato.operations.generalize import generalize_levels
from sfumato.operations.suppress import suppress_failing
from sfumato.plan import Outcome, Plan
from sfumato.report.promise import Promise
from sfumato.taxonomies import Flat
from tests.examples import examples

ROLES = {"quasi": ["ward"], "sensitive": ["disease"], "person": "patient"}
VISITS = {
    "patient": ["ann", "ann", "ann", "bob", "cid", "cid", "dee"],
    "ward": ["A", "A", "A", "A", "B", "B", "B"],
    "disease": ["flu", "gout", "flu", "flu", "cold", "gout", "cold"],
}


def visits(**columns: list[str]) -> Table:
    return Table.of_rows(Schema.of(**ROLES), {**VISITS, **columns})


def by_ward(table: Table) -> Groups:
    return Groups.of(table, ["ward"])


def test_groups_count_persons():
    groups = by_ward(visits())
    histogram = groups.histogram("disease")
    texts = groups.domain("disease").texts
    found = {
        (int(group), texts[value]): int(count)
        for group, value, count in zip(histogram.group, histogram.values, histogram.counts, strict=True)
    }
    assert groups.unit == "persons"
    assert groups.sizes.tolist() == [2, 2]
    assert found == {(0, "flu"): 2, (0, "gout"): 1, (1, "cold"): 2, (1, "gout"): 1}
    assert histogram.totals.tolist() == [3, 3]
    assert dict(zip(texts, histogram.whole.tolist(), strict=True)) == {"flu": 2, "gout": 2, "cold": 2}
    assert by_ward(visits()).of_records().sizes.tolist() == [4, 3]


def test_persons_and_records_of_a_table():
    table = visits()
    assert (table.records, table.persons, table.repeats_persons) == (7, 4, True)
    once = visits(patient=list("abcdefg"))
    assert (once.persons, once.repeats_persons, by_ward(once).sizes.tolist()) == (7, False, [4, 3])


def test_records_without_a_person_are_one_person_at_most():
    table = visits(patient=["ann", None, None, None, "cid", "cid", "dee"])  # type: ignore[list-item]
    assert by_ward(table).sizes.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("model", "levels"),
    [
        (KAnonymity(k=3), [2, 2]),
        (ConfidenceBounding(h=0.5), [1, 1]),
        (ConfidenceBounding(h=0.5, value="gout"), [0.5, 0.5]),
        (DistinctLDiversity(l=2), [1, 1]),
        (EntropyLDiversity(l=2), [1, 1]),
        (RecursiveCLDiversity(c=3, l=2), [np.inf, np.inf]),
    ],
)
def test_levels_count_persons(model, levels):
    """In ward A both have flu, in ward B both have a cold: whatever else they have, that much is certain."""
    assert model.level(by_ward(visits())).tolist() == levels
    assert not model.holds(by_ward(visits())).all() or levels == [0.5, 0.5]


def test_distributions_are_of_persons_and_values():
    table = visits(disease=["flu", "gout", "flu", "cold", "cold", "gout", "flu"])
    # ward A: ann has flu and gout, bob a cold; ward B: cid a cold and gout, dee flu; each value is a third everywhere
    groups = by_ward(table)
    assert TCloseness(t=0).level(groups).tolist() == [0, 0]
    assert EntropyLDiversity(l=3).level(groups).tolist() == [3, 3]
    assert DistinctLDiversity(l=3).holds(groups).all()


def test_models_that_infer_values_one_by_one_refuse_persons_with_several():
    table = visits()
    candidate = generalize_levels(table, {})
    model = MatchingLDiversity(l=1, knowledge={"sensitive": "disease"})
    with pytest.raises(UnsuitableError, match="persons here have several records"):
        model.check(candidate.view)
    assert model.check(generalize_levels(model.with_derived_columns(visits(patient=list("abcdefg"))), {}).view).holds


@st.composite
def claims(draw: st.DrawFn) -> Table:
    number = draw(st.integers(4, 40))
    persons = draw(st.integers(2, 8))
    row = st.tuples(st.integers(0, persons), st.integers(0, 9), st.sampled_from("mf"), st.sampled_from("uvw"))
    rows = draw(st.lists(row, min_size=number, max_size=number))
    schema = Schema.of(quasi=["age", "sex"], sensitive=["s"], person="p")
    names = ("p", "age", "sex", "s")
    return Table.of_rows(schema, {name: [str(one[at]) for one in rows] for at, name in enumerate(names)})


@pytest.mark.parametrize("algorithm", [Mondrian(), Mondrian(cut="median"), KMember(), Mdav()], ids=str)
@pytest.mark.parametrize("model", [KAnonymity(k=3), KAnonymity(k=2) & ConfidenceBounding(h=0.7)], ids=str)
@examples(25)
@given(table=claims())
def test_algorithms_choose_by_persons(algorithm, model, table):
    try:
        release = algorithm.anonymize(table, model)
    except InfeasibleError:
        whole = Groups.of_labels(table, np.zeros(len(table), dtype=np.int32))
        assert not model.holds(whole).all() or len(model.members()) > 1
        return
    seen, persons = release.candidate.published_rows, defaultdict(set)
    labels = seen.group_numbers(["age", "sex"])
    for label, person in zip(labels.tolist(), seen.codes["p"].tolist(), strict=True):
        persons[label].add(person)
    least = 3 if len(model.members()) == 1 else 2
    assert min(map(len, persons.values())) >= least
    assert all(verdict.unit == "persons" for verdict in release.verdicts)


def test_algorithms_that_count_records_refuse_persons_with_several():
    schema = Schema.of(quasi=["ward"], target=["disease"], person="patient")
    table = Table.of_rows(schema, VISITS)
    with pytest.raises(UnsuitableError, match="7 records are about 4 persons; take an algorithm that counts persons"):
        TopDownRefinement().anonymize(table, KAnonymity(k=2))


def test_full_domain_levels_are_chosen_by_persons():
    rows = {"p": ["a", "a", "b", "c", "c"], "age": ["20", "20", "20", "21", "21"]}
    by_person = Table.of_rows(Schema.of(quasi=["age"], person="p", taxonomies={"age": Flat()}), rows)
    by_record = Table.of_rows(Schema.of(quasi=["age"], taxonomies={"age": Flat()}), rows)
    assert Exhaustive().anonymize(by_record, KAnonymity(k=2)).recoding.levels == {"age": 0}
    assert Exhaustive().anonymize(by_person, KAnonymity(k=2)).recoding.levels == {"age": 1}
    with pytest.raises(InfeasibleError, match="records of 3 persons"):
        Exhaustive().anonymize(by_person, KAnonymity(k=4))


def test_metrics_count_records():
    candidate = generalize_levels(visits(), {})
    assert AverageGroupSize().measure(candidate) == 3.5
    assert Discernibility().measure(candidate) == 16 + 9


def test_reports_say_what_they_count():
    report = Mondrian().anonymize(visits(), KAnonymity(k=2)).report()
    assert (report.unit, report.persons, report.group_sizes.average) == ("persons", 4, 2)
    assert report.homogeneous == {"disease": 1.0}, "everybody in ward A had flu, everybody in ward B a cold"
    page = " ".join(report.html().split())
    assert "The records of 4 persons form 2 groups, 2 persons each on average" in page
    assert "2 groups of 2 to 2 persons." in page
    assert "persons above 20" in page
    assert "100% of the published persons lie in groups" in " ".join(note.text for note in report.notes)
    assert "2 groups of 2 to 2 persons" in report.text()
    (failing,) = (Promise.of(verdict) for verdict in judge(generalize_levels(visits(), {}).view, KAnonymity(k=3)))
    assert "2 of 2 groups with 4 persons fall short" in failing.finding


def test_suppression_is_limited_by_persons():
    wards = ["A", "A", "A", "A", "B", "B", "C"]  # ward B is cid alone, ward C dee alone
    table = Table.of_rows(Schema.of(**ROLES, taxonomies={"ward": Flat()}), {**VISITS, "ward": wards})
    candidate = generalize_levels(table, {"ward": 0})
    assert not suppress_failing(candidate, KAnonymity(k=2), 0.49).suppressed.any()
    left = suppress_failing(candidate, KAnonymity(k=2), 0.5)
    assert (left.suppressed_persons, left.suppressed_records) == (2, 3)


def test_a_schema_has_one_person():
    with pytest.raises(SchemaError, match="cannot all be the person's key"):
        Schema.of(quasi=["a"], person="b").__class__(
            (*Schema.of(quasi=["a"], person="b").columns, *Schema.of(person="c").columns)
        )


def write_claims(folder: Path) -> Path:
    random = np.random.default_rng(5)
    path = folder / "claims.csv"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["claim", "patient_id", "age", "sex", "disease"])
        number = 0
        for patient in range(60):
            age, sex = int(random.integers(20, 80)), "mf"[int(random.integers(2))]
            for _ in range(int(random.choice([1, 2, 12]))):
                rows.writerow([number, f"P{patient}", age, sex, "uvwxyz"[int(random.integers(6))]])
                number += 1
    return path


def plan_of(folder: Path, **person: object) -> Plan:
    return Plan.of(
        {
            "data": {"path": "claims.csv"},
            "columns": {
                "claim": {"role": "identifier"},
                "patient_id": {"role": "person", **person},
                "age": {"role": "quasi", "type": "number"},
                "sex": {"role": "quasi"},
                "disease": {"role": "sensitive"},
            },
            "models": [{"name": "k_anonymity", "k": 4}, {"name": "confidence_bounding", "h": 0.9}],
            "output": {"path": "release.csv", "certificate": "certificate.json", "report": "report.html"}
            | ({"pseudonym_key": "key"} if person else {}),
        },
        folder,
    )


def persons_by_group(folder: Path) -> dict[tuple[str, ...], set[str]]:
    """Counted here, by hand: the release beside the original, record by record."""
    found = defaultdict(set)
    with (folder / "claims.csv").open() as was, (folder / "release.csv").open() as is_:
        for before, after in zip(csv.DictReader(was), csv.DictReader(is_), strict=True):
            found[after["age"], after["sex"]].add(before["patient_id"])
    return found


def warnings_about(words: str, outcome: Outcome) -> list[str]:
    """The warnings of a publication in which these words occur."""
    return [one for one in outcome.release.provenance["warnings"] if words in one]


def test_a_written_release_keeps_its_promise_to_persons(tmp_path):
    write_claims(tmp_path)
    outcome = plan_of(tmp_path).run()
    groups = persons_by_group(tmp_path)
    assert min(len(persons) for key, persons in groups.items() if key != ("*", "*")) >= 4
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    assert certificate["input"]["persons"] == 60
    assert certificate["output"]["unit"] == "persons"
    assert {verdict["unit"] for verdict in certificate["verdicts"]} == {"persons"}
    assert "patient_id" not in (tmp_path / "release.csv").read_text().splitlines()[0]
    assert warnings_about("different values", outcome) == []
    assert "records are about 60 persons" in (tmp_path / "report.html").read_text()


def test_pseudonyms_let_a_reader_count_persons(tmp_path):
    write_claims(tmp_path)
    (tmp_path / "key").write_text("0123456789abcdef" * 4 + "\n")
    (tmp_path / "key").chmod(0o600)
    outcome = plan_of(tmp_path, pseudonym=True).run()
    assert len(warnings_about("link the records of a person", outcome)) == 1
    header = (tmp_path / "release.csv").read_text().splitlines()[0]
    assert "patient_id" in header
    audit = Audit.of_file(tmp_path / "release.csv", quasi=["age", "sex"], sensitive=["disease"], person="patient_id")
    assert (audit.unit, audit.persons) == ("persons", 60)
    assert audit.k >= 4


def test_every_written_form_of_a_person_key_gets_the_same_pseudonym(tmp_path):
    forms = ["1", "01", "1.0", " 1 ", "2", "2.00", "?", ""]
    rows = [f"{place},{form},{30 + place % 2},m,flu" for place, form in enumerate(forms * 3)]
    (tmp_path / "claims.csv").write_text("\n".join(["claim,patient_id,age,sex,disease", *rows]))
    (tmp_path / "key").write_text("0123456789abcdef" * 4 + "\n")
    (tmp_path / "key").chmod(0o600)
    plan = plan_of(tmp_path, pseudonym=True).to_dict()
    plan["data"]["missing"], plan["models"] = ["?"], [{"name": "k_anonymity", "k": 2}]
    certificate = Plan.of(plan, tmp_path).run().certificate.to_dict()
    with (tmp_path / "release.csv").open() as file:
        found = {row["patient_id"] for row in csv.DictReader(file)}
    assert (certificate["input"]["persons"], certificate["output"]["persons"]) == (3, 3)
    known = Pseudonyms.from_file(tmp_path / "key")
    assert found == {known("1"), known("2"), ""}


def test_an_identifier_of_declared_numbers_has_one_pseudonym_in_every_table():
    schema = Schema.of(quasi=["age"], identifiers=["id"], pseudonyms=["id"], kinds={"id": "number"})
    found = []
    for ids in (["7", "12"], ["07", "12.0"], [7.0, 12.0]):
        table = Table.from_frame(pa.table({"id": ids, "age": [1, 1]}), schema)
        found.append(Mondrian().anonymize(table, KAnonymity(k=2)).frame(pseudonyms=str)["id"].to_pylist())
    assert found == [["7", "12"]] * 3


def test_the_written_file_is_judged_by_persons(tmp_path, monkeypatch):
    """A release that holds by records alone is refused when it is read back."""
    from sfumato.algorithms.partitioning import Partitioning
    from sfumato.errors import OutputError
    from sfumato.models import judge as judging

    write_claims(tmp_path)
    monkeypatch.setattr(Partitioning, "_with_enough_persons", lambda self, table, chosen, model: chosen)
    with pytest.raises(InfeasibleError, match="records of 60 persons"):
        plan_of(tmp_path).run()
    held = judging.judge

    def by_records(view, model):
        from dataclasses import replace

        return held(replace(view, table=view.table.without_persons(), _known={}), model)

    monkeypatch.setattr("sfumato.algorithms.base.judge", by_records)
    with pytest.raises(OutputError, match="read back and does not satisfy"):
        plan_of(tmp_path).run()
    assert not (tmp_path / "release.csv").exists()


def test_check_counts_persons_of_the_original(tmp_path):
    write_claims(tmp_path)
    plan_of(tmp_path).run()
    files = {"quasi": ["age", "sex"], "sensitive": ["disease"]}
    by_record = Audit.of_file(tmp_path / "release.csv", **files)
    beside = Audit.of_file(tmp_path / "release.csv", **files, original=tmp_path / "claims.csv", person="patient_id")
    assert by_record.unit == "records"
    assert (beside.unit, beside.records) == ("persons", by_record.records)
    assert 4 <= beside.k <= by_record.k
    with pytest.raises(SchemaError, match="the data has no column 'patient_id'"):
        Audit.of_file(tmp_path / "release.csv", **files, person="patient_id")


def checked(folder: Path, lines: list[str]) -> str:
    """What `check` says about a file with these lines."""
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")
    result = CliRunner().invoke(app, ["check", str(folder / "rows.csv"), "--quasi", "age"])
    assert result.exit_code == 0
    return " ".join(result.output.split())


class TestRepeatedIdentifiers:
    def test_publish_says_so(self, tmp_path):
        write_claims(tmp_path)
        tables = plan_of(tmp_path).to_dict()
        tables["columns"]["patient_id"] = {"role": "identifier"}
        outcome = Plan.of(tables, tmp_path).run()
        (said,) = warnings_about("different values", outcome)
        assert "60 different values of 'patient_id'" in said
        assert 'declare it with role = "person"' in said

    def test_identifiers_that_cannot_be_counted_are_passed_over(self, tmp_path):
        import pyarrow.parquet as pq

        ages = [str(20 + at % 2) for at in range(12)]
        rows = pa.table({"key": pa.array([[at % 3] for at in range(12)]), "blob": [b"x"] * 12, "age": ages})
        pq.write_table(rows, tmp_path / "rows.parquet")
        tables = {
            "data": {"path": "rows.parquet"},
            "columns": {"key": {"role": "identifier"}, "blob": {"role": "identifier"}, "age": {"role": "quasi"}},
            "models": [{"name": "k_anonymity", "k": 2}],
            "output": {"path": "release.parquet"},
        }
        assert Plan.of(tables, tmp_path).run().release.holds

    def test_check_says_so(self, tmp_path):
        path = write_claims(tmp_path)
        result = CliRunner().invoke(app, ["check", str(path), "--quasi", "age,sex", "--sensitive", "disease"])
        assert "different values of 'patient_id'" in result.output.replace("\n", " ")
        counted = CliRunner().invoke(app, ["check", str(path), "--quasi", "age,sex", "--person", "patient_id"])
        assert "about 60 persons" in counted.output
        assert "different values of" not in counted.output

    def test_check_names_the_column_of_the_warning(self, tmp_path):
        rows = [f"{'ABC'[at % 3]},{at // 2},{20 + at % 2}" for at in range(12)]
        said = checked(tmp_path, ["surname,account,age", *rows])
        assert "12 records have 6 different values of 'account'" in said
        assert "name it with --person 'account'" in said
        assert "values of 'surname'" not in said

    @pytest.mark.parametrize(
        ("header", "warned"),
        [
            ("patient_id,name", ""),  # one record per patient, and some have the same name
            ("patient_id,account_no", ""),  # ... or the same account
            ("visit_id,name", ""),
            ("visit_id,patient_id", "patient_id"),  # the records are different, the patients are not
            ("visit_id,email_address", "email_address"),
        ],
    )
    def test_a_column_that_differs_in_every_record(self, tmp_path, header, warned):
        lines = [f"{header},age", *(f"{at},V{at % 5},{20 + at % 2}" for at in range(12))]
        said = checked(tmp_path, lines)
        assert ("different values of" in said) == bool(warned)
        assert not warned or f"--person '{warned}'" in said
        tables = {
            "data": {"path": "rows.csv"},
            "columns": {name: {"role": "identifier"} for name in header.split(",")} | {"age": {"role": "quasi"}},
            "models": [{"name": "k_anonymity", "k": 2}],
            "output": {"path": "release.csv"},
        }
        outcome = Plan.of(tables, tmp_path).run()
        assert len(warnings_about("different values", outcome)) == bool(warned)

    def test_init_proposes_no_person_if_patients_differ(self, tmp_path):
        from sfumato.plan.proposals.proposal import Proposal

        rows = [f"{at},K{at % 30},{20 + at % 2}" for at in range(90)]
        (tmp_path / "rows.csv").write_text("\n".join(["patient_id,account_no,age", *rows]) + "\n")
        roles = {column.name: str(column.role) for column in Proposal.of_file(tmp_path / "rows.csv").columns}
        assert roles == {"patient_id": "identifier", "account_no": "identifier", "age": "quasi"}

    def test_init_proposes_the_person(self, tmp_path):
        from sfumato.plan.proposals.proposal import Proposal

        proposal = Proposal.of_file(write_claims(tmp_path))
        roles = {column.name: str(column.role) for column in proposal.columns}
        assert roles["patient_id"] == "person"
        assert roles["claim"] != "person"


def test_frames_count_persons_too():
    frame = pa.table(VISITS)
    audit = Audit.of_frame(frame, quasi=["ward"], sensitive=["disease"], person="patient")
    assert (audit.k, audit.persons, audit.unit) == (2, 4, "persons")


KNOWN = Knowledge.of({"sensitive": "disease", "never": [{"when": {"ward": "A"}, "value": "cold"}]})


def test_attacks_count_records_where_persons_have_several() -> None:
    """Three persons with five records, three of flu: guessing flu is right for three records of five."""
    table = visits(patient=["a", "a", "b", "b", "c"], ward=list("AAAAA"), disease=["flu", "flu", "flu", "cold", "cold"])
    release = Mondrian().anonymize(table, KAnonymity(k=3))
    result = NaiveBayesInference().run(release)
    assert (result.people, result.rate) == (5, 0.6)
    same = visits(patient=["a", "a", "b", "b", "c"], ward=list("AAAAA"), disease=["flu"] * 5)
    result = BackgroundKnowledge().run(Mondrian().anonymize(same, KAnonymity(k=3)), KNOWN)
    assert (result.people, result.rate, result.baseline) == (5, 1.0, 1.0)
