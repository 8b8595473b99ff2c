"""Background knowledge: what an attacker knows about persons before seeing a release.

Knowledge is a set of rules that a person can read, save, edit and extend. The rules are mined from a table or written
by hand. Models that guard against background knowledge and attacks that use it are the callers.
"""

from sfumato.knowledge.item import Item
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.miner import Miner
from sfumato.knowledge.rule import Rule

__all__ = ["Item", "Knowledge", "Miner", "Rule"]
