"""What every attack promises, as checks that anybody's attack can be put through.

Each check is a plain function of an attack. `check_attack` runs them all on small releases of nine patients, in buckets
and as masked measurements: on those of them that the attack can be run on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Attack, Attackable
from sfumato.checks.base import ConformanceError
from sfumato.data.partition import Partition
from sfumato.datasets.nine_patients import nine_patients
from sfumato.disclosure.linkage import Linkage
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.disclosure.published_view import PublishedView
from sfumato.errors import UsageError
from sfumato.knowledge.knowledge import Knowledge
from sfumato.operations.bucketize import bucketize
from sfumato.releases.table_candidate import TableCandidate

Check = Callable[[Attack[Any]], None]

_SLACK = 1e-9


def check_attack(attack: Attack[Any]) -> None:
    """Run every check; the first broken promise is raised as a ConformanceError."""
    for check in CHECKS:
        check(attack)


def check_settings_come_back(attack: Attack[Any]) -> None:
    """A result that names the attack rebuilds exactly it."""
    said = {key: value for key, value in attack.to_dict().items() if key != "name"}
    _demand(type(attack).build(said) == attack, attack, "is not rebuilt from what it says about itself")
    _demand(bool(attack.learns), attack, "does not say what a success means")


def check_rates_are_shares(attack: Attack[Any]) -> None:
    """Rate, baseline and control lie between none and all, and the interval around the rate."""
    for release in _examples(attack):
        result = attack.run(release, _KNOWN)
        low, high = result.interval
        sane = 0 <= low <= result.rate + _SLACK and result.rate <= high + _SLACK and high <= 1
        shares = (result.baseline, 0.0 if result.control is None else result.control)
        sane = sane and all(0 <= share <= 1 + _SLACK for share in shares)
        _demand(sane, attack, "claims a rate that is no share of people")
        _demand(result.people == _PEOPLE, attack, "loses people")


def check_witnesses_are_counts(attack: Attack[Any]) -> None:
    """A witness is a number of people and how many of them were found, and says nothing about who they are."""
    for release in _examples(attack):
        for people, found in attack.run(release, _KNOWN).witnesses:
            sane = 1 <= people <= _PEOPLE and 0 < found <= _PEOPLE
            _demand(sane, attack, "has a witness that is no number of people")


def check_order_does_not_matter(attack: Attack[Any]) -> None:
    """Neither the order of records nor the numbers of groups say anything about people."""
    order = np.random.default_rng(0).permutation(_PEOPLE)
    for release, other in zip(_examples(attack), _examples(attack, order), strict=True):
        one, two = (attack.run(some, _KNOWN) for some in (release, other))
        same = abs(one.rate - two.rate) < _SLACK and abs(one.baseline - two.baseline) < _SLACK
        _demand(same, attack, "changes its answer with the order of records or groups")


def check_everybody_alone_is_found_out(attack: Attack[Any]) -> None:
    """Where every group is one person, or every number is as it was, the release itself tells everything."""
    alone: list[Attackable] = [
        _bucketized(np.arange(_PEOPLE), np.arange(_PEOPLE)),
        PairedNumbers.of_arrays(_MEASURED, _MEASURED),
    ]
    for release in _suitable(attack, alone):
        _demand(attack.run(release, _KNOWN).rate == 1, attack, "misses people whose secret is published outright")


def check_guesses_without_a_release_are_its_baseline(attack: Attack[Any]) -> None:
    """Numbers that are the same for everybody tell nothing about whose they are."""
    everywhere = np.tile(_MEASURED.mean(axis=0), (_PEOPLE, 1))
    for release in _suitable(attack, [PairedNumbers.of_arrays(_MEASURED, everywhere)]):
        result = attack.run(release, _KNOWN)
        _demand(result.rate <= result.baseline + _SLACK, attack, "claims to learn who is who where all look alike")


def check_asks_for_what_it_needs(attack: Attack[Any]) -> None:
    """Without the truth or the rules that it needs, it refuses; without those that it does not need, it works."""
    release = _examples(attack)[0]
    tried: list[tuple[Attackable, Knowledge | None, bool]] = [(release, None, attack.needs_knowledge)]
    if isinstance(release, TableCandidate):
        hidden = PublishedView(table=release.view.table, linkage=release.linkage, suppressed=0)
        tried.append((hidden, _KNOWN, attack.needs_truth))
    for given, known, needed in tried:
        try:
            attack.run(given, known)
        except UsageError:
            _demand(needed, attack, "refuses for want of something that it says it does not need")
        else:
            _demand(not needed, attack, "works without what it says it needs")


CHECKS: tuple[Check, ...] = (
    check_settings_come_back,
    check_rates_are_shares,
    check_witnesses_are_counts,
    check_order_does_not_matter,
    check_everybody_alone_is_found_out,
    check_guesses_without_a_release_are_its_baseline,
    check_asks_for_what_it_needs,
)

_KNOWN = Knowledge.of({"sensitive": "Disease", "never": [{"when": {"Sex": "M"}, "value": "Ovarian Cancer"}]})

_MEASURED = np.array(
    [[61, 3], [52, 9], [78, 1], [90, 7], [55, 8], [83, 2], [66, 5], [71, 4], [98, 6]], dtype=np.float64
)
_PEOPLE = len(_MEASURED)


def _examples(attack: Attack[Any], order: NDArray[np.int64] | None = None) -> list[Attackable]:
    """Patients in buckets of three and all in one, and masked measurements: those that the attack can be run on."""
    order = np.arange(_PEOPLE) if order is None else order
    groups = (np.arange(_PEOPLE) // 3, np.zeros(_PEOPLE, dtype=np.int64))
    thirds = np.repeat(_MEASURED.reshape(3, 3, 2).mean(axis=1), 3, axis=0)
    masked = (thirds, _MEASURED + 5, _MEASURED[::-1])
    found: list[Attackable] = [
        *(_bucketized(numbers[order], order) for numbers in groups),
        *(PairedNumbers.of_arrays(_MEASURED[order], published[order]) for published in masked),
    ]
    suitable = _suitable(attack, found)
    _demand(bool(suitable), attack, "can be run on none of the releases that these checks try")
    return suitable


def _bucketized(groups: NDArray[np.int64], order: NDArray[np.int64]) -> TableCandidate:
    """The patients in the given order, with the group of each as a bucket."""
    table = nine_patients().rows_at(order)
    linkage = Linkage.hiding(table.schema.sensitive, table.schema.quasi, table.codes)
    partition = Partition.of_labels(groups.astype(np.int32))
    return bucketize(table, partition, linkage, separate_table=True, random=np.random.default_rng(0))


def _suitable(attack: Attack[Any], releases: Sequence[Attackable]) -> list[Attackable]:
    """Those of the releases that the attack can be run on."""
    return [release for release in releases if not attack.unsuitable_because(release, _KNOWN)]


def _demand(kept: bool, attack: Attack[Any], broken: str) -> None:
    if not kept:
        raise ConformanceError(f"{attack} {broken}.")
