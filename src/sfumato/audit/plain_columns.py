"""How many records become unique once somebody also knows the columns that a release publishes unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.disclosure.published_view import sizes_of
from sfumato.engines.base import Engine
from sfumato.errors import listed


@dataclass(frozen=True)
class PlainColumns:
    """Published columns that are neither quasi-identifying nor sensitive, and what they give away beside quasi columns.

    `unique` records are the only ones with their values in all these columns, out of `records`; `smallest` is the size
    of the smallest group. Models do not count these columns, so a release can satisfy them although persons stand out.
    `unnamed` says that a check of a file was not told what they are; otherwise a plan has published them.
    """

    columns: tuple[str, ...]
    unique: int
    records: int
    smallest: int
    unnamed: bool = False

    @classmethod
    def of(
        cls, source: Engine, quasi: Sequence[str], plain: Sequence[str], *, nulls: bool, unnamed: bool = False
    ) -> PlainColumns | None:
        """Count in a published file; None if it has no such columns. Columns of nested values are not compared.

        Hashes are compared, because nearly all records may differ; the models' own groups are compared by values.
        """
        columns = tuple(name for name in plain if source.is_comparable(name))
        if not columns:
            return None
        (sizes, how_many), _ = sizes_of(source, (*quasi, *columns), nulls=nulls, by_hash=True)
        if not len(sizes):
            return None
        alone = int(how_many[sizes == 1].sum())
        return cls(columns, alone, int(np.dot(sizes, how_many)), int(sizes.min()), unnamed)

    @property
    def warning(self) -> str:
        """What the publisher should know, who uses a plan or a command; empty if no record is unique."""
        return self._warning('Give the role "quasi" to what others may know of a person, or leave it out.')

    @property
    def warning_in_python(self) -> str:
        """The same for a call in Python, where roles are arguments."""
        return self._warning(
            "Name in quasi=[...] what others may know of a person, or in identifiers=[...] to leave it out."
        )

    def _warning(self, way_out: str) -> str:
        if not self.unique:
            return ""
        one = len(self.columns) == 1
        said = (
            f"{self.unique:,} of {self.records:,} published records ({self.unique / self.records:.1%}) are unique for "
            f"somebody who also knows {listed(self.columns)}"
        )
        if self.unnamed:
            what = "a column that is not named here" if one else "columns that are not named here"
            return f"{said}, {what}. Name what others may know of a person, too: by --quasi, or quasi=[...] in Python."
        return f"{said}, which {'is' if one else 'are'} published unchanged. {way_out}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a certificate."""
        found = {**self.__dict__, "columns": list(self.columns)}
        del found["unnamed"]
        return found
