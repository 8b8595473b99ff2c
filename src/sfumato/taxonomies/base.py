"""The contract of a taxonomy builder: given the values of a column, say what each becomes on every level."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain, Kind, position
from sfumato.errors import DataError, TaxonomyError, listed
from sfumato.settings.params import Declared
from sfumato.taxonomies.taxonomy import Taxonomy

Found = TypeVar("Found")


class TaxonomyBuilder(Declared):
    """Base of all builders: an author writes `_levels`, the base checks and builds the tree.

    `plan_keys` says how a plan file asks for the builder: `{"width": "width"}` means that `{ width = 5 }` in a plan
    builds it with the setting `width=5`. `keeps_order` says that the values have an order, though they are no numbers.
    """

    plan_keys: ClassVar[Mapping[str, str]] = {}
    keeps_order: ClassVar[bool] = False

    def grow(self, domain: Domain) -> tuple[Taxonomy, NDArray[np.int64]]:
        """The taxonomy over these values, and the order of codes that makes every node a range of codes.

        The domain inside the taxonomy is already in that order.
        """
        order = self._order(domain)
        arranged = domain.reordered(order)
        taxonomy, rearranged = Taxonomy.of_levels(arranged, self._levels(arranged))
        return taxonomy, order[rearranged]

    def values(self) -> tuple[str, ...]:
        """The values that whoever drew the taxonomy wrote down, in their order; none if it is over any values."""
        return tuple(self._written())

    @abstractmethod
    def _levels(self, domain: Domain) -> Sequence[Sequence[str]]:
        """Labels of the levels above the values, lowest first, one for each value that is not missing."""

    def _written(self) -> Iterable[str]:
        """The values in the order in which whoever drew the taxonomy wrote them; none if that means nothing."""
        return ()

    def _order(self, domain: Domain) -> NDArray[np.int64]:
        """As written where values have no order of their own; a missing value stays last."""
        rank = {value: place for place, value in enumerate(() if domain.ordered else self._written())}
        ranks = [rank.get(domain.named(code), len(rank)) for code in range(domain.present)]
        order = np.argsort(np.array(ranks, dtype=np.int64), kind="stable")
        return np.append(order, np.arange(domain.present, len(domain), dtype=np.int64))


def key_of(text: str, kind: Kind) -> Hashable:
    """What makes two written values the same: the number or moment they mean, else the text; None for no value.

    >>> key_of("007", Kind.NUMBER) == key_of("7.0", Kind.NUMBER), key_of("007", Kind.TEXT)
    (True, '007')
    """
    return text if kind is Kind.TEXT else position(text, kind)


def covering(domain: Domain, known: Mapping[Hashable, Found], what: str) -> list[Found]:
    """What is known about each value that is not missing; refuses values nothing is known about, and lists them."""
    keys: Sequence[Hashable] = domain.texts if domain.numbers is None else domain.numbers.tolist()
    strange = [domain.named(code) for code in range(domain.present) if keys[code] not in known]
    if strange:
        values = "value" if len(strange) == 1 else "values"
        raise TaxonomyError(
            f"{what} of {domain.column!r} does not cover {len(strange)} {values}: {listed(strange)}. "
            "Add them, or declare them as missing."
        )
    return [known[keys[code]] for code in range(domain.present)]


def text_of(path: Path) -> str:
    """The text of a taxonomy file, line ends as they are."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except FileNotFoundError:
        raise DataError(f"there is no taxonomy file {str(path)!r}.") from None
    except (OSError, UnicodeError):
        raise DataError(f"the taxonomy file {str(path)!r} cannot be read as UTF-8 text.") from None
