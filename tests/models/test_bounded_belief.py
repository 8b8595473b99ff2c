"""Goldens E1, E2 and K1, why merging does not keep it, and every assignment there is as an oracle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Anatomy, Mondrian, Permutation, Slicing
from sfumato.checks.models import check_model
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital, nine_patients
from sfumato.disclosure.groups import Groups
from sfumato.errors import InfeasibleError, KnowledgeError, ParameterError, UnsuitableError, UsageError
from sfumato.knowledge import Item, Knowledge, Miner, Rule
from sfumato.models import BoundedBelief, DistinctLDiversity
from sfumato.operations.generalize import generalize_levels
from tests.examples import examples
from tests.golden.nine_patients import NO_MAN, anatomy_groups
from tests.models.survey import LIKELY
from tests.oracles.beliefs_oracle import by_enumeration, prior_of
from tests.oracles.models_oracle import records_of
from tests.strategies import grouped_tables

CONFORMING = [
    BoundedBelief(c=0.5),
    BoundedBelief(c=0.4, knowledge=Miner(min_expectation=0.5, max_items=2), inference="maximum_entropy"),
    BoundedBelief(c=0.3, knowledge=LIKELY),
    BoundedBelief(c=0.4, knowledge=LIKELY, inference="omega"),
    BoundedBelief(c=0.2, knowledge=LIKELY, inference="maximum_entropy", values=("16", "8")),
]
WAYS = ("exact", "omega", "maximum_entropy")


def never(column: str, text: str, value: str) -> Knowledge:
    return Knowledge("Disease", (Rule((Item(column, text),), value),))


def grouped(who: str, values: list[str], model: BoundedBelief, labels: list[int] | None = None) -> Groups:
    """Groups of people of whom one letter is known; all of them one group without labels."""
    schema = Schema.of(quasi=["Sex", "Group"], sensitive=["Disease"])
    groups = ["0"] * len(values) if labels is None else [str(label) for label in labels]
    rows = {"Sex": list(who), "Group": groups, "Disease": values}
    return Groups.of(model.with_derived_columns(Table.of_rows(schema, rows)), ["Group"])


class TestNinePatients:
    """K1: one man in a group with two women and two ovarian cancers."""

    @pytest.mark.parametrize("way", WAYS)
    def test_all_three_are_known_for_certain(self, way):
        model = BoundedBelief(c=0.7, knowledge=NO_MAN, inference=way)
        groups = anatomy_groups(model.with_derived_columns(nine_patients()))
        np.testing.assert_allclose(model.level(groups), [1, 2 / 3, 2 / 3])
        assert model.holds(groups).tolist() == [False, True, True]

    def test_the_women_as_well_as_the_man(self):
        model = BoundedBelief(c=0.7, knowledge=NO_MAN)
        found = model.beliefs(anatomy_groups(model.with_derived_columns(nine_patients())))
        np.testing.assert_allclose(found, [1, 1, 2 / 3, 2 / 3, 2 / 3])

    def test_without_knowledge_it_is_the_largest_share(self):
        model = BoundedBelief(c=2 / 3, knowledge=Knowledge("Disease"))
        groups = anatomy_groups(model.with_derived_columns(nine_patients()))
        np.testing.assert_allclose(model.level(groups), [2 / 3] * 3)
        assert model.holds(groups).all()


class TestWorkedExamples:
    def test_five_people_one_of_whom_does_not_have_l(self):
        """E1, (0, 0, 0) and (1, 0, 0): 2/5 and 2/3."""
        values = ["F", "F", "L", "L", "M"]
        model = BoundedBelief(c=0.5, values=("F",), knowledge=never("Sex", "a", "L"))
        np.testing.assert_allclose(model.level(grouped("abbbb", values, model)), [2 / 3])
        unaware = BoundedBelief(c=0.5, values=("F",), knowledge=Knowledge("Disease"))
        np.testing.assert_allclose(unaware.level(grouped("abbbb", values, unaware)), [2 / 5])

    def test_breast_cancer(self):
        """E2: 1/2, and 1 for who knows about men."""
        for knowledge, level in ((Knowledge("Disease"), 0.5), (never("Sex", "M", "Breast cancer"), 1)):
            for way in ("exact", "maximum_entropy"):
                model = BoundedBelief(c=0.5, knowledge=knowledge, inference=way)
                found = model.level(grouped("MF", ["Breast cancer", "Flu"], model))
                np.testing.assert_allclose(found, [level], atol=1e-9)

    @pytest.mark.parametrize("way", WAYS)
    def test_merging_may_make_surer(self, way):
        """Two women, two men who never have ovarian cancer: halves apart, two thirds together."""
        model = BoundedBelief(c=0.5, knowledge=never("Sex", "M", "Ovarian"), inference=way)
        values = ["Ovarian", "Flu", "Flu", "Cold"]
        apart, together = (grouped("FFMM", values, model, labels) for labels in ([0, 0, 1, 1], None))
        assert model.holds(apart).tolist() == [True, True]
        assert model.holds(together).tolist() == [False]
        np.testing.assert_allclose(model.level(apart), [0.5, 0.5])
        if way != "omega":
            np.testing.assert_allclose(model.level(together), [2 / 3])
        assert not BoundedBelief.kept_by_merging

    def test_a_share_makes_it_likelier(self):
        """A man has flu with 0.8 and a woman with 0.4, by the table with 0.5; of one flu he has it 6 to 1."""
        rules = tuple(Rule((Item("Sex", sex),), "Flu", share) for sex, share in (("M", 0.8), ("F", 0.4)))
        model = BoundedBelief(c=0.5, knowledge=Knowledge("Disease", (), (), rules))
        odds = 0.8 * 0.6 / (0.2 * 0.4)
        np.testing.assert_allclose(model.level(grouped("MF", ["Flu", "Cold"], model)), [odds / (1 + odds)])


class TestContradictions:
    @pytest.mark.parametrize("way", WAYS)
    def test_fail_whatever_the_bound(self, way):
        model = BoundedBelief(c=1, knowledge=NO_MAN, inference=way)
        groups = grouped("MMF", ["Ovarian Cancer", "Ovarian Cancer", "Flu"], model)
        assert np.isnan(model.beliefs(groups)).all()
        assert model.level(groups).tolist() == [1]
        assert not model.holds(groups).any()

    def test_groups_too_large_to_be_exact_fail(self):
        who, values = "MF" * 20, [str(value) for value in range(20)] * 2
        model = BoundedBelief(c=1, knowledge=never("Sex", "M", "0"))
        assert model.holds(grouped(who, values, model)).tolist() == [False]
        other = BoundedBelief(c=0.1, knowledge=never("Sex", "M", "0"), inference="maximum_entropy")
        np.testing.assert_allclose(other.level(grouped(who, values, other)), [0.1])  # women have both zeros

    def test_rules_that_leave_somebody_nothing(self):
        rules = tuple(Rule((Item("Sex", "M"),), value) for value in ("Flu", "Cold"))
        model = BoundedBelief(c=1, knowledge=Knowledge("Disease", rules))
        with pytest.raises(KnowledgeError, match="leave 1 of 2 records without any possible value"):
            grouped("MF", ["Flu", "Cold"], model)


class TestRules:
    def test_a_model_must_learn_them_first(self):
        for model in (BoundedBelief(c=0.5), BoundedBelief(c=0.5, knowledge=Path("rules.toml"))):
            with pytest.raises(UsageError, match=r"has no rules yet; use model.with_knowledge\(table\)"):
                model.sensitive_columns(nine_patients().schema)
        with pytest.raises(UsageError, match="mines its rules from the original table"):
            BoundedBelief(c=0.5).with_knowledge(None)

    def test_they_are_mined_or_read(self, tmp_path):
        mined = BoundedBelief(c=0.5, knowledge=Miner(min_expectation=0.75)).with_knowledge(nine_patients())
        assert [str(rule) for rule in mined.knowledge.never] == ["Sex is M: never Ovarian Cancer"]
        assert mined.with_knowledge(None) is mined
        NO_MAN.write(tmp_path / "rules.toml")
        assert BoundedBelief(c=0.5, knowledge=str(tmp_path / "rules.toml")).with_knowledge(None).knowledge == NO_MAN

    def test_a_table_is_prepared_once_and_from_original_values(self):
        model = BoundedBelief(c=0.5, knowledge=NO_MAN)
        table = model.with_derived_columns(nine_patients())
        assert model.with_derived_columns(table) is table
        assert model.sensitive_columns(table.schema) == ("Disease", f"prior of Disease ({NO_MAN.digest})")
        with pytest.raises(UsageError, match=r"use the groups of model.with_derived_columns\(table\)"):
            model.level(anatomy_groups(nine_patients()))
        published = generalize_levels(nine_patients(), {"Zip": 0, "Age": 0, "Sex": 1}).published
        with pytest.raises(UsageError, match="column 'Sex' holds published labels"):
            model.with_derived_columns(published)


class TestSettings:
    @pytest.mark.parametrize(
        "knowledge",
        [NO_MAN, Miner(), Miner(max_items=2, statistics=True), Path("rules.toml")],
        ids=["rules", "default", "mined", "file"],
    )
    def test_they_come_back(self, knowledge):
        model = BoundedBelief(c=0.4, knowledge=knowledge, inference="omega", values=("Flu",), quasi="who")
        plain = model.to_dict()
        assert plain.pop("name") == "bounded_belief"
        assert BoundedBelief.build(plain) == model

    def test_in_words(self):
        assert str(BoundedBelief(c=0.5)) == "bounded_belief(c=0.5, knowledge=mined)"
        said = str(BoundedBelief(c=0.5, knowledge=NO_MAN, inference="omega", values=("Flu", "Cold")))
        assert said == "bounded_belief(c=0.5, knowledge=1 rule, inference=omega, values=['Flu', 'Cold'])"

    @pytest.mark.parametrize("given", [{"c": 0}, {"c": 1.1}, {"c": 1, "inference": "guess"}, {"c": 1, "knowledge": 7}])
    def test_what_they_allow(self, given):
        with pytest.raises(ParameterError, match="of BoundedBelief must be"):
            BoundedBelief(**given)

    def test_values_of_the_column(self):
        model = BoundedBelief(c=0.5, knowledge=NO_MAN, values=("Flu", "Gout"))
        with pytest.raises(ParameterError, match=r"'values' of BoundedBelief must be .* of column 'Disease'; 1 of 2"):
            model.level(anatomy_groups(model.with_derived_columns(nine_patients())))

    def test_fewest_records(self):
        assert [BoundedBelief(c=c).bounds.least_size() for c in (1, 0.5, 1 / 3, 0.3)] == [1, 2, 3, 4]
        assert BoundedBelief(c=0.3, values=("Flu",)).bounds.least_size() == 1


@given(st.data())
@examples(60)
def test_like_every_assignment(data):
    """From texts alone: what is likely of each record, and what every way to hand out the values makes of it."""
    table, labels = data.draw(grouped_tables(max_rows=6, max_sensitive=1, missing=False))
    texts, told = [str(text) for text in table.domain("s0").texts], {}
    for _ in range(data.draw(st.integers(0, 3))):
        name = data.draw(st.sampled_from(table.schema.quasi))
        text = str(data.draw(st.sampled_from(table.domain(name).texts)))
        if len(table.domain(name)) > 1:
            told[(name, text), data.draw(st.sampled_from(texts))] = data.draw(st.sampled_from([0.0, 0.1, 0.3]))
    rules = [Rule((Item(*item),), value, share) for (item, value), share in told.items()]
    known = Knowledge("s0", tuple(r for r in rules if not r.share), tuple(r for r in rules if r.share))
    whole = dict(zip(texts, (table.histogram("s0") / table.records).tolist(), strict=True))
    plain = [({item[0]: item[1]}, value, share) for (item, value), share in told.items()]
    records = records_of(table)
    priors = [prior_of(record, plain, whole) for record in records]
    model = BoundedBelief(c=0.5, knowledge=known)
    if None in priors:
        with pytest.raises(KnowledgeError, match="without any possible value of 's0'"):
            model.with_derived_columns(table)
        return
    groups = Groups.of_labels(model.with_derived_columns(table), labels)
    owner = np.repeat(labels, table.counts)
    for label, level in enumerate(model.level(groups)):
        members = np.flatnonzero(owner == label).tolist()
        found = by_enumeration([priors[at] for at in members], [str(records[at]["s0"]) for at in members])
        assert level == pytest.approx(max(max(mine.values()) for mine in found) if found else 1)


@pytest.mark.parametrize("way", WAYS)
def test_it_conforms_where_groups_are_small(way):
    known = never("Sex", "Female", "Hepatitis") | Knowledge("Disease", (), (Rule((Item("Age", "30"),), "Flu", 0.4),))
    assert check_model(BoundedBelief(c=0.7, knowledge=known, inference=way), hospital()) is None


class TestPublishing:
    """Algorithms that make buckets serve it; those that cut or merge groups do not."""

    def clinic(self) -> Table:
        """Forty people, ten with each disease, the first half women; no man has ovarian cancer."""
        values = ["Ovarian"] * 10 + ["Flu", "Cold"] * 5 + ["Flu", "Gout"] * 5 + ["Gout", "Cold"] * 5
        rows = {"Sex": ["F"] * 20 + ["M"] * 20, "Age": [str(20 + at) for at in range(40)], "Disease": values}
        return Table.of_rows(Schema.of(quasi=["Sex", "Age"], sensitive=["Disease"]), rows)

    def test_what_holds_is_published(self):
        model = DistinctLDiversity(l=4) & BoundedBelief(c=1, knowledge=never("Sex", "M", "Ovarian"))
        release = Anatomy().anonymize(self.clinic(), model)
        assert release.holds
        assert release.candidate.suppressed_records == 0

    @pytest.mark.parametrize("algorithm", [Anatomy(), Permutation()], ids=["anatomy", "permutation"])
    def test_what_does_not_is_suppressed(self, algorithm):
        """A bucket of one woman, three men and four diseases gives the woman's away."""
        model = DistinctLDiversity(l=4) & BoundedBelief(c=0.5, knowledge=never("Sex", "M", "Ovarian"))
        release = algorithm.anonymize(self.clinic(), model, suppression=0.9)
        assert release.holds
        assert 0 < release.candidate.suppressed_records < 36
        belief = model.models[1]
        seen = release.candidate.groups(asked=belief.sensitive_columns(self.clinic().schema))
        assert belief.level(seen).max() <= 0.5 + 1e-9

    def test_or_refused(self):
        model = DistinctLDiversity(l=4) & BoundedBelief(c=0.5, knowledge=never("Sex", "M", "Ovarian"))
        with pytest.raises(InfeasibleError, match=r"satisfies bounded_belief\(c=0.5, knowledge=1 rule\)"):
            Anatomy().anonymize(self.clinic(), model)

    @pytest.mark.parametrize("algorithm", [Mondrian(), Slicing()], ids=["mondrian", "slicing"])
    def test_who_cannot_serve_it(self, algorithm):
        with pytest.raises(UnsuitableError, match="still hold when groups are merged; bounded_belief"):
            algorithm.anonymize(self.clinic(), BoundedBelief(c=0.5, knowledge=NO_MAN))
