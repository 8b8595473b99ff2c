"""The evaluator on lines written by hand; every expected figure is worked out in the comment beside it."""

import pytest
from benchmarks.evaluator import judge, reader_of, untrue_cells

QUASI, SENSITIVE = ("age", "job"), "disease"
HEADER = ("age", "job", "disease")
ORIGINAL = [
    HEADER,
    ("20", "Nurse", "Flu"),
    ("30", "Nurse", "HIV"),
    ("40", "Cook", "Flu"),
    ("60", "Baker, pastry", "Flu"),
]
JOBS = ["Nurse", "Cook", "Baker, pastry"]
LEVELS = {"job": {"Food": frozenset({"Cook", "Baker, pastry", "Butcher"}), "*": frozenset(JOBS)}}


def judged(*rows, header=HEADER):
    return judge(ORIGINAL, [header, *rows], QUASI, SENSITIVE, LEVELS)


@pytest.mark.parametrize(
    ("text", "loss"),
    [
        ("30", 0),  # exact
        ("[20, 30]", 10 / 40),  # ages run from 20 to 60
        ("[20, 30)", 10 / 40),
        ("20-30", 10 / 40),
        ("['20-30']", 10 / 40),
        ("0-29", 9 / 40),  # cut off at the youngest
        ("[50, 100)", 10 / 40),  # cut off at the oldest
        ("*", 1),
    ],
)
def test_a_range_costs_its_share_of_the_column(text, loss):
    assert reader_of(["20", "30", "40", "60"], {})(text).loss == pytest.approx(loss)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("Nurse", {"Nurse"}),
        ("Baker, pastry", {"Baker, pastry"}),
        ("{Nurse, Cook}", {"Nurse", "Cook"}),
        ('{"Baker, pastry", Nurse}', {"Nurse", "Baker, pastry"}),
        ("Nurse,Cook", {"Nurse", "Cook"}),
        ("['Cook,Nurse']", {"Nurse", "Cook"}),
        ("Food", {"Cook", "Baker, pastry"}),  # Butcher is not in the data
        ("*", set(JOBS)),
    ],
)
def test_a_set_costs_what_else_it_could_be(text, members):
    meaning = reader_of(JOBS, LEVELS["job"])(text)
    assert meaning.cover == members
    assert meaning.loss == pytest.approx((len(members) - 1) / 2)


@pytest.mark.parametrize("text", ["Pilot", "{Nurse, Pilot}", "{}", ""])
def test_a_set_that_cannot_be_read_is_refused(text):
    with pytest.raises(ValueError, match="cannot read the set"):
        reader_of(JOBS, {})(text)


def test_a_range_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="cannot read the range"):
        reader_of(["20", "60"], {})("young")


def test_a_release_of_two_groups():
    found = judged(
        ("[20, 30]", "Nurse", "Flu"),
        ("[20, 30]", "Nurse", "HIV"),
        ("[40, 60]", "Food", "Flu"),
        ("40-60", "Food", "Flu"),
    )
    # ages 10/40 twice and 20/40 twice, jobs 0 twice and 1/2 twice: (0.5 + 1 + 1) / 8
    assert found.ncp == pytest.approx(0.3125)
    assert (found.k, found.l, found.groups, found.suppressed) == (2, 1, 2, 0)
    # Flu is 3/4 of the table; half of the first group (distance 1/4), all of the second (1/4)
    assert found.t == pytest.approx(0.25)


def test_records_left_out_cost_everything_however_they_are_left_out():
    kept = [("20", "Nurse", "Flu"), ("30", "Nurse", "HIV")]
    dropped, starred = judged(*kept), judged(*kept, ("*", "*", "*"), ("*", "*", "*"))
    assert dropped == starred
    assert dropped.ncp == pytest.approx(2 / 4)
    assert (dropped.k, dropped.suppressed) == (1, 2)


def test_a_line_may_stand_for_several_records():
    counted = judged(("*", "Nurse", "Flu", "3"), ("*", "Nurse", "HIV", "1"), header=(*HEADER, "count"))
    assert counted.ncp == pytest.approx(1 / 2)
    assert (counted.k, counted.l, counted.t) == (4, 2, 0)


def test_the_same_set_spelled_twice_is_one_group():
    cells = ("{Nurse, Cook}", "Cook,Nurse")
    assert judged(*(("*", cell, "Flu") for cell in cells)).groups == 1


def test_cells_that_do_not_hold_their_value_are_counted():
    true = [HEADER, ("[20, 30]", "Nurse", ""), ("*", "*", ""), ("40", "Food", ""), ("60", "{Cook, Nurse}", "")]
    assert untrue_cells(ORIGINAL, true, QUASI, LEVELS) == 1  # the baker is neither cook nor nurse
    assert untrue_cells(ORIGINAL, [HEADER, *[("20", "Nurse", "")] * 4], QUASI, LEVELS) == 3 + 2
