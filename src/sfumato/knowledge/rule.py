"""A rule: of the people of whom some items are true, a share has one value of the sensitive column."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import KnowledgeError
from sfumato.knowledge.item import Item


@dataclass(frozen=True)
class Rule:
    """`when` all items are true, `value` has the share `share`; no items means everybody.

    A share of 0 says never. `support` is how many records the items are true of, `expectation` how surely somebody with
    the value would have been among them if it had nothing to do with the items, `conviction` how much more often than
    independence allows the rule would be broken. A rule from outside needs none of the three.

    >>> str(Rule((Item("sex", "Male"),), "Ovarian Cancer"))
    'sex is Male: never Ovarian Cancer'
    >>> str(Rule((Item("sex", "Male"),), "Flu", share=1 / 3))
    'sex is Male: Flu in 33.3 %'
    """

    when: tuple[Item, ...]
    value: str
    share: float = 0.0
    support: float | None = None
    expectation: float | None = None
    conviction: float | None = None

    def __post_init__(self) -> None:
        if len({item.column for item in self.when}) < len(self.when):
            raise KnowledgeError("a rule has at most one item of each column.")
        if not 0 <= self.share <= 1:
            raise KnowledgeError(f"the share of a rule must lie between 0 and 1; got {self.share!r}.")

    @property
    def confidence(self) -> float:
        """How surely the value is not there when the items are true."""
        return 1 - self.share

    def __str__(self) -> str:
        who = ", ".join(map(str, self.when)) or "everybody"
        return f"{who}: never {self.value}" if self.share == 0 else f"{who}: {self.value} in {100 * self.share:.1f} %"
