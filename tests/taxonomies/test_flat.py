from __future__ import annotations

import pytest

from sfumato.data.domain import Domain
from sfumato.errors import ParameterError, TaxonomyError
from sfumato.taxonomies import Flat

IN_PLANS = [({"flat": True}, Flat())]


@pytest.mark.parametrize("values", [["a", "b"], ["3", "1", "2"], ["2020-01-01", None], ["only"], [None]])
def test_every_value_lies_directly_under_the_root(values: list[str | None]) -> None:
    domain, _ = Domain.of("x", values)
    taxonomy, order = Flat().grow(domain)
    assert taxonomy.height == 1
    assert [row[1] for row in taxonomy.level_rows()] == ["*"] * len(values)
    assert order.tolist() == list(range(len(values)))


def test_a_value_called_like_the_root_is_refused() -> None:
    with pytest.raises(TaxonomyError, match="different sets"):
        Flat().grow(Domain.of("x", ["*", "a"])[0])


def test_false_is_refused() -> None:
    with pytest.raises(ParameterError, match="'on' of Flat must be true"):
        Flat(on=False)
