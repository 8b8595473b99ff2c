"""Folding: which rules of a list say no more than a more general rule of it, so that a reader need not see them.

The command `knowledge show` lists rules folded. What is written in a file is never folded, because models read the
file: a share of some persons adds to what is known although a more general rule has a share of more persons.
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.knowledge.rule import Rule


def folded(never: Sequence[Rule], likely: Sequence[Rule]) -> list[tuple[Rule, int]]:
    """The rules that no other rule of their kind implies, in their order, and how many others each stands for.

    A rule that several others imply counts for the first of them.

    >>> from sfumato.knowledge.item import Item
    >>> man, old = Item("sex", "Male"), Item("age", "70")
    >>> [(str(rule), more) for rule, more in folded([Rule((man, old), "birth"), Rule((man,), "birth")], [])]
    [('sex is Male: never birth', 1)]
    """
    return [*_folded(never, rarer=True), *_folded(likely, rarer=False)]


def _folded(rules: Sequence[Rule], *, rarer: bool) -> list[tuple[Rule, int]]:
    """The same for rules of one kind; `rarer` says that a rule is stronger the smaller its share."""
    alike: dict[str, list[int]] = {}
    for place, rule in enumerate(rules):
        alike.setdefault(rule.value, []).append(place)
    above: list[list[int]] = [[] for _ in rules]
    for places in alike.values():
        for place in places:
            above[place] = [other for other in places if other != place and _implies(rules, other, place, rarer)]
    stands = dict.fromkeys((place for place, others in enumerate(above) if not others), 0)
    for others in above:
        if others:
            stands[next(other for other in others if other in stands)] += 1
    return [(rules[place], more) for place, more in stands.items()]


def _implies(rules: Sequence[Rule], general: int, special: int, rarer: bool) -> bool:
    """Whether a rule says all that another says: it is about at least the same persons, and claims at least as much.

    Of two rules that imply each other the first implies the second.
    """
    one, other = rules[general], rules[special]
    if not _covers(one, other) or (one.share > other.share if rarer else one.share < other.share):
        return False
    return general < special or not _covers(other, one) or one.share != other.share


def _covers(general: Rule, special: Rule) -> bool:
    """Whether a rule is about every person that another is about."""
    return all(any(item.within(wide) for item in special.when) for wide in general.when)
