from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.evaluation.learners import C45, Features
from sfumato.evaluation.learners.pruning import added_errors
from tests.evaluation.learners.loops.test_tree_growth import same
from tests.evaluation.learners.records import (
    ADULT_TOP,
    CRX_TOP,
    FRAMES,
    GERMAN_TOP,
    cases_of,
    drawn,
    features_of,
    golf,
    nested,
    numeric_of,
    plain,
)
from tests.examples import examples
from tests.oracles.c45_oracle import grown, predicted, pruned


def test_quinlans_golf():
    """Quinlan (1993): the tree he prints. 75 is no value of a sunny day, but the highest one below the middle."""
    features, classes = golf()
    assert C45().fit(features, classes).text(["Play", "Don't"]).splitlines() == [
        "outlook = overcast: Play (4)",
        "outlook = rain",
        "|   windy = false: Play (3)",
        "|   windy = true: Don't (2)",
        "outlook = sunny",
        "|   humidity <= 75: Play (2)",
        "|   humidity > 75: Don't (3)",
    ]


def test_what_quinlan_expects_of_golf():
    """C4.5 prints an estimate of 38.5 % errors for that tree."""
    features, classes = golf()
    nodes = C45().fit(features, classes).nodes
    leaves = nodes.column < 0
    expected = nodes.wrong[leaves] + added_errors(nodes.cases[leaves], nodes.wrong[leaves], 0.25)
    assert expected.sum() / 14 == pytest.approx(0.385, abs=0.0005)


def test_the_highest_gain_is_not_the_highest_gain_ratio():
    """36 records, half of them of class 1.

    town: six towns of six, two of them mixed: gain 1 - 2/6 = 0.667, information log2 6, ratio 0.258.
    sex: 15 and 3 on either side: gain 1 - 0.650 = 0.350, information 1, ratio 0.350.
    coin: 10 and 8 on either side: gain 0.009, so that the mean gain is 0.342 and sex is not below it.
    """
    town = [name for name in "abcdef" for _ in range(6)]
    classes = np.array([0, 1] * 6 + [0] * 12 + [1] * 12)
    table = {"town": town, "sex": parted(classes, 15), "coin": parted(classes, 10)}
    features = Features.of_frame(pa.table(table), list(table))
    assert C45().root(features, classes) == "sex"
    assert C45().root(features.without(["coin"]), classes) == "town"


def parted(classes: np.ndarray, most: int) -> list[str]:
    """A column in which `most` of each class have the name of the class, and the others that of the other."""
    names = np.array(["f", "m"])[classes]
    for label, other in ((0, "m"), (1, "f")):
        names[np.flatnonzero(classes == label)[most:]] = other
    return names.tolist()


def test_a_gain_below_the_mean_is_not_tested_whatever_its_ratio():
    """64 records, half of them of class 1.

    rare: two records of class 0 apart: gain 0.032, information 0.201, ratio 0.159.
    sex: 21 and 11 on either side: gain and ratio 0.072; the mean gain is 0.052.
    """
    classes = np.repeat([0, 1], 32)
    table = {"rare": np.where(np.arange(64) < 2, "x", "y"), "sex": parted(classes, 21)}
    features = Features.of_frame(pa.table(table), list(table))
    assert C45().root(features, classes) == "sex"
    assert C45().root(features.without(["sex"]), classes) == "rare"


def test_many_cuts_to_choose_from_are_paid_for():
    """Five cuts of eight numbers leave two on either side, which costs log2(5) / 8 = 0.290.

    The first classes are parted with a gain of 0.549, the others with 0.049 at best.
    """
    features = Features.of_frame(pa.table({"n": list(range(8))}), ["n"])
    assert C45().root(features, np.array([0, 0, 0, 1, 0, 1, 1, 1])) == "n"
    assert C45().root(features, np.array([0, 1, 1, 0, 0, 1, 1, 0])) is None


def test_no_name_is_tested_twice_on_a_path_and_numbers_are():
    features = Features.of_frame(pa.table({"n": list(range(30))}), ["n"])
    tree = C45().fit(features, np.array([0] * 10 + [1] * 10 + [0] * 10))
    assert tree.text().count("n <= ") == 2
    named = Features.of_frame(pa.table({"a": ["x", "y"] * 15}), ["a"])
    mixed = C45(confidence=1, fewest=1).fit(named, np.array([0, 1, 0, 0, 1, 1] * 5))
    assert mixed.depth <= 1


@given(drawn(most=40), drawn(), st.sampled_from([0.01, 0.25, 0.6, 1.0]))
@examples(200)
def test_the_tree_is_the_one_that_plain_recursion_grows_and_prunes(records, others, confidence):
    features, classes, weights = records
    tree = C45(confidence=confidence).fit(features, classes, weights)
    numeric = numeric_of(features)
    names = tuple(len(column.texts or ()) for column in features.columns)
    expected = pruned(grown(cases_of(features, classes, weights), numeric, 2, names), confidence)
    same(nested(tree.nodes, tree.ranks, tree.classes), expected)
    guessed = [predicted(expected, cells, numeric) for cells in plain(features)]
    assert tree.predict(features).tolist() == guessed


def error(data_folder: Path, name: str, without: tuple[str, ...] = ()) -> float:
    features, classes, train, test = features_of(FRAMES[name](data_folder))
    features = features.without(without)
    guessed = C45().fit(features.rows(train), classes[train]).predict(features.rows(test))
    return 100 * float((guessed != classes[test]).mean())


@pytest.mark.parametrize(
    ("name", "paper", "derived", "within"),
    [("adult", 14.7, 14.77, 0.3), ("crx", 15.4, 15.96, 0.6), ("german", 28.8, 28.74, 0.1)],
)
def test_baseline_errors(data_folder, name, paper, derived, within):
    """Fung, Wang and Yu (2007), section 5, and figures derived with another tree by the same rules."""
    found = error(data_folder, name)
    assert found == pytest.approx(derived, abs=0.006)
    assert found == pytest.approx(paper, abs=within)


@pytest.mark.parametrize(
    ("name", "top", "derived", "within"),
    [("adult", ADULT_TOP[:7], 21.69, 0.006), ("crx", CRX_TOP[:7], 43.1, 0.06), ("german", GERMAN_TOP, 30.8, 0.06)],
)
def test_errors_without_the_seven_columns_that_matter_most(data_folder, name, top, derived, within):
    """UE of Top7; the paper has 21.5 % for Adult and 42 % for CRX (its 36 % for German depends on an unknown split)."""
    assert error(data_folder, name, top) == pytest.approx(derived, abs=within)
