"""Whatever is asked or written down as a policy, there is an answer or a clear refusal.

How soon is measured by `python -m benchmarks.agreement --fuzz 10000`.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.gateway import malformed
from tests.gateway.spoiled import OpenShop, read_policy


@pytest.fixture(scope="module")
def shop():
    found = OpenShop()
    yield found
    found.close()


@examples(250)
@given(st.integers(0, 1 << 32))
def test_a_spoiled_statement_is_answered_or_refused(shop: OpenShop, seed: int) -> None:
    text = malformed.statement(random.Random(seed))
    told = shop.asked(text)
    assert told is None or 0 < len(told) < 1000


@examples(100)
@given(st.text(max_size=80))
def test_any_text_is_answered_or_refused(shop: OpenShop, text: str) -> None:
    told = shop.asked(text)
    assert told is None or 0 < len(told) < 1000


@examples(150)
@given(st.integers(0, 1 << 32))
def test_a_spoiled_policy_is_read_or_refused(seed: int) -> None:
    spoiled = malformed.policy(random.Random(seed))
    told = read_policy(spoiled)
    assert told is None or 0 < len(told) < 10_000


def test_what_is_not_spoiled_is_answered(shop: OpenShop) -> None:
    assert shop.asked("SELECT p.id, v.cost FROM person p JOIN visit v ON p.id = v.person") is None
    assert shop.asked("SELECT p.id FORM person p") is not None
