"""People who waive protection: published as they are, while everybody else is protected without them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sfumato.algorithms import Anatomy, Exhaustive, Mdav, Mondrian
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.audit.audit import Audit
from sfumato.cli.app import app
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import DataError, InfeasibleError, SchemaError, UnsuitableError, UsageError
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.plan.plan import Plan
from sfumato.settings.catalogue import Entry, entries
from sfumato.taxonomies import Intervals
from tests.instances import instances_of

SCHEMA = Schema.of(quasi=["age", "town"], sensitive=["ill"], waiver="open", kinds={"age": "number"})
WAYS = [Mondrian(), Mondrian(cut="median", relaxed=True), Mdav()]


def people(n: int = 24) -> pd.DataFrame:
    """Every third person waives protection."""
    return pd.DataFrame(
        {
            "age": [20 + 7 * place % 40 for place in range(n)],
            "town": ["north" if place % 5 < 2 else "south" for place in range(n)],
            "ill": [("flu", "cold", "none")[place % 3] for place in range(n)],
            "open": ["yes" if place % 3 == 0 else "no" for place in range(n)],
        }
    )


@pytest.mark.parametrize("algorithm", WAYS, ids=str)
def test_who_waives_is_published_as_is_and_the_others_are_safe_among_themselves(algorithm: TableAlgorithm) -> None:
    frame = people()
    release = algorithm.anonymize(Table.from_frame(frame, SCHEMA), KAnonymity(k=4) & DistinctLDiversity(l=2))
    published = release.frame()
    waived = frame["open"] == "yes"
    assert published.loc[waived, "age"].astype(float).tolist() == frame.loc[waived, "age"].astype(float).tolist()
    assert published.loc[waived, "town"].tolist() == frame.loc[waived, "town"].tolist()
    shown = published[~waived].groupby(["age", "town"], observed=True)["ill"]
    assert shown.size().min() >= 4
    assert shown.nunique().min() >= 2
    assert release.verdicts[0].level == shown.size().min()


@pytest.mark.parametrize("entry", entries("algorithms"), ids=lambda entry: entry.name)
def test_every_algorithm_lets_people_waive_or_says_that_it_cannot(entry: Entry) -> None:
    schema = Schema.of(quasi=["age", "days"], sensitive=["ill"], waiver="open")
    frame = people(40).assign(days=[place * 7 % 11 for place in range(40)])
    if entry.name == "hansen_mukherjee":
        schema = Schema.of(quasi=["age"], sensitive=["ill"], waiver="open")
    if entry.name == "local_recoding":
        trees = {name: Intervals(width=10) for name in ("age", "days")}
        schema = Schema.of(quasi=["age", "days"], sensitive=["ill"], waiver="open", taxonomies=trees)
    algorithm = instances_of(entry)[0]
    table, waived = Table.from_frame(frame, schema), (frame["open"] == "yes").to_numpy()
    if not algorithm.lets_waive:
        with pytest.raises(UnsuitableError, match=r"waive|only what can be learned"):
            algorithm.anonymize(table, KAnonymity(k=3))
        return
    published = algorithm.anonymize(table, KAnonymity(k=3)).frame()
    quasi = list(schema.quasi)
    assert published.loc[waived, quasi].astype(float).equals(frame.loc[waived, quasi].astype(float))
    assert published[~waived].groupby(quasi).size().min() >= 3


def test_waivers_do_not_make_others_look_safer() -> None:
    """Four people of one age, two of whom waive: the other two are not 4-anonymous."""
    frame = pd.DataFrame({"age": [30] * 4 + [50] * 4, "open": ["yes", "yes", "no", "no"] + ["no"] * 4})
    schema = Schema.of(quasi=["age"], waiver="open", kinds={"age": "number"})
    release = Mondrian().anonymize(Table.from_frame(frame, schema), KAnonymity(k=3))
    assert release.groups.sizes.tolist() == [6]
    assert release.frame()["age"].tolist() == ["30", "30", *["[30, 50]"] * 6]


def test_the_written_file_is_judged_without_those_who_waive(tmp_path: Path) -> None:
    release = Mondrian().anonymize(Table.from_frame(people(), SCHEMA), KAnonymity(k=4))
    path = release.write(tmp_path / "out.csv")
    audit = Audit.of_file(path, quasi=["age", "town"], sensitive=["ill"], waiver="open")
    assert audit.k >= 4
    assert (audit.records, audit.to_dict()["waived"]) == (16, 8)
    assert Audit.of_file(path, quasi=["age", "town"]).k == 1
    asked = ["check", str(path), "--quasi", "age,town", "--model", "k_anonymity:k=4"]
    assert CliRunner().invoke(app, asked).exit_code == 1
    told = CliRunner().invoke(app, [*asked, "--waiver", "open"])
    assert told.exit_code == 0
    assert "16 records (8 more waive protection)" in told.stdout


def test_a_plan_can_name_the_column(tmp_path: Path) -> None:
    people().to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "plan.toml").write_text(
        """
        [data]
        path = "in.csv"
        [columns]
        age = { role = "quasi", type = "number" }
        town = { role = "quasi" }
        open = { role = "waiver" }
        [[models]]
        name = "k_anonymity"
        k = 4
        [algorithm]
        name = "mondrian"
        [output]
        path = "out.csv"
        """
    )
    output = Plan.read(tmp_path / "plan.toml").run().certificate.to_dict()["output"]
    written = pd.read_csv(tmp_path / "out.csv", dtype=str)
    assert output["records"] + output["waived"] == len(written)
    assert output["waived"] == (written["open"] == "yes").sum()
    assert written.loc[written["open"] == "no"].groupby(["age", "town"]).size().min() >= 4


@pytest.mark.parametrize("algorithm", [Exhaustive(), Anatomy()], ids=str)
def test_algorithms_that_cannot_let_people_waive_say_so(algorithm: TableAlgorithm) -> None:
    table = Table.from_frame(people(), SCHEMA)
    model = DistinctLDiversity(l=2)
    with pytest.raises(UnsuitableError, match="waive"):
        algorithm.anonymize(table, model)


def test_answers_that_are_neither_yes_nor_no_are_refused() -> None:
    frame = people().assign(open="perhaps")
    with pytest.raises(DataError, match="1 of its distinct values") as caught:
        Mondrian().anonymize(Table.from_frame(frame, SCHEMA), KAnonymity(k=2))
    assert "perhaps" not in str(caught.value)


def test_everybody_waiving_is_nothing_to_protect() -> None:
    with pytest.raises(UnsuitableError, match="everybody"):
        Mondrian().anonymize(Table.from_frame(people().assign(open=True), SCHEMA), KAnonymity(k=2))


def test_a_release_of_nobody_who_is_protected_is_none(tmp_path: Path) -> None:
    """The one person who wants protection could only be suppressed; and a file of waivers alone cannot be judged."""
    frame = pd.DataFrame({"age": [20, 30, 40], "open": ["no", "yes", "yes"]})
    schema = Schema.of(quasi=["age"], waiver="open", kinds={"age": "number"})
    with pytest.raises(InfeasibleError):
        Mondrian().anonymize(Table.from_frame(frame, schema), KAnonymity(k=2), suppression=0.5)
    with pytest.raises(UsageError, match="no published records of persons to protect"):
        Audit.of_frame(frame.tail(2), quasi=["age"], waiver="open")


def test_one_column_says_who_waives() -> None:
    from sfumato.data.schema import Column, Role

    with pytest.raises(SchemaError, match="choose one"):
        Schema((Column(name="a", role=Role.WAIVER), Column(name="b", role=Role.WAIVER)))


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["yes", "no", ""])), min_size=6, max_size=30))
def test_missing_answers_are_protected(answers: list[tuple[int, str]]) -> None:
    frame = pd.DataFrame({"age": [age for age, _ in answers], "open": [said or None for _, said in answers]})
    if (frame["open"] != "yes").sum() < 3:
        return
    release = Mondrian().anonymize(
        Table.from_frame(frame, Schema.of(quasi=["age"], waiver="open", kinds={"age": "number"})), KAnonymity(k=3)
    )
    published = release.frame()["age"].astype(str)
    assert min(Counter(published[frame["open"] != "yes"]).values()) >= 3
