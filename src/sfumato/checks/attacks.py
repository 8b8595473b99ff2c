"""Conformance checks for attacks.

Each check is a plain function of an attack. `check_attack` runs them all on those of its small releases that suit the
attack: nine patients in buckets, and masked measurements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Attack, Attackable
from sfumato.checks.base import demand, demand_declared
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
    """Run every check; the first violation is raised as a ConformanceError."""
    for check in CHECKS:
        check(attack)


def check_declarations(attack: Attack[Any]) -> None:
    """Settings and facts are declared as for all classes, and the attack states what it learns."""
    demand_declared(attack)
    demand(bool(attack.learns), attack, "does not state in `learns` what a success means")


def check_rates_are_shares(attack: Attack[Any]) -> None:
    """Rate, baseline and control lie between 0 and 1, and the interval contains the rate."""
    for release in _examples(attack):
        result = attack.run(release, _KNOWLEDGE)
        low, high = result.interval
        valid = 0 <= low <= result.rate + _SLACK and result.rate <= high + _SLACK and high <= 1
        shares = (result.baseline, 0.0 if result.control is None else result.control)
        valid = valid and all(0 <= share <= 1 + _SLACK for share in shares)
        demand(valid, attack, "returns a rate that is not a share of people")
        demand(result.people == _PEOPLE, attack, "does not count all people")


def check_witnesses_are_counts(attack: Attack[Any]) -> None:
    """A witness consists of two counts, people and expected successes among them, and identifies nobody."""
    for release in _examples(attack):
        for people, found in attack.run(release, _KNOWLEDGE).witnesses:
            valid = 1 <= people <= _PEOPLE and 0 < found <= _PEOPLE
            demand(valid, attack, "returns a witness that is not a number of people")


def check_order_does_not_matter(attack: Attack[Any]) -> None:
    """The result depends neither on the order of records nor on the numbering of groups."""
    order = np.random.default_rng(0).permutation(_PEOPLE)
    for release, other in zip(_examples(attack), _examples(attack, order), strict=True):
        one, two = (attack.run(some, _KNOWLEDGE) for some in (release, other))
        same = abs(one.rate - two.rate) < _SLACK and abs(one.baseline - two.baseline) < _SLACK
        demand(same, attack, "changes its result with the order of records or groups")


def check_everybody_alone_is_found_out(attack: Attack[Any]) -> None:
    """The attack succeeds for everybody if every group has one person, or if numbers are published unchanged."""
    unprotected: list[Attackable] = [
        _bucketized(np.arange(_PEOPLE), np.arange(_PEOPLE)),
        PairedNumbers.of_arrays(_MEASUREMENTS, _MEASUREMENTS),
    ]
    for release in _suitable(attack, unprotected):
        demand(
            attack.run(release, _KNOWLEDGE).rate == 1,
            attack,
            "misses people whose sensitive value is published unprotected",
        )


def check_guesses_without_a_release_are_its_baseline(attack: Attack[Any]) -> None:
    """If everybody is in one group, or all published numbers are equal, the rate does not exceed the baseline."""
    constant = np.tile(_MEASUREMENTS.mean(axis=0), (_PEOPLE, 1))
    alike: list[Attackable] = [
        _bucketized(np.zeros(_PEOPLE, dtype=np.int64), np.arange(_PEOPLE)),
        PairedNumbers.of_arrays(_MEASUREMENTS, constant),
    ]
    for release in _suitable(attack, alike):
        result = attack.run(release, _KNOWLEDGE)
        demand(
            result.rate <= result.baseline + _SLACK,
            attack,
            "claims to identify people although all published records are equal",
        )


def check_asks_for_what_it_needs(attack: Attack[Any]) -> None:
    """The attack refuses to run without the original or the rules if it declares to need them, and only then."""
    release = _examples(attack)[0]
    cases: list[tuple[Attackable, Knowledge | None, bool]] = [(release, None, attack.needs_knowledge)]
    if isinstance(release, TableCandidate):
        hidden = PublishedView(table=release.view.table, linkage=release.linkage, suppressed=0)
        cases.append((hidden, _KNOWLEDGE, attack.needs_truth))
    for given, known, needed in cases:
        try:
            attack.run(given, known)
        except UsageError:
            demand(needed, attack, "refuses to run without something that it declares not to need")
        else:
            demand(not needed, attack, "works without something that it declares to need")


def check_reads_the_truth_only_if_declared(attack: Attack[Any]) -> None:
    """An attack that declares not to need the truth gives the same result if people swap values within their group."""
    if attack.needs_truth:
        return
    people = np.arange(_PEOPLE)
    for groups, within in ((people // 3, 3), (people // _PEOPLE, _PEOPLE)):
        next_in_group = people // within * within + (people + 1) % within
        releases = _suitable(attack, [_bucketized(groups, people), _bucketized(groups, people, next_in_group)])
        rates = {round(attack.run(release, _KNOWLEDGE).rate, 9) for release in releases}
        demand(len(rates) <= 1, attack, "changes its result with the truth, which it declares not to need")


CHECKS: tuple[Check, ...] = (
    check_declarations,
    check_rates_are_shares,
    check_witnesses_are_counts,
    check_order_does_not_matter,
    check_everybody_alone_is_found_out,
    check_guesses_without_a_release_are_its_baseline,
    check_asks_for_what_it_needs,
    check_reads_the_truth_only_if_declared,
)

_KNOWLEDGE = Knowledge.of({"sensitive": "Disease", "never": [{"when": {"Sex": "M"}, "value": "Ovarian Cancer"}]})

_MEASUREMENTS = np.array(
    [[61, 3], [52, 9], [78, 1], [90, 7], [55, 8], [83, 2], [66, 5], [71, 4], [98, 6]], dtype=np.float64
)
_PEOPLE = len(_MEASUREMENTS)


def _examples(attack: Attack[Any], order: NDArray[np.int64] | None = None) -> list[Attackable]:
    """The releases that suit the attack: patients in buckets of three or in one bucket, and masked measurements."""
    order = np.arange(_PEOPLE) if order is None else order
    groups = (np.arange(_PEOPLE) // 3, np.zeros(_PEOPLE, dtype=np.int64))
    thirds = np.repeat(_MEASUREMENTS.reshape(3, 3, 2).mean(axis=1), 3, axis=0)
    masked = (thirds, _MEASUREMENTS + 5, _MEASUREMENTS[::-1])
    found: list[Attackable] = [
        *(_bucketized(numbers[order], order) for numbers in groups),
        *(PairedNumbers.of_arrays(_MEASUREMENTS[order], published[order]) for published in masked),
    ]
    suitable = _suitable(attack, found)
    demand(bool(suitable), attack, "can be run on none of the releases of these checks")
    return suitable


def _bucketized(
    groups: NDArray[np.int64], order: NDArray[np.int64], secrets_of: NDArray[np.int64] | None = None
) -> TableCandidate:
    """A bucketized release of the patients in the given order, with the bucket of each.

    With `secrets_of`, every patient has the sensitive value of another one.
    """
    table = nine_patients().rows_at(order)
    if secrets_of is not None:
        swapped = {name: table.codes[name][secrets_of] for name in table.schema.sensitive}
        table = replace(table, codes={**table.codes, **swapped})
    linkage = Linkage.hiding(table.schema.sensitive, table.schema.quasi, table.codes)
    partition = Partition.of_labels(groups.astype(np.int32))
    return bucketize(table, partition, linkage, separate_table=True, random=np.random.default_rng(0))


def _suitable(attack: Attack[Any], releases: Sequence[Attackable]) -> list[Attackable]:
    """The releases that the attack can be run on."""
    return [release for release in releases if not attack.unsuitable_because(release, _KNOWLEDGE)]
