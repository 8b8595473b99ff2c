"""Intended purposes: which purposes a value may be used for, for which in a weaker form, and for which never."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from sfumato.gateway.policy.purposes import PurposeTree


class Access(Enum):
    """What a requester sees of a value for a purpose: the value, a weaker form of it, or nothing."""

    FULL = "full"
    CONDITIONAL = "conditional"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class PurposeCodes:
    """Intended purposes as bit sets of a purpose tree, ready for decisions.

    `prohibited` contains every purpose above and below a prohibited one: a more general access purpose includes the
    prohibited one. `conditional` contains the purposes below a conditional one, `narrowed` those above it as well,
    where full access is reduced to conditional access.
    """

    allowed: int
    conditional: int
    prohibited: int
    narrowed: int


@dataclass(frozen=True)
class IntendedPurposes:
    """Purposes for which a value is shown as it is, shown in a weaker form, or never shown.

    A purpose stands for all below it. A purpose in none of the three sets is not allowed.

    >>> tree = PurposeTree.of_children({"General": ["Admin", "Marketing"]})
    >>> income = IntendedPurposes.of(allowed=["General"], conditional=["Marketing"])
    >>> codes = income.codes(tree)
    >>> bin(codes.allowed), bin(codes.conditional)
    ('0b111', '0b1')

    General covers Marketing, which is conditional, so full access for General is reduced to the weaker form too:

    >>> bin(codes.narrowed), bin(income.codes(tree, closes_upward=False).narrowed)
    ('0b101', '0b1')

    `views.access_rules` decides what is seen.

    References: Kabir (2010), definitions 2.3.3 to 2.3.5, with the prohibition closed upward and downward, as its worked
    examples need. Conditions are closed upward too unless `closes_upward` is off; the thesis leaves this open.
    """

    allowed: frozenset[str] = frozenset()
    conditional: frozenset[str] = frozenset()
    prohibited: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, allowed: Iterable[str] = (), conditional: Iterable[str] = (), prohibited: Iterable[str] = ()
    ) -> IntendedPurposes:
        """From any three lists of purposes."""
        return cls(frozenset(allowed), frozenset(conditional), frozenset(prohibited))

    def codes(self, tree: PurposeTree, *, closes_upward: bool = True) -> PurposeCodes:
        """The same as bit sets of a tree; refuses purposes that the tree does not have."""
        for name in sorted(self.allowed | self.conditional | self.prohibited):
            tree.require(name)
        below = tree.code(tree.down(self.conditional))
        return PurposeCodes(
            allowed=tree.code(tree.down(self.allowed)),
            conditional=below,
            prohibited=tree.code(tree.updown(self.prohibited)),
            narrowed=tree.code(tree.updown(self.conditional)) if closes_upward else below,
        )

    def contradictions(self, tree: PurposeTree) -> list[str]:
        """Purposes that are allowed or conditional by name although nothing is shown for them or any below.

        Allowing a purpose and prohibiting some below it is no contradiction.
        """
        closed = tree.updown(self.prohibited)
        return sorted(name for name in self.allowed | self.conditional if tree.down([name]) <= closed)
