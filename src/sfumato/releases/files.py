"""A release as it lies on disk: one table, two tables, or one table beside its original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.disclosure.linkage import Linkage
from sfumato.engines.base import BESIDE, Engine
from sfumato.engines.opening import columns_of, open_file, open_linked
from sfumato.errors import SchemaError, UsageError, listed, nearest


@dataclass(frozen=True)
class ReleaseFiles:
    """Where a release lies, and which columns it links.

    `bucket` is the column that names the bucket of a record, `blocks` the columns that stay together if they are not
    simply the sensitive ones and all others, `sensitive_table` the file with the secrets where they have one of their
    own, `original` the records that the release was made from, for a release without buckets in the same order.
    """

    path: Path
    bucket: str = ""
    blocks: Sequence[Sequence[str]] = ()
    sensitive_table: str | Path | None = None
    original: str | Path | None = None
    separator: str | None = None
    encoding: str | None = None
    original_dialect: tuple[str | None, str | None] = (None, None)

    def __post_init__(self) -> None:
        if self.sensitive_table is not None and not self.bucket:
            raise UsageError("a table of secrets belongs to records by their bucket; name the column of the bucket.")
        if self.blocks and not self.bucket:
            raise UsageError("blocks of columns make sense in buckets; name the column of the bucket.")

    def opened(self, sensitive: Sequence[str]) -> Engine:
        """The engine over it. Records in buckets are written shuffled, and find their original by what they show."""
        if self.sensitive_table is None and self.original is None:
            return open_file(self.path, separator=self.separator, encoding=self.encoding)
        return open_linked(
            self.path,
            secrets=None if self.sensitive_table is None else Path(self.sensitive_table),
            bucket=self.bucket,
            original=None if self.original is None else Path(self.original),
            shared=self._shared(sensitive) if self.bucket and self.original is not None else (),
            dialect=(self.separator, self.encoding),
            original_dialect=self.original_dialect,
        )

    def _shared(self, sensitive: Sequence[str]) -> list[str]:
        """The columns that a record and its original have in common."""
        shown = columns_of(self.path, separator=self.separator, encoding=self.encoding)
        kept = self.blocks[0] if self.blocks else shown
        return [name for name in shown if name in kept and name not in (*sensitive, self.bucket)]

    def linkage(self, source: Engine, sensitive: Sequence[str], quasi: Sequence[str] = ()) -> Linkage:
        """Which columns belong together: where there are buckets the given blocks, else all but the sensitive ones."""
        if not self.bucket:
            return Linkage()
        if self.bucket not in source.columns:
            raise SchemaError(f"the data has no column {self.bucket!r}; {nearest(self.bucket, source.columns)}")
        if not sensitive:
            raise UsageError("buckets hide sensitive columns; name at least one.")
        if self.bucket in (*sensitive, *quasi):
            raise SchemaError(f"column {self.bucket!r} names the bucket, which is no value of anybody; name it once.")
        for name in sensitive:
            if name not in source.columns:
                apart = " If secrets have a table of their own, give that too." if self.sensitive_table is None else ""
                raise SchemaError(f"the data has no column {name!r}; {nearest(name, source.columns)}{apart}")
        shown = [name for name in source.columns if self.original is None or not name.startswith(BESIDE)]
        others = tuple(name for name in shown if name not in (*sensitive, self.bucket))
        if not self.blocks:
            return Linkage(self.bucket, (others, tuple(sensitive)))
        self._refuse_odd_blocks((*others, *sensitive), (*quasi, *sensitive))
        return Linkage(self.bucket, tuple(map(tuple, self.blocks)))

    def _refuse_odd_blocks(self, possible: Sequence[str], needed: Sequence[str]) -> None:
        """Every quasi and sensitive column is in one block; a column misspelt would count as torn from its block."""
        named = [name for block in self.blocks for name in block]
        for name in named:
            if name not in possible:
                raise SchemaError(f"a block names {name!r}, which cannot be in one; {nearest(name, possible)}")
        odd = [name for name in dict.fromkeys((*named, *needed)) if named.count(name) != 1]
        if odd:
            raise SchemaError(f"every quasi and sensitive column is in one block; {listed(odd)} is not.")
