from __future__ import annotations

import pytest

from sfumato.errors import KnowledgeError
from sfumato.knowledge import Item, Rule


def test_words() -> None:
    items = (Item("sex", "Male"), Item("age", "[20, 25)"))
    assert str(Rule(items, "Flu")) == "sex is Male, age is in [20, 25): never Flu"
    assert str(Rule((), "Flu", share=0.118)) == "everybody: Flu in 11.8 %"
    assert Rule((), "Flu", share=0.25).confidence == 0.75


def test_refusals() -> None:
    with pytest.raises(KnowledgeError, match="one item of each column"):
        Rule((Item("sex", "Male"), Item("sex", "Female")), "Flu")
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(KnowledgeError, match="between 0 and 1"):
            Rule((), "Flu", share=share)
