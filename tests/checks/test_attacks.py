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
        return Success(groups.records, 0)

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


class _ForGraphs(_Claims):
    serves = frozenset({"graph"})


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
        (_ForGraphs, "can be run on none"),
    ],
)
def test_a_broken_promise_is_noticed(attack, words):
    with pytest.raises(ConformanceError, match=words):
        check_attack(attack())
