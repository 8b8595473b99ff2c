"""The purpose tree: what personal data may be used for, from the most general purpose down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sfumato.errors import PolicyError, nearest


@dataclass(frozen=True)
class PurposeTree:
    """Purposes under one root; a purpose covers all purposes below it.

    `parents` maps every purpose to its parent, the root to None. Every purpose has a bit of its own, the first one the
    highest, and a set of purposes is the sum of its bits: whether a purpose is in a set is one `&`.

    >>> tree = PurposeTree.of_children({"General": ["Admin", "Marketing"], "Marketing": ["Phone", "Post"]})
    >>> sorted(tree.down(["Marketing"])), sorted(tree.up(["Post"]))
    (['Marketing', 'Phone', 'Post'], ['General', 'Marketing', 'Post'])
    >>> bin(tree.code(["Phone", "Post"]))
    '0b11'

    References: Byun, Bertino and Li (2008), Purpose based access control for privacy protection in relational database
    systems; Kabir (2010), definition 2.3.1 and table 2.7.
    """

    parents: Mapping[str, str | None]

    @classmethod
    def of_children(cls, children: Mapping[str, Sequence[str]]) -> PurposeTree:
        """From the children of every purpose that has some; the first purpose named is the root."""
        if not children:
            raise PolicyError("there are no purposes; name at least one.")
        parents: dict[str, str | None] = {next(iter(children)): None}
        for parent, below in children.items():
            for child in below:
                if child in parents:
                    raise PolicyError(f"purpose {child!r} lies below two others, or below itself; it has one parent.")
                parents[child] = parent
        return cls(_by_level(parents, children))

    def __post_init__(self) -> None:
        roots = [name for name, parent in self.parents.items() if parent is None]
        if len(roots) != 1:
            raise PolicyError(f"purposes have one root; found {len(roots)}{_root_hint(roots, self.parents)}")
        for name, parent in self.parents.items():
            if parent is not None and parent not in self.parents:
                raise PolicyError(f"purpose {name!r} lies below {parent!r}, which is no purpose.")
        reached = self.down(roots)
        if len(reached) < len(self.parents):
            unreachable = sorted(set(self.parents) - reached)
            raise PolicyError(
                f"{len(unreachable)} purposes lie in a circle and below no root; one of them is {unreachable[0]!r}."
            )

    def __contains__(self, name: object) -> bool:
        return name in self.parents

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def root(self) -> str:
        """The most general purpose."""
        return next(name for name, parent in self.parents.items() if parent is None)

    def require(self, name: str) -> str:
        """The name, if it is a purpose; PolicyError otherwise."""
        if name not in self.parents:
            raise PolicyError(f"there is no purpose {name!r}; {nearest(name, self.parents)}")
        return name

    def down(self, names: Iterable[str]) -> frozenset[str]:
        """These purposes and all below them."""
        found: set[str] = set()
        pending = list(names)
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self._children.get(name, ()))
        return frozenset(found)

    def up(self, names: Iterable[str]) -> frozenset[str]:
        """These purposes and all above them."""
        found: set[str] = set()
        for name in names:
            current: str | None = name
            while current is not None and current not in found:
                found.add(current)
                current = self.parents[current]
        return frozenset(found)

    def updown(self, names: Iterable[str]) -> frozenset[str]:
        """These purposes, all below and all above them."""
        purposes = list(names)
        return self.up(purposes) | self.down(purposes)

    def code(self, names: Iterable[str]) -> int:
        """The bits of these purposes together."""
        code = 0
        for name in names:
            code |= self._codes[name]
        return code

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {}
        for name, parent in self.parents.items():
            if parent is not None:
                children.setdefault(parent, []).append(name)
        return children

    @cached_property
    def _codes(self) -> dict[str, int]:
        highest = len(self.parents) - 1
        return {name: 1 << (highest - place) for place, name in enumerate(self.parents)}


def _root_hint(roots: Sequence[str], taken: Mapping[str, object]) -> str:
    """How to write one purpose above several roots."""
    if not roots:
        return "."
    above = next(name for name in ("General", "All purposes", "The root of all") if name not in taken)
    quoted = [f'"{name}"' for name in (above, *roots[:3])]
    more = ", ..." if len(roots) > 3 else ""
    return f"; put one above them: {quoted[0]} = [{', '.join(quoted[1:])}{more}]."


def _by_level(parents: Mapping[str, str | None], children: Mapping[str, Sequence[str]]) -> dict[str, str | None]:
    """The same purposes, level by level; those that no level reaches come last, and the tree refuses them."""
    order = [name for name, parent in parents.items() if parent is None]
    for name in order:
        order.extend(children.get(name, ()))
    stray = [name for name in (*parents, *children) if name not in set(order)]
    return {name: parents.get(name) for name in dict.fromkeys([*order, *stray])}
