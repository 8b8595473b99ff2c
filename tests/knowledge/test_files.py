"""Rules as TOML: what is written is read again as it was, and what people write by hand is understood or refused."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import KnowledgeError
from sfumato.knowledge import Item, Knowledge, Rule
from sfumato.knowledge.files import knowledge_of, knowledge_text, read_knowledge, tables_of

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NAMES = ("plain", "Gov", 'a "quoted" one', "[20, 25)", "ünï 漢 🎨", "a.b", "", "\\ \n \x00 \x7f")


@st.composite
def knowledges(draw: st.DrawFn) -> Knowledge:
    columns = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
    items = {}
    for column in columns:
        for name in draw(st.lists(st.one_of(st.sampled_from(NAMES), TEXTS), max_size=3, unique=True)):
            items.setdefault(column, []).append(Item(column, name, tuple(draw(st.lists(TEXTS, max_size=3)))))
    number = st.one_of(st.none(), st.floats(0, 1))
    rule = st.builds(
        Rule,
        st.sets(st.sampled_from(sorted(items)) if items else st.nothing()).flatmap(
            lambda chosen: st.tuples(*(st.sampled_from(items[column]) for column in sorted(chosen)))
        ),
        TEXTS,
        st.floats(0, 1),
        st.one_of(st.none(), st.floats(0, 1e18), st.integers(0, 10**9)),
        number,
        st.one_of(number, st.just(float("inf"))),
    )
    rules = st.lists(rule, max_size=3).map(tuple)
    return Knowledge(draw(TEXTS.filter(bool)), draw(rules), draw(rules), draw(rules))


@settings(deadline=None)
@given(knowledges())
def test_what_is_written_is_read_again(known: Knowledge) -> None:
    again = knowledge_of(tomllib.loads(knowledge_text(known)), "rules")
    assert again == known
    assert knowledge_text(again) == knowledge_text(known)
    assert knowledge_of(tables_of(known), "rules") == known


def test_as_a_person_writes_it(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(
        """
        sensitive = "job"
        [named.workclass]
        Government = ["Federal-gov", "Local-gov"]
        [[never]]
        when = { workclass = "Government", age = 30 }
        value = "Priv-house-serv"
        [[never]]
        when = { workclass = ["Government", "Private"], born = 1990-01-31, size = 2.0 }
        value = 3
        [[share]]
        when = {}
        value = "Sales"
        share = 0.118
        """,
        encoding="utf-8-sig",
    )
    known = read_knowledge(tmp_path / "rules.toml")
    government = Item("workclass", "Government", ("Federal-gov", "Local-gov"))
    either = Item("workclass", "Government or Private", ("Federal-gov", "Local-gov", "Private"))
    assert known.never == (
        Rule((government, Item("age", "30")), "Priv-house-serv"),
        Rule((either, Item("born", "1990-01-31"), Item("size", "2")), "3"),
    )
    assert known.shares == (Rule((), "Sales", 0.118),)
    assert Knowledge.read(known.write(tmp_path / "again.toml")) == known


def test_the_file_explains_itself() -> None:
    text = knowledge_text(Knowledge("job", (Rule((Item("age", "[20, 25)"),), "Sales", support=12, expectation=0.5),)))
    assert text.count("# ") >= 3
    assert text.endswith('[[never]]\nwhen = { age = "[20, 25)" }\nvalue = "Sales"\nsupport = 12\nexpectation = 0.5\n')


RULE: dict[str, Any] = {"when": {"sex": "M"}, "value": "flu"}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"never": [RULE | {"when": {"sex": True}}]},
            "when, sex must be text in quotes, a number or a date, or a list",
        ),
        ({"never": [RULE | {"when": {"sex": []}}]}, "number 1, when, sex must be"),
        ({"never": [RULE | {"when": {"sex": {}}}]}, "number 1, when, sex must be"),
        ({"never": [RULE | {"when": {"age": float("inf")}}]}, "number 1, when, age must be"),
        ({"never": [RULE | {"value": ["flu"]}]}, "number 1, value must be text in quotes, a number or a date."),
        ({"named": {"job": {"A": [["x"]]}}}, "[named.job] A must be text"),
        (
            {
                "named": {"job": {"a or b": ["c"]}},
                "never": [RULE | {"when": {"job": ["a", "b"]}}, RULE | {"when": {"job": "a or b"}}],
            },
            "'a or b' stands for two sets of values of column 'job'",
        ),
    ],
)
def test_refusals(given: dict[str, Any], told: str) -> None:
    with pytest.raises(KnowledgeError) as refused:
        knowledge_of({"sensitive": "s", **given}, "the rules in 'r.toml'")
    assert str(refused.value).startswith("the rules in 'r.toml': ")
    assert told in str(refused.value)


def test_one_name_for_two_sets_cannot_be_written() -> None:
    rules = tuple(Rule((Item("job", "A", (value,)),), "flu") for value in "xy")
    with pytest.raises(KnowledgeError, match="use two names"):
        knowledge_text(Knowledge("ill", rules))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="no readable file of rules"):
        read_knowledge(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("sensitive = \nnever = 1", encoding="utf-8")
    with pytest.raises(KnowledgeError, match=r"'bad\.toml' are no valid TOML: .*line 1"):
        read_knowledge(tmp_path / "bad.toml")
    for beyond_measure in ("9" * 5000, "[" * 5000):
        (tmp_path / "bad.toml").write_text(f"sensitive = {beyond_measure}", encoding="utf-8")
        with pytest.raises(KnowledgeError, match="no valid TOML"):
            read_knowledge(tmp_path / "bad.toml")
    (tmp_path / "latin.toml").write_bytes("sensitive = 'é'".encode("latin-1"))
    with pytest.raises(KnowledgeError, match="not UTF-8"):
        read_knowledge(tmp_path / "latin.toml")
