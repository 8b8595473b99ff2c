"""Slow, obvious ways to say what somebody believes of a record, before and after seeing its group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from math import prod

Prior = Mapping[str, float]
Told = tuple[Mapping[str, str], str, float]
"""What must be true of a record, a value, and the share of those records that has it."""


def by_enumeration(priors: Sequence[Prior], values: Sequence[str]) -> list[dict[str, float]] | None:
    """The definition: every way to hand the values out, weighed by how likely everybody was to have what he gets.

    None where no way is possible.
    """
    found = [dict.fromkeys(values, 0.0) for _ in priors]
    whole = 0.0
    for handed in set(permutations(values)):
        weight = prod(prior[value] for prior, value in zip(priors, handed, strict=True))
        whole += weight
        for mine, value in zip(found, handed, strict=True):
            mine[value] += weight
    return [{value: weight / whole for value, weight in mine.items()} for mine in found] if whole else None


def prior_of(record: Mapping[str, str], told: Sequence[Told], whole: Prior) -> dict[str, float] | None:
    """What rules of plain values make likely of a record, in a table whose values are spread like `whole`.

    None where nothing is possible.
    """
    mine = set(record.items())
    true = {tuple(sorted(when.items())) for when, _, _ in told if set(when.items()) <= mine}
    prior = _spread(true, told, whole)
    return prior if sum(prior.values()) else None


def _spread(true: set[tuple[tuple[str, str], ...]], told: Sequence[Told], whole: Prior) -> dict[str, float]:
    """The base, times what the most specific conditions make of it, with nothing that one of them says is never so."""
    base = _completed((), told, whole)
    narrow = [one for one in true if one and not any(set(one) < set(other) for other in true)]
    spreads = [_completed(one, told, _spread(_parts(one, told), told, whole)) for one in sorted(narrow)]
    found = {
        value: base[value] * prod(spread[value] / base[value] for spread in spreads) if base[value] else 0.0
        for value in whole
    }
    gone = {value for when, value, share in told if share == 0 and tuple(sorted(when.items())) in true}
    return _summing_up({value: 0.0 if value in gone else chance for value, chance in found.items()})


def _parts(condition: tuple[tuple[str, str], ...], told: Sequence[Told]) -> set[tuple[tuple[str, str], ...]]:
    """The conditions of rules that follow from a condition."""
    known = {tuple(sorted(when.items())) for when, _, _ in told}
    return {part for many in range(len(condition)) for part in combinations(condition, many) if part in known}


def _completed(condition: tuple[tuple[str, str], ...], told: Sequence[Told], around: Prior) -> dict[str, float]:
    """What is told under a condition, and the rest as it was; what is never so under a wider one stays so."""
    shares = {value: share for when, value, share in told if tuple(sorted(when.items())) == condition}
    never = {value for when, value, share in told if share == 0 and set(when.items()) <= set(condition)}
    stated = {value: 0.0 if value in never else share for value, share in shares.items()} | dict.fromkeys(never, 0.0)
    rest = 1 - sum(stated.values())
    free = sum(chance for value, chance in around.items() if value not in stated)
    return _summing_up(
        {value: stated[value] if value in stated else (chance * rest / free if free else 0.0)
         for value, chance in around.items()}
    )  # fmt: skip


def _summing_up(row: Mapping[str, float]) -> dict[str, float]:
    whole = sum(row.values())
    return {value: chance / whole if whole else 0.0 for value, chance in row.items()}
