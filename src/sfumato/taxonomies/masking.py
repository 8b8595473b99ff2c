"""Masking: a taxonomy of codes that hides one more character on every level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import ParameterError, TaxonomyError, listed
from sfumato.settings.params import param
from sfumato.taxonomies.base import TaxonomyBuilder
from sfumato.taxonomies.taxonomy import ROOT


@dataclass(frozen=True, kw_only=True)
class Masking(TaxonomyBuilder):
    """Hides characters from one side, one more on every level: for postal codes, phone numbers, codes of diseases.

    Shorter texts are padded with spaces on the masked side, whole numbers with leading zeros, so that every value has
    the same number of levels. The mask character must not occur in the values, because a label could then be mistaken
    for a value.

    >>> domain, _ = Domain.of("zip", ["1010", "1020", "1100"], kind=Kind.TEXT)
    >>> for row in Masking(side="right").grow(domain)[0].level_rows():
    ...     print(*row)
    1010 101* 10** 1*** *
    1020 102* 10** 1*** *
    1100 110* 11** 1*** *
    """

    plan_keys = {"mask": "side"}

    side: Literal["right", "left"] = param("right", doc="the side whose characters are hidden first")
    character: str = param("*", doc="the character that replaces a hidden one")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.character) != 1 or self.character.isspace():
            raise ParameterError(
                f"'character' of Masking must be one character that is not blank; got {self.character!r}."
            )

    def _levels(self, domain: Domain) -> list[list[str]]:
        texts = self._pad(domain)
        length = max(map(len, texts), default=0)
        hidden = [[self._mask(text, count) for text in texts] for count in range(1, length)]
        return [*hidden, [ROOT] * len(texts)]

    def _pad(self, domain: Domain) -> list[str]:
        texts = [domain.named(code) for code in range(domain.present)]
        marked = [text for text in texts if self.character in text]
        if marked:
            raise TaxonomyError(
                f"the masking character {self.character!r} occurs in {len(marked)} of the values of {domain.column!r}: "
                f"{listed(marked)}. Mask with another character."
            )
        length = max(map(len, texts), default=0)
        if domain.kind is Kind.TEXT:
            return [text.ljust(length) if self.side == "right" else text.rjust(length) for text in texts]
        if domain.kind is Kind.NUMBER and all(text.isdecimal() for text in texts):
            return [text.zfill(length) for text in texts]
        raise TaxonomyError(
            f"column {domain.column!r} holds {domain.kind} values that are not codes; "
            'declare it as type = "text" to mask its characters.'
        )

    def _mask(self, text: str, count: int) -> str:
        mask = self.character * count
        return text[:-count] + mask if self.side == "right" else mask + text[count:]
