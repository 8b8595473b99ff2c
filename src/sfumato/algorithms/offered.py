"""Finds algorithms by name, for those that are made of others."""

from __future__ import annotations

from typing import TypeVar

from sfumato.algorithms.base import Algorithm

Kind = TypeVar("Kind", bound=Algorithm)


def offered(kind: type[Kind]) -> dict[str, type[Kind]]:
    """Every algorithm on offer of one kind, by name.

    >>> sorted(offered(Algorithm))[:3]
    ['anatomy', 'bottom_up_generalization', 'cbfs']
    """
    from sfumato import algorithms

    every = (getattr(algorithms, name) for name in algorithms.__all__)
    return {thing.name(): thing for thing in every if isinstance(thing, type) and issubclass(thing, kind)}
