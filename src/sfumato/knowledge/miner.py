"""Miner: finds in a table what somebody could know about its people."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.knowledge.generality import most_general
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.membership import Shape
from sfumato.knowledge.search import Search
from sfumato.knowledge.statistics import shares
from sfumato.settings.params import Declared, param


@dataclass(frozen=True, kw_only=True)
class Miner(Declared):
    """Finds what is never true of some people although it should be, if chance alone decided.

    An itemset is an item of each of some quasi columns: a value, or a node of the column's taxonomy. Nobody with its
    items having a value is worth a rule if it is surprising: with C records that have the items and a share P of all
    records that have the value, somebody would have had it with probability 1 - (1 - P)^C, and that must reach
    `min_expectation`. A rule may have exceptions where `min_confidence` is below 1.

    With `fuzziness`, a node of a column of numbers or dates is partly true of values beside it (`membership` says how),
    the degrees of several items are multiplied, and C adds up degrees. The rules found are plain again: of a trapezoid
    true of the values of degree 1, of a triangle of those of degree 0.5 and more. A degree below 1e-9 is none.

    `positive` also finds what is more often true of some people than of others, and `statistics` plain shares; both
    join what is never true in one `Knowledge`.

    >>> from sfumato.datasets import nine_patients
    >>> for rule in Miner(min_expectation=0.75).mine(nine_patients()).never:
    ...     print(rule, round(rule.expectation, 4))
    Sex is M: never Ovarian Cancer 0.7786

    References: Li and Li (2008), sections IV and VI-C; Brin, Motwani, Ullman and Tsur (1997) for conviction.
    """

    min_expectation: float = param(0.9, doc="least surprise that nobody has the value, below 1", above=0, at_most=1)
    min_confidence: float = param(
        1.0, doc="least share of those with the items who do not have the value", above=0, at_most=1
    )
    max_items: int = param(1, doc="most items of a rule", at_least=1)
    most_general: bool = param(True, doc="leave out rules that follow from a more general rule")
    fuzziness: float = param(
        0.0, doc="how far beyond its ends a node is partly true, as a share of its width", at_least=0
    )
    membership: Shape = param("trapezoid", doc="how a node is partly true, where fuzziness is above 0")
    positive: bool = param(False, doc="also find what is more likely of some people than of others")
    min_support: float = param(
        0.05, doc="least share of records with items and value of a positive rule", above=0, at_most=1
    )
    min_conviction: float = param(
        1.1, doc="how many times more often chance alone would break a positive rule, at least", at_least=1
    )
    statistics: bool = param(False, doc="also tell the share of every value, of everybody and by single columns")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_expectation == 1:
            raise ParameterError("'min_expectation' of Miner must be below 1: no finite table is a surprise that sure.")

    def mine(self, table: Table, sensitive: str = "") -> Knowledge:
        """What the table says about one sensitive column; the only one there is, if none is named.

        Rules stand in the order of how many items they have, of their columns in the schema, and of their values.
        """
        name = table.schema.one_sensitive(sensitive)
        search = Search.over(self, table, name)
        negative, positive = search.run()
        if self.most_general:
            negative = most_general(negative, search.axes, step_by_step=self._between_is_a_rule)
        return Knowledge(
            name,
            tuple(search.negative_rules(negative)),
            tuple(search.positive_rules(positive)),
            tuple(shares(table, name)) if self.statistics else (),
        )

    @property
    def _between_is_a_rule(self) -> bool:
        """Whether everything between two rules is a rule: not with exceptions, nor with degrees that fall inside."""
        return self.min_confidence == 1 and (self.fuzziness == 0 or self.membership == "trapezoid")
