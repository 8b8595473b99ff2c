"""Bottom-up generalization, step by step against a plain one that tries everything on every record."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import BottomUpGeneralization
from sfumato.algorithms.full_domain.anonymity_index import AnonymityIndex
from sfumato.algorithms.full_domain.bottom_up_generalization import _best
from sfumato.algorithms.full_domain.split_rows import SplitRows
from sfumato.algorithms.full_domain.splits import Splits
from sfumato.data.schema import Role, Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, SchemaError
from sfumato.metrics import LossMetric
from sfumato.metrics.information_gain import gain
from sfumato.models import DistinctLDiversity, KAnonymity
from sfumato.runtime.progress import listening
from sfumato.taxonomies import Tree
from tests.examples import examples
from tests.oracles.bottom_up_oracle import bottom_up
from tests.strategies import small_tables

PEOPLE = [
    ("9th", "M", 0, 3),
    ("10th", "M", 0, 4),
    ("11th", "M", 2, 3),
    ("12th", "F", 3, 1),
    ("Bachelors", "F", 8, 2),
    ("Masters", "M", 4, 0),
    ("Masters", "F", 3, 0),
    ("Doctorate", "F", 1, 0),
]
"""Education and sex of 34 people, and how many of each are Y and N (Fung, Wang and Yu (2007), Table I)."""

TREES = {
    "Education": Tree(
        branches={
            "ANY_Edu": {
                "Secondary": {"Junior Sec.": ["9th", "10th"], "Senior Sec.": ["11th", "12th"]},
                "University": {"Bachelors": {}, "Grad School": ["Masters", "Doctorate"]},
            }
        }
    ),
    "Sex": Tree(branches={"ANY_Sex": ["M", "F"]}),
}


def people():
    records = [(e, s, c) for e, s, yes, no in PEOPLE for c in "Y" * yes + "N" * no]
    rows = dict(zip(("Education", "Sex", "Class"), map(list, zip(*records, strict=True)), strict=True))
    return Table.of_rows(Schema.of(quasi=["Education", "Sex"], target=["Class"], taxonomies=TREES), rows)


def steps(table, model):
    """The steps taken, each a column and the values that become one."""
    splits = Splits.of(table, whole=True)
    losses = BottomUpGeneralization()._losses(table, splits)
    index, taken = AnonymityIndex(SplitRows.of_splits(table, splits, model)), []
    while not index.safe:
        split = _best(index, losses)
        if split is None:
            break
        name = splits.columns[splits.column[split]]
        lo, hi = splits.ranges[split]
        taken.append((name, frozenset(table.domain(name).texts[lo : hi + 1])))
        index.generalize(split)
    return taken


def shown(release, name):
    """The labels of a column that are published."""
    table = release.parts["table"]
    return {table.domains[name].texts[code] for code in table.codes[name]}


def with_target(table):
    columns = tuple(replace(c, role=Role.TARGET) if c.name == "s0" else c for c in table.schema.columns)
    return replace(table, schema=replace(table.schema, columns=columns))


def bare_numbers(table):
    return any(table.domain(name).ordered and name not in table.taxonomies for name in table.schema.quasi)


def test_steps_by_hand():
    """k = 4. Doctorate, F (1) is the minimum: with Masters it makes 4, and all of both are Y, so nothing is lost.

    Then 9th, M (3) is: with 10th it makes 7, all of them N. Now the smallest groups have 4.
    """
    graduates, juniors = frozenset({"Masters", "Doctorate"}), frozenset({"9th", "10th"})
    assert steps(people(), KAnonymity(k=4)) == [("Education", graduates), ("Education", juniors)]
    release = BottomUpGeneralization().anonymize(people(), KAnonymity(k=4))
    assert shown(release, "Education") == {"Junior Sec.", "11th", "12th", "Bachelors", "Grad School"}
    assert shown(release, "Sex") == {"M", "F"}
    assert sorted(release.groups.sizes.tolist()) == [4, 4, 4, 5, 7, 10]


def test_steps_by_hand_where_none_is_critical():
    """k = 5. No step lifts all of 12th F, Grad School M and F (4 each), so the one that loses least is taken.

    That is Senior Sec. (0.0911 bits) before University (0.1022) and ANY_Sex (0.1664), the gains of the book's example.
    Then ANY_Sex lifts the smallest group from 4 to 7.
    """
    seniors, sexes = frozenset({"11th", "12th"}), frozenset({"M", "F"})
    assert steps(people(), KAnonymity(k=5))[2:] == [("Education", seniors), ("Sex", sexes)]
    release = BottomUpGeneralization().anonymize(people(), KAnonymity(k=5))
    assert shown(release, "Education") == {"Junior Sec.", "Senior Sec.", "Bachelors", "Grad School"}
    assert sorted(release.groups.sizes.tolist()) == [7, 8, 9, 10]


def test_losses_are_the_gains_of_the_book():
    splits = Splits.of(people(), whole=True)
    losses = BottomUpGeneralization()._losses(people(), splits)
    found = {}
    for split in range(len(splits)):
        taxonomy = people().taxonomies[splits.columns[splits.column[split]]]
        lo, hi = splits.ranges[split]
        found[taxonomy.labels[taxonomy.lowest_common(np.array([lo]), np.array([hi]))[0]]] = round(losses[split], 4)
    assert found == {
        "ANY_Edu": 0.2716,
        "Secondary": 0.3386,
        "University": 0.1022,
        "Junior Sec.": 0.0,
        "Senior Sec.": 0.0911,
        "Grad School": 0.0,
        "ANY_Sex": 0.1664,
    }
    assert round(gain(np.array([[5, 11], [16, 2]])), 4) == found["ANY_Edu"]


@given(table=small_tables(max_repeats=3).filter(lambda table: not bare_numbers(table)), k=st.integers(1, 6))
@examples(120)
def test_same_steps_as_the_plain_search(table, k):
    for target, chosen in (("s0", with_target(table)), (None, table)):
        expected, _ = bottom_up(chosen, len, k, target)
        assert steps(chosen, KAnonymity(k=k)) == expected


@given(table=small_tables(max_repeats=2).filter(lambda table: not bare_numbers(table)), l=st.integers(2, 3))
@examples(60)
def test_same_steps_for_other_models(table, l):
    expected, _ = bottom_up(table, lambda group: len({record["s0"] for record in group}), l, None)
    assert steps(table, DistinctLDiversity(l=l, sensitive="s0")) == expected


@given(
    table=small_tables(max_repeats=3).filter(lambda table: not bare_numbers(table)),
    k=st.integers(1, 5),
    limit=st.sampled_from([0.0, 0.3]),
    refine=st.booleans(),
)
@examples(80)
def test_every_release_keeps_its_promise(table, k, limit, refine):
    algorithm = BottomUpGeneralization(refine=refine)
    if table.records < k:
        with pytest.raises(InfeasibleError):
            algorithm.anonymize(table, KAnonymity(k=k), suppression=limit)
        return
    release = algorithm.anonymize(table, KAnonymity(k=k), suppression=limit)
    assert release.holds
    assert release.groups.sizes.min() >= k
    assert release.candidate.suppressed_records <= limit * table.records + 1e-9


@given(table=small_tables(max_repeats=3).filter(lambda table: not bare_numbers(table)), k=st.integers(2, 5))
@examples(60)
def test_refined_has_no_step_too_many(table, k):
    """No step that was kept can be taken back, and none that was not needed is left."""
    if table.records < k:
        return
    plain = BottomUpGeneralization().anonymize(table, KAnonymity(k=k)).candidate
    refined = BottomUpGeneralization(refine=True).anonymize(table, KAnonymity(k=k)).candidate
    assert LossMetric().measure(refined) <= LossMetric().measure(plain) + 1e-9
    splits = Splits.of(table, whole=True)
    rows = SplitRows.of_splits(table, splits, KAnonymity(k=k))
    bits = published_bits(splits, refined)
    assert rows.recode(bits).without_failing(0)[1] == 0
    for split in np.flatnonzero(~bits):
        finer = bits.copy()
        finer[split] = True
        if splits.parent[split] < 0 or bits[splits.parent[split]]:
            assert rows.recode(finer).without_failing(0)[1] > 0


def published_bits(splits, candidate):
    """Which splits are set in what was published: those whose ends have different labels."""
    labels = candidate.recoding.label_of
    return np.array(
        [
            labels[splits.columns[column]][lo] != labels[splits.columns[column]][hi]
            for column, (lo, hi) in zip(splits.column, splits.ranges, strict=True)
        ],
        dtype=np.bool_,
    )


def test_refining_takes_back_a_step_that_was_overtaken():
    """k = 4. Jobs say nothing about the class, so joining them costs nothing, but u still has 2 records only.

    Towns have to be joined too, and with them joined both jobs have 4 records again.
    """
    records = [("a", "u", "y"), ("b", "u", "y"), *[(job, "v", c) for job in "ab" for c in "ynn"]]
    rows = dict(zip(("job", "town", "class"), map(list, zip(*records, strict=True)), strict=True))
    table = Table.of_rows(Schema.of(quasi=["job", "town"], target=["class"]), rows)
    assert [name for name, _ in steps(table, KAnonymity(k=4))] == ["job", "town"]
    plain = BottomUpGeneralization().anonymize(table, KAnonymity(k=4))
    refined = BottomUpGeneralization(refine=True).anonymize(table, KAnonymity(k=4))
    assert (shown(plain, "job"), shown(plain, "town")) == ({"*"}, {"*"})
    assert (shown(refined, "job"), shown(refined, "town")) == ({"a", "b"}, {"*"})


def test_categories_without_a_taxonomy_are_shown_all_or_not_at_all():
    table = Table.of_rows(Schema.of(quasi=["job", "sex"]), {"job": [*"abcd"], "sex": [*"mmff"]})
    release = BottomUpGeneralization().anonymize(table, KAnonymity(k=2))
    assert shown(release, "job") == {"*"}
    assert shown(release, "sex") == {"m", "f"}


def test_suppression_spares_steps():
    table = Table.of_rows(Schema.of(quasi=["job"]), {"job": ["a", *"bbb", *"ccc"]})
    spared = BottomUpGeneralization().anonymize(table, KAnonymity(k=3), suppression=0.2)
    assert shown(spared, "job") == {"b", "c"}
    assert spared.candidate.suppressed_records == 1
    assert shown(BottomUpGeneralization().anonymize(table, KAnonymity(k=3)), "job") == {"*"}


def test_several_quasi_identifiers_each_with_its_own_k():
    schema = Schema.of(quasi=["a", "b"], quasi_identifiers={"one": ["a"], "two": ["b"]})
    table = Table.of_rows(schema, {"a": [*"xxxxyy"], "b": [*"uuuvvv"]})
    apart = KAnonymity(k=3, quasi="one") & KAnonymity(k=3, quasi="two")
    release = BottomUpGeneralization().anonymize(table, apart)
    assert (shown(release, "a"), shown(release, "b")) == ({"*"}, {"u", "v"})


def test_numbers_need_a_taxonomy():
    table = Table.of_rows(Schema.of(quasi=["age"]), {"age": ["20", "30"]})
    with pytest.raises(SchemaError, match=r"'age' holds numbers .* width = 10"):
        BottomUpGeneralization().anonymize(table, KAnonymity(k=2))


def test_a_target_must_be_one():
    with pytest.raises(SchemaError, match="not declared target"):
        BottomUpGeneralization(target="Disease").anonymize(hospital(), KAnonymity(k=2))


def test_tells_how_far_it_is():
    heard = []
    with listening(lambda what, done, total: heard.append((what, done, total))):
        BottomUpGeneralization().anonymize(people(), KAnonymity(k=4))
    assert heard == [("generalizing", 1, 7), ("generalizing", 2, 7)]


def test_preparing_leaves_nothing_to_compile():
    BottomUpGeneralization(refine=True).prepare()
    assert BottomUpGeneralization().anonymize(hospital(), KAnonymity(k=2)).holds


@pytest.mark.parametrize(("k", "most"), [(10, 6.1), (100, 7.1)])
def test_adult_is_published(adult, k, most):
    release = BottomUpGeneralization().anonymize(adult, KAnonymity(k=k))
    refined = BottomUpGeneralization(refine=True).anonymize(adult, KAnonymity(k=k))
    assert release.groups.sizes.min() >= k
    assert LossMetric().measure(refined) < LossMetric().measure(release) <= most
