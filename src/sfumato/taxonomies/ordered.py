"""Ordered: a taxonomy of ordered categories that joins neighbours."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from sfumato.data.domain import Domain
from sfumato.errors import ParameterError, listed
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder, key_of, look_up_values
from sfumato.taxonomies.taxonomy import ROOT


@dataclass(frozen=True, kw_only=True)
class Ordered(TaxonomyBuilder):
    """Generalizes ordered categories to groups of neighbours, then to pairs of groups, and so on up to `*`.

    A group is named by its first and last category. The values of the column get the order in which they are listed.

    >>> domain, _ = Domain.of("income", ["high", "low", "mid", "top"])
    >>> scale = Ordered(groups=(("low", "mid"), ("high",), ("top",)))
    >>> for row in scale.grow(domain)[0].level_rows():
    ...     print(row)
    ['low', 'low - mid', 'low - high', '*']
    ['mid', 'low - mid', 'low - high', '*']
    ['high', 'high', 'low - high', '*']
    ['top', 'top', 'top', '*']
    """

    plan_keys = {"groups": "groups"}
    keeps_order = True

    groups: tuple[tuple[str, ...], ...] = param(doc="lists of neighbouring categories, lowest first")

    def __post_init__(self) -> None:
        if isinstance(self.groups, (list, tuple)):
            nested = tuple(tuple(group) if isinstance(group, list) else group for group in self.groups)
            object.__setattr__(self, "groups", nested)
        super().__post_init__()
        members = [member for group in self.groups for member in group]
        twice = sorted({member for member in members if members.count(member) > 1})
        if twice:
            raise ParameterError(f"'groups' of Ordered must name each category once; {listed(twice)} is named again.")
        if not all(self.groups) or not self.groups:
            raise ParameterError("'groups' of Ordered must be lists of at least one category; one of them is empty.")

    def _levels(self, domain: Domain) -> list[list[str]]:
        group_of: dict[Hashable, int] = {
            key_of(member, domain.kind): place for place, group in enumerate(self.groups) for member in group
        }
        found = look_up_values(domain, group_of, "the list of ordered categories")
        steps = (len(self.groups) - 1).bit_length()
        levels = [[self._label(place >> step << step, 1 << step) for place in found] for step in range(steps)]
        return [*levels, [ROOT] * domain.present]

    def _label(self, start: int, count: int) -> str:
        """The label of up to `count` groups from `start` on."""
        joined = self.groups[start : start + count]
        first, last = joined[0][0], joined[-1][-1]
        return first if first == last else f"{first} - {last}"

    def _listed_values(self) -> Iterator[str]:
        return (member for group in self.groups for member in group)
