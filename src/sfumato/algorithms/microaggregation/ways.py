"""Finds ways of microaggregation by name, for ways that are made of others."""

from __future__ import annotations

from sfumato.algorithms.microaggregation.base import Microaggregation
from sfumato.errors import ParameterError, nearest
from sfumato.settings.catalogue import derived


def way(name: str) -> Microaggregation:
    """The way of this name as it comes, without settings.

    >>> str(way("mdav"))
    'mdav()'
    """
    known = ways()
    if name not in known:
        raise ParameterError(f"{name!r} is no way of microaggregation; {nearest(name, known)}")
    return known[name]()


def ways() -> dict[str, type[Microaggregation]]:
    """Every way of microaggregation on offer that needs no setting, by name."""
    found = derived("algorithms", Microaggregation)  # type: ignore[type-abstract]
    return {name: way for name, way in found.items() if not any(setting.required for setting in way.settings())}
