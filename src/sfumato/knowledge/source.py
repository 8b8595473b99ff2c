"""Where a model's knowledge comes from: rules in memory, a file of rules, or a miner that finds them in the table.

The models that guard against knowledge call these functions through their base class in `models/knowledge_model.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sfumato.data.labels import Labels
from sfumato.data.table import Table
from sfumato.errors import KnowledgeError, UsageError
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.miner import Miner
from sfumato.knowledge.rule import Rule

Source = Knowledge | Miner | Path

_FILE = {"sensitive", "never", "likely", "share"}
"""Keys that only a table of rules has; a table without them holds the settings of a miner."""


def source_of(given: Any, sensitive: str) -> Any:
    """The source that a plan or a command line describes; refuses rules that are about another sensitive column.

    >>> source_of("rules.toml", "").name, source_of({"max_items": 2}, "").max_items
    ('rules.toml', 2)
    """
    if isinstance(given, str):
        given = Path(given)
    if isinstance(given, Mapping):
        settings = {key: value for key, value in given.items() if key != "name"}
        given = Knowledge.of(given) if _FILE & set(given) else Miner.build(settings)
    if isinstance(given, Knowledge) and sensitive not in ("", given.sensitive):
        raise KnowledgeError(f"the rules are about {given.sensitive!r}, but the model is about {sensitive!r}.")
    return given


def load_knowledge(source: Source, table: Table | None, sensitive: str, model: object) -> Knowledge:
    """The rules of a source: as they are, read from the file, or mined from the original table."""
    if isinstance(source, Knowledge):
        return source
    if isinstance(source, Path):
        return Knowledge.read(source)
    if table is None:
        raise UsageError(f"{model} mines its rules from the original table; pass the original, or a file of rules.")
    return source.mine(table, table.schema.one_sensitive(sensitive))


def rules_at_hand(source: Source, model: object) -> Knowledge:
    """The rules of a source that was loaded; refuses a file or a miner."""
    if not isinstance(source, Knowledge):
        raise UsageError(f"{model} has no rules yet; use model.with_knowledge(table), which reads or mines them.")
    return source


def source_settings(plain: dict[str, Any]) -> dict[str, Any]:
    """The settings of a model for a plan; a miner is written as its settings, without its name."""
    if isinstance(plain.get("knowledge"), dict):
        plain["knowledge"].pop("name", None)
    return plain


def source_brief(source: Source) -> Any:
    """The source for a certificate: the number of rules and their digest, but no rule.

    >>> source_brief(Knowledge("ill"))["rules"], source_brief(Path("a/rules.toml"))
    (0, 'rules.toml')
    """
    if isinstance(source, Knowledge):
        return {"rules": len(source), "digest": source.digest}
    return source.name if isinstance(source, Path) else source_settings({"knowledge": source.to_dict()})["knowledge"]


def source_words(source: Source) -> str:
    """The source in a few words.

    >>> source_words(Knowledge("ill")), source_words(Path("a/rules.toml")), source_words(Miner())
    ('0 rules', 'rules.toml', 'mined')
    """
    if isinstance(source, Knowledge):
        return f"{len(source):,} rule{'s' if len(source) != 1 else ''}"
    return source.name if isinstance(source, Path) else "mined"


def refuse_published(rules: Iterable[Rule], table: Table) -> None:
    """Refuse a table with published labels in a column for which the rules need original values."""
    for name in sorted({item.column for rule in rules for item in rule.when}):
        if isinstance(table.domains.get(name), Labels):
            raise UsageError(
                f"the rules are about original values, but column {name!r} holds published labels; "
                "prepare the original table before it is generalized."
            )
