"""What somebody knows about people before seeing a release: rules a person can read, save, edit and add to."""

from sfumato.knowledge.item import Item
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.miner import Miner
from sfumato.knowledge.rule import Rule

__all__ = ["Item", "Knowledge", "Miner", "Rule"]
