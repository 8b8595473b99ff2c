"""The contract of a taxonomy builder: it generalizes every value of a column on every level of the hierarchy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, position
from sfumato.data.kinds import Kind
from sfumato.errors import DataError, TaxonomyError, listed
from sfumato.settings.params import Declared
from sfumato.taxonomies.taxonomy import Taxonomy

Value = TypeVar("Value")


class TaxonomyBuilder(Declared):
    """Base of all builders: an author writes `_levels`, the base checks and builds the tree.

    `plan_keys` maps keys of a plan file to settings: `{"width": "width"}` means that `{ width = 5 }` in a plan creates
    the builder with the setting `width=5`. `keeps_order` says that the values are ordered although they are no numbers.
    """

    plan_keys: ClassVar[Mapping[str, str]] = {}
    keeps_order: ClassVar[bool] = False

    def grow(self, domain: Domain) -> tuple[Taxonomy, NDArray[np.int64]]:
        """The taxonomy of these values, and the order of codes in which every node is a range of codes.

        The domain inside the taxonomy already has that order.
        """
        order = self._order(domain)
        arranged = domain.reordered(order)
        taxonomy, rearranged = Taxonomy.of_levels(arranged, self._levels(arranged))
        return taxonomy, order[rearranged]

    def values(self) -> tuple[str, ...]:
        """The values that the taxonomy lists explicitly, in that order; none if it accepts any values."""
        return tuple(self._listed_values())

    @abstractmethod
    def _levels(self, domain: Domain) -> Sequence[Sequence[str]]:
        """The labels of the levels above the values, lowest level first, one for each value that is not missing.

        The last level is the root: the same label for all values. An empty list puts the root `*` above the values.
        """

    def _listed_values(self) -> Iterable[str]:
        """The values that the taxonomy lists explicitly, in that order; none by default."""
        return ()

    def _order(self, domain: Domain) -> NDArray[np.int64]:
        """The order of codes: as listed, unless values have an order of their own; a missing value stays last."""
        rank = {value: place for place, value in enumerate(() if domain.ordered else self._listed_values())}
        ranks = [rank.get(domain.named(code), len(rank)) for code in range(domain.present)]
        order = np.argsort(np.array(ranks, dtype=np.int64), kind="stable")
        return np.append(order, np.arange(domain.present, len(domain), dtype=np.int64))


def key_of(text: str, kind: Kind) -> Hashable:
    """The key by which texts are compared: the number or moment they mean, else the text; None for no value.

    >>> key_of("007", Kind.NUMBER) == key_of("7.0", Kind.NUMBER), key_of("007", Kind.TEXT)
    (True, '007')
    """
    return text if kind is Kind.TEXT else position(text, kind)


def look_up_values(domain: Domain, known: Mapping[Hashable, Value], what: str) -> list[Value]:
    """Look up each value that is not missing in `known`; refuses values that are not covered, and lists them."""
    keys: Sequence[Hashable] = domain.texts if domain.numbers is None else domain.numbers.tolist()
    unknown = [domain.named(code) for code in range(domain.present) if keys[code] not in known]
    if unknown:
        values, them = ("value", "it") if len(unknown) == 1 else ("values", "them")
        raise TaxonomyError(
            f"{what} of {domain.column!r} does not cover {len(unknown)} {values}: {listed(unknown)}. "
            f"Add {them}, or declare {them} as missing."
        )
    return [known[keys[code]] for code in range(domain.present)]


def text_of(path: Path) -> str:
    """The text of a taxonomy file, with its line ends unchanged."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        raise DataError(f"there is no taxonomy file {str(path)!r}.") from None
    except (OSError, UnicodeError):
        raise DataError(f"the taxonomy file {str(path)!r} cannot be read as UTF-8 text.") from None
