"""Every attack keeps its promises, and the checks notice when one does not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from sfumato.attacks.base import GroupAttack, NumberAttack, Success
from sfumato.checks.attacks import CHECKS, check_attack
from sfumato.checks.base import ConformanceError
from sfumato.datasets import nine_patients
from sfumato.errors import UsageError
from sfumato.knowledge import Miner
from tests.instances import instances

ATTACKS = instances("attacks")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_every_attack_conforms(attack, check):
    assert check(attack) is None


@dataclass(frozen=True, kw_only=True)
class _Claims(GroupAttack):
    learns = "everything"

    def _infer(self, groups, sensitive, knowledge):
        return Success(2 * groups.records, 0)


class _ByOrder(_Claims):
    def _infer(self, groups, sensitive, knowledge):
        return Success(float(groups.labels[0] == groups.labels[1]), 0)


class _Blind(_Claims):
    def _infer(self, groups, sensitive, knowledge):
        return Success(0, 0)


class _Greedy(_Claims):
    needs_knowledge = True

    def _infer(self, groups, sensitive, knowledge):
        return Success(groups.records, groups.records)

    def run(self, release, knowledge=None):
        return super().run(release, knowledge or Miner().mine(nine_patients()))


class _Silent(_Blind):
    learns = ""


class _Betrayed(_Claims):
    def _infer(self, groups, sensitive, knowledge):
        return Success(groups.records, 0, witnesses=((0, 1.0),))


class _Controlled(_Claims):
    def _infer(self, groups, sensitive, knowledge):
        return Success(groups.records, 0, control=-1)


class _Demanding(_Claims):
    """Declares not to need the truth, and refuses where it is not known."""

    needs_truth = False

    def _infer(self, groups, sensitive, knowledge):
        return Success(groups.records, groups.records)

    def run(self, release, knowledge=None):
        if not release.view.truth_known:
            raise UsageError("not without the original")
        return super().run(release, knowledge)


class _ForGraphs(_Claims):
    serves = frozenset({"graph"})


class _ForNothing(_Claims):
    serves = frozenset()


class _Boasting(_Claims):
    """Finds everybody, and says that nobody would be found without it."""

    def _infer(self, groups, sensitive, knowledge):
        return Success(groups.records, 0)


class _Informed(_Claims):
    """Finds out the order of values within groups, which it says it does not read."""

    needs_truth = False

    def _infer(self, groups, sensitive, knowledge):
        table = groups.table
        alone = len(groups) == table.records
        in_order = table.codes[sensitive][0] == nine_patients().codes[sensitive][0]
        found = groups.records if alone else float(in_order)
        return Success(found, found)


@dataclass(frozen=True, kw_only=True)
class _Everybody(NumberAttack):
    learns = "everything"

    def _link(self, numbers):
        return Success(numbers.people, 0)


class _FirstOnly(_Everybody):
    def _link(self, numbers):
        return Success(float(numbers.original[0, 0] < numbers.original[-1, 0]), 0)


class _Refusing(_Everybody):
    def run(self, release, knowledge=None):
        if knowledge is None:
            raise UsageError("never without rules")
        return super().run(release, knowledge)

    def _link(self, numbers):
        return Success(numbers.people, numbers.people)


class _Nobody(_Everybody):
    def _link(self, numbers):
        return Success(0, 1)


@pytest.mark.parametrize(
    ("attack", "words"),
    [
        (_Everybody, "all published records are equal"),
        (_FirstOnly, "order"),
        (_Refusing, "refuses to run without"),
        (_Nobody, "misses people"),
        (_Claims, "not a share"),
        (_ByOrder, "order"),
        (_Blind, "misses people"),
        (_Greedy, "works without"),
        (_Silent, "does not state"),
        (_Betrayed, "not a number of people"),
        (_Controlled, "not a share"),
        (_ForGraphs, "serves 'graph'; imported kinds of data are"),
        (_Demanding, "refuses to run without something that it declares not to need"),
        (_ForNothing, "can be run on none"),
        (_Boasting, "claims to identify people"),
        (_Informed, "with the truth, which it declares not to need"),
    ],
)
def test_a_broken_promise_is_noticed(attack, words):
    with pytest.raises(ConformanceError, match=words):
        check_attack(attack())
