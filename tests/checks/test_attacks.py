"""Every attack keeps its promises, and the checks notice when one does not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from sfumato.attacks.base import Attack, Success
from sfumato.checks.attacks import CHECKS, check_attack
from sfumato.checks.base import ConformanceError
from sfumato.errors import UsageError
from sfumato.metrics.paired_numbers import Masked
from sfumato.settings.catalogue import entries

ATTACKS = [entry.thing for entry in entries("attacks")]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name())
def test_every_attack_conforms(attack, check):
    assert check(attack()) is None


@dataclass(frozen=True, kw_only=True)
class _Claims(Attack):
    learns = "everything"

    def _attack(self, targets, knowledge):
        return Success(2 * targets.table.records, 0)


class _ByOrder(_Claims):
    def _attack(self, targets, knowledge):
        return Success(float(targets.group[0] == 0), 0)


class _Blind(_Claims):
    def _attack(self, targets, knowledge):
        return Success(0, 0)


class _Greedy(_Claims):
    needs_knowledge = True

    def _attack(self, targets, knowledge):
        return Success(targets.table.records, 0)

    def run(self, targets, knowledge=None):
        from sfumato.datasets import nine_patients
        from sfumato.knowledge import Miner

        return super().run(targets, knowledge or Miner().mine(nine_patients()))


class _Silent(_Blind):
    learns = ""


@dataclass(frozen=True, kw_only=True)
class _Everybody(Attack[Masked]):
    meets = "numbers"
    learns = "everything"

    def _attack(self, targets, knowledge):
        return Success(targets.people, 0)


class _FirstOnly(_Everybody):
    def _attack(self, targets, knowledge):
        return Success(float(targets.original[0, 0] < targets.original[-1, 0]), 0)


class _Refusing(_Everybody):
    def _attack(self, targets, knowledge):
        if knowledge is None:
            raise UsageError("never without rules")
        return Success(targets.people, targets.people)


class _Nobody(_Everybody):
    def _attack(self, targets, knowledge):
        return Success(0, 1)


@pytest.mark.parametrize(
    ("attack", "words"),
    [
        (_Everybody, "all records look alike"),
        (_FirstOnly, "order"),
        (_Refusing, "refuses because"),
        (_Nobody, "misses persons"),
        (_Claims, "not a share"),
        (_ByOrder, "order"),
        (_Blind, "misses persons"),
        (_Greedy, "runs without"),
        (_Silent, "does not declare"),
    ],
)
def test_a_broken_promise_is_noticed(attack, words):
    with pytest.raises(ConformanceError, match=words):
        check_attack(attack())
