"""Adult with people who waive: who is charged, and what is said of the lines."""

from __future__ import annotations

import pyarrow as pa
import pytest
from benchmarks.figures import kabir_4_4, kabir_4_5, kabir_clustering
from benchmarks.figures.kabir_clustering import (
    K_MEMBER,
    ORDERS,
    SYSTEMATIC,
    charged,
    percent,
    ratios,
    run,
    spread,
    table,
    way,
)

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.models import KAnonymity
from sfumato.taxonomies.tree import Tree

NOBODY, MOST = f"{SYSTEMATIC}, q = 0 %", f"{SYSTEMATIC}, q = 10 %"
ALONE, BESIDE = f"{K_MEMBER}, q = 0 %", f"{K_MEMBER}, q = 10 %"


def line(*heights):
    return list(zip(kabir_clustering.SIZES, heights, strict=True))


def told(lines):
    return [claim.agrees for claim in kabir_4_4.claims(lines)]


def people(ages, sexes, waive):
    frame = pa.table({"age": ages, "sex": list(sexes), "open": waive})
    trees = {"sex": Tree(branches={"any": ["f", "m"]})}
    return Table.from_frame(frame, Schema.of(quasi=["age", "sex"], waiver="open", taxonomies=trees))


def test_less_loss_is_asked_for_up_to_forty_only():
    lines = {
        NOBODY: line(1, 2, 3, 4, 9, 10),
        MOST: line(0.5, 1, 2, 3, 4, 5),
        ALONE: line(2, 3, 4, 5, 6, 7),
        BESIDE: line(0.4, 2, 3, 4, 5, 6),
    }
    assert told(lines) == [True, True, True, False]
    assert told(lines | {ALONE: line(2, 3, 4, 3.5, 6, 7)}) == [False, False, True, False]


def test_lines_are_compared_at_every_size():
    assert kabir_4_4.least([line(*range(1, 7)), line(*range(6, 0, -1))]) == line(1, 2, 3, 3, 2, 1)
    assert kabir_4_4.upto(line(*range(6)), 20) == [(5, 0), (10, 1), (20, 2)]
    assert ratios(line(*[3] * 6), line(*[2] * 6)) == [1.5] * 6
    assert (spread([0.5, 1.25]), spread([1.5, 24.0])) == ("0.500 to 1.250", "1.50 to 24.00")
    assert percent(0.05) == "q = 5 %"


def test_faster_means_at_every_size():
    lines = {NOBODY: line(*[5] * 6), MOST: line(*[4] * 6), K_MEMBER: line(*[6] * 6)}
    assert [claim.agrees for claim in kabir_4_5.claims(lines)] == [True, True]
    lines |= {K_MEMBER: line(6, 6, 6, 6, 6, 5), MOST: line(4, 4, 4, 4, 4, 5)}
    assert [claim.agrees for claim in kabir_4_5.claims(lines)] == [False, False]


@pytest.mark.parametrize("levels", [0, 1])
def test_who_waives_is_charged_nothing(levels):
    """Three people in one group: 20 of 40 years, and both sexes."""
    original = people([20, 30, 40, 60], "ffmm", ["no", "no", "no", "yes"])
    release = way(K_MEMBER, levels).anonymize(original, KAnonymity(k=3))
    assert charged(release.candidate, levels) == pytest.approx(3 * (20 / 40 + 1))


def test_a_category_that_all_share_costs_a_level_or_nothing():
    original = people([20, 30, 60, 60], "ffmm", ["no", "no", "yes", "yes"])
    release = way(K_MEMBER, 0).anonymize(original, KAnonymity(k=2))
    assert [charged(release.candidate, levels) for levels in (0, 1)] == pytest.approx([0.5, 2.5])


def test_the_best_order_counts_where_nobody_waives():
    other = next(iter(ORDERS))
    lines = {
        NOBODY: line(9, 10, 11, 12, 13, 14),
        MOST: line(9, 10, 11, 12, 13, 14),
        ALONE: line(2, 3, 4, 5, 6, 7),
        BESIDE: line(2, 3, 4, 5, 6, 7),
    }
    assert told(lines)[1] is False
    assert told(lines | {other: line(1, 2, 3, 4, 9, 10)})[1] is True
    assert sorted(len(set(order)) for order in ORDERS.values()) == [3] * 5


def test_a_tenth_of_adult_waives(data_folder):
    if not (data_folder / "adult").is_dir():
        pytest.skip("the Adult files are not here")
    some = table(0.1, 0)
    assert some.counts[some.waived].sum() == 3016
    assert not table(0.0, 0).waived.any()


def test_k_member_loses_less_on_adult(data_folder):
    if not (data_folder / "adult").is_dir():
        pytest.skip("the Adult files are not here")
    systematic, member = (run(name, 0.0, 80, 0, 0) for name in (SYSTEMATIC, K_MEMBER))
    assert 0 < member.loss < systematic.loss
