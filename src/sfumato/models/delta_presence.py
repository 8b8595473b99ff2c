"""Delta-presence: nobody learns with too much certainty whether a person of a population is in the release, or not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.exact_ratios import against
from sfumato.disclosure.population import Population
from sfumato.errors import ParameterError
from sfumato.kernels.arrays import Flags
from sfumato.models.population_model import PopulationModel
from sfumato.settings.params import param

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class DeltaPresence(PopulationModel):
    """For every person of a population, the probability of being in the release is between two limits.

    The attacker has the population: a public table with one record for each person, among them everybody in the
    release, and with all quasi columns. A person belongs to the published group whose labels cover the person's values,
    and is in the release with the probability P = records of the group / persons of the population that it covers. P is
    0 for a person whom no group covers, so with `delta_min` > 0 everybody must be covered. Suppressed records are not
    in the release: they show no labels and count as absent. P is compared as a ratio of whole numbers.

    What must be true of the input, or it is refused: the population has all quasi columns and at least as many records
    of every combination of values as the data; labels can be read as values, ranges, sets or nodes of the taxonomies;
    no person fits two groups; no person has several records, and nobody waives protection. The population has original
    values; a release can also be checked with a population that is generalized in the same way.

    Groups of persons that hold also hold when they are merged, because P of the union lies between the probabilities of
    its parts. Suppression decreases P and can break `delta_min`. Only algorithms that read the population serve this
    model, such as `spalm` and `mpalm`.

    >>> from sfumato.algorithms import Spalm
    >>> from sfumato.datasets import hospital, hospital_population
    >>> model = DeltaPresence(delta_min=0.75, delta_max=0.8, population=Population.of_table(hospital_population()))
    >>> Spalm().anonymize(hospital(), model).verdicts[0]
    <Verdict: delta_presence(delta_min=0.75, delta_max=0.8, population=a table) holds, required <= 0.8, found 0.8>

    References: Nergiz, Atzori and Clifton (2007); book, section 2.3.
    """

    kept_by_suppressing = False
    guards_against = frozenset({"table linkage"})
    better = "lower"

    delta_min: float = param(
        doc="least probability that a person of the population is in the release", at_least=0, at_most=1
    )
    delta_max: float = param(
        doc="largest probability that a person of the population is in the release", at_least=0, at_most=1
    )
    population: Population | Path = param(doc="a file of the population: everybody who could be in the data")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.delta_min > self.delta_max:
            raise ParameterError(
                f"'delta_min' of DeltaPresence must be at most 'delta_max', which is {self.delta_max}; got "
                f"{self.delta_min}."
            )

    @property
    def required(self) -> float:
        """A probability of at most `delta_max`; verdicts show `delta_min` if only that is not reached."""
        return self.delta_max

    def admits(self, present: Counts, people: Counts) -> Flags:
        """Whether the share of persons who are in the release is between both limits, compared exactly."""
        low, high = against(present, people, self.delta_min), against(present, people, self.delta_max)
        return np.asarray((low >= 0) & (high <= 0), dtype=np.bool_)

    def side(self, present: Counts, people: Counts) -> tuple[NDArray[np.float64], float, bool]:
        """The probabilities, beside `delta_min` if it is not reached and `delta_max` is kept, else `delta_max`."""
        level = present / np.maximum(people, 1)
        too_low = (against(present, people, self.delta_min) < 0).any()
        kept = (against(present, people, self.delta_max) <= 0).all()
        return (level, self.delta_min, True) if too_low and kept else (level, self.delta_max, False)

    def infeasible_because(self, table: Table) -> str:
        """The share of the population that is in the table, if it is not between the limits."""
        people, present = self.at_hand.records(table.schema), table.records
        if self.admits(np.array([present]), np.array([people]))[0]:
            return ""
        return (
            f"The data has {present:,} of the {people:,} persons of the population, a share of {present / people:.4g}, "
            f"and some group always has at least and some at most this share: it must lie between delta_min "
            f"({self.delta_min:g}) and delta_max ({self.delta_max:g})."
        )
