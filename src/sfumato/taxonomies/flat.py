"""Flat: a taxonomy with no level between the values and the root."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.data.domain import Domain
from sfumato.errors import ParameterError
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder


@dataclass(frozen=True, kw_only=True)
class Flat(TaxonomyBuilder):
    """Places every value directly under `*`: it is published unchanged or not at all.

    >>> domain, _ = Domain.of("sex", ["Male", "Female"])
    >>> Flat().grow(domain)[0].level_rows()
    [['Female', '*'], ['Male', '*']]
    """

    plan_keys = {"flat": "on"}

    on: bool = param(True, doc="always true; leave the key out for no taxonomy")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.on:
            raise ParameterError("'on' of Flat must be true; leave the taxonomy out if you want none.")

    def _levels(self, domain: Domain) -> list[list[str]]:
        """No level between the values and the root."""
        return []
