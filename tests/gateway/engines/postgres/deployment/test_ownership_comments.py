"""Marks: read back as they were written, and nobody else's comment is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment

FACTS = st.dictionaries(st.sampled_from(["digest", "purpose", "roles"]), st.text() | st.lists(st.text()))


@given(st.sampled_from(["home", "purpose", "view"]), st.text(min_size=1), FACTS)
def test_a_mark_is_read_back(part, prefix, facts) -> None:
    mark = OwnershipComment(part, prefix, facts)
    assert OwnershipComment.read(mark.text) == mark


@pytest.mark.parametrize(
    "comment",
    [
        None,
        "",
        "customers",
        "[]",
        "1",
        '"sfumato"',
        "{}",
        '{"made_by": "sfumato"}',
        '{"made_by": "x", "part": "home", "home": "h"}',
    ],
)
def test_other_comments_are_no_marks(comment) -> None:
    assert OwnershipComment.read(comment) is None


def test_the_digest_is_a_fact() -> None:
    assert OwnershipComment("home", "h", {"digest": "1f"}).digest == "1f"
    assert OwnershipComment("home", "h").digest is None
