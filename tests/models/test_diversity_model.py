"""The readings of a missing sensitive value, by the three models that have both."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.algorithms import Anatomy, Exhaustive, Mondrian, Permutation
from sfumato.data.domain import Domain
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.errors import InfeasibleError
from sfumato.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveCLDiversity
from sfumato.models.base import PrivacyModel
from sfumato.models.diversity_model import DiversityModel
from sfumato.models.search_bounds import RunBounds
from sfumato.taxonomies import Flat
from tests.models.histograms import spread
from tests.models.judging import Twin, agrees, has_room
from tests.oracles.models_oracle import distinct_l_diversity, entropy_l_diversity, recursive_c_l_diversity
from tests.strategies import grouped_tables


def twins() -> list[tuple[DiversityModel, Twin]]:
    """Each model beside its slow twin, which sees the known values of a group and refuses a group without any."""
    entropy = EntropyLDiversity(l=1.8, missing="no value")
    recursive = RecursiveCLDiversity(c=2, l=2, missing="no value")
    loose = RecursiveCLDiversity(c=1, l=1, strict=False, missing="no value")
    return [
        (DistinctLDiversity(l=1, missing="no value"), _of_known(lambda group: distinct_l_diversity(group, 1))),
        (DistinctLDiversity(l=2, missing="no value"), _of_known(lambda group: distinct_l_diversity(group, 2))),
        (entropy, _of_known(lambda group: entropy_l_diversity(group, Fraction("1.8")))),
        (recursive, _of_known(lambda group: recursive_c_l_diversity(group, Fraction(2), 2, True))),
        (loose, _of_known(lambda group: recursive_c_l_diversity(group, Fraction(1), 1, False))),
    ]


def _of_known(judge) -> Twin:
    def judged(group: Sequence[str | None], _: Sequence[str | None]) -> bool:
        known = [value for value in group if value is not None]
        return bool(known) and judge(known)

    return judged


@given(grouped_tables(max_repeats=3, max_sensitive=1), st.sampled_from(twins()))
def test_like_its_twin(pair, drawn) -> None:
    assert agrees(*drawn, *pair)


@given(grouped_tables(max_sensitive=1), st.sampled_from(twins()))
def test_room_is_an_upper_bound(pair, drawn) -> None:
    assert has_room(*drawn, *pair)


@given(grouped_tables(max_repeats=3, max_sensitive=1), st.sampled_from(twins()), st.data())
def test_the_union_of_groups_that_hold_holds(pair, drawn, data) -> None:
    table, labels = pair
    model, _ = drawn
    many = int(labels.max()) + 1
    merger = np.array(data.draw(st.lists(st.integers(0, 1), min_size=many, max_size=many)))
    merger = np.unique(merger, return_inverse=True)[1]
    fine = model.holds(Groups.of_labels(table, labels))
    coarse = model.holds(Groups.of_labels(table, merger[labels].astype(np.int32)))
    for group, holds in enumerate(coarse):
        assert holds or not fine[merger == group].all()


def test_a_group_with_flu_and_a_missing_value_has_one_value() -> None:
    """By hand, groups of flu, cold and missing: (1, 0, 1), (1, 1, 8), (0, 0, 3)."""
    groups = spread([[1, 0, 1], [1, 1, 8], [0, 0, 3]], values=["flu", "cold", None])
    assert DistinctLDiversity(l=2).level(groups).tolist() == [2, 3, 1]
    assert DistinctLDiversity(l=2, missing="no value").level(groups).tolist() == [1, 2, 0]
    assert EntropyLDiversity(l=2, missing="no value").level(groups).tolist() == pytest.approx([1, 2, 0])
    assert RecursiveCLDiversity(c=2, l=2, missing="no value").level(groups).tolist() == [np.inf, 1, np.inf]
    for model, _ in twins():
        assert not model.holds(groups)[2]


def test_a_missing_value_of_a_person_is_no_value() -> None:
    """Two persons, of whom one has the flu once and a missing value once: the flu is certain for both."""
    rows = {"q": ["1"] * 3, "who": ["ann", "ann", "bob"], "ill": ["flu", None, "flu"]}
    table = Table.of_rows(Schema.of(quasi=["q"], sensitive=["ill"], person="who"), rows)
    groups = Groups.of(table, ["q"])
    assert DistinctLDiversity(l=2, missing="no value").level(groups).tolist() == [1]
    assert EntropyLDiversity(l=2, missing="no value").level(groups).tolist() == [1]
    other = Table.of_rows(table.schema, rows | {"ill": ["flu", "cold", None]})
    assert DistinctLDiversity(l=2, missing="no value").level(Groups.of(other, ["q"])).tolist() == [2]


@given(st.lists(st.sampled_from(["1", "2", "3", None]), min_size=1, max_size=8), st.integers(1, 3))
def test_the_shortest_runs_by_trying_all(values, l) -> None:
    domain, codes = Domain.of("a", list(dict.fromkeys(values)))
    place = dict(zip(dict.fromkeys(values), codes.tolist(), strict=True))
    line = np.sort(np.array([place[value] for value in values], dtype=np.int32))
    known = [code < domain.present for code in line]

    def holds(start: int, end: int) -> bool:
        return len({int(line[at]) for at in range(start, end + 1) if known[at]}) >= l

    expected = [max((start for start in range(end + 1) if holds(start, end)), default=-1) for end in range(len(line))]
    assert RunBounds(l, missing_is_a_value=False).latest_starts(line, domain).tolist() == expected


def people(rows: int = 60) -> Table:
    """Records of which every third has no illness."""
    columns = {
        "age": [str(20 + (7 * row) % 40) for row in range(rows)],
        "job": ["abcd"[row % 4] for row in range(rows)],
        "ill": [None if row % 3 == 0 else ("flu", "cold", "gout")[(row // 2) % 3] for row in range(rows)],
    }
    taxonomies = {"age": Flat(), "job": Flat()}
    return Table.of_rows(Schema.of(quasi=["age", "job"], sensitive=["ill"], taxonomies=taxonomies), columns)


@pytest.mark.parametrize("algorithm", [Mondrian(), Mondrian(cut="median"), Exhaustive()], ids=str)
@pytest.mark.parametrize("model", [model for model, _ in twins()], ids=str)
def test_algorithms_keep_the_promise(algorithm, model: PrivacyModel) -> None:
    release = algorithm.anonymize(people(), KAnonymity(k=2) & model)
    assert all(verdict.holds for verdict in release.verdicts)
    assert len(release.groups) > 1 or isinstance(algorithm, Exhaustive)


@pytest.mark.parametrize("algorithm", [Anatomy(), Permutation()], ids=str)
def test_buckets_have_different_known_values(algorithm) -> None:
    """Twenty of the forty known values are gout: twenty buckets, each of which gets one record without a value."""
    release = algorithm.anonymize(people(), DistinctLDiversity(l=2, missing="no value"), seed=1)
    assert release.verdicts[0].holds
    assert release.groups.sizes.tolist() == [3] * 20


def test_runs_of_numbers_count_known_ones_alone() -> None:
    rows = {"q": [str(row) for row in range(8)], "pay": ["1", "2", "3", "4", None, None, "5", "6"]}
    table = Table.of_rows(Schema.of(quasi=["q"], sensitive=["pay"]), rows)
    release = Permutation(buckets="ranges").anonymize(table, DistinctLDiversity(l=2, missing="no value"))
    assert release.verdicts[0].holds


def test_where_too_few_values_are_known_nothing_is_published() -> None:
    rows = {"q": ["1", "2", "3"], "ill": ["flu", None, None]}
    table = Table.of_rows(Schema.of(quasi=["q"], sensitive=["ill"]), rows)
    assert Mondrian().anonymize(table, DistinctLDiversity(l=2)).verdicts[0].holds
    with pytest.raises(InfeasibleError):
        Mondrian().anonymize(table, DistinctLDiversity(l=2, missing="no value"))
