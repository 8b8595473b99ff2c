"""Scores: by name, as objects, and one of somebody's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from sfumato.algorithms import Hdtds, TopDownRefinement
from sfumato.algorithms.specialization.scores import (
    Discernment,
    Effect,
    Gain,
    GainPerLoss,
    Score,
    score_from_dict,
    score_named,
)
from sfumato.errors import ParameterError
from sfumato.models import KAnonymity
from tests.golden.classification import red_cross, trade_off

EFFECT = Effect(*(np.array([value]) for value in (0.6, 5.0, 121.0, 61.0, 60.0)))


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        (GainPerLoss(), 0.1),
        (Gain(), 0.6),
        (Discernment(), 60),
        (Discernment(mode="before"), 121),
        (Discernment(mode="after"), 61),
    ],
    ids=str,
)
def test_what_they_say(score: Score, expected: float) -> None:
    """Golden C1 for discernibility: jobs part eleven records into six and five, 61 of 121."""
    assert score.of(EFFECT).tolist() == [pytest.approx(expected)]
    assert score_from_dict(score.to_dict()) == score
    assert score_named(score) is score


@pytest.mark.parametrize(("name", "score"), [("gain", Gain()), ("discernment_after", Discernment(mode="after"))])
def test_a_name_means_the_object(name: str, score: Score) -> None:
    named, given = (Hdtds(score=one).refined(red_cross(), KAnonymity(k=2)).steps for one in (name, score))
    assert named == given
    algorithm = Hdtds(score=score)
    assert Hdtds.build({key: value for key, value in algorithm.to_dict().items() if key != "name"}) == algorithm


@dataclass(frozen=True, kw_only=True)
class Cautious(Score):
    """Whatever costs least privacy."""

    weighs_gain = True

    def of(self, effect: Effect) -> np.ndarray:
        return -effect.loss


def test_ones_own() -> None:
    """Sex costs 26 of the forty records that look alike, hours 28 and education 36 (golden C2)."""
    steps = TopDownRefinement(score=Cautious()).refined(trade_off(), KAnonymity(k=4)).steps
    assert (steps[0].value, steps[0].loss) == ("ANY_Sex", 26)


def test_names_that_mean_nothing_are_refused() -> None:
    with pytest.raises(ParameterError, match="'score' of TopDownRefinement must be"):
        TopDownRefinement(score="gains")
    with pytest.raises(ParameterError, match="no score called 'gains'"):
        TopDownRefinement(score={"name": "gains"})
