from __future__ import annotations

import pytest

from sfumato.errors import PolicyError
from sfumato.gateway.policy.intended_purposes import IntendedPurposes
from sfumato.gateway.policy.purposes import PurposeTree
from tests.gateway.kabir import TREE

TREE_15 = PurposeTree.of_children(TREE)


def test_contradictions_are_named() -> None:
    assert IntendedPurposes.of(["General", "D-Phone"], [], ["Direct"]).contradictions(TREE_15) == ["D-Phone"]


def test_an_unknown_purpose_is_refused() -> None:
    with pytest.raises(PolicyError, match="did you mean 'Marketing'"):
        IntendedPurposes.of(["Marketting"]).codes(TREE_15)
