"""Files that are copied before an engine reads them: compressed ones, and texts in other encodings than UTF-8."""

import bz2
import errno
import gc
import gzip
import traceback
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.engines.read_options import ReadOptions
from sfumato.engines.readable_files import readable, readable_release
from sfumato.errors import DataError, UsageError
from sfumato.runtime.private_folders import PrivateFolder

TEXT = "name,age\nAnn,30\n"
LONG = "name,age\n" + "".join(f"canary{place % 977},{place % 91}\n" for place in range(50_000))


def packed(folder, name, text=TEXT):
    data, path = text.encode(), folder / name
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(data))
    elif path.suffix == ".bz2":
        path.write_bytes(bz2.compress(data))
    elif path.suffix == ".zst":
        with pa.output_stream(path, compression="zstd") as stream:
            stream.write(data)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/t.csv", data)
    return path


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.bz2", "t.csv.zst", "t.zip", "T.CSV.GZ"])
def test_compressed_files_are_unpacked_and_called_by_their_own_name(tmp_path, name):
    path = packed(tmp_path, name.lower())
    if name != path.name:
        path = path.rename(tmp_path / name)
    found = readable(path)
    assert found.path.read_text() == TEXT
    assert found.path.name.lower() == "t.csv"
    assert found.described == f"file {name!r}"
    assert readable(found) is found


def test_a_copy_is_private_and_goes_with_what_refers_to_it(tmp_path):
    found = readable(packed(tmp_path, "t.csv.gz"))
    assert isinstance(found.copied_to, PrivateFolder)
    assert found.path.parent.stat().st_mode & 0o077 == 0
    copy = found.path
    del found
    gc.collect()
    assert not copy.exists()
    assert not copy.parent.exists()


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.bz2", "t.csv.zst", "t.zip"])
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_damaged_files_are_refused_and_never_read_in_part(tmp_path, name, damage):
    path = packed(tmp_path, name, LONG)
    data = bytearray(path.read_bytes())
    half = len(data) // 2
    if damage == "cut":
        data = data[:half]
    else:
        data[half : half + 40] = bytes(255 - byte for byte in data[half : half + 40])
    path.write_bytes(data)
    with pytest.raises(DataError, match="damaged or incomplete") as caught:
        readable(path)
    assert "canary" not in "".join(traceback.format_exception(caught.value))


def test_a_file_that_is_not_compressed_at_all(tmp_path):
    for name in ("t.csv.gz", "t.csv.zst", "t.zip"):
        (tmp_path / name).write_text(TEXT)
        with pytest.raises(DataError, match="damaged or incomplete"):
            readable(tmp_path / name)


def test_archives_of_several_files_are_refused_and_those_of_file_managers_do_not_count(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("__MACOSX/t.csv", "x")
        archive.writestr("folder/.DS_Store", "x")
        archive.writestr("t.csv", TEXT)
    assert readable(tmp_path / "t.zip").path.read_text() == TEXT
    with zipfile.ZipFile(tmp_path / "t.zip", "a") as archive:
        archive.writestr("u.csv", TEXT)
    with pytest.raises(DataError, match="holds 2 files"):
        readable(tmp_path / "t.zip")


def test_utf_32_is_known_by_its_mark(tmp_path):
    (tmp_path / "t.csv").write_bytes(TEXT.encode("utf-32"))
    assert readable(tmp_path / "t.csv").options.encoding is None
    found = readable(tmp_path / "t.csv")
    assert found.path.read_text() == TEXT


def test_members_cannot_leave_the_private_folder(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("../../outside.csv", TEXT)
    found = readable(tmp_path / "t.zip")
    assert found.path.parent == found.copied_to.path


def test_encrypted_archives_are_refused(tmp_path):
    path = packed(tmp_path, "t.zip")
    data = bytearray(path.read_bytes())
    data[6] |= 1  # the flag of the local header
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="encrypted"):
        readable(path)


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (OSError(errno.ENOSPC, "full"), "the disk is full"),
        (pa.ArrowNotImplementedError("Hanni"), "it has values of a kind that cannot be stored"),
    ],
)
@pytest.mark.parametrize("name", ["t.xlsx", "t.csv"])
def test_a_failed_conversion_is_not_called_unpacking(tmp_path, monkeypatch, name, failure, why):
    def fail(*_):
        raise failure

    if name == "t.xlsx":
        pd.DataFrame({"a": [1]}).to_excel(tmp_path / name, index=False)
    else:
        (tmp_path / name).write_text(TEXT, encoding="utf-16")
    monkeypatch.setattr("sfumato.engines.readable_files.pq.write_table", fail)
    monkeypatch.setattr("sfumato.engines.readable_files._decoded", fail)
    with pytest.raises(DataError, match=f"^file '{name}' cannot be converted: {why}"):
        readable(tmp_path / name)


def test_empty_and_unknown_files(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(DataError, match="holds an empty file"):
        readable(tmp_path / "t.csv.gz")
    (tmp_path / "t.odd.gz").write_bytes(gzip.compress(b"x"))
    with pytest.raises(DataError, match=r"ending that is not known.*\.csv.*\.gz"):
        readable(tmp_path / "t.odd.gz")


def test_a_wrong_byte_far_down_is_refused_with_its_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"name,age\n" + b"canary,3\n" * 900_000 + b"canary\x81,3\n" + b"canary,3\n" * 10)
    with pytest.raises(DataError, match=r"near line \d+: its text is not in cp1252; set \[data\] encoding") as caught:
        readable(path, ReadOptions(encoding="cp1252"))
    assert 895_000 < int(str(caught.value).split("line ")[1].split(":")[0]) <= 900_002
    assert "canary" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None  # the error of a decoder holds the text


def test_control_characters_of_latin_1_are_a_sign_of_cp1252(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("name,price\nAnn,30 €\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"not in iso8859-1; .* cp1252"):
        readable(path, ReadOptions(encoding="latin-1"))
    assert "30 €" in readable(path, ReadOptions(encoding="cp1252")).path.read_text()


@pytest.mark.parametrize("encoding", ["klingon", "base64", "hex", "rot13", ""])
def test_encodings_that_are_none(tmp_path, encoding):
    (tmp_path / "t.csv").write_text(TEXT)
    with pytest.raises(UsageError, match="is not known; use one such as utf-8"):
        readable(tmp_path / "t.csv", ReadOptions(encoding=encoding))


@pytest.mark.parametrize(
    ("written", "separator", "kept"),
    [("utf-8", ";", ";"), ("cp1252", ";", ";"), ("utf-16", ";", ";"), ("utf-8", ",", None)],
)
def test_a_release_is_read_by_the_options_of_its_original_where_they_fit(tmp_path, written, separator, kept):
    path = tmp_path / "t.csv"
    path.write_bytes(f"größe{separator}ort\n1{separator}Köln\n".encode(written))
    found = readable_release(path, ReadOptions(encoding="cp1252", separator=";"))
    assert found.path.read_text(encoding="utf-8").splitlines()[0] == f"größe{separator}ort"
    assert found.options.separator == kept


def test_the_rule_is_for_texts_alone(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
    options = ReadOptions(encoding="cp1252", separator=";")
    assert readable_release(tmp_path / "t.parquet", options).options == options
    (tmp_path / "t.csv").write_text(TEXT)
    assert readable_release(tmp_path / "t.csv") == readable(tmp_path / "t.csv")
    assert readable_release(tmp_path / "t.csv", ReadOptions(header=False)).options == ReadOptions(header=False)
