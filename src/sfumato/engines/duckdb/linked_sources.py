"""Several files as one source: the two tables of a bucketized release, and a release with its original.

`engines.opening.open_linked` calls `joined` for the audit and for attacks.
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.engines.base import BESIDE, LinkedFiles
from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.engines.duckdb.file_format import FileFormat
from sfumato.engines.duckdb.files import opened
from sfumato.engines.duckdb.relation import Relation
from sfumato.errors import DataError, SchemaError, nearest
from sfumato.taxonomies.taxonomy import ROOT


def joined(files: LinkedFiles) -> DuckdbEngine:
    """A source of records with the sensitive values of their buckets and with their original values, if given."""
    left = opened(files.release)
    columns, source, described = left.columns, _in_file_order(left, "q"), left.described
    was, read = None, [left]
    if files.original is not None:
        was = opened(files.original)
        described = f"{left.described} and {was.described}"
        read.append(was)
        _demand_same_length(left, was, described)
        source = _beside(left, was, files.shared, described) if files.shared else _row_by_row(left, was)
        columns = (*columns, *(f"{BESIDE}{name}" for name in was.columns))
    if files.secrets is not None:
        right = opened(files.secrets)
        described = f"{left.described} and {right.described}"
        read.append(right)
        at = _place_of_bucket(left, right, files.bucket)
        _demand_counts(right)
        _demand_same_buckets(left, right, at, described)
        source = _with_secrets(source, right, at, untyped=left.untyped)
        columns = (*columns, *right.columns[1:-1])
    shown, size = f"(SELECT * EXCLUDE (q_row) FROM {source})", sum(one.size for one in read)
    relation = Relation(shown, columns, described=described, size=size)
    return DuckdbEngine(relation, file=left, original=was)


def _row_by_row(left: FileFormat, was: FileFormat) -> str:
    return f"(SELECT * FROM {_in_file_order(left, 'q')} POSITIONAL JOIN {_named(was, 'o')}) AS pairs"


def _beside(left: FileFormat, was: FileFormat, shared: Sequence[str], described: str) -> str:
    """Match records with originals that agree on the shared columns; suppressed records have no original."""
    for name in shared:
        if name not in was.columns:
            raise SchemaError(f"{was.described} has no column {name!r}; {nearest(name, was.columns)}")
    here = [f"CAST(q{left.columns.index(name)} AS VARCHAR)" for name in shared]
    there = [f"CAST(o{was.columns.index(name)} AS VARCHAR)" for name in shared]
    one, other = _counted_alike(left, "q", here, "nth"), _counted_alike(was, "o", there, "mth")
    agree = [f"{mine} IS NOT DISTINCT FROM {theirs}" for mine, theirs in zip(here, there, strict=True)]
    both = f"(({one}) LEFT JOIN ({other}) ON nth = mth AND {' AND '.join(agree)})"
    # A suppressed record has `*` (or null) in all shared columns
    # and matches no original; any other record must match one.
    gone = " AND ".join(f"({mine} = '{ROOT}' OR {mine} IS NULL)" for mine in here)
    odd = Relation(
        f"(SELECT count(*) FROM {both} WHERE mth IS NULL AND NOT ({gone}))",
        ["n"],
        described=described,
        size=left.size + was.size,
    )
    strange = odd.number(f"SELECT c0 FROM {odd.source}")
    if strange:
        raise DataError(f"{described} do not belong together: {strange} records are not among the original ones.")
    return f"(SELECT * EXCLUDE (nth, mth, o_row) FROM {both}) AS pairs"


def _counted_alike(file: FileFormat, letter: str, alike: Sequence[str], number: str) -> str:
    """The records of a file, and for each its number among those that agree with it, in file order."""
    counted = f"row_number() OVER (PARTITION BY {', '.join(alike)} ORDER BY {letter}_row)"
    return f"SELECT *, {counted} AS {number} FROM {_in_file_order(file, letter)}"


def _with_secrets(source: str, right: FileFormat, at: int, *, untyped: bool) -> str:
    """Join records and sensitive values by bucket and position in it; a suppressed record has no sensitive value."""
    values = [f"s{place}" for place in range(1, len(right.columns) - 1)]
    gone = f"WHEN CAST(a.q{at} AS VARCHAR) = '{ROOT}' THEN '{ROOT}'"
    texts = [f"CASE {gone} ELSE CAST(b.{value} AS VARCHAR) END AS {value}" for value in values]
    shown = texts if untyped else values
    numbered = f"SELECT *, row_number() OVER (PARTITION BY q{at} ORDER BY q_row) AS place FROM {source}"
    # One row per sensitive value instead of one per distinct
    # value, so that each record of the bucket gets exactly one.
    one_each = f"SELECT s0, {', '.join(values)}, unnest(range({_count(right)})) FROM {_named(right, 's')}"
    in_order = f"SELECT *, row_number() OVER (PARTITION BY s0 ORDER BY {', '.join(values)}) AS place FROM ({one_each})"
    matches = f"CAST(a.q{at} AS VARCHAR) = CAST(b.s0 AS VARCHAR) AND a.place = b.place"
    return f"(SELECT a.* EXCLUDE (place), {', '.join(shown)} FROM ({numbered}) a LEFT JOIN ({in_order}) b ON {matches})"


def _in_file_order(file: FileFormat, letter: str) -> str:
    """The records of a file with their numbers in it, `q_row` or `o_row`.

    A window with a partition sees records in any order, which differs from one run to the next. A window without one
    sees them in the order of the file, which the settings of the database keep.
    """
    return f"(SELECT *, row_number() OVER () AS {letter}_row FROM {_named(file, letter)}) AS {letter}"


def _named(file: FileFormat, letter: str) -> str:
    names = ", ".join(f"{letter}{place}" for place in range(len(file.columns)))
    return f"{file.relation} AS {letter}({names})"


def _count(right: FileFormat) -> str:
    return f"CAST(s{len(right.columns) - 1} AS BIGINT)"


def _place_of_bucket(left: FileFormat, right: FileFormat, bucket: str) -> int:
    """The index of the bucket column of the records; raises an error for tables of different releases."""
    if bucket not in left.columns:
        raise SchemaError(f"{left.described} has no column {bucket!r}; {nearest(bucket, left.columns)}")
    if len(right.columns) < 3 or right.columns[0] != bucket:
        raise SchemaError(
            f"{right.described} must have {bucket!r}, the sensitive columns and their count, in this order."
        )
    shared = set(left.columns) & set(right.columns[1:-1])
    if shared:
        raise SchemaError(
            f"{left.described} and {right.described} have a column in common besides {bucket!r}; "
            "they are no two parts of one release."
        )
    return left.columns.index(bucket)


def _demand_counts(right: FileFormat) -> None:
    """Raise an error unless counts are whole numbers >= 0; negative ones could hide values of a bucket."""
    count, described = f"s{len(right.columns) - 1}", right.described
    whole = f"TRY_CAST({count} AS BIGINT)"
    strange = f"{whole} IS NULL OR {whole} < 0 OR {whole} <> TRY_CAST({count} AS DOUBLE)"
    counted = f"(SELECT count(*) FROM {_named(right, 's')} WHERE {strange})"
    odd = Relation(counted, ["n"], described=described, size=right.size)
    rows = odd.number(f"SELECT c0 FROM {odd.source}")
    if rows:
        raise DataError(
            f"the last column of {described} must be the count of each sensitive value, a whole number; "
            f"{rows} rows have none."
        )


def _demand_same_buckets(left: FileFormat, right: FileFormat, at: int, described: str) -> None:
    """Raise an error unless every bucket has as many sensitive values as records that are not suppressed."""
    here = f"SELECT CAST(q{at} AS VARCHAR) AS b, count(*) AS n FROM {_named(left, 'q')} GROUP BY ALL"
    there = f"SELECT CAST(s0 AS VARCHAR) AS b, sum({_count(right)}) AS n FROM {_named(right, 's')} GROUP BY ALL"
    counted = f"({here} HAVING b <> '{ROOT}' AND b IS NOT NULL) a FULL JOIN ({there}) c USING (b)"
    odd = Relation(
        f"(SELECT count(*) FROM {counted} WHERE a.n IS DISTINCT FROM c.n)",
        ["n"],
        described=described,
        size=left.size + right.size,
    )
    strange = odd.number(f"SELECT c0 FROM {odd.source}")
    if strange:
        raise DataError(
            f"{described} do not belong together: {strange} buckets do not have as many sensitive values as records."
        )


def _demand_same_length(left: FileFormat, right: FileFormat, described: str) -> None:
    relations = [Relation(file.relation, file.columns, described=described, size=file.size) for file in (left, right)]
    here, there = (one.number(f"SELECT count(*) FROM {one.source}") for one in relations)
    if here != there:
        raise DataError(
            f"{described} have {here} and {there} records; a release has as many as its original. If its suppressed "
            "records were dropped, publish them as rows of `*`: they keep the others at their places."
        )
