"""A rule: of the persons for whom some items hold, a share has one value of the sensitive column."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import KnowledgeError
from sfumato.knowledge.item import Item


@dataclass(frozen=True)
class Rule:
    """`when` all items hold, `value` has the share `share`; a rule without items is about all persons.

    A share of 0 means never. Three measures describe a mined rule; a rule from outside needs none of them. `support` is
    the number of records with the items. `expectation` is the probability that one of them would have the value if it
    were independent of the items. `conviction` is how many times more often the rule would be broken by chance than it
    is broken in the table.

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
        """The share of the persons with the items that do not have the value."""
        return 1 - self.share

    def __str__(self) -> str:
        who = ", ".join(map(str, self.when)) or "everybody"
        return f"{who}: never {self.value}" if self.share == 0 else f"{who}: {self.value} in {100 * self.share:.1f} %"
