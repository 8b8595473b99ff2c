"""Labels of groups: tight ranges, or the nodes of taxonomies of numbers and dates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.algorithms import (
    InfoGainMondrian,
    KMember,
    LoukidesShao,
    Mondrian,
    Oka,
    PartitionImprover,
    SystematicClustering,
)
from sfumato.algorithms.table_algorithm import TableAlgorithm
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.metrics import Ncp
from sfumato.models import KAnonymity
from sfumato.releases.table_release import TableRelease
from sfumato.republishing.insertion import insert
from sfumato.taxonomies import Dates, Intervals

TENS = Intervals(breaks=(20, 30, 40, 50))
"""Three intervals, [20, 30), [30, 40) and [40, 50]; on the next level the first two are joined to [20, 40)."""

ALIGNED: list[TableAlgorithm] = [
    Mondrian(labels="taxonomy"),
    Mondrian(labels="taxonomy", cut="median"),
    Mondrian(labels="taxonomy", cut="median", relaxed=True),
    InfoGainMondrian(labels="taxonomy"),
    KMember(labels="taxonomy"),
    Oka(labels="taxonomy"),
    SystematicClustering(labels="taxonomy"),
    LoukidesShao(labels="taxonomy"),
    PartitionImprover(start="k_member", settings_of_start={"labels": "taxonomy"}, effort=20),
]


def people(ages: list[int | None], **more: list[str]) -> Table:
    """Records with an age, and perhaps a day or a town."""
    columns = ["age", *more]
    taxonomies = {"age": TENS, "born": Dates()}
    schema = Schema.of(quasi=columns, taxonomies={name: taxonomies[name] for name in columns if name in taxonomies})
    return Table.of_rows(schema, {"age": [None if age is None else str(age) for age in ages], **more})


def published(release: TableRelease, column: str) -> list[str | None]:
    """The label of a column for every record, in order of the original values."""
    rows = release.candidate
    labels = rows.published.domains[column].texts
    order = np.argsort(rows.original.codes[column][rows.origin], kind="stable")
    return [labels[rows.published.codes[column][row]] for row in order for _ in range(rows.published.counts[row])]


AGES = [20, 21, 22, 23, 24, 31, 32]


@pytest.mark.parametrize("cut", ["best", "median"])
def test_cuts_are_made_at_breaks(cut) -> None:
    """The median is 23; a cut above it would leave 24 with 31 and 32, under [20, 40)."""
    release = Mondrian(labels="taxonomy", cut=cut).anonymize(people(AGES), KAnonymity(k=2))
    assert published(release, "age") == ["[20, 30)"] * 5 + ["[30, 40)"] * 2
    tight = Mondrian(cut=cut).anonymize(people(AGES), KAnonymity(k=2))
    assert published(tight, "age")[-1] in ("[24, 32]", "[31, 32]")
    assert release.provenance["labels"] == "taxonomy"
    assert "labels" not in tight.provenance


def test_a_break_that_leaves_too_few_is_not_taken() -> None:
    """With k = 3 only two records would lie above 30, so the cut lies below it."""
    release = Mondrian(labels="taxonomy", cut="median").anonymize(people(AGES), KAnonymity(k=3))
    assert set(published(release, "age")) == {"[20, 30)", "[20, 40)"}


def test_a_single_value_is_published_itself() -> None:
    release = Mondrian(labels="taxonomy").anonymize(people([27, 27, 45, 46]), KAnonymity(k=2))
    assert published(release, "age") == ["27", "27", "[40, 50]", "[40, 50]"]


def test_missing_values_are_cut_off_first() -> None:
    release = Mondrian(labels="taxonomy", cut="median").anonymize(people([20, 25, 26, 29, None, None]), KAnonymity(k=2))
    assert published(release, "age") == ["[20, 30)"] * 4 + [None] * 2


def test_days_become_calendar_units() -> None:
    born = ["2001-01-05", "2001-02-07", "2001-11-30", "2004-05-06", "2004-05-07"]
    release = Mondrian(labels="taxonomy").anonymize(people([20] * 5, born=born), KAnonymity(k=2))
    assert published(release, "born") == ["2001"] * 3 + ["2004-05"] * 2


@pytest.mark.parametrize("algorithm", ALIGNED, ids=str)
@settings(max_examples=15)
@given(ages=st.lists(st.one_of(st.none(), st.integers(20, 50)), min_size=6, max_size=14), k=st.integers(2, 3))
def test_every_label_is_the_lowest_node_over_its_group(algorithm, ages, k) -> None:
    if not any(ages):
        return
    table = people(ages, town=["north", "south"] * (len(ages) // 2) + ["east"] * (len(ages) % 2))
    release = algorithm.anonymize(table, KAnonymity(k=k), seed=1)
    assert all(verdict.holds for verdict in release.verdicts)
    rows, taxonomy = release.candidate, table.taxonomies["age"]
    codes, shown = table.codes["age"][rows.origin], rows.published.codes["age"]
    labels = rows.published.domains["age"]
    for group in np.unique(rows.group_of):
        mine = codes[rows.group_of == group]
        (label,) = np.unique(shown[rows.group_of == group])
        node = taxonomy.lowest_common(mine.min(keepdims=True), mine.max(keepdims=True))[0]
        text = taxonomy.domain.texts[node] if node < len(taxonomy.domain) else taxonomy.labels[node]
        assert labels.texts[label] == text


@given(st.lists(st.integers(20, 50), min_size=8, max_size=30), st.integers(2, 4))
def test_no_group_spans_a_break_at_which_it_could_be_cut(ages, k) -> None:
    table = people(ages)
    rows = Mondrian(labels="taxonomy", cut="median").anonymize(table, KAnonymity(k=k)).candidate
    group = np.repeat(rows.group_of, rows.published.counts)
    lowest = table.taxonomies["age"].nodes[1][np.repeat(table.codes["age"][rows.origin], rows.published.counts)]
    for one in np.unique(group):
        mine = np.sort(lowest[group == one])
        ends = np.flatnonzero(np.diff(mine) != 0) + 1
        assert not [end for end in ends if end >= k and len(mine) - end >= k]


def test_columns_without_a_taxonomy_stay_tight() -> None:
    table = Table.of_rows(Schema.of(quasi=["pay", "job"]), {"pay": ["1", "2", "8", "9"], "job": list("abcd")})
    one, other = (Mondrian(labels=labels).anonymize(table, KAnonymity(k=2)) for labels in ("taxonomy", "tight"))
    assert published(one, "pay") == published(other, "pay") == ["[1, 2]"] * 2 + ["[8, 9]"] * 2
    assert published(one, "job") == published(other, "job")


def test_inserted_records_join_nodes() -> None:
    first = Mondrian(labels="taxonomy").anonymize(people([20, 21, 45, 46]), KAnonymity(k=2))
    second = insert(first, people([20, 21, 45, 46, 29, 50]), KAnonymity(k=2))
    assert sorted(second.recoding.labels["age"].texts) == ["[20, 30)", "[40, 50]"]
    assert Ncp().measure(second) == pytest.approx((3 * 9 + 3 * 5) / 30 / 6)
    assert second.provenance["labels"] == "taxonomy"
