"""Linkage: which columns of a release still belong to one record.

Bucketization publishes values unchanged and cuts the links between blocks of columns. Views use the linkage to group
records, recodings to move values, and writers to shuffle records.
"""

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

    Without blocks all columns do. With blocks the columns of one block do, and different blocks share only the bucket;
    `bucket_column` has the bucket of every record. The values of the first block stay with their record; those
    of every other block belong to any record of the same bucket.

    >>> cut = Linkage("group", (("age", "sex"), ("disease",)))
    >>> cut.grouping_columns(("age", "sex"), asked=("disease",)), cut.grouping_columns(("age", "sex"), asked=())
    (('group',), ('age', 'sex'))
    >>> Linkage().grouping_columns(("age", "sex"), asked=("disease",))
    ('age', 'sex')
    """

    bucket_column: str = ""
    blocks: tuple[Columns, ...] = ()

    @property
    def cut(self) -> bool:
        """Whether any links between columns are cut."""
        return bool(self.blocks)

    def grouping_columns(self, columns: Columns, asked: Columns) -> Columns:
        """The columns that define the groups for an attacker who knows `columns` and wants to learn `asked`.

        Where links are cut, an attacker can at best locate the bucket and the matching records of the same block.
        """
        if not self.cut:
            return columns
        if asked:
            # Known columns of the same block as the asked one stay with it, so they narrow the group further.
            mates = {name for block in self.blocks if set(block) & set(asked) for name in block}
            return (self.bucket_column, *(name for name in columns if name in mates))
        if not set(columns) <= set(self.blocks[0]):
            raise UnsuitableError(
                "groups have no size if links between quasi columns are cut; use a model that limits what can be "
                "learned of a sensitive column instead, such as confidence_bounding."
            )
        return columns

    def kept(self, columns: Sequence[str]) -> Columns:
        """Those of the given columns whose values stay with their record."""
        return tuple(name for name in columns if not self.cut or name in self.blocks[0])

    @property
    def moved(self) -> Columns:
        """The columns whose values are moved inside their bucket."""
        return tuple(name for block in self.blocks[1:] for name in block)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a recoding file or a certificate."""
        return {"column": self.bucket_column, "blocks": [list(block) for block in self.blocks]}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Linkage:
        """Rebuild the linkage from the result of `to_dict`."""
        return cls(plain["column"], tuple(tuple(block) for block in plain["blocks"]))

    @classmethod
    def hiding(cls, sensitive: Sequence[str], others: Sequence[str], taken: Iterable[str]) -> Linkage:
        """The linkage that cuts the sensitive columns from `others`; the bucket column gets a name not in `taken`."""
        return cls(free_name(taken), (tuple(others), tuple(sensitive)))


def free_name(taken: Iterable[str]) -> str:
    """A name for the bucket column that no other column has.

    >>> free_name(["group", "age"])
    'group_id'
    """
    used = {name.lower() for name in taken}
    name = next((name for name in _NAMES if name not in used), _NAMES[0])
    while name in used:
        name += "_"
    return name
