"""Intended purposes: what a piece of data may be used for, on which condition, and what for never."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from sfumato.errors import PolicyError
from sfumato.gateway.policy.purposes import PurposeTree


class Access(Enum):
    """What somebody sees of a value for a purpose."""

    FULL = "full"
    CONDITIONAL = "conditional"
    HIDDEN = "hidden"


@dataclass(frozen=True)
class Codes:
    """Intended purposes as bits of a purpose tree, ready for decisions.

    `prohibited` has every purpose above and below a prohibited one: whoever asks for a more general purpose asks for
    the prohibited one too. `conditional` has those below a conditional purpose, `narrowed` those above one as well,
    where full access is narrowed to conditional.
    """

    allowed: int
    conditional: int
    prohibited: int
    narrowed: int

    def access(self, purpose: int) -> Access:
        """What is seen for the purpose with this bit: denial beats condition beats allowance, and silence denies."""
        if purpose & self.prohibited:
            return Access.HIDDEN
        if purpose & self.conditional or purpose & self.allowed & self.narrowed:
            return Access.CONDITIONAL
        return Access.FULL if purpose & self.allowed else Access.HIDDEN

    def __or__(self, other: Codes) -> Codes:
        """What both say together."""
        return Codes(
            self.allowed | other.allowed,
            self.conditional | other.conditional,
            self.prohibited | other.prohibited,
            self.narrowed | other.narrowed,
        )


@dataclass(frozen=True)
class Intended:
    """Purposes for which a value is shown as it is, shown in a weaker form, or never shown.

    A purpose stands for all below it. What nothing is said about is not allowed.

    >>> tree = PurposeTree.of_children({"General": ["Admin", "Marketing"]})
    >>> income = Intended.of(allowed=["General"], conditional=["Marketing"])
    >>> income.access("Admin", tree).value, income.access("Marketing", tree).value
    ('full', 'conditional')

    General covers Marketing, for which people agreed to a weaker form only, so whoever states it sees no more:

    >>> income.access("General", tree).value, income.access("General", tree, closes_upward=False).value
    ('conditional', 'full')

    References: Kabir (2010), definitions 2.3.3 to 2.3.5, with the prohibition closed upward and downward, as its worked
    examples need, and conditions too unless `closes_upward` is off, which the thesis leaves open.
    """

    allowed: frozenset[str] = frozenset()
    conditional: frozenset[str] = frozenset()
    prohibited: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, allowed: Iterable[str] = (), conditional: Iterable[str] = (), prohibited: Iterable[str] = ()
    ) -> Intended:
        """From any lists of purposes."""
        return cls(frozenset(allowed), frozenset(conditional), frozenset(prohibited))

    def __or__(self, other: Intended) -> Intended:
        """What both say together."""
        return Intended(
            self.allowed | other.allowed, self.conditional | other.conditional, self.prohibited | other.prohibited
        )

    def codes(self, tree: PurposeTree, *, closes_upward: bool = True) -> Codes:
        """The same as bits of a tree."""
        for name in sorted(self.allowed | self.conditional | self.prohibited):
            tree.known(name)
        below = tree.code(tree.down(self.conditional))
        return Codes(
            allowed=tree.code(tree.down(self.allowed)),
            conditional=below,
            prohibited=tree.code(tree.updown(self.prohibited)),
            narrowed=tree.code(tree.updown(self.conditional)) if closes_upward else below,
        )

    def access(self, purpose: str, tree: PurposeTree, *, closes_upward: bool = True) -> Access:
        """What is seen for a purpose."""
        return self.codes(tree, closes_upward=closes_upward).access(tree.code([tree.known(purpose)]))

    def contradictions(self, tree: PurposeTree) -> list[str]:
        """Purposes that are allowed or conditional by name, and yet nothing is shown for them or any below.

        To allow a purpose and prohibit some below it is no contradiction.
        """
        closed = tree.updown(self.prohibited)
        return sorted(name for name in self.allowed | self.conditional if tree.down([name]) <= closed)


def accessible(cells: Iterable[Access]) -> tuple[float, float]:
    """Which share of the cells is seen in full or in a weaker form, and which in full alone.

    The difference is what conditional purposes gain over allowing and prohibiting alone.

    >>> accessible([Access.FULL, Access.CONDITIONAL, Access.HIDDEN, Access.HIDDEN])
    (0.5, 0.25)

    References: Kabir (2010), theorem 2.5.1.
    """
    every = list(cells)
    if not every:
        raise PolicyError("there are no cells to look at.")
    full = every.count(Access.FULL)
    return (full + every.count(Access.CONDITIONAL)) / len(every), full / len(every)
