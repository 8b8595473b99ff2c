"""Labels that are read back from their texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.data.labels import Labels
from sfumato.data.written_labels import WrittenLabels
from sfumato.taxonomies import Dates, Intervals, Masking

AGES, _ = Domain.of("age", ["20", "24", "30", "41", None])
JOBS, _ = Domain.of("job", ["cook", "nurse", "nurse, retired", 'so-called "boss"', None])
ZIPS, _ = Domain.of("zip", ["1010", "1020", "2010", "77"], kind=Kind.TEXT)


def covered(text: str | None, domain: Domain) -> list[str] | None:
    """The values that a label covers; None if it cannot be read."""
    labels = WrittenLabels.read([text], domain)
    return [domain.named(code) for code in labels.covered(0)] if labels.understood[0] else None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("24", ["24"]),
        ("24.0", ["24"]),
        ("25", []),
        (None, ["missing"]),
        ("[20, 30]", ["20", "24", "30"]),
        ("[20, 30)", ["20", "24"]),
        ("(20, 30]", ["24", "30"]),
        ("20-29", ["20", "24"]),
        ("[50, 60]", []),
        ("<24", ["20"]),
        ("<=24", ["20", "24"]),
        (">=30", ["30", "41"]),
        (">30", ["41"]),
        ("known", ["20", "24", "30", "41"]),
        ("*", ["20", "24", "30", "41", "missing"]),
        ("{20, missing}", ["20", "missing"]),
        ("4*", ["41"]),
        ("young", None),
        ("[young, old]", None),
        ("<old", None),
    ],
)
def test_numbers(text, values) -> None:
    assert covered(text, AGES) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("cook", ["cook"]),
        ("{cook, nurse}", ["cook", "nurse"]),
        ('{"nurse, retired", "so-called ""boss"""}', ["nurse, retired", 'so-called "boss"']),
        ("{cook, pilot}", None),
        ("{}", []),
        ('{cook, "nurse}', None),
        ("{cook\nnurse}", None),
        ("[cook, nurse]", None),
    ],
)
def test_texts(text, values) -> None:
    assert covered(text, JOBS) == values


def test_masked_codes() -> None:
    assert covered("10**", ZIPS) == ["1010", "1020"]
    assert covered("**10", ZIPS) == ["1010", "2010"]
    assert covered("77**", ZIPS) == ["77"]
    assert covered("1*1*", ZIPS) is None


def test_dates() -> None:
    days, _ = Domain.of("born", ["2019-12-31", "2020-03-15", "2020-07-01"])
    assert covered("[2020-01-01, 2020-07-01]", days) == ["2020-03-15", "2020-07-01"]
    taxonomy, _ = Dates().grow(days)
    labels = WrittenLabels.read(["2020-Q1", "2020", "2010s"], taxonomy.domain, taxonomy)
    assert [labels.covered(place).tolist() for place in range(3)] == [[1], [1, 2], [0]]


def test_every_node_of_a_taxonomy_is_read_as_itself() -> None:
    for builder, domain in ((Intervals(width=5), Domain.of("age", ["3", "20", "21", "60"])[0]), (Masking(), ZIPS)):
        taxonomy, _ = builder.grow(domain)
        labels = WrittenLabels.read(taxonomy.labels, taxonomy.domain, taxonomy)
        assert labels.lo.tolist() == taxonomy.lo.tolist()
        assert labels.hi.tolist() == taxonomy.hi.tolist()


@given(st.data())
def test_what_the_library_writes_is_read_back(data) -> None:
    """Ranges and sets, with a missing value and without: the same codes and the same loss."""
    domain = data.draw(st.sampled_from([AGES, JOBS, Domain.of("age", ["1", "2.5", "-3"])[0]]))
    groups = data.draw(st.lists(st.sets(st.integers(0, len(domain) - 1), min_size=1), min_size=1, max_size=6))
    members = np.zeros((len(groups), len(domain)), dtype=bool)
    for row, codes in enumerate(groups):
        members[row, list(codes)] = True
    made = Labels.of_sets(domain, None, *np.nonzero(members))[0]
    if domain.ordered:
        ends = np.array([(min(codes), max(codes)) for codes in groups], dtype=np.int32)
        made = data.draw(st.sampled_from([made, Labels.of_ranges(domain, None, ends[:, 0], ends[:, 1])[0]]))
    read = WrittenLabels.read(made.texts, domain)
    assert read.understood.all()
    for label in range(len(made)):
        assert read.covered(label).tolist() == made.covers(label).tolist()
    every = np.repeat(np.arange(len(made)), len(domain))
    codes = np.tile(np.arange(len(domain)), len(made))
    plain = [code in made.covers(label) for label, code in zip(every, codes, strict=True)]
    assert read.cover(every, codes).tolist() == plain


def test_the_loss_is_that_of_the_release() -> None:
    lo, hi = (np.array(ends, dtype=np.int32) for ends in ([0, 1, 0], [1, 3, 4]))
    made = Labels.of_ranges(AGES, None, lo, hi)[0]
    assert WrittenLabels.read(made.texts, AGES).loss.tolist() == pytest.approx(made.ncp.tolist())
    # [20, 24] has 4 of 21 years, and a set of three of five values has two of four others.
    assert WrittenLabels.read(["[20, 24]", "{20, 30, 41}", "*", "24"], AGES).loss.tolist() == pytest.approx(
        [4 / 21, 2 / 4, 1, 0]
    )


def test_no_value_in_its_representation() -> None:
    assert repr(WrittenLabels.read(["{cook, nurse}"], JOBS)) == "<WrittenLabels of 'job': 1 for 5 values>"
