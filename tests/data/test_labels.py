from __future__ import annotations

import csv
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.labels import Labels
from sfumato.taxonomies import Flat, Intervals, Taxonomy
from sfumato.taxonomies.taxonomy import interval_bounds

WORDS = st.text("ab,\"'; ", max_size=4)
NUMBERS = st.one_of(st.integers(-50, 50).map(str), st.floats(-1e3, 1e3).map(lambda number: repr(round(number, 3))))


@st.composite
def numeric(draw: st.DrawFn) -> Domain:
    values: list[str | None] = [*draw(st.lists(NUMBERS, min_size=1, max_size=8))]
    return Domain.of("x", [*values, None] if draw(st.booleans()) else values)[0]


@st.composite
def textual(draw: st.DrawFn) -> Domain:
    values: list[str | None] = [*draw(st.lists(WORDS, min_size=1, max_size=6))]
    return Domain.of("x", [*values, None] if draw(st.booleans()) else values, kind=Kind.TEXT)[0]


def says(text: str | None, domain: Domain) -> set[int]:
    """The codes that a stranger reading a published number column thinks of."""
    everything = set(range(len(domain)))
    if text == "*":
        return everything
    if text in domain.texts:
        return {domain.texts.index(text)}
    bounds = interval_bounds(text or "", domain.kind)
    assert bounds is not None
    assert domain.numbers is not None
    return {code for code in everything if bounds[0] <= domain.numbers[code] <= bounds[2]}


def members(text: str) -> list[str]:
    """The values in a published set, read back."""
    assert text[0] == "{"
    assert text[-1] == "}"
    return next(csv.reader([text[1:-1]], skipinitialspace=True))


def ranges(domain: Domain) -> tuple[np.ndarray, np.ndarray]:
    pairs = [(lo, hi) for lo in range(len(domain)) for hi in range(lo, len(domain))]
    lo, hi = zip(*pairs, strict=True)
    return np.array(lo, dtype=np.int32), np.array(hi, dtype=np.int32)


def check_alphabet(labels: Labels) -> None:
    assert len(set(labels.texts)) == len(labels)
    assert ((labels.ncp >= 0) & (labels.ncp <= 1)).all()
    assert ((labels.climb >= 0) & (labels.climb <= 1)).all()
    weights = np.arange(1, len(labels.domain) + 1, dtype=np.int64) ** 2
    slow = [sum(int(weights[code]) for code in labels.covers(label)) for label in range(len(labels))]
    assert labels.covered(weights).tolist() == slow
    single = [len(labels.covers(label)) == 1 for label in range(len(labels))]
    assert ((labels.ncp == 0) == single).all()
    assert labels.exact == all(text == labels.domain.texts[labels.lo[label]] for label, text in enumerate(labels.texts))


@given(numeric())
def test_a_range_covers_what_it_replaced(domain: Domain) -> None:
    taxonomy, _ = Flat().grow(domain)
    lo, hi = ranges(domain)
    labels, index = Labels.of_ranges(domain, taxonomy, lo, hi)
    check_alphabet(labels)
    for first, last, label in zip(lo, hi, index, strict=True):
        replaced = set(range(first, last + 1))
        assert replaced <= set(labels.covers(label).tolist())
        assert set(labels.covers(label).tolist()) == says(labels.texts[label], domain)
        if last < domain.present:
            assert set(labels.covers(label).tolist()) == replaced


@given(textual(), st.data())
def test_a_set_covers_exactly_what_it_replaced(domain: Domain, data: st.DataObject) -> None:
    member = st.sets(st.sampled_from(range(len(domain))), min_size=1)
    groups = data.draw(st.lists(member, min_size=1, max_size=6))
    present = np.array([[code in group for code in range(len(domain))] for group in groups])
    labels, index = Labels.of_sets(domain, None, *np.nonzero(present))
    check_alphabet(labels)
    for group, label in zip(groups, index, strict=True):
        assert labels.covers(label).tolist() == sorted(group)
        text = labels.texts[label]
        if len(group) == 1:
            assert text == domain.texts[next(iter(group))]
        else:
            assert members(text or "") == [domain.named(code) for code in sorted(group)]
    # the order of labels is that of sets as rows of flags
    rows = [tuple(code in labels.covers(label) for code in range(len(domain))) for label in range(len(labels))]
    assert rows == sorted(set(map(tuple, present.tolist())))


@given(st.data())
def test_sets_of_few_and_of_many_values_have_the_same_order(data: st.DataObject) -> None:
    """Up to 64 values a set is one number; 70 values, of which 6 never occur in a set, are written as bytes."""
    member = st.sets(st.integers(0, 63), min_size=1, max_size=5)
    groups = data.draw(st.lists(member, min_size=1, max_size=8))
    group = np.repeat(np.arange(len(groups)), [len(codes) for codes in groups])
    code = np.array([code for codes in groups for code in sorted(codes)], dtype=np.int32)
    few, many = (Domain.of("c", [f"{number:02}" for number in range(size)])[0] for size in (64, 70))
    (one, first), (other, second) = (Labels.of_sets(domain, None, group, code) for domain in (few, many))
    assert one.texts == other.texts
    assert first.tolist() == second.tolist()
    flags = [tuple(code in codes for code in range(64)) for codes in groups]
    assert first.tolist() == [sorted(set(flags)).index(row) for row in flags]


def test_sets_of_many_values_take_no_memory_for_values_that_are_not_there() -> None:
    """20,000 pairs of 40,000 values: one flag for every value of every group would be 800 MB."""
    domain, _ = Domain.of("place", [f"{number:05}" for number in range(40_000)])
    codes = np.arange(40_000, dtype=np.int32)
    tracemalloc.start()
    try:
        labels, index = Labels.of_sets(domain, None, codes // 2, codes)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 50_000_000
    assert [labels.texts[index[group]] for group in (0, 19_999)] == ["{00000, 00001}", "{39998, 39999}"]


@given(numeric(), st.integers(1, 30), st.data())
def test_a_node_covers_what_it_replaced(domain: Domain, width: int, data: st.DataObject) -> None:
    taxonomy, _ = Intervals(width=width).grow(domain)
    level = data.draw(st.integers(0, taxonomy.height))
    labels, index = Labels.of_nodes(taxonomy, taxonomy.nodes[level])
    check_alphabet(labels)
    for code, label in enumerate(index.tolist()):
        assert code in labels.covers(label)
        assert code in says_node(labels.texts[label], taxonomy)
    assert (labels.climb <= level / taxonomy.height).all()


def says_node(text: str | None, taxonomy: Taxonomy) -> range:
    if text in taxonomy.domain.texts:
        code = taxonomy.domain.texts.index(text)
        return range(code, code + 1)
    node = taxonomy.labels.index(text or "")
    return range(taxonomy.lo[node], taxonomy.hi[node] + 1)


def test_ranges_as_they_are_written() -> None:
    domain, _ = Domain.of("age", ["20", "29", "40", None])
    labels, index = Labels.of_ranges(domain, None, np.array([0, 0, 3, 1], np.int32), np.array([1, 0, 3, 3], np.int32))
    assert [labels.texts[label] for label in index] == ["[20, 29]", "20", None, "*"]
    assert labels.ncp[index].tolist() == pytest.approx([9 / 20, 0, 0, 1])


def test_sets_as_they_are_written() -> None:
    domain, _ = Domain.of("job", ["A", "B", "C, D", "?"], missing=["?"])
    present = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 0], [1, 0, 0, 1]], dtype=bool)
    labels, index = Labels.of_sets(domain, None, *np.nonzero(present))
    assert [labels.texts[label] for label in index] == ["{A, B}", '{"C, D", ?}', "C, D", "{A, ?}"]
    assert labels.ncp[index].tolist() == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])


def test_a_set_and_a_range_of_the_same_ends_differ() -> None:
    domain, _ = Domain.of("job", ["A", "B", "C"])
    labels, index = Labels.of_sets(domain, None, np.array([0, 0, 1, 1, 1]), np.array([0, 2, 0, 1, 2]))
    assert [labels.covers(label).tolist() for label in index] == [[0, 2], [0, 1, 2]]


def test_equal_numbers_of_several_groups_are_one_label() -> None:
    domain, _ = Domain.of("x", ["1", "2", "3", "9"])
    lo, hi = np.array([0, 1, 3], dtype=np.int32), np.array([2, 1, 3], dtype=np.int32)
    labels, cells = Labels.of_numbers(domain, None, lo, hi, np.array([2.0, 2.0, 9.0]))
    assert (labels.texts, cells.tolist()) == (("2", "9"), [0, 0, 1])
    assert (labels.lo.tolist(), labels.hi.tolist()) == ([0, 3], [2, 3])
    assert labels.ncp.tolist() == [0.25, 0.0]
    assert not labels.exact, "the value 2 stands for 1 to 3"


def test_numbers_are_written_as_exactly_as_they_can_be_told() -> None:
    domain, _ = Domain.of("x", ["0.1", "0.2"])
    lo, hi = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)
    assert Labels.of_numbers(domain, None, lo, hi, np.array([0.1 + 0.2]))[0].texts == ("0.3",)
    moments, _ = Domain.of("t", ["2020-01-01T10:00:00", "2020-01-01T10:00:03"])
    assert Labels.of_numbers(moments, None, lo, hi, moments.numbers[:1] + 1.4 / 86400)[0].texts == (
        "2020-01-01T10:00:01",
    )


def test_an_example_stands_for_all_values_of_its_groups() -> None:
    domain, _ = Domain.of("job", ["a", "b", "c", "d"])
    groups, codes = (np.array(line, dtype=np.int32) for line in ([0, 0, 1, 1, 2], [0, 2, 1, 2, 3]))
    labels, cells = Labels.of_examples(domain, None, groups, codes, np.array([2, 2, 3], dtype=np.int32))
    assert (labels.texts, cells.tolist()) == (("c", "d"), [0, 0, 1])
    assert labels.covers(0).tolist() == [0, 1, 2]
    assert labels.ncp.tolist() == [2 / 3, 0.0]


def test_numbers_come_back_from_plain_data() -> None:
    domain, _ = Domain.of("x", ["1", "2", None])
    made, _ = Labels.of_numbers(domain, None, *np.array([[0, 2], [1, 2]], dtype=np.int32), np.array([1.5, np.nan]))
    again = Labels.from_dict(made.to_dict())
    assert again.texts == ("1.5", None)
    assert np.array_equal(again.numbers, [1.5, np.nan], equal_nan=True)  # type: ignore[arg-type]
