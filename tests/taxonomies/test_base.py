from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import DataError, TaxonomyError
from sfumato.taxonomies.base import TaxonomyBuilder, key_of, look_up_values, text_of


@dataclass(frozen=True, kw_only=True)
class Backwards(TaxonomyBuilder):
    def _levels(self, domain: Domain) -> Sequence[Sequence[str]]:
        return [[text[0] for text in domain.texts[: domain.present] if text], ["*"] * domain.present]

    def _order(self, domain: Domain) -> NDArray[np.int64]:
        return np.append(np.arange(domain.present)[::-1], np.arange(domain.present, len(domain)))


def test_order_of_the_builder_and_of_the_tree_are_joined() -> None:
    domain, _ = Domain.of("code", ["a1", "b1", "a2", None], kind=Kind.TEXT)
    taxonomy, order = Backwards().grow(domain)
    assert taxonomy.domain.texts == ("b1", "a2", "a1", None)
    assert [domain.texts[code] for code in order] == list(taxonomy.domain.texts)


@pytest.mark.parametrize(
    ("left", "right", "kind"), [("7", "07.0", Kind.NUMBER), ("2020-01-01", "2020-01-01T00:00", Kind.DATE)]
)
def test_ordered_values_are_the_same_if_they_mean_the_same(left: str, right: str, kind: Kind) -> None:
    assert key_of(left, kind) == key_of(right, kind)
    assert key_of(left, Kind.TEXT) != key_of(right, Kind.TEXT)


def test_what_is_no_number_has_no_key() -> None:
    assert key_of("?", Kind.NUMBER) is None


def test_uncovered_values_are_listed_up_to_ten_and_counted() -> None:
    domain, _ = Domain.of("code", [f"v{place:02}" for place in range(12)])
    with pytest.raises(TaxonomyError, match=r"^the tree of 'code' does not cover 12 values: 'v00', .*'v09' and 2 more"):
        look_up_values(domain, {}, "the tree")


def test_one_uncovered_value_is_one() -> None:
    domain, _ = Domain.of("code", ["a", "b"])
    with pytest.raises(TaxonomyError, match=r"does not cover 1 value: 'b'\. Add it, or declare it as missing\."):
        look_up_values(domain, {"a": 1}, "the tree")


def test_covering_skips_the_missing_value() -> None:
    domain, _ = Domain.of("age", ["7", "5", None])
    assert look_up_values(domain, {5.0: "five", 7.0: "seven"}, "it") == ["five", "seven"]


def test_text_of_keeps_line_ends_and_drops_the_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes("\ufeffa\r\nb\rc".encode())
    assert text_of(tmp_path / "t.txt") == "a\r\nb\rc"


def test_text_of_refuses_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no taxonomy file"):
        text_of(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(DataError, match="cannot be read as UTF-8"):
        text_of(tmp_path / "latin.txt")
    with pytest.raises(DataError, match="cannot be read"):
        text_of(tmp_path)
