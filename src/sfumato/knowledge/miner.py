"""Miner: finds in a table the rules that an attacker could know about the persons in it.

Commands and the models with a setting `knowledge` call `Miner.mine`; `search` finds the rules and `generality` removes
redundant ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.knowledge.generality import most_general
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.membership import Shape
from sfumato.knowledge.search import Search
from sfumato.knowledge.statistics import shares
from sfumato.settings.params import Declared, param


class Mined(NamedTuple):
    """The rules that were found, and how many more specific ones follow from them and were left out."""

    knowledge: Knowledge
    implied: int

    def __repr__(self) -> str:
        return f"<Mined: {len(self.knowledge):,} rules, {self.implied:,} more follow from them>"


@dataclass(frozen=True, kw_only=True)
class Miner(Declared):
    """Finds sensitive values that never occur for some persons although they would be expected by chance.

    An itemset has one item of each of some quasi columns; an item is a value, or a node of the column's taxonomy. If no
    record with these items has a value, that makes a rule if it is surprising: with C records that have the items and a
    share P of all records that have the value, at least one of them would have it with probability 1 - (1 - P)^C, and
    that must reach `min_expectation`. A rule may have exceptions if `min_confidence` is below 1.

    With `fuzziness`, a node of a column of numbers or dates partly covers values beside it (`membership` says how), the
    degrees of several items are multiplied, and C adds up degrees. The rules themselves are not fuzzy: an item covers
    the values of degree 1 of a trapezoid, or of degree 0.5 and more of a triangle. A degree below 1e-9 counts as 0.

    `positive` also finds values that are more frequent for some persons than for others, and `statistics` adds plain
    shares; both are part of the same `Knowledge`.

    >>> from sfumato.datasets import nine_patients
    >>> for rule in Miner(min_expectation=0.75).mine(nine_patients()).never:
    ...     print(rule, round(rule.expectation, 4))
    Sex is M: never Ovarian Cancer 0.7786

    References: Li and Li (2008), sections IV and VI-C; Brin, Motwani, Ullman and Tsur (1997) for conviction.
    """

    min_expectation: float = param(
        0.9, doc="least probability, below 1, that the value would occur by chance", above=0, at_most=1
    )
    min_confidence: float = param(
        1.0, doc="least share of the records with the items that do not have the value", above=0, at_most=1
    )
    max_items: int = param(1, doc="largest number of items in a rule", at_least=1)
    most_general: bool = param(True, doc="leave out rules that follow from a more general rule")
    fuzziness: float = param(
        0.0, doc="how far beyond its ends a node covers values partly, as a share of its width", at_least=0
    )
    membership: Shape = param("trapezoid", doc="how degrees fall beyond the ends of a node, if fuzziness is above 0")
    positive: bool = param(False, doc="also find values that are more likely for some persons than for others")
    min_support: float = param(
        0.05, doc="least share of records with the items and the value of a positive rule", above=0, at_most=1
    )
    min_conviction: float = param(
        1.1, doc="least ratio of how often chance would break a positive rule to how often it is broken", at_least=1
    )
    statistics: bool = param(False, doc="also state the share of every value, in all records and by single columns")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_expectation == 1:
            raise ParameterError("'min_expectation' of Miner must be below 1: no finite table reaches 1.")

    def mine(self, table: Table, sensitive: str = "") -> Knowledge:
        """The rules of the table about one sensitive column; without a name, about the only one there is.

        Rules are sorted by their number of items, by their columns in the schema, and by their values.
        """
        return self.mine_and_count(table, sensitive).knowledge

    def mine_and_count(self, table: Table, sensitive: str = "") -> Mined:
        """The rules as from `mine`, and how many others were left out because they follow from these."""
        name = table.schema.one_sensitive(sensitive)
        search = Search.over(self, table, name)
        negative, positive = search.run()
        many = sum(map(len, negative.values()))
        if self.most_general:
            negative = most_general(negative, search.axes, step_by_step=self._between_is_a_rule)
        found = Knowledge(
            name,
            tuple(search.negative_rules(negative)),
            tuple(search.positive_rules(positive)),
            tuple(shares(table, name)) if self.statistics else (),
        )
        return Mined(found, many - sum(map(len, negative.values())))

    @property
    def _between_is_a_rule(self) -> bool:
        """Whether everything between two rules is a rule; not so with exceptions or with degrees that fall inside."""
        return self.min_confidence == 1 and (self.fuzziness == 0 or self.membership == "trapezoid")
