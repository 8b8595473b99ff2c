from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.datasets import nine_patients
from sfumato.errors import KnowledgeError, UsageError
from sfumato.knowledge import Knowledge, Miner, Rule
from sfumato.knowledge.source import (
    load_knowledge,
    refuse_published,
    rules_at_hand,
    source_brief,
    source_of,
    source_settings,
    source_words,
)
from sfumato.operations.generalize import generalize_levels
from tests.golden.nine_patients import NO_MAN


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("rules.toml", Path("rules.toml")),
        ({"max_items": 2}, Miner(max_items=2)),
        ({"name": "miner", "max_items": 2}, Miner(max_items=2)),
        ({}, Miner()),
        (NO_MAN.to_dict(), NO_MAN),
        ({"sensitive": "Disease"}, Knowledge("Disease")),
        (NO_MAN, NO_MAN),
        (7, 7),
    ],
)
def test_what_a_plan_may_give(given, meant):
    assert source_of(given, "") == meant


def test_rules_about_something_else():
    assert source_of(NO_MAN, "Disease") is NO_MAN
    with pytest.raises(KnowledgeError, match="about 'Disease', but the model is about 'Salary'"):
        source_of(NO_MAN, "Salary")


def test_learning(tmp_path):
    assert load_knowledge(NO_MAN, None, "", "it") is NO_MAN
    assert load_knowledge(NO_MAN.write(tmp_path / "rules.toml"), None, "", "it") == NO_MAN
    mined = load_knowledge(Miner(min_expectation=0.75), nine_patients(), "", "it")
    assert [str(rule) for rule in mined.never] == ["Sex is M: never Ovarian Cancer"]
    with pytest.raises(UsageError, match="it mines its rules from the original table"):
        load_knowledge(Miner(), None, "", "it")


def test_rules_that_are_not_there_yet():
    assert rules_at_hand(NO_MAN, "it") is NO_MAN
    with pytest.raises(UsageError, match="it has no rules yet"):
        rules_at_hand(Miner(), "it")


def test_in_words_and_settings():
    assert [source_words(one) for one in (NO_MAN, Path("a/b.toml"), Miner())] == ["1 rule", "b.toml", "mined"]
    assert source_settings({"knowledge": {"name": "miner", "max_items": 2}}) == {"knowledge": {"max_items": 2}}
    assert source_settings({"knowledge": "b.toml", "l": 2}) == {"knowledge": "b.toml", "l": 2}


def test_published_labels():
    refuse_published(NO_MAN.never, nine_patients())
    published = generalize_levels(nine_patients(), {"Zip": 0, "Age": 0, "Sex": 1}).published
    with pytest.raises(UsageError, match="column 'Sex' holds published labels"):
        refuse_published(NO_MAN.never, published)
    assert refuse_published((), published) is None


def test_in_brief_a_miner_is_known_by_its_settings_and_rules_by_their_digest():
    rules = Knowledge("ill", (Rule((), "gout"),))
    assert source_brief(Miner(max_items=2)) == {"max_items": 2}
    assert source_brief(rules) == {"rules": 1, "digest": rules.digest}
    assert rules.digest != Knowledge("ill").digest
