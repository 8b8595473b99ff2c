"""Labels for values that were absent when the recoding was computed.

`ValueRecoding.extended_to` calls it when a release is applied to other records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, position
from sfumato.data.labels import Labels, known_text
from sfumato.errors import DataError, TaxonomyError
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.taxonomy import ROOT, interval_bounds

Codes = NDArray[np.int32]


class UnseenLabels(NamedTuple):
    """Labels that also cover unseen values, the label of every code, and the code of each written value.

    Codes after the last code of the domain stand for unseen values; -1 is a value that no label covers.
    """

    labels: Labels
    label_of: Codes
    codes: Codes


def label_unseen(
    labels: Labels, label_of: Codes, raw: Sequence[str | None], builder: TaxonomyBuilder | None
) -> UnseenLabels:
    """Find a label for every written value.

    Values of the domain keep their code. An unseen number or date takes the code of the next smaller or larger value
    if the interval of that value contains it. Other values get the taxonomy node at which known values of that branch
    are published, which may be the value itself. All remaining values get `*` if `*` is published, or the label for
    unknown values if there is one.
    """
    codes = labels.domain.codes_of(raw)
    refined = _refined(labels, label_of, builder) if builder is not None and (codes < 0).any() else None
    more: dict[str, int] = {}
    for place in np.flatnonzero(codes < 0).tolist():
        text = raw[place]
        found = None if text is None else _nearby(labels, label_of, text)
        if found is None and text is not None and builder is not None and refined is not None:
            node = _reached(labels.domain, text, builder, refined)
            found = None if node is None else _code_of(labels, label_of, node, more)
        codes[place] = _anything(labels, label_of) if found is None else found
    return UnseenLabels(*_extended(labels, label_of, list(more)), codes)


def _nearby(labels: Labels, label_of: Codes, text: str) -> int | None:
    """The code of a neighbour whose label, read as an interval, contains the value."""
    domain = labels.domain
    number = domain.position_of(text)
    if number is None or domain.numbers is None or not domain.present:
        return None
    # Only the two neighbours can have a label that contains the number, because labels are intervals.
    below = int(np.searchsorted(domain.numbers[: domain.present], number, side="right")) - 1
    for code in (below, below + 1):
        if 0 <= code < domain.present and _contains(domain, labels.texts[label_of[code]], number):
            return code
    return None


def _contains(domain: Domain, label: str | None, number: float) -> bool:
    """Whether a label, read as an interval, contains a number."""
    if label is None:
        return False
    for mark, true in ((">=", np.greater_equal), ("<", np.less)):
        if label.startswith(mark):
            bound = position(label.removeprefix(mark), domain.kind)
            return bound is not None and bool(true(number, bound))
    bounds = interval_bounds(label, domain.kind)
    if bounds is None:
        return label == known_text(domain)
    low, low_in, high, high_in = bounds
    return (low < number or (low_in and low == number)) and (number < high or (high_in and high == number))


def _refined(labels: Labels, label_of: Codes, builder: TaxonomyBuilder) -> set[str] | None:
    """The taxonomy nodes strictly above the published nodes; None if the taxonomy no longer fits the domain."""
    try:
        rows = builder.grow(labels.domain)[0].level_rows()
    except TaxonomyError:
        return None
    above: set[str] = set()
    for row in rows:
        code = labels.domain.code_of(row[0])
        label = None if code is None else labels.texts[label_of[code]]
        if label in row:
            # A row of the taxonomy goes from the value to the root. The last occurrence of the label counts, because
            # a node may repeat where branches differ in length.
            above |= set(row[len(row) - row[::-1].index(label) :])
    return above


def _reached(domain: Domain, text: str, builder: TaxonomyBuilder, refined: set[str]) -> str | None:
    """The highest node above a value that was not refined; None if the taxonomy does not contain the value."""
    alone, _ = Domain.of(domain.column, [text], kind=domain.kind, notation=domain.notation)
    try:
        path = builder.grow(alone)[0].level_rows()[0]
    except (TaxonomyError, DataError):
        return None
    # The value is on no branch of the published taxonomy, so no published node is known to cover it.
    if not refined & set(path) and refined:
        return None
    return next((node for node in reversed(path) if node not in refined), None)


def _code_of(labels: Labels, label_of: Codes, node: str, more: dict[str, int]) -> int:
    """The code of a value that is published as this node, or a new code for a label that will be added."""
    if node in labels.texts:
        return int(np.flatnonzero(label_of == labels.texts.index(node))[0])
    return more.setdefault(node, len(label_of) + len(more))


def _extended(labels: Labels, label_of: Codes, more: list[str]) -> tuple[Labels, Codes]:
    """The labels and label codes with additional labels, which no value of the domain has."""
    if not more:
        return labels, label_of
    none, nothing = np.zeros(len(more), dtype=np.int32), np.zeros(len(more))
    wider = replace(
        labels,
        texts=(*labels.texts, *more),
        lo=np.append(labels.lo, none),
        hi=np.append(labels.hi, none),
        ncp=np.append(labels.ncp, nothing),
        climb=np.append(labels.climb, nothing),
    )
    return wider, np.append(label_of, len(labels) + np.arange(len(more))).astype(np.int32)


def _anything(labels: Labels, label_of: Codes) -> int:
    """The code of `*`, which covers any value; -1 if it is not published."""
    if len(label_of) > len(labels.domain):
        return len(labels.domain)
    if ROOT not in labels.texts or ROOT in labels.domain.texts:
        return -1
    return int(np.flatnonzero(label_of == labels.texts.index(ROOT))[0])
