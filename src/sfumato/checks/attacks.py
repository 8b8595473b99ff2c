"""What every attack promises, as checks that anybody's attack can be put through.

Each check is a plain function of an attack; `check_attack` runs them all on nine patients in three buckets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from sfumato.attacks.base import Attack, AttackResult
from sfumato.attacks.targets import Targets
from sfumato.checks.base import ConformanceError
from sfumato.datasets.nine_patients import nine_patients
from sfumato.errors import UsageError
from sfumato.knowledge.knowledge import Knowledge

Check = Callable[[Attack], None]

_SLACK = 1e-9


def check_attack(attack: Attack) -> None:
    """Run every check; the first broken promise is raised as a ConformanceError."""
    for check in CHECKS:
        check(attack)


def check_settings_come_back(attack: Attack) -> None:
    """A result that names the attack rebuilds exactly it."""
    said = {key: value for key, value in attack.to_dict().items() if key != "name"}
    _demand(type(attack).build(said) == attack, attack, "is not rebuilt from what it says about itself")
    _demand(bool(attack.learns), attack, "does not say what a success means")


def check_rates_are_shares(attack: Attack) -> None:
    """Rate and baseline lie between none and all, and the interval around the rate."""
    for result in _results(attack):
        low, high = result.interval
        sane = 0 <= low <= result.rate + _SLACK and result.rate <= high + _SLACK and high <= 1
        _demand(sane and 0 <= result.baseline <= 1 + _SLACK, attack, "claims a rate that is no share of people")
        _demand(result.people == nine_patients().records, attack, "loses people")


def check_order_does_not_matter(attack: Attack) -> None:
    """Neither the order of records nor the numbers of groups say anything about people."""
    random = np.random.default_rng(0)
    for targets in _targets():
        order = random.permutation(len(targets.table))
        renamed = random.permutation(int(targets.group.max()) + 1).astype(np.int32)
        other = replace(targets, table=targets.table.rows_at(order), group=renamed[targets.group[order]])
        one, two = (attack.run(some, _KNOWN) for some in (targets, other))
        same = abs(one.rate - two.rate) < _SLACK and abs(one.baseline - two.baseline) < _SLACK
        _demand(same, attack, "changes its answer with the order of records or groups")


def check_everybody_alone_is_found_out(attack: Attack) -> None:
    """Where every group is one person, the release itself tells every secret."""
    table = nine_patients()
    alone = Targets(table, "Disease", np.arange(len(table), dtype=np.int32))
    _demand(attack.run(alone, _KNOWN).rate == 1, attack, "misses people whose secret is published outright")


def check_asks_for_what_it_needs(attack: Attack) -> None:
    """Without the truth or the rules that it needs, it refuses; without those that it does not need, it works."""
    targets = next(_targets())
    for given, needed in (
        ((replace(targets, truth_known=False), _KNOWN), attack.needs_truth),
        ((targets, None), attack.needs_knowledge),
    ):
        try:
            attack.run(*given)
        except UsageError:
            _demand(needed, attack, "refuses for want of something that it says it does not need")
        else:
            _demand(not needed, attack, "works without what it says it needs")


CHECKS: tuple[Check, ...] = (
    check_settings_come_back,
    check_rates_are_shares,
    check_order_does_not_matter,
    check_everybody_alone_is_found_out,
    check_asks_for_what_it_needs,
)

_KNOWN = Knowledge.of({"sensitive": "Disease", "never": [{"when": {"Sex": "M"}, "value": "Ovarian Cancer"}]})


def _targets() -> Iterator[Targets]:
    """Nine patients in buckets of three, of which some hold one disease only, and all together."""
    table = nine_patients()
    yield Targets(table, "Disease", (np.arange(len(table)) // 3).astype(np.int32))
    yield Targets(table, "Disease", np.zeros(len(table), dtype=np.int32))


def _results(attack: Attack) -> Iterator[AttackResult]:
    for targets in _targets():
        yield attack.run(targets, _KNOWN)


def _demand(kept: bool, attack: Attack, broken: str) -> None:
    if not kept:
        raise ConformanceError(f"{attack} {broken}.")
