"""Scores by which a top-down search ranks refinements: information gain, privacy loss, and discernibility.

What is measured (the safety and the group sizes after a refinement) never rises when other refinements are applied, and
no score falls when a measurement rises. So a score from old measurements is an upper bound of the true one, and the
search needs to measure only the refinement that seems best. The modes `before` and `after` of `Discernment` are no
exception: both sums fall as groups are divided.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError, nearest
from sfumato.settings.params import Declared, param

Numbers = NDArray[np.float64]


class Effect(NamedTuple):
    """The effects of refinements, one number each.

    `gain` is the information gain about the target in bits; `loss` is the loss of safety, averaged over the models that
    depend on the column; `before` and `after` are the sums of squared sizes of the groups with the value, before and
    after the refinement; `fallen` is the difference.
    """

    gain: Numbers
    loss: Numbers
    before: Numbers
    after: Numbers
    fallen: Numbers


class Score(Declared):
    """Base of all scores: the refinement with the highest one is applied first. Class attributes say what it needs."""

    weighs_gain: ClassVar[bool] = False
    weighs_groups: ClassVar[bool] = False

    @abstractmethod
    def of(self, effect: Effect) -> Numbers:
        """The score of every refinement."""


@dataclass(frozen=True, kw_only=True)
class GainPerLoss(Score):
    """Information gain over privacy loss plus one: Score of Fung, Wang and Yu (2007), equation 1; IGPL in the book."""

    weighs_gain = True

    def of(self, effect: Effect) -> Numbers:
        """Gain / (loss + 1)."""
        return effect.gain / (effect.loss + 1)


@dataclass(frozen=True, kw_only=True)
class Gain(Score):
    """Information gain alone, whatever the privacy loss (book, equation 6.1)."""

    weighs_gain = True

    def of(self, effect: Effect) -> Numbers:
        """The gain."""
        return effect.gain


@dataclass(frozen=True, kw_only=True)
class Discernment(Score):
    """For general use: how much less each record looks like others (discernibility; book, section 6.3.2).

    `reduction` is the decrease of the sum of squared group sizes. The book's text uses the sum `before`, its example
    6.6 the sum `after`; both prefer other refinements and are offered for comparison.
    """

    weighs_groups = True

    mode: Literal["reduction", "before", "after"] = param(
        "reduction", doc="which sum of squared group sizes is the score"
    )

    def of(self, effect: Effect) -> Numbers:
        """The sum of squares that the mode names."""
        if self.mode == "reduction":
            return effect.fallen
        return effect.before if self.mode == "before" else effect.after


ScoreName = Literal["gain_per_loss", "gain", "discernment", "discernment_before", "discernment_after"]


def score_named(name: ScoreName | Score) -> Score:
    """The score with this name; a score object is returned unchanged.

    >>> score_named("gain").of(Effect(*np.array([[0.5], [3.0], [0.0], [0.0], [0.0]]))).tolist()
    [0.5]
    """
    if isinstance(name, Score):
        return name
    known: dict[str, Score] = {
        "gain_per_loss": GainPerLoss(),
        "gain": Gain(),
        "discernment": Discernment(),
        "discernment_before": Discernment(mode="before"),
        "discernment_after": Discernment(mode="after"),
    }
    return known[name]


def score_from_dict(plain: Mapping[str, Any]) -> Score:
    """The score from its `to_dict`; only the built-in scores can be found by name."""
    made = {kind.name(): kind for kind in (GainPerLoss, Gain, Discernment)}
    if plain.get("name") not in made:
        raise ParameterError(f"there is no score called {plain.get('name')!r}; {nearest(str(plain.get('name')), made)}")
    return made[plain["name"]].build({key: value for key, value in plain.items() if key != "name"})
