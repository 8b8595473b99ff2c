"""Files as an engine can read them: UTF-8 text and Parquet as they are, all others as a converted copy.

Compressed files are unpacked, texts in other encodings become UTF-8, and workbooks, files of statistics programs and
the current version of a Delta table become Parquet.

Copies are in private folders, which are removed when nothing refers to their `ReadableFile` any more.
"""

from __future__ import annotations

import codecs
import re
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.formats import parquet_folders, survey_files, workbooks
from sfumato.engines.formats.delta_tables import copy_delta_table, is_delta_table
from sfumato.engines.read_options import DETECTED, ReadOptions
from sfumato.errors import DataError, UsageError
from sfumato.runtime.atomic_files import reason
from sfumato.runtime.private_folders import PrivateFolder

PARQUET = parquet_folders.ENDINGS
TEXT = (".csv", ".dat", ".tsv", ".txt")
_COMPRESSED = {".bz2": "bz2", ".gz": "gzip", ".zst": "zstd"}
_ZIP = ".zip"
PACKED = (*_COMPRESSED, _ZIP)
_CONVERTED = dict.fromkeys(workbooks.ENDINGS, workbooks.workbook_table) | dict.fromkeys(
    survey_files.ENDINGS, survey_files.survey_table
)
"""Other formats, each with the function that reads a file of it."""

_UTF_8 = codecs.lookup("utf-8").name
_CHUNK = 1 << 20
_PIECE = 1 << 14
"""Characters that are decoded at a time; a message says the line to about as many."""
_CONTROL = re.compile("[\x80-\x9f]")
"""Characters of latin-1 that no text has; cp1252 has letters and marks in their places."""

SET_ENCODING = (
    "set [data] encoding, --encoding on the command line (--original-encoding for what follows --original), or "
    "options=ReadOptions(encoding=...) in Python, e.g. to cp1252."
)


@dataclass(frozen=True)
class ReadableFile:
    """A file that an engine reads as it is; `path` may be a copy of the file that messages describe.

    `parts` are the Parquet files of a folder, in the order in which their records are read. `version` is that of a
    Delta table, None for everything else.
    """

    path: Path
    described: str
    options: ReadOptions = DETECTED
    parts: tuple[Path, ...] = ()
    version: int | None = None
    copied_to: PrivateFolder | None = field(default=None, repr=False, compare=False)

    @property
    def typed(self) -> bool:
        """Whether the file stores the types of its columns, so that a missing value is not a text."""
        return bool(self.parts) or is_parquet(self.path)

    @property
    def size(self) -> int:
        """The number of bytes that are read."""
        return sum(path.stat().st_size for path in self.parts or (self.path,))


def is_parquet(path: Path) -> bool:
    """Whether a file is a Parquet file, by its suffix; other files that an engine reads are text."""
    return path.suffix.lower() in PARQUET


def holds_data(path: Path) -> bool:
    """Whether a file is one of data that can be read, by its suffix."""
    return path.suffix.lower() in (*PARQUET, *TEXT, *_CONVERTED, *PACKED)


def readable(given: str | Path | ReadableFile, options: ReadOptions = DETECTED) -> ReadableFile:
    """A file as an engine can read it: the file itself, or a copy. A `ReadableFile` has its options already."""
    if isinstance(given, ReadableFile):
        return given
    if not isinstance(options, ReadOptions):
        raise UsageError(
            'options are given as ReadOptions(encoding="cp1252"), also separator, header, sheet and value_labels; '
            f"got {type(options).__name__}. It is imported by from sfumato import ReadOptions."
        )
    path = Path(given)
    if path.is_dir():
        described = f"folder {path.name!r}"
        if is_delta_table(path):
            folder = PrivateFolder()
            copy = folder.path / "table.parquet"
            return ReadableFile(
                copy, described, options, version=copy_delta_table(path, described, copy), copied_to=folder
            )
        return ReadableFile(path, described, options, parquet_folders.parts_of(path, described))
    if not path.is_file():
        hint = "" if str(path).isprintable() else "; write a path of Windows in single quotes: 'C:\\data\\file.csv'"
        raise DataError(f"there is no file {str(path)!r}{hint}.")
    file = ReadableFile(path, f"file {path.name!r}", options)
    if not file.size:
        raise DataError(f"{file.described} is empty.")
    file = _unpacked(file)
    if not file.size:
        raise DataError(f"{file.described} holds an empty file.")
    suffix = file.path.suffix.lower()
    if suffix in _CONVERTED:
        return _as_parquet(file, _CONVERTED[suffix])
    if suffix in TEXT:
        return _in_utf8(file)
    if not file.typed:
        if kind := _database_kind(file.path):
            raise DataError(
                f"{file.described} is a database; name it {kind}:{given} with a table: --table NAME on the command "
                f'line, or database = "{kind}:{given}" and table = "NAME" in [data].'
            )
        raise DataError(
            f"{file.described} has an ending that is not known; save it as CSV or Parquet. Known are "
            f"{', '.join(sorted((*TEXT, *PARQUET, *_CONVERTED)))}, which may be compressed "
            f"({', '.join(sorted(PACKED))})."
        )
    return file


def _database_kind(path: Path) -> str:
    """How commands and plans call the kind of a database in a file, by its first bytes; empty if it is none."""
    with path.open("rb") as stream:
        head = stream.read(16)
    return "sqlite" if head.startswith(b"SQLite format 3") else "duckdb" if head[8:12] == b"DUCK" else ""


def readable_release(given: str | Path, options: ReadOptions = DETECTED) -> ReadableFile:
    """A release whose original is read with these options; they hold for it as far as they fit.

    Releases are mostly written in UTF-8 whatever their original is: a text in UTF-8 is read as such, and the given
    encoding is for others. A separator that its first line does not have is detected.
    """
    if options.encoding is None and options.separator is None:
        return readable(given, options)
    file = readable(given, replace(options, encoding=None))
    if file.typed or (options.encoding is not None and not _is_utf8(file.path)):
        file = readable(given, options)
    if options.separator is None or file.typed:
        return file
    with file.path.open(encoding=_UTF_8, errors="replace") as stream:
        first = stream.readline()
    return file if options.separator in first else replace(file, options=replace(file.options, separator=None))


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder(_UTF_8)()
    with path.open("rb") as stream, suppress(UnicodeError):
        while chunk := stream.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
        return True
    return False


def _as_parquet(file: ReadableFile, table_of: Callable[[Path, str, ReadOptions], pa.Table]) -> ReadableFile:
    """A Parquet file with the records of a file of another format."""
    table = table_of(file.path, file.described, file.options)
    folder = PrivateFolder()
    copy = folder.path / f"{file.path.stem}.parquet"
    with _copying(file, "converted"):
        pq.write_table(table, copy)
    return replace(file, path=copy, copied_to=folder)


def _unpacked(file: ReadableFile) -> ReadableFile:
    """The file, decompressed if its ending says that it is compressed."""
    suffix = file.path.suffix.lower()
    if suffix != _ZIP and suffix not in _COMPRESSED:
        return file
    folder = PrivateFolder()
    with _copying(file, "unpacked"):
        if suffix == _ZIP:
            with zipfile.ZipFile(file.path) as archive:
                member = _only_member(archive, file.described)
                copy = folder.path / Path(member.filename).name
                with archive.open(member) as packed, copy.open("wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked, _CHUNK)
        else:
            copy = folder.path / file.path.stem
            with pa.input_stream(file.path, compression=_COMPRESSED[suffix]) as packed, copy.open("wb") as unpacked:
                shutil.copyfileobj(packed, unpacked, _CHUNK)
    return replace(file, path=copy, copied_to=folder)


def _only_member(archive: zipfile.ZipFile, described: str) -> zipfile.ZipInfo:
    """The only file of an archive, besides those that file managers add."""
    members = [
        one
        for one in archive.infolist()
        if not one.is_dir() and not one.filename.startswith("__MACOSX/") and not Path(one.filename).name.startswith(".")
    ]
    if len(members) != 1:
        raise DataError(f"{described} holds {len(members)} files, and one table is read from it; unpack it first.")
    return members[0]


def _in_utf8(file: ReadableFile) -> ReadableFile:
    """A text file in UTF-8, converted if it has another encoding."""
    encoding = _encoding(file)
    if encoding == _UTF_8:
        return file
    folder = PrivateFolder()
    copy = folder.path / file.path.name
    with _copying(file, "converted"), copy.open("w", encoding=_UTF_8, newline="") as converted:
        for text in _decoded(file, encoding):
            converted.write(text)
    return replace(file, path=copy, copied_to=folder)


def _encoding(file: ReadableFile) -> str:
    """The encoding of a text file: the declared one, that of a mark at its beginning, or else UTF-8."""
    declared = file.options.encoding
    if declared is not None:
        with suppress(LookupError, UnicodeError):
            "a".encode(declared)  # refuses codecs that do not encode text, such as base64
            name = codecs.lookup(declared).name
            return _UTF_8 if name == "utf-8-sig" else name
        raise UsageError(f"encoding {declared!r} is not known; use one such as utf-8, utf-16, cp1252 or latin-1.")
    with file.path.open("rb") as stream:
        head = stream.read(4)
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    return "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else _UTF_8


def _decoded(file: ReadableFile, encoding: str) -> Iterator[str]:
    """The text of a file in pieces; raises an error that says the line for bytes that the encoding does not have."""
    lines = 1
    with file.path.open(encoding=encoding, newline="") as stream:
        while True:
            text = None
            with suppress(UnicodeError):  # as a context, it would hold the bytes of the file
                text = stream.read(_PIECE)
            if text == "":
                return
            if text is None or (encoding == "iso8859-1" and _CONTROL.search(text)):
                raise DataError(
                    f"{file.described} cannot be read near line {lines}: its text is not in {encoding}; {SET_ENCODING}"
                )
            lines += text.count("\n")
            yield text


@contextmanager
def _copying(file: ReadableFile, done: Literal["unpacked", "converted"]) -> Iterator[None]:
    """Replace errors of reading a file, and of writing its copy, by errors that say what could not be done, and why."""
    try:
        yield
    except OSError as error:
        why = "it is damaged or incomplete" if error.errno is None else reason(error).rstrip(".")
    except (EOFError, zipfile.BadZipFile, zlib.error):
        why = "it is damaged or incomplete"
    except (NotImplementedError, RuntimeError):
        packed = "it is encrypted, or packed in an unknown way"
        why = packed if done == "unpacked" else "it has values of a kind that cannot be stored"
    else:
        return
    raise DataError(f"{file.described} cannot be {done}: {why}.") from None
