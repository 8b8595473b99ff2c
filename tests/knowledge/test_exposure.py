from __future__ import annotations

import numpy as np

from sfumato.datasets import nine_patients
from sfumato.disclosure.groups import Groups
from sfumato.knowledge import Item, Knowledge, Rule
from sfumato.knowledge.exposure import Exposure, by_exposure, exposures
from tests.golden.nine_patients import NO_MAN, anatomy_groups, patient_of

YOUNG = Rule((Item("Age", "[20, 30]"), Item("Sex", "M")), "Heart Disease")
WOMAN = Rule((Item("Sex", "F"),), "Prostate Cancer")


def found(knowledge: Knowledge, exposed: set[int]) -> list[tuple[str, int]]:
    """What bears on some patients, numbered from 1, in the groups of Anatomy."""
    table = nine_patients()
    marked = np.isin(patient_of(table) + 1, sorted(exposed))
    return [(str(one.rule), one.records) for one in exposures(knowledge, anatomy_groups(table), marked, table)]


def test_a_rule_bears_on_those_whose_group_has_the_value():
    """Patients 6 to 9 are men, too, but nobody in their groups has what men never have."""
    assert found(NO_MAN, set(range(1, 10))) == [("Sex is M: never Ovarian Cancer", 1)]


def test_the_rule_comes_first_that_changes_most_expectations():
    """By hand: two of nine patients have ovarian cancer and three have the flu.

    Of six men 6 x 2/9 = 1.33 are expected to have ovarian cancer, of three women 3 x 3/9 = 1 the flu; with exceptions
    in a tenth it is 6 x (2/9 - 1/10) = 0.73.
    """
    men, women = (Item("Sex", "M"),), (Item("Sex", "F"),)
    never_ovarian, never_flu = Rule(men, "Ovarian Cancer", support=6), Rule(women, "Flu", support=3)
    rarely_ovarian = Rule(men, "Ovarian Cancer", share=0.1, support=6)
    unmeasured, unheard = Rule(men, "Flu"), Rule(men, "Gout", share=0.2, support=6)
    given = Knowledge("Disease", (unmeasured, never_flu, rarely_ovarian, never_ovarian), (never_flu, unheard))
    found = by_exposure(given, nine_patients())
    assert found.never == (never_ovarian, never_flu, rarely_ovarian, unmeasured)
    assert found.likely == (unheard, never_flu)


def test_only_exposed_records_count():
    assert found(NO_MAN, {1, 2}) == []


def test_most_records_first():
    """Patients 1 and 2 are women in a group with prostate cancer, patient 7 a man of 30 in one with heart disease."""
    both = Knowledge("Disease", (*NO_MAN.never, YOUNG, WOMAN))
    assert found(both, set(range(1, 10))) == [
        ("Sex is F: never Prostate Cancer", 2),
        ("Sex is M: never Ovarian Cancer", 1),
        ("Age is in [20, 30], Sex is M: never Heart Disease", 1),
    ]


def test_values_nobody_has_and_records_that_stand_for_several():
    rules = Knowledge("Disease", (Rule((), "Gout"), Rule((), "Flu")))
    table = nine_patients()
    times = np.full(len(table), 3, dtype=np.int64)
    many = table.rows_at(np.arange(len(table)), times)
    groups = Groups.of_labels(many, np.asarray(anatomy_groups(table).labels))
    result = exposures(rules, groups, np.ones(len(table), dtype=bool), many)
    assert result == (Exposure(Rule((), "Flu"), 18),)
    assert str(result[0]) == "everybody: never Flu (18 exposed records)"
