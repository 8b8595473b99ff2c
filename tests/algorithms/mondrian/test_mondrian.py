"""Mondrian: goldens from the book, the brute-force optimum on small tables, and what it must never do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Mondrian
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import InfeasibleError, ParameterError, UnsuitableError
from sfumato.metrics import Discernibility, Ncp
from sfumato.models import ConfidenceBounding, DistinctLDiversity, KAnonymity, TCloseness
from sfumato.runtime.progress import listening
from tests.examples import examples
from tests.oracles.optimal_grouping import optimal_grouping
from tests.strategies import small_tables

AGES = ["30", "30", "30", "32", "32", "32", "36", "38", "38", "38"]
WAYS = [
    Mondrian(),
    Mondrian(categories="taxonomy"),
    Mondrian(cut="median"),
    Mondrian(cut="median", categories="taxonomy"),
    Mondrian(cut="median", relaxed=True),
]


def ages() -> Table:
    return Table.of_rows(Schema.of(quasi=["Age"]), {"Age": AGES})


def test_golden_ages_are_cut_at_lower_medians():
    """Golden H11 on the book's Table 3.1: parts {30 x 3}, {32 x 3}, {36, 38, 38, 38}; DM = 34."""
    release = Mondrian(cut="median").anonymize(ages(), KAnonymity(k=3))
    assert sorted(release.parts["table"].domains["Age"].texts) == ["30", "32", "[36, 38]"]
    assert sorted(release.groups.sizes.tolist()) == [3, 3, 4]
    assert Discernibility().measure(release) == 34


def test_relaxed_shares_out_records_at_the_median():
    """Ten equal-size halves need the 32s on both sides: 5 and 5, where strict cuts can only give 6 and 4."""
    strict = Mondrian(cut="median").anonymize(ages(), KAnonymity(k=5))
    relaxed = Mondrian(cut="median", relaxed=True).anonymize(ages(), KAnonymity(k=5))
    assert strict.groups.sizes.tolist() == [10]
    assert sorted(relaxed.groups.sizes.tolist()) == [5, 5]
    assert sorted(relaxed.parts["table"].domains["Age"].texts) == ["[30, 32]", "[32, 38]"]


def test_relaxed_needs_medians():
    with pytest.raises(ParameterError, match="needs cut='median'"):
        Mondrian(relaxed=True)


def test_numbers_mixed_with_missing_values_say_nothing():
    table = Table.of_rows(Schema.of(quasi=["Age"]), {"Age": ["30", "31", None, "40"]})
    release = Mondrian().anonymize(table, KAnonymity(k=4))
    assert release.parts["table"].domains["Age"].texts == ("*",)
    assert Ncp().measure(release) == 1.0


@pytest.mark.parametrize("algorithm", WAYS, ids=str)
@given(table=small_tables(max_rows=8, max_repeats=3), k=st.integers(1, 4), l=st.integers(1, 2))
@examples(40)
def test_every_release_keeps_its_promise_and_covers_its_records(algorithm, table, k, l):
    model = KAnonymity(k=k) & DistinctLDiversity(l=l, sensitive="s0")
    try:
        release = algorithm.anonymize(table, model)
    except InfeasibleError:
        assert table.records < k or len(np.unique(table.codes["s0"])) < l
        return
    candidate = release.candidate
    assert release.holds
    assert not candidate.suppressed.any()
    back = np.bincount(candidate.origin, weights=candidate.published.counts, minlength=len(table))
    np.testing.assert_array_equal(back, table.counts)
    for name in table.schema.quasi:
        labels = candidate.recoding.labels[name]
        for label, code in zip(candidate.published.codes[name], table.codes[name][candidate.origin], strict=True):
            assert code in labels.covers(int(label))


@given(table=small_tables(max_rows=7, max_quasi=2), k=st.integers(1, 3))
@examples(40)
def test_never_better_than_the_optimum(table, k):
    """The oracle tries every grouping of up to seven records; a heuristic cannot beat it."""
    if table.records < k:
        return
    release = Mondrian().anonymize(table, KAnonymity(k=k))
    best = optimal_grouping(table, lambda group: len(group) >= k, sets=True)
    assert Ncp().measure(release) >= best.ncp - 1e-9


@given(table=small_tables(max_rows=8, max_repeats=2))
@examples(30)
def test_record_order_does_not_matter(table):
    order = np.arange(len(table))[::-1]
    one = Mondrian().anonymize(table, KAnonymity(k=2)) if table.records > 1 else None
    if one is not None:
        other = Mondrian().anonymize(table.rows_at(order), KAnonymity(k=2))
        assert Ncp().measure(one) == pytest.approx(Ncp().measure(other))


def test_refuses_models_without_the_facts_it_needs():
    class Restless(KAnonymity):
        kept_by_merging = False

    with pytest.raises(UnsuitableError, match="still hold when groups are merged"):
        Mondrian().anonymize(ages(), Restless(k=2))


def test_says_why_nothing_can_be_published():
    with pytest.raises(InfeasibleError, match="Even all records as one group fail k_anonymity"):
        Mondrian().anonymize(ages(), KAnonymity(k=11))


def test_the_whole_table_is_no_proof_where_records_may_be_left_out():
    """Without two of the five records of the value it is 3 of 8, so a release may exist that Mondrian did not find."""
    table = Table.of_rows(
        Schema.of(quasi=["a"], sensitive=["s"]), {"a": [str(n) for n in range(10)], "s": ["x"] * 5 + list("abcde")}
    )
    model = ConfidenceBounding(h=0.4, value="x") & KAnonymity(k=8)
    with pytest.raises(InfeasibleError, match=r"All records as one group fail confidence_bounding.*\)\. ") as caught:
        Mondrian().anonymize(table, model, suppression=0.2)
    assert "Even all" not in str(caught.value)


@pytest.mark.parametrize(("k", "most"), [(10, 0.048), (50, 0.138)])
def test_adult_loses_no_more_than_promised(adult, k, most):
    release = Mondrian().anonymize(adult, KAnonymity(k=k))
    assert Ncp().measure(release) <= most
    assert release.groups.sizes.min() >= k


@pytest.mark.parametrize(("model", "most"), [(DistinctLDiversity(l=2), 0.085), (TCloseness(t=0.2), 0.26)], ids=str)
def test_adult_with_a_sensitive_column(adult, model, most):
    release = Mondrian().anonymize(adult, KAnonymity(k=10) & model)
    assert Ncp().measure(release) <= most
    assert model.holds(release.groups).all()


def test_it_tells_the_share_that_is_done() -> None:
    """1024 rows and k = 4: about eight rounds, each of which halves all groups and is an eighth of the work."""
    values = [str(number) for number in range(1024)]
    table = Table.of_rows(Schema.of(quasi=["a"]), {"a": values})
    heard: list[tuple[str, int, int | None]] = []
    with listening(lambda *told: heard.append(told)):
        Mondrian(cut="median").anonymize(table, KAnonymity(k=4))
    shares = [done for what, done, _ in heard if what == "cutting groups"]
    assert shares == [125, 250, 375, 500, 625, 750, 875, 1000, 1000]
