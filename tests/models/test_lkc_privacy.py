"""LKC-privacy: the Red Cross tables, its special cases, and every choice of columns counted by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.audit.audit import Audit
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.table_view import TableView
from sfumato.errors import ParameterError
from sfumato.models import AlphaKAnonymity, ConfidenceBounding, KAnonymity, LkcPrivacy
from sfumato.operations.generalize import generalize_levels
from tests.golden.classification import RED_CROSS, red_cross
from tests.strategies import small_tables

CONFORMING = [LkcPrivacy(l=1, k=3), LkcPrivacy(l=2, k=2, c=0.5), LkcPrivacy(l=1, k=2, c=0.2, values=("16",))]
LKC = LkcPrivacy(l=2, k=2, c=0.5, values=("Transgender",))

PRINTED = {
    "Job": ["Non-Technical", "Professional", "Non-Technical", "Professional", "Non-Technical", "Non-Technical",
            "Professional", "Professional", "Professional", "Technical", "Technical"],
    "Sex": RED_CROSS["Sex"],
    "Age": ["[30-60)", "[30-60)", "[30-60)", "[1-30)", "[30-60)", "[30-60)", "[1-30)", "[30-60)", "[30-60)",
            "[60-99)", "[60-99)"],
    "Transfuse": RED_CROSS["Transfuse"],
    "Surgery": RED_CROSS["Surgery"],
}  # fmt: skip
"""Golden C1: book, Table 6.2."""


def plain(columns: dict[str, list[str]]) -> Table:
    schema = Schema.of(quasi=["Job", "Sex", "Age"], sensitive=["Surgery"], kinds={"Age": "text"})
    return Table.of_rows(schema, columns)


def test_the_printed_table_holds() -> None:
    table = plain(PRINTED)
    assert LKC.check(TableView(table=table)).holds
    assert LKC.check(TableView(table=table)).level == 1.0, "some groups have exactly two records and exactly half"


def test_the_printed_table_is_not_2_anonymous() -> None:
    """One record stands alone on all three columns: professional, male, thirty to sixty."""
    table = plain(PRINTED)
    assert KAnonymity(k=2).measure(Groups.of(table, table.schema.quasi)) == 1
    merged = {**PRINTED, "Age": ["[1-60)" if age != "[60-99)" else age for age in PRINTED["Age"]]}
    assert KAnonymity(k=2).measure(Groups.of(plain(merged), table.schema.quasi)) == 2


def test_the_raw_table_fails_in_twenty_five_ways() -> None:
    """Golden C1: groups by one or two columns that are too small, or give the guarded surgery away."""
    table, broken = plain(RED_CROSS), 0
    for size in (1, 2):
        for columns in combinations(table.schema.quasi, size):
            groups = Groups.of(table, columns)
            share = ConfidenceBounding(h=0.5, value="Transgender")
            broken += int((groups.sizes < 2).sum()) + int((~share.holds(groups)).sum())
    assert broken == 25
    verdict = LKC.check(TableView(table=table))
    assert not verdict.holds
    assert verdict.failing_groups > 0


@given(small_tables(), st.integers(1, 4), st.integers(1, 4), st.sampled_from([0.4, 0.5, 1.0]))
def test_every_choice_of_columns_counts(table: Table, l: int, k: int, c: float) -> None:
    """Against the definition: all combinations of up to l values, each with k records and no value above c."""
    secret = table.schema.sensitive[0] if table.schema.sensitive else None
    if secret is None and c < 1:
        return
    model = LkcPrivacy(l=l, k=k, c=c, sensitive=secret or "") if c < 1 else LkcPrivacy(l=l, k=k)
    expected = True
    for size in range(1, min(l, len(table.schema.quasi)) + 1):
        for columns in combinations(table.schema.quasi, size):
            groups, pairs = Counter(), Counter()
            for row in range(len(table)):
                key = tuple(int(table.codes[name][row]) for name in columns)
                groups[key] += int(table.counts[row])
                if secret is not None:
                    pairs[key, int(table.codes[secret][row])] += int(table.counts[row])
            expected &= min(groups.values()) >= k
            expected &= c == 1 or all(count <= c * groups[key[0]] + 1e-9 for key, count in pairs.items())
    assert model.check(TableView(table=table)).holds == expected
    assert bool(model.fails(TableView(table=table)).any()) != expected


@given(small_tables())
def test_with_all_columns_known_it_is_an_older_model(table: Table) -> None:
    """Book, section 2.2.6: k-anonymity, confidence bounding and (alpha,k)-anonymity are special cases."""
    whole, groups = len(table.schema.quasi), Groups.of(table, table.schema.quasi)
    assert (LkcPrivacy(l=whole, k=3).holds(groups) == KAnonymity(k=3).holds(groups)).all()
    for secret in table.schema.sensitive:
        lkc, older = LkcPrivacy(l=whole, k=1, c=0.5, sensitive=secret), ConfidenceBounding(h=0.5, sensitive=secret)
        assert (lkc.holds(groups) == older.holds(groups)).all()
        lkc, newer = (
            LkcPrivacy(l=whole, k=2, c=0.5, sensitive=secret),
            AlphaKAnonymity(alpha=0.5, k=2, sensitive=secret),
        )
        assert (lkc.holds(groups) == newer.holds(groups)).all()


def test_many_choices_are_judged_as_few_are() -> None:
    """Nine columns of which four are known: 126 groupings, counted through larger ones, one by one here."""
    names = [f"q{at}" for at in range(9)]
    rows = {name: [str((row // (at + 1)) % 2) for row in range(64)] for at, name in enumerate(names)}
    table = Table.of_rows(Schema.of(quasi=names), rows)
    smallest = min(Groups.of(table, columns).sizes.min() for columns in combinations(names, 4))
    verdict = LkcPrivacy(l=4, k=int(smallest)).check(TableView(table=table))
    assert verdict.holds
    assert verdict.groups == sum(len(Groups.of(table, columns)) for columns in combinations(names, 4))
    assert not LkcPrivacy(l=4, k=int(smallest) + 1).check(TableView(table=table)).holds


def test_columns_that_show_nothing_are_not_looked_at() -> None:
    table = red_cross()
    top = generalize_levels(table, {"Job": table.taxonomies["Job"].height, "Sex": 0})
    constant = replace(top.published, codes={**top.published.codes, "Age": top.published.codes["Job"]})
    assert LkcPrivacy(l=2, k=4).check(TableView(table=constant)).holds


def test_a_written_file_is_judged_the_same(tmp_path) -> None:
    lines = [",".join(PRINTED)] + [",".join(row) for row in zip(*PRINTED.values(), strict=True)]
    (tmp_path / "printed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    audit = Audit.of_file(tmp_path / "printed.csv", quasi=["Job", "Sex", "Age"], sensitive=["Surgery"])
    assert audit.judge(LKC)[0].holds
    assert not audit.judge(LkcPrivacy(l=3, k=2, c=0.5, values=("Transgender",)))[0].holds


def test_guarded_values_need_a_share() -> None:
    with pytest.raises(ParameterError, match="share c below 1"):
        LkcPrivacy(l=1, k=2, values=("HIV",))
