from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.transforms.column_types import ColumnType
from sfumato.gateway.transforms.generalizing.masked_text import MaskedText

TEXT = ColumnType.of_duckdb("VARCHAR")


def test_short_texts_are_hidden_whole() -> None:
    assert [MaskedText(count=3).weaker(text, TEXT) for text in ("4350", "435", "43", "", None)] == [
        "4***",
        "***",
        "**",
        "",
        None,
    ]
    assert MaskedText(count=1, side="left", character="#").weaker("4350", TEXT) == "#350"


@given(st.text(), st.integers(1, 5), st.sampled_from(["left", "right"]))
def test_as_long_as_before(text: str, count: int, side: str) -> None:
    made = MaskedText(count=count, side=side).weaker(text, TEXT)
    kept = text[:-count] if side == "right" else text[count:]
    assert len(made) == len(text)
    assert made == (kept + "*" * min(count, len(text)) if side == "right" else "*" * min(count, len(text)) + kept)
