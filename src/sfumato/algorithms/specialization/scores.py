"""What a top-down search goes for: how good a refinement is, by what it tells and what it costs.

Every score falls, or stays, as other refinements are made; so what was measured before bounds what would be measured
now, and a search may look again only at the refinement that seems best.
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
    """What refinements would do, one number each.

    `gain` bits about the target; `loss` of safety, averaged over the promises that the column takes part in; `before`
    and `after` the sum of squared sizes of the groups that have the value, as they are and as they would be, and
    `fallen` the difference.
    """

    gain: Numbers
    loss: Numbers
    before: Numbers
    after: Numbers
    fallen: Numbers


class Score(Declared):
    """Base of all scores: the highest is refined first. Facts say what must be measured."""

    weighs_gain: ClassVar[bool] = False
    weighs_loss: ClassVar[bool] = False
    weighs_groups: ClassVar[bool] = False

    @abstractmethod
    def of(self, effect: Effect) -> Numbers:
        """The score of every refinement."""


@dataclass(frozen=True, kw_only=True)
class GainPerLoss(Score):
    """Information gain over privacy loss plus one: Score of Fung, Wang and Yu (2007), equation 1; IGPL in the book."""

    weighs_gain = True
    weighs_loss = True

    def of(self, effect: Effect) -> Numbers:
        """Gain / (loss + 1)."""
        return effect.gain / (effect.loss + 1)


@dataclass(frozen=True, kw_only=True)
class Gain(Score):
    """Information gain alone, whatever it costs (book, equation 6.1)."""

    weighs_gain = True

    def of(self, effect: Effect) -> Numbers:
        """The gain."""
        return effect.gain


@dataclass(frozen=True, kw_only=True)
class Discernment(Score):
    """For general use: how much less each record looks like others (discernibility; book, section 6.3.2).

    `reduction` is by how much the sum of squared group sizes falls. The book's text adds up the groups `before`, its
    example 6.6 those `after`, which both favour other refinements; they are kept to compare with.
    """

    weighs_groups = True

    mode: Literal["reduction", "before", "after"] = param("reduction", doc="which groups are added up")

    def of(self, effect: Effect) -> Numbers:
        """The sum of squares that the mode names."""
        if self.mode == "reduction":
            return effect.fallen
        return effect.before if self.mode == "before" else effect.after


Named = Literal["gain_per_loss", "gain", "discernment", "discernment_before", "discernment_after"]


def score_called(name: Named | Score) -> Score:
    """The score that a plan names; one that is an object already stays what it is.

    >>> score_called("gain").of(Effect(*np.array([[0.5], [3.0], [0.0], [0.0], [0.0]]))).tolist()
    [0.5]
    """
    if isinstance(name, Score):
        return name
    offered: dict[str, Score] = {
        "gain_per_loss": GainPerLoss(),
        "gain": Gain(),
        "discernment": Discernment(),
        "discernment_before": Discernment(mode="before"),
        "discernment_after": Discernment(mode="after"),
    }
    return offered[name]


def score_of(plain: Mapping[str, Any]) -> Score:
    """The score that its `to_dict` told of; somebody's own is known by its class alone and cannot be found by name."""
    made = {kind.name(): kind for kind in (GainPerLoss, Gain, Discernment)}
    if plain.get("name") not in made:
        raise ParameterError(f"there is no score called {plain.get('name')!r}; {nearest(str(plain.get('name')), made)}")
    return made[plain["name"]].build({key: value for key, value in plain.items() if key != "name"})
