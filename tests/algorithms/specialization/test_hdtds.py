"""High-dimensional top-down specialization: the Red Cross example by every score, and the plain search."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Hdtds
from sfumato.algorithms.specialization import subset_guard
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import InfeasibleError, SchemaError
from sfumato.models import KAnonymity, LkcPrivacy
from sfumato.taxonomies import Tree
from tests.algorithms.specialization.test_top_down_refinement import seen
from tests.examples import examples
from tests.golden.classification import DRAWN_AGE, red_cross
from tests.oracles.plain_refinement import refine

LKC = LkcPrivacy(l=2, k=2, c=0.5, values=("Transgender",))

GAIN = ["ANY_Job", "63", "Blue-collar", "Non-Technical", "ANY_Sex", "White-collar"]
AFTER = ["63", "ANY_Sex", "ANY_Job", "Blue-collar", "White-collar", "Non-Technical"]
REDUCTION = ["ANY_Job", "ANY_Sex", "Blue-collar", "Non-Technical", "White-collar", "63"]


@pytest.mark.parametrize(
    ("score", "expected"),
    [("gain", GAIN), ("gain_per_loss", GAIN), ("discernment_after", AFTER), ("discernment", REDUCTION)],
)
def test_c1_by_every_score(score: str, expected: list[str]) -> None:
    """Golden C1: the steps under L=2, K=2, C=50 %; all ways end in the same table."""
    steps = Hdtds(score=score).refined(red_cross(), LKC).steps
    assert [step.at or step.value for step in steps] == expected
    release = Hdtds(score=score).anonymize(red_cross(), LKC)
    assert seen(release) == {
        ("Janitor", "M", "<63"): 2,
        ("Mover", "M", "<63"): 2,
        ("Professional", "M", "<63"): 3,
        ("Professional", "F", "<63"): 2,
        ("Technical", "F", ">=63"): 2,
    }


def test_c1_first_scores() -> None:
    """Golden C1: information gain of jobs 0.6395 over a loss of six; example 6.6 prints 61 for the groups after."""
    first = Hdtds(score="gain_per_loss").refined(red_cross(), LKC).steps[0]
    assert (first.value, first.gain, first.loss, first.score) == pytest.approx(
        ("ANY_Job", 0.63947, 6, 0.09135), abs=5e-6
    )
    assert Hdtds(score="discernment_after").refined(red_cross(), LKC).steps[0].score == 85


@pytest.mark.parametrize("score", ["gain", "gain_per_loss", "discernment", "discernment_before", "discernment_after"])
def test_c1_with_the_drawn_ages(score: str) -> None:
    """Golden C1: with the age tree of Figure 6.3 every score ends in the printed cut, one step further down at jobs."""
    release = Hdtds(score=score).anonymize(red_cross(DRAWN_AGE), LKC)
    shown = {name: set(labels.texts) for name, labels in release.recoding.labels.items()}
    assert shown["Job"] == {"Janitor", "Mover", "Technical", "Professional"}
    assert shown["Sex"] == {"M", "F"}
    only = {"24": "[1, 30)", "63": "[60, 99)"}  # the single ages below these nodes, which cost nothing more to show
    assert {only.get(age, age) for age in shown["Age"]} == {"[1, 30)", "[30, 60)", "[60, 99)"}
    assert len(shown["Age"]) == 3


def test_what_no_table_can_keep_is_refused() -> None:
    """Two of eleven had the guarded surgery, so no table guards it at ten percent."""
    with pytest.raises(InfeasibleError, match="one group fail"):
        Hdtds().anonymize(red_cross(), LkcPrivacy(l=2, k=2, c=0.1, values=("Transgender",)))


def test_texts_without_a_taxonomy_are_refused() -> None:
    table = Table.of_rows(Schema.of(quasi=["town"], target=["t"]), {"town": ["a", "b"], "t": ["x", "y"]})
    with pytest.raises(SchemaError, match="'town' holds texts"):
        Hdtds().anonymize(table, KAnonymity(k=1))


@st.composite
def tables(draw) -> Table:
    """Five columns, each with few values, so that choices of columns differ in what they give away."""
    records = draw(st.integers(2, 30))
    tree = Tree(branches={"any": {"left": ["a", "b"], "right": ["c", "d"]}})
    names = ["t1", "t2", "t3", "n1", "n2"][: draw(st.integers(2, 5))]
    rows = {
        name: draw(st.lists(st.sampled_from("abcd" if name[0] == "t" else "1234"), min_size=records, max_size=records))
        for name in names
    }
    rows["class"] = draw(st.lists(st.sampled_from("xy"), min_size=records, max_size=records))
    rows["class"][:2] = ["x", "y"]  # with a single class there would be nothing to predict
    rows["secret"] = draw(st.lists(st.sampled_from(["flu", "hiv", "gout"]), min_size=records, max_size=records))
    trees = {name: tree for name in names if name[0] == "t"}
    return Table.of_rows(Schema.of(quasi=names, sensitive=["secret"], target=["class"], taxonomies=trees), rows)


@examples(50)
@given(tables(), st.integers(1, 4), st.integers(1, 4), st.sampled_from([0.5, 0.8, 1.0]))
def test_the_same_steps_as_the_plain_search(table: Table, l: int, k: int, c: float) -> None:
    """Every choice of at most l columns is tried on every candidate, all records each time."""

    def keeps(records, masks) -> bool:
        for size in range(1, min(l, len(masks)) + 1):
            for columns in combinations(masks, size):
                groups = Counter(tuple(masks[name](record) for name in columns) for record in records)
                pairs = Counter((tuple(masks[n](record) for n in columns), record["secret"]) for record in records)
                shares = (pairs[key] > c * groups[key[0]] + 1e-9 for key in pairs) if c < 1 else ()
                if min(groups.values()) < k or any(shares):
                    return False
        return True

    plain = refine(table, [(table.schema.quasi, 1)], lambda gain, loss: gain, beneficial=False, keeps=keeps)
    steps = Hdtds().refined(table, LkcPrivacy(l=l, k=k, c=c)).steps
    assert [(step.column, step.at) for step in steps] == [(column, at) for column, _, at, _, _ in plain]


@examples(40)
@given(tables(), st.integers(1, 4), st.integers(1, 3), st.sampled_from([0.6, 1.0]))
def test_large_cubes_are_counted_choice_by_choice(table: Table, l: int, k: int, c: float) -> None:
    """As if every cube were too large to hold: the steps are the same."""
    model = LkcPrivacy(l=l, k=k, c=c)
    expected = Hdtds().refined(table, model).steps
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(subset_guard, "_CELLS", 0)
        assert Hdtds().refined(table, model).steps == expected


def test_many_known_columns_of_many_labels_fit_into_memory() -> None:
    """Twelve columns of ten values, eight of them known: a cube of all that are counted together has 10^12 cells."""
    random = np.random.default_rng(3)
    names = [f"q{at:02d}" for at in range(12)]
    kind = random.integers(0, 10, 60)  # ten kinds of people, alike in every column
    rows = {name: [str(value) for value in (kind * 7 + at) % 10] for at, name in enumerate(names)}
    rows["class"] = ["x" if value < 5 else "y" for value in kind]
    table = Table.of_rows(Schema.of(quasi=names, target=["class"]), rows)
    model = LkcPrivacy(l=8, k=int(np.bincount(kind)[np.unique(kind)].min()))
    release = Hdtds().anonymize(table, model)
    assert all(len(labels) == len(np.unique(kind)) for labels in release.recoding.labels.values())


def test_fewer_known_values_show_more() -> None:
    random = np.random.default_rng(1)
    names = [f"q{at}" for at in range(6)]
    rows = {name: [str(value) for value in random.integers(0, 4, 300)] for name in names}
    rows["class"] = ["x" if value > "1" else "y" for value in rows["q0"]]
    table = Table.of_rows(Schema.of(quasi=names, target=["class"]), rows)
    labels = [
        sum(len(labels) for labels in Hdtds().anonymize(table, LkcPrivacy(l=l, k=15)).recoding.labels.values())
        for l in (1, 2, 6)
    ]
    assert labels[0] > labels[1] > labels[2]
