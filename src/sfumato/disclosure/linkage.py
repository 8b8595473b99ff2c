"""Linkage: which columns belong to one record, in releases that cut links instead of blurring values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import UnsuitableError

Columns = tuple[str, ...]

_NAMES = ("group", "group_id", "bucket", "bucket_id")


@dataclass(frozen=True)
class Linkage:
    """Which columns still belong to one record.

    Without blocks all of them do. With blocks those of one block do, and between blocks only the bucket is shared:
    `column` names the bucket of every record. The values of the first block stay where they were; those of another one
    belong to somebody in the same bucket, nobody knows to whom.

    >>> cut = Linkage("group", (("age", "sex"), ("disease",)))
    >>> cut.grouping_columns(("age", "sex"), asked=("disease",)), cut.grouping_columns(("age", "sex"), asked=())
    (('group',), ('age', 'sex'))
    >>> Linkage().grouping_columns(("age", "sex"), asked=("disease",))
    ('age', 'sex')
    """

    column: str = ""
    blocks: tuple[Columns, ...] = ()

    @property
    def cut(self) -> bool:
        """Whether any links between columns are cut."""
        return bool(self.blocks)

    def grouping_columns(self, columns: Columns, asked: Columns) -> Columns:
        """The columns that make the groups of somebody who knows `columns` of a person and asks for others.

        Where links are cut, an attacker can at best locate the bucket and the matching records of the same block.
        """
        if not self.cut:
            return columns
        mates = {name for block in self.blocks if set(block) & set(asked) for name in block}
        if asked:
            return (self.column, *(name for name in columns if name in mates))
        if not set(columns) <= set(self.blocks[0]):
            raise UnsuitableError(
                "how many records look alike cannot be said where quasi columns are torn apart; "
                "ask what can be learned of a sensitive column instead."
            )
        return columns

    def kept(self, columns: Sequence[str]) -> Columns:
        """Those of the columns whose values stay with the record."""
        return tuple(name for name in columns if not self.cut or name in self.blocks[0])

    @property
    def moved(self) -> Columns:
        """The columns whose values do not stay where they were."""
        return tuple(name for block in self.blocks[1:] for name in block)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"column": self.column, "blocks": [list(block) for block in self.blocks]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Linkage:
        """What `to_dict` told of."""
        return cls(plain["column"], tuple(tuple(block) for block in plain["blocks"]))

    @classmethod
    def hiding(cls, sensitive: Sequence[str], others: Sequence[str], taken: Iterable[str]) -> Linkage:
        """The sensitive columns apart from all others."""
        return cls(free_name(taken), (tuple(others), tuple(sensitive)))


def free_name(taken: Iterable[str]) -> str:
    """A name for the column of buckets that no column has yet.

    >>> free_name(["group", "age"])
    'group_id'
    """
    used = {name.lower() for name in taken}
    name = next((name for name in _NAMES if name not in used), _NAMES[0])
    while name in used:
        name += "_"
    return name
