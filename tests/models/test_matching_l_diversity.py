"""Goldens K1, K7 and K8, and every assignment there is as a twin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Mondrian, TopDownRefinement
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import nine_patients
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.table_view import TableView
from sfumato.errors import KnowledgeError, ParameterError, UsageError
from sfumato.knowledge import Item, Knowledge, Miner, Rule
from sfumato.models import KAnonymity, MatchingLDiversity
from sfumato.operations.generalize import generalize_levels
from sfumato.taxonomies.tree import Tree
from tests.examples import examples
from tests.golden.nine_patients import NO_MAN, anatomy_groups, patient_of
from tests.models.survey import NEVER
from tests.oracles.matching_oracle import by_enumeration, by_swapping, level_by_classes, ruled_out_of
from tests.oracles.models_oracle import records_of
from tests.oracles.optimal_grouping import most_groups
from tests.strategies import grouped_tables, small_tables

CONFORMING = [
    MatchingLDiversity(l=2),
    MatchingLDiversity(l=3, knowledge=Miner(min_expectation=0.5, max_items=2)),
    MatchingLDiversity(l=1, knowledge=NEVER),
    MatchingLDiversity(l=3, knowledge=NEVER),
]
Plain = list[tuple[dict[str, str], str]]


def known(rules: Plain, sensitive: str = "s0") -> Knowledge:
    made = (Rule(tuple(Item(name, text) for name, text in when.items()), value) for when, value in rules)
    return Knowledge(sensitive, tuple(made))


def grouped(sexes: str, values: list[str], rules: Knowledge = NO_MAN, l: int = 2) -> tuple[MatchingLDiversity, Groups]:
    """One group of people of whom the sex is known."""
    schema = Schema.of(quasi=["Sex"], sensitive=["Disease"])
    model = MatchingLDiversity(l=l, knowledge=rules)
    table = model.with_derived_columns(Table.of_rows(schema, {"Sex": list(sexes), "Disease": values}))
    return model, Groups.of_labels(table, np.zeros(len(table), dtype=np.int32))


@st.composite
def rules_for(draw: st.DrawFn, table: Table) -> Plain:
    """Rules about quasi values that are there, whether or not the records keep to them."""
    found: Plain = []
    for _ in range(draw(st.integers(0, 4))):
        names = draw(st.lists(st.sampled_from(table.schema.quasi), unique=True, max_size=2))
        when = {name: str(draw(st.sampled_from(table.domain(name).texts))) for name in names}
        found.append((when, str(draw(st.sampled_from(table.domain("s0").texts)))))
    return list({str(rule): rule for rule in found}.values())


def members(table: Table, labels: np.ndarray) -> list[list[int]]:
    owner = np.repeat(labels, table.counts)
    return [np.flatnonzero(owner == label).tolist() for label in range(labels.max() + 1)]


def levels(table: Table, labels: np.ndarray, rules: Plain) -> list[int]:
    """The level of every group from texts alone."""
    values, never = [record["s0"] for record in records_of(table)], ruled_out_of(table, rules)
    return [level_by_classes([never[at] for at in group], [values[at] for at in group])
            for group in members(table, labels)]  # fmt: skip


class TestNinePatients:
    """K1."""

    def test_a_man_among_two_women_gives_all_three_away(self):
        model = MatchingLDiversity(l=2, knowledge=NO_MAN)
        groups = anatomy_groups(model.with_derived_columns(nine_patients()))
        assert model.level(groups).tolist() == [1, 2, 2]
        assert model.holds(groups).tolist() == [False, True, True]
        assert model.vulnerable(groups) == 3
        assert model.vulnerable(groups, matching=False) == 1

    def test_without_knowledge_the_groups_are_2_diverse(self):
        model = MatchingLDiversity(l=2, knowledge=Knowledge("Disease"))
        assert model.level(anatomy_groups(model.with_derived_columns(nine_patients()))).tolist() == [2, 2, 2]

    def test_every_patient(self):
        """One valid value each for patients 1 to 3, two for all others, and so says the paper's own check."""
        model = MatchingLDiversity(l=2, knowledge=NO_MAN)
        groups = anatomy_groups(model.with_derived_columns(nine_patients()))
        assert model.valid(groups).tolist() == [1, 1, 2, 2, 2]  # women and men, women and men, men
        assert model.admissible(groups).tolist() == [2, 1, 2, 2, 2]
        values = [record["Disease"] for record in records_of(nine_patients())]
        never = ruled_out_of(nine_patients(), [({"Sex": "M"}, "Ovarian Cancer")])
        for group in members(nine_patients(), np.asarray(groups.labels)):
            valid = by_swapping([never[at] for at in group], [values[at] for at in group])
            first = bool((patient_of(nine_patients())[group] < 3).all())
            assert [len(mine) for mine in valid] == ([1, 1, 1] if first else [2, 2, 2])


class TestSimpleRequirement:
    """K7: every man may have three values and the woman all four, and still hers is known."""

    VALUES = ["Ovarian Cancer", "Flu", "Heart Disease", "Cold"]

    def test_it_holds_where_matching_fails(self):
        model, groups = grouped("FMMM", self.VALUES, l=3)
        assert model.vulnerable(groups, matching=False) == 0
        assert model.vulnerable(groups) == 1
        assert sorted(model.admissible(groups).tolist()) == [3, 4]
        assert sorted(model.valid(groups).tolist()) == [1, 3]
        assert model.level(groups).tolist() == [1]

    def test_which_values(self):
        never = [set(), *[{"Ovarian Cancer"}] * 3]
        assert by_enumeration(never, self.VALUES) == [{"Ovarian Cancer"}, *[{"Flu", "Heart Disease", "Cold"}] * 3]


def test_a_man_does_not_take_what_he_cannot_have():
    """K8: as printed, the check gives the man of {(M, Flu), (F, Ovarian)} both values."""
    model, groups = grouped("MF", ["Flu", "Ovarian Cancer"])
    assert model.level(groups).tolist() == [1]
    assert by_swapping([{"Ovarian Cancer"}, set()], ["Flu", "Ovarian Cancer"]) == [{"Flu"}, {"Ovarian Cancer"}]


def test_rules_that_contradict_the_group_leave_nothing_valid():
    model, groups = grouped("MMF", ["Ovarian Cancer", "Ovarian Cancer", "Flu"], l=1)
    assert model.level(groups).tolist() == [0]
    assert not model.holds(groups).any()


class TestRules:
    def test_a_model_must_learn_them_first(self):
        for model in (MatchingLDiversity(l=2), MatchingLDiversity(l=2, knowledge=Path("rules.toml"))):
            with pytest.raises(UsageError, match=r"has no rules yet; use model.with_knowledge\(table\)"):
                model.sensitive_columns(nine_patients().schema)
            with pytest.raises(UsageError, match="has no rules yet"):
                model.level(anatomy_groups(nine_patients()))

    def test_they_are_mined_from_the_table(self):
        model = MatchingLDiversity(l=2, knowledge=Miner(min_expectation=0.75)).with_knowledge(nine_patients())
        assert [str(rule) for rule in model.knowledge.never] == ["Sex is M: never Ovarian Cancer"]
        assert model.level(anatomy_groups(model.with_derived_columns(nine_patients()))).tolist() == [1, 2, 2]
        assert model.with_knowledge(None) is model

    def test_they_cannot_be_mined_from_nothing(self):
        with pytest.raises(UsageError, match="mines its rules from the original table"):
            MatchingLDiversity(l=2).with_knowledge(None)

    def test_they_are_read_from_a_file(self, tmp_path):
        NO_MAN.write(tmp_path / "rules.toml")
        model = MatchingLDiversity(l=2, knowledge=str(tmp_path / "rules.toml")).with_knowledge(None)
        assert model.knowledge == NO_MAN

    def test_they_are_about_the_sensitive_column(self):
        with pytest.raises(KnowledgeError, match="the rules are about 'Disease', but the model is about 'Salary'"):
            MatchingLDiversity(l=2, sensitive="Salary", knowledge=NO_MAN)
        schema = Schema.of(quasi=["Sex"], sensitive=["Disease", "Age"])
        asked = MatchingLDiversity(l=2, knowledge=NO_MAN).sensitive_columns(schema)
        assert asked == ("Disease", f"ruled out of Disease ({NO_MAN.digest})")


class TestPreparing:
    def test_a_table_is_prepared_once(self):
        model = MatchingLDiversity(l=2, knowledge=NO_MAN)
        table = model.with_derived_columns(nine_patients())
        assert model.with_derived_columns(table) is table
        assert set(table.codes) - set(nine_patients().codes) == {model.sensitive_columns(table.schema)[1]}

    def test_other_rules_have_a_column_of_their_own(self):
        other = Knowledge("Disease", (Rule((Item("Sex", "F"),), "Prostate Cancer"),))
        both = MatchingLDiversity(l=2, knowledge=NO_MAN) & MatchingLDiversity(l=2, knowledge=other)
        table = both.with_derived_columns(nine_patients())
        assert len(table.codes) == len(nine_patients().codes) + 2
        assert both.level(anatomy_groups(table)).tolist() == [0, 2, 2]

    def test_groups_of_a_table_that_is_not(self):
        with pytest.raises(UsageError, match=r"use the groups of model.with_derived_columns\(table\)"):
            MatchingLDiversity(l=2, knowledge=NO_MAN).level(anatomy_groups(nine_patients()))

    def test_published_labels_do_not_say_who_people_are(self):
        tree = Tree(branches={"Person": ["F", "M"]})
        schema = Schema.of(quasi=["Sex"], sensitive=["Disease"], taxonomies={"Sex": tree})
        table = Table.of_rows(schema, {"Sex": ["F", "M"], "Disease": ["Flu", "Cold"]})
        with pytest.raises(UsageError, match="column 'Sex' holds published labels"):
            MatchingLDiversity(l=2, knowledge=NO_MAN).with_derived_columns(
                generalize_levels(table, {"Sex": 1}).published
            )


class TestSettings:
    @pytest.mark.parametrize(
        "knowledge",
        [NO_MAN, Miner(), Miner(max_items=2, min_expectation=0.8), Path("rules.toml")],
        ids=["rules", "default", "mined", "file"],
    )
    def test_they_come_back(self, knowledge):
        model = MatchingLDiversity(l=3, knowledge=knowledge, quasi="who")
        plain = model.to_dict()
        assert plain.pop("name") == "matching_l_diversity"
        assert MatchingLDiversity.build(plain) == model
        assert isinstance(plain.get("knowledge", {}), (dict, str))

    def test_tables_as_a_plan_has_them(self):
        model = MatchingLDiversity(l=2, knowledge={"max_items": 2})
        assert model.knowledge == Miner(max_items=2)
        assert model.to_dict()["knowledge"] == {"max_items": 2}
        rules = {"sensitive": "Disease", "never": [{"when": {"Sex": "M"}, "value": "Ovarian Cancer"}]}
        assert MatchingLDiversity(l=2, knowledge=rules).knowledge == NO_MAN

    def test_a_command_line(self):
        model = MatchingLDiversity.parse({"l": "3", "knowledge": "rules.toml"})
        assert model == MatchingLDiversity(l=3, knowledge=Path("rules.toml"))

    def test_in_words(self):
        assert str(MatchingLDiversity(l=3, knowledge=NO_MAN)) == "matching_l_diversity(l=3, knowledge=1 rule)"
        assert str(MatchingLDiversity(l=3, knowledge=NO_MAN, sensitive="Disease")).endswith("sensitive=Disease)")
        assert str(MatchingLDiversity(l=3, knowledge=Path("a/b.toml"))) == "matching_l_diversity(l=3, knowledge=b.toml)"
        assert str(MatchingLDiversity(l=3)) == "matching_l_diversity(l=3, knowledge=mined)"

    @pytest.mark.parametrize("given", [{"l": 0}, {"l": 2, "knowledge": 7}])
    def test_what_they_allow(self, given):
        with pytest.raises(ParameterError, match="of MatchingLDiversity must be"):
            MatchingLDiversity(**given)


@given(st.data())
def test_like_its_twins(data):
    table, labels = data.draw(grouped_tables(max_rows=7, max_sensitive=1, missing=False))
    rules = data.draw(rules_for(table))
    model = MatchingLDiversity(l=2, knowledge=known(rules))
    found = model.level(Groups.of_labels(model.with_derived_columns(table), labels))
    values, never = [record["s0"] for record in records_of(table)], ruled_out_of(table, rules)
    for group, level in zip(members(table, labels), found, strict=True):
        people, handed = [never[at] for at in group], [values[at] for at in group]
        every = by_enumeration(people, handed)
        assert every == by_swapping(people, handed)
        assert level == min(map(len, every)) == level_by_classes(people, handed)


@given(st.data())
def test_merging_keeps_every_valid_value(data):
    table, labels = data.draw(grouped_tables(max_repeats=3, max_sensitive=1, missing=False))
    model = MatchingLDiversity(l=1, knowledge=known(data.draw(rules_for(table))))
    table = model.with_derived_columns(table)
    merger = np.array([data.draw(st.integers(0, 1)) for _ in range(labels.max() + 1)])
    fine, coarse = (model.level(Groups.of_labels(table, np.unique(at, return_inverse=True)[1].astype(np.int32)))
                    for at in (labels, merger[labels]))  # fmt: skip
    for merged, number in enumerate(np.unique(merger)):
        parts = fine[merger == number]
        assert parts.min() == 0 or coarse[merged] >= parts.min()


@examples(40)
@given(st.data())
def test_room_is_an_upper_bound(data):
    table, labels = data.draw(grouped_tables(max_sensitive=1, missing=False))
    rules, l = data.draw(rules_for(table)), data.draw(st.integers(1, 3))
    model = MatchingLDiversity(l=l, knowledge=known(rules))
    room = model.bounds.max_groups(Groups.of_labels(model.with_derived_columns(table), labels), l)
    values, never = [record["s0"] for record in records_of(table)], ruled_out_of(table, rules)

    def safe(group: tuple[int, ...]) -> bool:
        return len(group) >= l and level_by_classes([never[at] for at in group], [values[at] for at in group]) >= l

    splits = [most_groups(tuple(group), safe) for group in members(table, labels)]
    assert (room >= np.array(splits) - 1e-9).all()


class TestExposure:
    def test_the_rule_and_whom_it_exposes(self):
        model = MatchingLDiversity(l=2, knowledge=NO_MAN)
        people = model.with_derived_columns(_clinic())
        candidate = generalize_levels(people, {"Ward": 0, "Sex": 1})
        found = model.exposures(candidate.view)
        assert [(str(one.rule), one.records) for one in found] == [("Sex is M: never Ovarian Cancer", 1)]
        exposed = model.exposed(candidate.groups())
        wards = [people.domain("Ward").texts[code] for code in people.codes["Ward"][exposed]]
        assert set(wards) == {"north"}
        assert people.counts[exposed].sum() == 3 == model.vulnerable(candidate.groups())

    def test_a_verdict_names_the_rule_and_no_record(self):
        model = MatchingLDiversity(l=2, knowledge=NO_MAN)
        candidate = generalize_levels(model.with_derived_columns(_clinic()), {"Ward": 0, "Sex": 1})
        verdict = model.check(candidate.view)
        assert verdict.reasons == ("Sex is M: never Ovarian Cancer (1 exposed record)",)
        assert verdict.to_dict()["reasons"] == list(verdict.reasons)

    def test_a_certificate_tells_how_much_is_known_and_not_what(self):
        model = MatchingLDiversity(l=2, knowledge=NO_MAN)
        candidate = generalize_levels(model.with_derived_columns(_clinic()), {"Ward": 1, "Sex": 1})
        told = model.check(candidate.view).model
        assert told["knowledge"] == {"rules": 1, "digest": NO_MAN.digest}
        assert "Ovarian" not in str(told)

    def test_where_nobody_says_who_people_are_no_rule_is_named(self):
        model = MatchingLDiversity(l=2, knowledge=NO_MAN)
        candidate = generalize_levels(model.with_derived_columns(_clinic()), {"Ward": 0, "Sex": 1})

        assert model.exposures(TableView(table=candidate.published_rows)) == ()

    def test_why_nothing_can_be_published_is_told_by_whom_the_rules_speak_of(self):
        rules = tuple(Rule((Item("Sex", "M"),), value) for value in ("Ovarian Cancer", "Flu", "Gout"))
        found = MatchingLDiversity(l=3, knowledge=Knowledge("Disease", rules)).infeasible_because(_clinic())
        assert "fewer than 3 values of 'Disease'" in found
        assert "these conditions: Sex is M." in found
        assert "Flu" not in found
        assert MatchingLDiversity(l=1, knowledge=Knowledge("Disease", rules)).infeasible_because(_clinic()) == ""

    def test_no_rule_is_blamed_where_there_are_too_few_values(self):
        assert MatchingLDiversity(l=4, knowledge=NO_MAN).infeasible_because(_clinic()) == ""

    def test_rules_about_another_column_are_refused(self):
        model = MatchingLDiversity(l=2, knowledge=Knowledge("Diseases", NO_MAN.never))
        with pytest.raises(
            KnowledgeError, match=r"'Diseases', which is not a sensitive column; did you mean 'Disease'\?"
        ):
            model.with_derived_columns(_clinic())

    def test_nobody_is_exposed_by_a_rule_about_what_is_not_there(self):
        model = MatchingLDiversity(l=3, knowledge=Knowledge("Disease", (Rule((), "Gout"),)))
        table = model.with_derived_columns(_clinic())
        assert model.exposures(generalize_levels(table, {"Ward": 0, "Sex": 1}).view) == ()

    @given(st.data())
    def test_exposed_are_the_rows_of_too_few_values(self, data):
        table = data.draw(small_tables(max_rows=7, max_sensitive=1, missing=False, taxonomies=True))
        rules = data.draw(rules_for(table))
        model = MatchingLDiversity(l=2, knowledge=known(rules))
        table = model.with_derived_columns(table)
        candidate = generalize_levels(table, {name: 1 for name in table.schema.quasi if table.taxonomies[name].height})
        labels = np.asarray(candidate.groups().labels)
        values, never = [record["s0"] for record in records_of(table)], ruled_out_of(table, rules)
        expected = np.zeros(len(values), dtype=bool)
        for group in members(table, labels):
            valid = by_enumeration([never[at] for at in group], [values[at] for at in group])
            expected[group] = [len(mine) < 2 for mine in valid]
        found = np.repeat(model.exposed(candidate.groups()), table.counts)
        np.testing.assert_array_equal(found, expected)
        assert model.vulnerable(candidate.groups()) == expected.sum()


@pytest.mark.parametrize("algorithm", [Mondrian(), TopDownRefinement()], ids=str)
@pytest.mark.parametrize("l", [2, 3])
def test_what_is_published_holds_by_the_texts_alone(algorithm, l):
    random = np.random.default_rng(l)
    tree = Tree(branches={"Anywhere": {"City": ["n", "s"], "Land": ["e", "w"]}})
    schema = Schema.of(
        quasi=["q0", "q1"], sensitive=["s0"], taxonomies={"q0": tree, "q1": Tree(branches={"*": ["F", "M"]})}
    )
    rows = {"q0": random.choice(list("nsew"), 80).tolist(), "q1": random.choice(["F", "M"], 80).tolist()}
    rows["s0"] = [random.choice(["a", "b", "c", "d"] + ["o"] * 2 * (sex == "F")) for sex in rows["q1"]]
    rules: Plain = [({"q1": "M"}, "o"), ({"q0": "n", "q1": "F"}, "zz")]
    model = MatchingLDiversity(l=l, knowledge=known(rules))
    release = algorithm.anonymize(Table.of_rows(schema, rows), model & KAnonymity(k=2))
    candidate = release.candidate
    labels = np.asarray(candidate.groups().labels)
    origin = candidate.original.rows_at(candidate.origin, candidate.published.counts)
    assert min(levels(origin, labels, rules)) >= l
    assert len(set(labels.tolist())) > 1
    assert all(verdict.holds for verdict in release.verdicts)


def test_a_rule_that_is_about_nobody_is_doubted_in_the_report():
    rules = (*NO_MAN.never, Rule((Item("Sex", "male"),), "Ovarian Cancer"))
    release = Mondrian().anonymize(nine_patients(), MatchingLDiversity(l=2, knowledge=Knowledge("Disease", rules)))
    doubts = [note.text for note in release.report().notes if note.kind == "warning" and "match no record" in note.text]
    assert len(doubts) == 1
    assert doubts[0].startswith("1 of 2 rules about 'Disease'")
    fine = Mondrian().anonymize(nine_patients(), MatchingLDiversity(l=2, knowledge=NO_MAN))
    assert fine.provenance["warnings"] == []


def test_rules_mined_on_the_way_can_be_told_from_others():
    model = MatchingLDiversity(l=2, knowledge=Miner(min_expectation=0.75))
    release = Mondrian().anonymize(nine_patients(), model)
    mined = model.with_knowledge(nine_patients())
    assert [str(rule) for rule in mined.knowledge.never] == ["Sex is M: never Ovarian Cancer"]
    assert release.verdicts[0].model["knowledge"] == {"rules": 1, "digest": mined.knowledge.digest}
    assert mined.level(release.candidate.groups()).min() >= 2


def _clinic() -> Table:
    """Ward north has two women with what no man has and one man; ward south has two of each with anything."""
    tree = Tree(branches={"Person": ["F", "M"]})
    wards = Tree(branches={"Clinic": ["north", "south"]})
    schema = Schema.of(quasi=["Ward", "Sex"], sensitive=["Disease"], taxonomies={"Sex": tree, "Ward": wards})
    rows = {
        "Ward": ["north"] * 3 + ["south"] * 4,
        "Sex": list("FFMFFMM"),
        "Disease": ["Ovarian Cancer", "Ovarian Cancer", "Flu", "Flu", "Cold", "Flu", "Cold"],
    }
    return Table.of_rows(schema, rows)
