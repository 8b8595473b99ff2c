"""By hand on Table 2.4: groups of 3 and 4."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.algorithms import Anatomy
from sfumato.datasets import hospital, nine_patients
from sfumato.errors import ParameterError
from sfumato.metrics import AverageGroupSize
from sfumato.models import DistinctLDiversity
from sfumato.operations.generalize import generalize_levels


def test_two_groups_of_seven_records():
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    assert AverageGroupSize().measure(candidate) == 3.5


def test_suppressed_records_are_in_no_group():
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    groups = candidate.groups()
    left = candidate.suppressing(groups.labels == np.flatnonzero(groups.sizes == 3)[0])
    assert AverageGroupSize().measure(left) == 4


def test_people_who_share_a_bucket_do_not_look_alike():
    release = Anatomy().anonymize(nine_patients(), DistinctLDiversity(l=3))
    assert AverageGroupSize().measure(release) == 1


def test_nothing_published_counts_as_one_group_of_all():
    candidate = generalize_levels(hospital(), {"Job": 1, "Sex": 0, "Age": 1})
    assert AverageGroupSize().measure(candidate.suppressing(np.ones(6, dtype=bool))) == 7


def test_k_is_no_setting():
    """The size as a multiple of k is `normalized_group_size`."""
    with pytest.raises(ParameterError, match="has no setting 'k'"):
        AverageGroupSize(k=3)
