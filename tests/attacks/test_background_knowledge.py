"""What is known strikes out what cannot be, until some secrets are certain."""

from __future__ import annotations

import pytest

from sfumato.attacks import BackgroundKnowledge
from sfumato.errors import KnowledgeError, UsageError
from sfumato.knowledge.knowledge import Knowledge
from tests.attacks.patients import KNOWN, in_buckets


def test_k1_anatomy_gives_three_of_nine_patients_away() -> None:
    """Li and Li (2008), Tables I and II: the man has prostate cancer, and so both women have ovarian cancer."""
    result = BackgroundKnowledge().run(in_buckets(), KNOWN)
    assert (result.rate, result.baseline, result.people) == (pytest.approx(1 / 3), 0, 9)
    assert result.interval[0] < 1 / 3 < result.interval[1]


def test_k10_the_buckets_of_injector_give_nobody_away() -> None:
    """The buckets worked out by hand for l = 2: {1, 5, 2}, {3, 4}, {6, 8}, {7, 9}."""
    assert BackgroundKnowledge().run(in_buckets((1, 1, 2, 2, 1, 3, 4, 3, 4)), KNOWN).rate == 0


def test_a_bucket_of_one_secret_needs_no_knowledge() -> None:
    result = BackgroundKnowledge().run(in_buckets((1, 1, 2, 3, 2, 2, 2, 3, 3)), KNOWN)
    assert result.baseline == pytest.approx(5 / 9)
    assert result.rate >= result.baseline


def test_knowledge_is_needed_and_must_fit() -> None:
    with pytest.raises(UsageError, match="starts from rules"):
        BackgroundKnowledge().run(in_buckets())
    with pytest.raises(KnowledgeError):
        BackgroundKnowledge().run(in_buckets(), Knowledge("Salary"))
