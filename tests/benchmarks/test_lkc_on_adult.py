"""Adult as the book publishes it: the errors it prints, and promises that no table can keep."""

import pytest
from benchmarks.figures import lkc_on_adult as setting
from benchmarks.figures.lkc_on_adult import REFUSED, by_share, marked, refused, requirement, spread

from sfumato.algorithms import Hdtds


def found(l, k, c):
    return None if c < 0.14 else l + c


def test_a_share_that_cannot_be_promised_is_no_point_but_refused():
    lines = by_share(found)
    assert [x for x, _ in lines["L = 2"]] == [15, 20, 25, 30]
    assert refused(lines) == [5, 10]
    assert marked(lines)[REFUSED] == [(5, 6.3), (10, 6.3)]


def test_where_all_can_be_promised_nothing_is_refused():
    assert refused(by_share(lambda l, k, c: 1.0)) == []


def test_a_range_is_told_by_its_ends():
    assert spread([3, 1, 2]) == "1.00 to 3.00"


def test_the_errors_without_masking_are_those_of_the_literature(data_folder):
    """The book prints 14.7 and 24.5; without thirteen columns the commonest class is all there is (24.57 %)."""
    baseline, upper = setting.bounds()
    assert baseline == pytest.approx(14.7, abs=0.3)
    assert upper == pytest.approx(24.57, abs=0.005)


@pytest.mark.parametrize("c", [0.05, 0.10, 0.139])
def test_a_share_below_that_of_the_divorced_is_refused(data_folder, c):
    """13.92 % of the complete records are divorced, whatever is masked."""
    assert setting.published(Hdtds(), requirement(2, 20, c)) is None


def test_a_share_above_it_is_published(data_folder):
    release = setting.published(Hdtds(), requirement(2, 100, 0.15))
    assert release is not None
    assert release.holds
