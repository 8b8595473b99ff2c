"""The files of a release: one table, two tables, or one table with its original.

The audit, attacks and `sfumato check` open releases with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.disclosure.linkage import Linkage
from sfumato.engines.base import BESIDE, Dialect, Engine, LinkedFiles, is_parquet
from sfumato.engines.opening import columns_of, open_file, open_linked
from sfumato.errors import SchemaError, UsageError, listed, nearest


@dataclass(frozen=True)
class ReleaseFiles:
    """The files of a release, and which of its columns are linked.

    `bucket` is the column with the bucket of a record. `blocks` are the columns that stay together; by default the
    sensitive columns are one block and all others another. `sensitive_table` is the file of the sensitive values if
    they have one of their own; its dialect is that of the release unless `sensitive_dialect` is given. `original` has
    the original records; without buckets, in the order of the release.
    """

    path: Path
    bucket: str = ""
    blocks: Sequence[Sequence[str]] = ()
    sensitive_table: str | Path | None = None
    original: str | Path | None = None
    separator: str | None = None
    encoding: str | None = None
    original_dialect: Dialect = (None, None)
    sensitive_dialect: Dialect | None = None

    def __post_init__(self) -> None:
        if self.sensitive_table is not None and not self.bucket:
            raise UsageError("a table of sensitive values needs buckets; name the column of the bucket.")
        if self.blocks and not self.bucket:
            raise UsageError("blocks of columns exist only in releases with buckets; name the column of the bucket.")

    @property
    def typed(self) -> bool:
        """Whether the file is a Parquet file, in which a missing value is not a text."""
        return is_parquet(self.path)

    def opened(self, sensitive: Sequence[str]) -> Engine:
        """An engine over the files.

        Records in buckets are shuffled, so they are matched with their originals by the values that they share.
        """
        if self.sensitive_table is None and self.original is None:
            source = open_file(self.path, separator=self.separator, encoding=self.encoding)
            self._demand_bucket(source.columns)
            return source
        dialect = (self.separator, self.encoding)
        return open_linked(
            LinkedFiles(
                self.path,
                secrets=None if self.sensitive_table is None else Path(self.sensitive_table),
                bucket=self.bucket,
                original=None if self.original is None else Path(self.original),
                shared=self._shared(sensitive) if self.bucket and self.original is not None else (),
                dialect=dialect,
                secrets_dialect=self.sensitive_dialect or dialect,
                original_dialect=self.original_dialect,
            )
        )

    def _shared(self, sensitive: Sequence[str]) -> list[str]:
        """The columns with equal values in a record and its original."""
        shown = columns_of(self.path, separator=self.separator, encoding=self.encoding)
        self._demand_bucket(shown)
        kept = self.blocks[0] if self.blocks else shown
        return [name for name in shown if name in kept and name not in (*sensitive, self.bucket)]

    def _demand_bucket(self, columns: Sequence[str]) -> None:
        """Raise an error if the file of the records does not have the column of the bucket."""
        if self.bucket and self.bucket not in columns:
            raise SchemaError(f"file {self.path.name!r} has no column {self.bucket!r}; {nearest(self.bucket, columns)}")

    def linkage(self, source: Engine, sensitive: Sequence[str], quasi: Sequence[str] = ()) -> Linkage:
        """Which columns belong to one record: all without buckets, otherwise those of one block."""
        if not self.bucket:
            return Linkage()
        if not sensitive:
            raise UsageError("buckets hide sensitive columns; name at least one.")
        if self.bucket in (*sensitive, *quasi):
            raise SchemaError(
                f"column {self.bucket!r} names the bucket, so it cannot be quasi or sensitive; name it once."
            )
        for name in sensitive:
            if name not in source.columns:
                hint = (
                    ""
                    if self.sensitive_table is not None
                    else " If sensitive values have a table of their own, give that too."
                )
                raise SchemaError(f"the data has no column {name!r}; {nearest(name, source.columns)}{hint}")
        shown = [name for name in source.columns if self.original is None or not name.startswith(BESIDE)]
        others = tuple(name for name in shown if name not in (*sensitive, self.bucket))
        if not self.blocks:
            return Linkage(self.bucket, (others, tuple(sensitive)))
        self._refuse_odd_blocks((*others, *sensitive), (*quasi, *sensitive))
        return Linkage(self.bucket, tuple(map(tuple, self.blocks)))

    def _refuse_odd_blocks(self, possible: Sequence[str], needed: Sequence[str]) -> None:
        """Raise an error unless every quasi and sensitive column is in one block; a misspelt one would be cut off."""
        named = [name for block in self.blocks for name in block]
        for name in named:
            if name not in possible:
                raise SchemaError(f"a block names {name!r}, which cannot be in one; {nearest(name, possible)}")
        odd = [name for name in dict.fromkeys((*named, *needed)) if named.count(name) != 1]
        if odd:
            raise SchemaError(f"every quasi and sensitive column is in one block; {listed(odd)} is not.")
