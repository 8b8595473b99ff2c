"""Published columns of a report: the role of each, its treatment, the detail it lost and its published distribution.

`report` collects them; the text and HTML reports show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.data.labels import Labels
from sfumato.data.schema import Column, Role
from sfumato.disclosure.published_digits import rounded
from sfumato.recodings.recoding import Recoding
from sfumato.releases.table_candidate import TableCandidate
from sfumato.report.axis import MOST, Axis


@dataclass(frozen=True)
class Share:
    """A published label and its share of the published records."""

    label: str = field(repr=False)
    share: float


@dataclass(frozen=True)
class Distribution:
    """The distribution of a quasi column in the original, and the one that a reader of the release would estimate.

    The estimate counts a published label in equal parts for all values that it covers. If `others` is not 0, the last
    place holds that many rarer values together. `labels` are the most frequent published labels with their shares of
    the published records, and `more_labels` is the number of the remaining ones.
    """

    places: tuple[str, ...] = field(repr=False)
    before: tuple[float, ...]
    after: tuple[float, ...]
    ordered: bool
    others: int
    labels: tuple[Share, ...]
    more_labels: int

    @property
    def shift(self) -> float:
        """The share of records that would have to move to make both distributions equal (total variation distance)."""
        return sum(abs(old - new) for old, new in zip(self.before, self.after, strict=True)) / 2


@dataclass(frozen=True)
class PublishedColumn:
    """One column of the report. Only quasi columns have a loss and a distribution; other values are never shown."""

    name: str
    role: str
    treatment: str
    values: int | None = None
    published_values: int | None = None
    loss: float | None = None
    distribution: Distribution | None = None

    @classmethod
    def of_quasi(cls, candidate: TableCandidate, name: str, loss: float, masks: Sequence[str] = ()) -> PublishedColumn:
        """The entry of a quasi column, with its loss and, if labels replace its values, its distribution.

        `masks` are the names of the masks that changed the values before they were published.
        """
        labels, linkage = candidate.recoding.labels.get(name), candidate.linkage
        values = len(candidate.original.domain(name))
        if labels is None or linkage.cut:
            treatment = "shuffled within buckets" if linkage.cut and name in linkage.moved else "published unchanged"
            return cls(name, str(Role.QUASI), _after(masks, treatment), values, values, rounded(loss))
        mass = _mass(candidate, name, labels)
        used = int((mass > 0).sum())
        exact = bool((labels.lo == labels.hi)[mass > 0].all())
        labelled = f"{values:,} values, published under {used:,} labels"
        if labels.numbers is not None:
            labelled = f"{values:,} values, replaced by {used:,} centroids of groups"
        treatment = "published unchanged" if exact else labelled
        found = _distribution(candidate, name, labels, mass)
        return cls(name, str(Role.QUASI), _after(masks, treatment), values, used, rounded(loss), found)

    @classmethod
    def of_other(cls, column: Column, recoding: Recoding, masks: Sequence[str] = ()) -> PublishedColumn:
        """The entry of any other column, without its values."""
        treatment = _TREATMENTS[column.role, column.pseudonym]
        if column.name in recoding.separate_columns:
            treatment = "counted by bucket, in a separate table"
        elif recoding.linkage.cut and column.name in recoding.linkage.moved:
            treatment = "shuffled within buckets"
        return cls(column.name, str(column.role), _after(masks, treatment))


def _after(masks: Sequence[str], treatment: str) -> str:
    """The treatment of a column that was masked before; a masked column is not published unchanged."""
    if not masks:
        return treatment
    masked = f"masked by {' and '.join(masks)}"
    return masked if treatment.startswith("published unchanged") else f"{masked}, then {treatment}"


_TREATMENTS = {
    (Role.IDENTIFIER, False): "removed",
    (Role.IDENTIFIER, True): "replaced by pseudonyms",
    (Role.PERSON, False): "identifies persons, removed",
    (Role.PERSON, True): "identifies persons, replaced by pseudonyms",
    **{(Role.SENSITIVE, flag): "published unchanged, as intended" for flag in (False, True)},
    **{(Role.TARGET, flag): "published unchanged" for flag in (False, True)},
    **{(Role.WAIVER, flag): "states who waives protection, published unchanged" for flag in (False, True)},
    **{(Role.PLAIN, flag): "published unchanged" for flag in (False, True)},
}


def _mass(candidate: TableCandidate, name: str, labels: Labels) -> NDArray[np.float64]:
    """The number of published records with each label."""
    rows = candidate.published_rows
    weights = rows.counts.astype(np.float64)
    return np.bincount(rows.codes[name], weights=weights, minlength=len(labels)).astype(np.float64)


def _distribution(candidate: TableCandidate, name: str, labels: Labels, mass: NDArray[np.float64]) -> Distribution:
    frequency = candidate.original.histogram(name)
    axis = Axis.over(candidate.original.domain(name), frequency)
    order = np.argsort(-mass, kind="stable")[: min(MOST, int((mass > 0).sum()))]
    total = max(float(mass.sum()), 1.0)
    missing = labels.domain.named(len(labels.domain) - 1)
    most_frequent = tuple(Share(labels.texts[label] or missing, float(mass[label]) / total) for label in order.tolist())
    return Distribution(
        places=axis.names,
        before=tuple(map(rounded, axis.shares(frequency.astype(np.float64)))),
        after=tuple(map(rounded, axis.shares(spread(labels, mass)))),
        ordered=axis.ordered,
        others=axis.others,
        labels=most_frequent,
        more_labels=int((mass > 0).sum()) - len(most_frequent),
    )


def spread(labels: Labels, mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight of every original value if the weight of each label is divided evenly among the values it covers.

    A label that is a number counts for the nearest value, and a label that equals a value counts for that value alone.
    """
    steps = np.zeros(len(labels.domain) + 1, dtype=np.float64)
    at = _places(labels)
    ranges = at < 0
    np.add.at(steps, at[~ranges], mass[~ranges])
    np.subtract.at(steps, at[~ranges] + 1, mass[~ranges])
    ranges[list(labels.sets)] = False
    each = (mass / (labels.hi - labels.lo + 1))[ranges]
    np.add.at(steps, labels.lo[ranges], each)
    np.subtract.at(steps, labels.hi[ranges] + 1, each)
    found = np.cumsum(steps)[:-1]
    for label, codes in labels.sets.items():
        if at[label] < 0:
            found[codes] += mass[label] / len(codes)
    return np.maximum(found, 0.0)


def _places(labels: Labels) -> NDArray[np.int64]:
    """The code of the value that each label equals, or that is nearest to its number; -1 for a more general label."""
    domain = labels.domain
    if labels.numbers is None or domain.numbers is None:
        code = {text: place for place, text in enumerate(domain.texts)}
        return np.array([code.get(text, -1) for text in labels.texts], dtype=np.int64)
    numbers = domain.numbers[: domain.present]
    above = np.clip(np.searchsorted(numbers, labels.numbers), 1, max(len(numbers) - 1, 1))
    below = np.abs(numbers[above - 1] - labels.numbers) <= np.abs(
        numbers[np.minimum(above, len(numbers) - 1)] - labels.numbers
    )
    return np.where(np.isnan(labels.numbers), domain.present, above - below)
