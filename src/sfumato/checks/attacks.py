"""Conformance checks for attacks.

Each check is a plain function of an attack. `check_attack` runs them all on nine patients: in three buckets, or with
masked measurements, depending on what the attack takes (`meets`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.attacks.base import Attack
from sfumato.attacks.targets import Targets
from sfumato.checks.base import ConformanceError
from sfumato.datasets.nine_patients import nine_patients
from sfumato.errors import UsageError
from sfumato.knowledge.knowledge import Knowledge
from sfumato.metrics.paired_numbers import Masked

Check = Callable[[Attack[Any]], None]

_SLACK = 1e-9


def check_attack(attack: Attack[Any]) -> None:
    """Run every check; the first broken promise is raised as a ConformanceError."""
    for check in CHECKS:
        check(attack)


def check_settings_come_back(attack: Attack[Any]) -> None:
    """The settings written to a result rebuild an equal attack."""
    settings = {key: value for key, value in attack.to_dict().items() if key != "name"}
    _demand(type(attack).build(settings) == attack, attack, "is not rebuilt from its own to_dict")
    _demand(bool(attack.learns), attack, "does not declare what a success means")


def check_rates_are_shares(attack: Attack[Any]) -> None:
    """Rate and baseline lie between 0 and 1, and the interval contains the rate."""
    for targets in _targets(attack):
        result = attack.run(targets, _KNOWN)
        low, high = result.interval
        sane = 0 <= low <= result.rate + _SLACK and result.rate <= high + _SLACK and high <= 1
        _demand(
            sane and 0 <= result.baseline <= 1 + _SLACK, attack, "reports a rate that is not a share of the persons"
        )
        _demand(result.people == _PEOPLE, attack, "loses persons")


def check_order_does_not_matter(attack: Attack[Any]) -> None:
    """The result does not depend on the order of records or on the numbers of groups."""
    random = np.random.default_rng(0)
    for targets in _targets(attack):
        one, two = (attack.run(some, _KNOWN) for some in (targets, _shuffle(targets, random)))
        same = abs(one.rate - two.rate) < _SLACK and abs(one.baseline - two.baseline) < _SLACK
        _demand(same, attack, "changes its result with the order of records or groups")


def check_everybody_alone_is_found_out(attack: Attack[Any]) -> None:
    """The rate is 1 if every group is one person, or every number is unchanged."""
    table = nine_patients()
    alone: Any = Targets(table, "Disease", np.arange(len(table), dtype=np.int32))
    if attack.meets == "numbers":
        alone = Masked.of_arrays(_MEASURED, _MEASURED)
    _demand(attack.run(alone, _KNOWN).rate == 1, attack, "misses persons whose sensitive value is published openly")


def check_guesses_without_a_release_are_its_baseline(attack: Attack[Any]) -> None:
    """The rate does not exceed the baseline if all records have the same published numbers."""
    if attack.meets != "numbers":
        return
    result = attack.run(Masked.of_arrays(_MEASURED, np.tile(_MEASURED.mean(axis=0), (_PEOPLE, 1))), _KNOWN)
    _demand(result.rate <= result.baseline + _SLACK, attack, "reports successes although all records look alike")


def check_asks_for_what_it_needs(attack: Attack[Any]) -> None:
    """The attack refuses if the truth or the rules it declares to need are absent, and runs without the others."""
    targets = _targets(attack)[0]
    tried: list[tuple[Any, Knowledge | None, bool]] = [(targets, None, attack.needs_knowledge)]
    if attack.meets == "groups":
        tried.append((replace(targets, truth_known=False), _KNOWN, attack.needs_truth))
    for given, known, needed in tried:
        try:
            attack.run(given, known)
        except UsageError:
            _demand(needed, attack, "refuses because something is absent that it does not declare to need")
        else:
            _demand(not needed, attack, "runs without something that it declares to need")


CHECKS: tuple[Check, ...] = (
    check_settings_come_back,
    check_rates_are_shares,
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


def _targets(attack: Attack[Any]) -> list[Any]:
    """Targets of the kind the attack takes: three buckets and one bucket of all records, or published numbers."""
    if attack.meets == "numbers":
        thirds = np.repeat(_MEASURED.reshape(3, 3, 2).mean(axis=1), 3, axis=0)
        return [Masked.of_arrays(_MEASURED, published) for published in (thirds, _MEASURED + 5, _MEASURED[::-1])]
    table = nine_patients()
    groups = (np.arange(len(table)) // 3, np.zeros(len(table)))
    return [Targets(table, "Disease", group.astype(np.int32)) for group in groups]


def _shuffle(targets: Any, random: np.random.Generator) -> Any:
    """The same persons in another order."""
    order = random.permutation(_PEOPLE)
    if isinstance(targets, Masked):
        return replace(targets, original=targets.original[order], published=targets.published[order])
    renamed = random.permutation(int(targets.group.max()) + 1).astype(np.int32)
    return replace(targets, table=targets.table.rows_at(order), group=renamed[targets.group[order]])


def _demand(kept: bool, attack: Attack[Any], broken: str) -> None:
    if not kept:
        raise ConformanceError(f"{attack} {broken}.")
