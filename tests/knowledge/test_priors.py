"""What rules make likely of people, against a slow twin that works from texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets import nine_patients
from sfumato.errors import KnowledgeError
from sfumato.knowledge import Item, Knowledge, Rule
from sfumato.knowledge.priors import Priors, priors_of
from tests.golden.nine_patients import NO_MAN
from tests.oracles.beliefs_oracle import prior_of
from tests.oracles.models_oracle import records_of
from tests.strategies import small_tables


def people() -> Table:
    """Three women and two men, young and old, of whom two have a flu, two a cold and one the gout."""
    rows = {
        "Sex": ["F", "F", "F", "M", "M"],
        "Age": ["20", "20", "60", "20", "60"],
        "Disease": ["Flu", "Cold", "Gout", "Flu", "Cold"],
    }
    return Table.of_rows(Schema.of(quasi=["Sex", "Age"], sensitive=["Disease"]), rows)


def told(*rules: tuple[dict[str, str], str, float]) -> Knowledge:
    """Knowledge of plain shares; a share of 0 is told as never."""
    made = [Rule(tuple(Item(name, text) for name, text in when.items()), value, share) for when, value, share in rules]
    return Knowledge("Disease", tuple(r for r in made if not r.share), (), tuple(r for r in made if r.share))


def chances(knowledge: Knowledge, table: Table | None = None) -> list[dict[str | None, float]]:
    """The prior of every record, by text."""
    table = people() if table is None else table
    priors, codes = priors_of(knowledge, table, "prior")
    rows = priors.chances[np.repeat(codes, table.counts)]
    return [dict(zip(priors.values, row.tolist(), strict=True)) for row in rows]


def of(sex: str, age: str, knowledge: Knowledge) -> dict[str | None, float]:
    found = zip(records_of(people()), chances(knowledge), strict=True)
    return next(row for record, row in found if (record["Sex"], record["Age"]) == (sex, age))


class TestEverybody:
    def test_nothing_known_leaves_the_shares_of_the_table(self):
        assert chances(Knowledge("Disease")) == [pytest.approx({"Cold": 0.4, "Flu": 0.4, "Gout": 0.2})] * 5

    def test_the_rest_is_shared_like_in_the_table(self):
        assert of("F", "20", told(({}, "Gout", 0.7))) == pytest.approx({"Cold": 0.15, "Flu": 0.15, "Gout": 0.7})

    def test_values_that_are_not_there_take_their_share_along(self):
        known = told(({}, "Gout", 0.2), ({}, "Cough", 0.5))
        assert of("F", "20", known) == pytest.approx({"Cold": 0.3, "Flu": 0.3, "Gout": 0.4})


class TestShares:
    def test_what_is_told_of_men_holds_of_men(self):
        known = told(({"Sex": "M"}, "Flu", 0.3))
        assert of("M", "20", known) == pytest.approx({"Flu": 0.3, "Cold": 0.7 * 2 / 3, "Gout": 0.7 / 3})
        assert of("F", "20", known) == pytest.approx({"Cold": 0.4, "Flu": 0.4, "Gout": 0.2})

    def test_never_has_its_place_in_it(self):
        known = told(({"Sex": "M"}, "Flu", 0.3), ({"Sex": "M"}, "Gout", 0))
        assert of("M", "20", known) == pytest.approx({"Flu": 0.3, "Cold": 0.7, "Gout": 0})

    def test_so_it_has_when_it_is_told_of_more_people(self):
        known = told(({"Sex": "M", "Age": "20"}, "Flu", 0.3), ({"Sex": "M"}, "Gout", 0))
        assert of("M", "20", known) == pytest.approx({"Flu": 0.3, "Cold": 0.7, "Gout": 0})
        assert of("M", "60", known) == pytest.approx({"Flu": 0.5, "Cold": 0.5, "Gout": 0})

    def test_items_multiply(self):
        """Base .4 .4 .2; men .4 .4 .2 times 1.5 for flu, the old times 2 for gout, and the rest made to fit."""
        known = told(({"Sex": "M"}, "Flu", 0.6), ({"Age": "60"}, "Gout", 0.4))
        man, old = {"Flu": 0.6, "Cold": 0.4 * 2 / 3, "Gout": 0.4 / 3}, {"Gout": 0.4, "Flu": 0.3, "Cold": 0.3}
        base = {"Flu": 0.4, "Cold": 0.4, "Gout": 0.2}
        product = {value: man[value] * old[value] / base[value] for value in base}
        whole = sum(product.values())
        assert of("M", "60", known) == pytest.approx({value: chance / whole for value, chance in product.items()})

    def test_the_most_specific_rule_wins_and_builds_on_the_others(self):
        known = told(({"Sex": "M"}, "Gout", 0.5), ({"Sex": "M", "Age": "20"}, "Flu", 0.1))
        assert of("M", "20", known) == pytest.approx({"Flu": 0.1, "Gout": 0.9 * 2 / 3, "Cold": 0.9 / 3})

    def test_values_inside_others_are_more_specific(self):
        young = Rule((Item("Age", "[0, 40)"),), "Flu", 0.9)
        twenty = Rule((Item("Age", "20"), Item("Sex", "M")), "Flu", 0.5)
        known = Knowledge("Disease", (), (young,), (twenty,))
        assert of("F", "20", known)["Flu"] == pytest.approx(0.9)
        assert of("M", "20", known)["Flu"] == pytest.approx(0.5)

    def test_never_with_exceptions_is_a_share(self):
        known = Knowledge("Disease", (Rule((Item("Sex", "M"),), "Flu", share=0.05),))
        assert of("M", "20", known)["Flu"] == pytest.approx(0.05)

    def test_an_item_true_of_all_or_of_nobody(self):
        known = told(({"Sex": "X"}, "Flu", 0.9))
        assert of("M", "20", known)["Flu"] == pytest.approx(0.4)
        everyone = Knowledge("Disease", (), (), (Rule((Item("Age", "[0, 99]"),), "Flu", 0.9),))
        assert of("M", "20", everyone)["Flu"] == pytest.approx(0.9)

    def test_what_is_impossible_for_everybody_stays_so(self):
        known = told(({}, "Flu", 0), ({"Sex": "M"}, "Flu", 0.5))
        assert of("M", "20", known)["Flu"] == 0


class TestNinePatients:
    def test_men_have_no_ovarian_cancer(self):
        found = chances(NO_MAN, nine_patients())
        for record, prior in zip(records_of(nine_patients()), found, strict=True):
            men = {"Flu": 3 / 7, "Heart Disease": 3 / 7, "Prostate Cancer": 1 / 7, "Ovarian Cancer": 0}
            women = {"Flu": 3 / 9, "Heart Disease": 3 / 9, "Prostate Cancer": 1 / 9, "Ovarian Cancer": 2 / 9}
            assert prior == pytest.approx(men if record["Sex"] == "M" else women)

    def test_from_a_file(self, tmp_path):
        text = (
            'sensitive = "Disease"\n[[never]]\nwhen = { Sex = "M" }\nvalue = "Ovarian Cancer"\n'
            '[[share]]\nwhen = { Sex = "M" }\nvalue = "Flu"\nshare = 0.3\n'
        )
        (tmp_path / "rules.toml").write_text(text, encoding="utf-8")
        priors, codes = priors_of(Knowledge.read(tmp_path / "rules.toml"), nine_patients(), "prior")
        assert len(priors) == 2
        man = priors.chances[codes[nine_patients().codes["Sex"] == 1][0]]
        assert dict(zip(priors.values, man, strict=True)) == pytest.approx(
            {"Flu": 0.3, "Heart Disease": 0.7 * 3 / 4, "Ovarian Cancer": 0, "Prostate Cancer": 0.7 / 4}
        )


class TestRefusals:
    def test_shares_that_add_up_to_more_than_1(self):
        with pytest.raises(KnowledgeError, match="add up to more than 1"):
            chances(told(({"Sex": "M"}, "Flu", 0.7), ({"Sex": "M"}, "Cold", 0.4)))

    def test_two_shares_for_the_same(self):
        one, other = (Rule((Item("Sex", "M"),), "Flu", share) for share in (0.7, 0.4))
        with pytest.raises(KnowledgeError, match="two rules give one value different shares"):
            chances(Knowledge("Disease", (), (one,), (other,)))
        assert chances(Knowledge("Disease", (), (one,), (one,)))

    def test_records_that_nothing_is_left_for(self):
        known = told(*(({"Sex": "M"}, value, 0) for value in ("Flu", "Cold", "Gout")))
        with pytest.raises(KnowledgeError, match="leave 2 of 5 records without any possible value of 'Disease'"):
            chances(known)

    def test_columns_that_are_not_there(self):
        with pytest.raises(KnowledgeError, match="which is not a quasi column"):
            chances(told(({"Sax": "M"}, "Flu", 0.2)))


@given(st.data())
def test_like_its_twin(data):
    table = data.draw(small_tables(max_rows=6, max_sensitive=1, missing=False))
    texts = [str(text) for text in table.domain("s0").texts]
    rules = {}
    for _ in range(data.draw(st.integers(0, 5))):
        names = data.draw(st.lists(st.sampled_from(table.schema.quasi), unique=True, max_size=2))
        when = tuple(sorted((name, str(data.draw(st.sampled_from(table.domain(name).texts)))) for name in names))
        share = data.draw(st.sampled_from([0.0, 0.1, 0.2]))
        rules[when, data.draw(st.sampled_from(texts))] = share
    varied = {name for name in table.schema.quasi if len(table.domain(name)) > 1}
    assume(all(name in varied for when, _ in rules for name, _ in when))  # else the items are true of everybody
    plain = [(dict(when), value, share) for (when, value), share in rules.items()]
    made = [Rule(tuple(Item(*item) for item in when), value, share) for (when, value), share in rules.items()]
    known = Knowledge("s0", tuple(r for r in made if not r.share), (), tuple(r for r in made if r.share))
    whole = dict(zip(texts, (table.histogram("s0") / table.records).tolist(), strict=True))
    expected = [prior_of(record, plain, whole) for record in records_of(table)]
    if None in expected:
        with pytest.raises(KnowledgeError, match=f"leave {expected.count(None)} of {len(expected)} records"):
            priors_of(known, table, "prior")
    else:
        assert chances(known, table) == [pytest.approx(prior) for prior in expected]


class TestPriors:
    def test_equal_rows_are_one(self):
        rows = np.array([[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]])
        priors, codes = Priors.of_chances("prior", ("a", "b"), rows)
        assert len(priors) == 2
        np.testing.assert_array_equal(priors.chances[codes], rows)
        np.testing.assert_array_equal(priors.against(("a", "b"))[codes], rows == 0)

    def test_in_another_order(self):
        priors, _ = Priors.of_chances("prior", ("a", "b"), np.array([[0.2, 0.8], [1.0, 0.0]]))
        assert priors.chances_of(("b", None, "a")).tolist() == [[0.8, 0, 0.2], [0, 0, 1]]
        np.testing.assert_allclose(priors.chances_of((None, "b")), [[0.2, 0.8], [1, 0]])
        turned = priors.reordered(np.array([1, 0]))
        assert turned.chances.tolist() == [[1, 0], [0.2, 0.8]]
        assert turned.ruled_out.tolist() == [[False, True], [False, False]]
        assert turned.texts == ("1", "0")
