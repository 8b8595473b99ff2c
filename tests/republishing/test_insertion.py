"""People who come later: who was there keeps the group, and everything is judged anew."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Anatomy, Exhaustive, InfoGainMondrian, KMember, Mondrian, Oka, SystematicClustering
from sfumato.algorithms.microaggregation.mdav import Mdav
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import DataError, InfeasibleError, ParameterError, UnsuitableError
from sfumato.models import ConfidenceBounding, DistinctLDiversity, KAnonymity, TCloseness
from sfumato.republishing.insertion import insert
from sfumato.taxonomies import Tree
from tests.examples import examples

SCHEMA = Schema.of(quasi=["age", "town"], sensitive=["ill"], kinds={"age": "number"})
PERSON = st.tuples(st.integers(20, 60), st.sampled_from("nsew"), st.sampled_from(["flu", "cold", "none"]))


def table(people: list[tuple[int, str, str]], schema: Schema = SCHEMA) -> Table:
    return Table.from_frame(pd.DataFrame(people, columns=["age", "town", "ill"]), schema)


@examples(25)
@given(
    st.lists(PERSON, min_size=8, max_size=20),
    st.lists(PERSON, min_size=1, max_size=6),
    st.sampled_from(["least_loss", "bayes"]),
    st.sampled_from(["sets", "taxonomy"]),
)
def test_nobody_moves_and_the_promise_is_kept(before, newcomers, choice, categories) -> None:
    first = Mondrian(categories=categories).anonymize(table(before), KAnonymity(k=3))
    second = insert(first, table(before + newcomers), KAnonymity(k=3), choice=choice)
    old, new = first.frame(), second.frame()
    assert len(new) == len(before) + len(newcomers)
    assert new.groupby(["age", "town"]).size().min() >= 3
    assert len(new.groupby(["age", "town"])) <= len(old.groupby(["age", "town"]))
    together = old.groupby(["age", "town"]).ngroup().to_numpy()
    still = new.iloc[: len(before)].groupby(["age", "town"]).ngroup().to_numpy()
    for group in np.unique(together):
        assert len(set(still[together == group])) == 1, "who looked alike looks alike"
    assert second.provenance["inserted"]["people"] == len(newcomers)


FEW = st.tuples(st.integers(20, 23), st.sampled_from("ns"), st.sampled_from(["flu", "cold"]))
GROUPED = [
    KMember(),
    KMember(categories="taxonomy"),
    SystematicClustering(),
    Oka(),
    Mondrian(cut="median", relaxed=True),
    Mondrian(),
]


@examples(30)
@given(
    st.lists(FEW, min_size=6, max_size=14),
    st.lists(FEW | PERSON, min_size=1, max_size=5),
    st.sampled_from(["least_loss", "bayes"]),
    st.sampled_from(GROUPED),
)
def test_everybody_who_looked_alike_still_does(before, newcomers, choice, algorithm) -> None:
    """Few values make groups with equal labels, which a reader takes for one."""
    model = KAnonymity(k=2)
    first = algorithm.anonymize(table(before), model)
    second = insert(first, table(before + newcomers), model, choice=choice)
    # as texts: a column of numbers that no group widens is published as numbers, and as texts once one is widened
    shown = (release.frame()[["age", "town"]].astype(str) for release in (first, second))
    old, new = (list(frame.itertuples(index=False, name=None)) for frame in shown)
    for one, two in combinations(range(len(before)), 2):
        assert old[one] != old[two] or new[one] == new[two]
    assert min(Counter(new).values()) >= 2
    assert second.provenance["inserted"]["groups_changed"] == len(set(old) - set(new))
    assert second.provenance["inserted"]["groups_changed"] <= len(newcomers)


@pytest.mark.parametrize("algorithm", [KMember(), SystematicClustering()], ids=str)
def test_groups_that_read_alike_take_newcomers_together(algorithm) -> None:
    """Four people of twenty in two groups of two: to a reader they are one, and somebody of 25 widens all of it."""
    four = [(20, "n", "flu"), (20, "n", "cold"), (20, "n", "flu"), (20, "n", "cold")]
    first = algorithm.anonymize(table(four), KAnonymity(k=2))
    assert len(np.unique(first.candidate.group_of)) == 2
    second = insert(first, table([*four, (25, "n", "flu")]), KAnonymity(k=2))
    assert second.frame()["age"].tolist() == ["[20, 25]"] * 5
    assert second.provenance["inserted"]["groups_changed"] == 1


@pytest.mark.parametrize(
    ("categories", "before", "after"),
    [("sets", "{n, s}", "{n, s, e}"), ("taxonomy", "coast", "country")],
)
@pytest.mark.parametrize(
    "make", [Mondrian, KMember, SystematicClustering, InfoGainMondrian], ids=lambda make: make.__name__
)
def test_groups_go_on_publishing_what_they_published(make, categories, before, after) -> None:
    """Sets, in the order of the tree, where the release has sets, and nodes of the tree where it has those."""
    towns = Tree(branches={"country": {"coast": ["n", "s"], "inland": ["e", "w"]}})
    target = {"target": ["ill"]} if make is InfoGainMondrian else {"sensitive": ["ill"]}
    schema = Schema.of(quasi=["town"], taxonomies={"town": towns}, **target)
    people = [(20, "n", "flu"), (20, "s", "cold")]
    first = make(categories=categories).anonymize(table(people, schema), KAnonymity(k=2))
    assert first.frame()["town"].tolist() == [before] * 2
    inside = insert(first, table([*people, (20, "n", "flu")], schema), KAnonymity(k=2))
    assert inside.frame()["town"].tolist() == [before] * 3
    wider = insert(first, table([*people, (20, "e", "flu")], schema), KAnonymity(k=2))
    assert wider.frame()["town"].tolist() == [after] * 3
    again = insert(wider, table([*people, (20, "e", "flu"), (20, "s", "flu")], schema), KAnonymity(k=2))
    assert again.frame()["town"].tolist() == [after] * 4


def test_newcomers_inside_a_range_change_nothing() -> None:
    ages = [(20, "n", "flu"), (29, "n", "cold"), (50, "n", "flu"), (59, "n", "none")]
    first = Mondrian().anonymize(table(ages), KAnonymity(k=2))
    second = insert(first, table([*ages, (25, "n", "flu")]), KAnonymity(k=2))
    assert second.provenance["inserted"] == {"people": 1, "choice": "least_loss", "groups_changed": 0}
    assert second.frame()["age"].tolist() == [*["[20, 29]"] * 2, *["[50, 59]"] * 2, "[20, 29]"]


def test_bayes_does_not_look_at_the_newcomer() -> None:
    """The group from 20 to 21 accounts for less of the loss than the one from 50 to 59, even for somebody of 58."""
    ages = [(20, "n", "flu"), (21, "n", "cold"), (50, "n", "flu"), (59, "n", "none")]
    first = Mondrian().anonymize(table(ages), KAnonymity(k=2))
    second = insert(first, table([*ages, (58, "n", "flu")]), KAnonymity(k=2), choice="bayes")
    assert second.frame()["age"].tolist()[-1] == "[20, 58]"
    assert second.provenance["inserted"]["groups_changed"] == 1


def test_who_was_suppressed_stays_so() -> None:
    people = [(20, "n", "flu"), (21, "n", "flu"), (50, "s", "flu"), (51, "s", "cold")]
    first = Mondrian().anonymize(table(people), DistinctLDiversity(l=2) & KAnonymity(k=2), suppression=0.5)
    hidden = first.candidate.suppressed_records
    second = insert(first, table([*people, (50, "s", "none")]), KAnonymity(k=2))
    assert second.candidate.suppressed_records == hidden
    assert second.frame()["age"].isna().sum() == hidden


def test_who_waives_is_published_as_is() -> None:
    schema = Schema.of(quasi=["age"], waiver="open", kinds={"age": "number"})
    frame = pd.DataFrame({"age": [20, 22, 50, 53, 30], "open": ["no", "no", "no", "no", "yes"]})
    first = Mondrian().anonymize(Table.from_frame(frame, schema), KAnonymity(k=2))
    more = pd.concat([frame, pd.DataFrame({"age": [77, 21], "open": ["yes", "no"]})], ignore_index=True)
    second = insert(first, Table.from_frame(more, schema), KAnonymity(k=2))
    assert second.frame()["age"].tolist() == ["[20, 22]", "[20, 22]", "[50, 53]", "[50, 53]", "30", "77", "[20, 22]"]


def test_a_model_that_breaks_is_refused() -> None:
    people = [(20, "n", "flu"), (21, "n", "cold")]
    model = ConfidenceBounding(h=0.5)
    first = Mondrian().anonymize(table(people), model)
    with pytest.raises(InfeasibleError, match="run the algorithm again"):
        insert(first, table([*people, (20, "n", "flu")]), model)


def test_people_who_left_are_refused() -> None:
    people = [(20, "n", "flu"), (21, "n", "cold"), (21, "n", "cold")]
    first = Mondrian().anonymize(table(people), KAnonymity(k=2))
    for fewer in (people[:2], [*people[1:], (33, "n", "flu")]):
        with pytest.raises(DataError, match="1 records of the release"):
            insert(first, table(fewer), KAnonymity(k=2))


@pytest.mark.parametrize("algorithm", [Exhaustive(), Mdav(), Anatomy()], ids=str)
def test_other_releases_are_refused(algorithm) -> None:
    model = DistinctLDiversity(l=1)
    first = algorithm.anonymize(hospital(), model)
    with pytest.raises(UnsuitableError, match="run the algorithm again"):
        insert(first, hospital(), model)


def test_nobody_can_take_newcomers_where_nobody_protected_is_published() -> None:
    """Somebody who is protected was suppressed, and the others waive."""
    schema = Schema.of(quasi=["age"], sensitive=["ill"], waiver="open", kinds={"age": "number"})
    frame = pd.DataFrame({"age": [20, 21, 30, 40], "ill": ["a", "b", "a", "a"], "open": ["no", "no", "yes", "yes"]})
    first = Mondrian().anonymize(Table.from_frame(frame, schema), KAnonymity(k=2))
    hidden = replace(first, candidate=first.candidate.suppressing(first.candidate.protected))
    grown = pd.concat([frame, frame.head(1)], ignore_index=True)
    with pytest.raises(InfeasibleError, match="no group to join"):
        insert(hidden, Table.from_frame(grown, schema), KAnonymity(k=1))


def test_the_order_must_tell_people_apart_who_are_alike() -> None:
    """Four equal people in two groups of a relaxed Mondrian; a newcomer among them would take somebody's place."""
    frame = pd.DataFrame({"age": [20, 30, 30, 30, 30, 40]})
    schema = Schema.of(quasi=["age"], kinds={"age": "number"})
    first = Mondrian(cut="median", relaxed=True).anonymize(Table.from_frame(frame, schema), KAnonymity(k=3))
    assert len(first.groups) == 2
    last = pd.concat([frame, pd.DataFrame({"age": [30]})], ignore_index=True)
    kept = insert(first, Table.from_frame(last, schema), KAnonymity(k=3)).frame()
    assert kept["age"].tolist()[:6] == first.frame()["age"].tolist()
    with pytest.raises(DataError, match="same order"):
        insert(first, Table.from_frame(last.iloc[::-1].reset_index(drop=True), schema), KAnonymity(k=3))


def test_another_choice_is_refused() -> None:
    first = Mondrian().anonymize(table([(20, "n", "flu")]), KAnonymity(k=1))
    with pytest.raises(ParameterError, match="least_loss"):
        insert(first, table([(20, "n", "flu")]), KAnonymity(k=1), choice="first")  # type: ignore[arg-type]


def test_new_records_that_the_difference_discloses_are_warned_about() -> None:
    before = [(age, "n", ill) for age in (20, 21, 40, 41) for ill in ("flu", "cold")]
    model = KAnonymity(k=3) & DistinctLDiversity(l=2)
    first = Mondrian().anonymize(table(before), model)
    alone = insert(first, table([*before, (20, "n", "hiv")]), model)
    (said,) = alone.provenance["warnings"]
    assert "1 of 1 groups" in said
    assert "hiv" not in said
    alike = insert(first, table([*before, *[(20, "n", "hiv")] * 3]), model)
    assert "1 of 1 groups" in alike.provenance["warnings"][0]
    model_of_three = KAnonymity(k=3) & DistinctLDiversity(l=3)
    thrice = [(age, "n", ill) for age in (20, 40) for ill in ("flu", "cold", "gout")]
    wide = Mondrian().anonymize(table(thrice), model_of_three)
    two_values = [(20, "n", "flu"), (20, "n", "flu"), (20, "n", "cold")]
    assert "1 of 1 groups" in insert(wide, table([*thrice, *two_values]), model_of_three).provenance["warnings"][0]
    several = [(20, "n", "flu"), (20, "n", "flu"), (21, "n", "cold")]
    assert insert(first, table([*before, *several]), model).provenance["warnings"] == []
    one_more = insert(first, table([*before, *several, (41, "n", "flu")]), model)
    assert "1 of 2 groups" in one_more.provenance["warnings"][0]


FOUR_ILLNESSES = [
    (age + more, "n", ill) for age in (20, 60) for more in range(4) for ill in ("flu", "cold", "gout", "hiv")
]


CLOSE = KAnonymity(k=3) & TCloseness(t=0.3)


@pytest.mark.parametrize(
    ("model", "ills", "warned"),
    [
        (CLOSE, ["hiv", "hiv", "hiv"], True),
        (CLOSE, ["hiv", "hiv", "flu"], True),  # each illness is about a quarter of the table
        (CLOSE, ["hiv", "flu", "cold", "gout"], False),
        (KAnonymity(k=3), ["hiv", "hiv", "hiv"], True),  # no model is about illnesses, and this one is certain
        (KAnonymity(k=3), ["hiv", "hiv", "flu"], False),
        (KAnonymity(k=3) & TCloseness(t=1), ["hiv", "hiv", "hiv"], False),  # a model that allows any distance
    ],
    ids=str,
)
def test_new_records_are_compared_with_all_published_ones(model, ills: list[str], warned: bool) -> None:
    first = Mondrian().anonymize(table(FOUR_ILLNESSES), model)
    second = insert(first, table([*FOUR_ILLNESSES, *[(20, "n", ill) for ill in ills]]), model)
    assert ["1 of 1 groups" in warning for warning in second.provenance["warnings"]] == [True] * warned


def test_nothing_new_is_nothing_to_warn_about() -> None:
    first = Mondrian().anonymize(table(FOUR_ILLNESSES), CLOSE)
    assert insert(first, table(FOUR_ILLNESSES), CLOSE).provenance["warnings"] == []


def test_new_records_of_a_secret_without_a_model_are_tested_for_equal_values() -> None:
    """The first secret has a model, the second has none and is the same in all new records."""
    schema = Schema.of(quasi=["age"], sensitive=["ill", "pay"], kinds={"age": "number"})
    before = [(age, ill, pay) for age in (20, 60) for ill in ("flu", "cold") for pay in ("1", "2")]
    model = KAnonymity(k=2) & DistinctLDiversity(l=2, sensitive="ill")

    def told(rows: list[tuple[int, str, str]]) -> Table:
        return Table.from_frame(pd.DataFrame(rows, columns=["age", "ill", "pay"]), schema)

    first = Mondrian().anonymize(told(before), model)
    alike = insert(first, told([*before, (20, "flu", "1"), (20, "cold", "1")]), model)
    assert "1 of 1 groups" in alike.provenance["warnings"][0]
    assert insert(first, told([*before, (20, "flu", "1"), (20, "cold", "2")]), model).provenance["warnings"] == []
