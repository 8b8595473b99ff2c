"""Intended purposes: which purposes a value may be used for, for which in a weaker form, and for which never."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from sfumato.errors import PolicyError
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

    def access(self, purpose: int) -> Access:
        """The access for the purpose with this bit: prohibited beats conditional beats allowed; else hidden."""
        if purpose & self.prohibited:
            return Access.HIDDEN
        if purpose & self.conditional or purpose & self.allowed & self.narrowed:
            return Access.CONDITIONAL
        return Access.FULL if purpose & self.allowed else Access.HIDDEN

    def __or__(self, other: PurposeCodes) -> PurposeCodes:
        """The union of both."""
        return PurposeCodes(
            self.allowed | other.allowed,
            self.conditional | other.conditional,
            self.prohibited | other.prohibited,
            self.narrowed | other.narrowed,
        )


@dataclass(frozen=True)
class IntendedPurposes:
    """Purposes for which a value is shown as it is, shown in a weaker form, or never shown.

    A purpose stands for all below it. A purpose in none of the three sets is not allowed.

    >>> tree = PurposeTree.of_children({"General": ["Admin", "Marketing"]})
    >>> income = IntendedPurposes.of(allowed=["General"], conditional=["Marketing"])
    >>> income.access("Admin", tree).value, income.access("Marketing", tree).value
    ('full', 'conditional')

    General covers Marketing, which is conditional, so an access for General shows the weaker form too:

    >>> income.access("General", tree).value, income.access("General", tree, closes_upward=False).value
    ('conditional', 'full')

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

    def __or__(self, other: IntendedPurposes) -> IntendedPurposes:
        """The union of both."""
        return IntendedPurposes(
            self.allowed | other.allowed, self.conditional | other.conditional, self.prohibited | other.prohibited
        )

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

    def access(self, purpose: str, tree: PurposeTree, *, closes_upward: bool = True) -> Access:
        """What is seen for a purpose."""
        return self.codes(tree, closes_upward=closes_upward).access(tree.code([tree.require(purpose)]))

    def contradictions(self, tree: PurposeTree) -> list[str]:
        """Purposes that are allowed or conditional by name although nothing is shown for them or any below.

        Allowing a purpose and prohibiting some below it is no contradiction.
        """
        closed = tree.updown(self.prohibited)
        return sorted(name for name in self.allowed | self.conditional if tree.down([name]) <= closed)


def accessible_shares(cells: Iterable[Access]) -> tuple[float, float]:
    """The share of cells that are shown in full or in a weaker form, and the share shown in full.

    The difference is what conditional purposes gain over allowing and prohibiting alone.

    >>> accessible_shares([Access.FULL, Access.CONDITIONAL, Access.HIDDEN, Access.HIDDEN])
    (0.5, 0.25)

    References: Kabir (2010), theorem 2.5.1.
    """
    all_cells = list(cells)
    if not all_cells:
        raise PolicyError("there are no cells to count.")
    full = all_cells.count(Access.FULL)
    return (full + all_cells.count(Access.CONDITIONAL)) / len(all_cells), full / len(all_cells)
