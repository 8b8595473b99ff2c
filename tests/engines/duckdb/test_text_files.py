"""Files as they come: separators, encodings, quoting, odd names, and files that are none."""

import pytest

from sfumato.engines.duckdb.engine import DuckdbEngine
from sfumato.engines.duckdb.files import opened
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import DataError, SchemaError, UsageError


def read(path, **given):
    engine = DuckdbEngine.over_file(path, ReadOptions(**given))
    found = engine.count(engine.columns)
    rows = []
    for row, count in enumerate(found.counts):
        rows += [tuple(found.raw[name][found.codes[name][row]] for name in engine.columns)] * int(count)
    return engine.columns, sorted(rows, key=str)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found(tmp_path, separator):
    path = tmp_path / "t.csv"
    lines = [separator.join(row) for row in (("Full Name", "age"), ("Ann B", "30"), ("Bob", "40"), ("Cid", "50"))]
    path.write_text("\n".join(lines) + "\n")
    columns, rows = read(path)
    assert columns == ("Full Name", "age")
    assert rows == [("Ann B", "30"), ("Bob", "40"), ("Cid", "50")]


def test_a_given_separator_wins(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b,c\n1;2,3\n")
    assert opened(path, ReadOptions(separator=",")).columns == ("a;b", "c")
    assert opened(path, ReadOptions(separator=";")).columns == ("a", "b,c")


def test_quoted_newlines_separators_and_quotes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"note, long","b"\n"two\nlines","x"\n"say ""hi""","y"\n"a,b",""\n')
    columns, rows = read(path)
    assert columns == ("note, long", "b")
    assert rows == [("a,b", None), ('say "hi"', "y"), ("two\nlines", "x")]


@pytest.mark.parametrize(
    ("encoding", "declared"), [("utf-8", None), ("utf-8-sig", None), ("latin-1", "latin-1"), ("utf-16", None)]
)
def test_encodings(tmp_path, encoding, declared):
    path = tmp_path / "t.csv"
    path.write_bytes("naïve,straße\né,ü\na,b\n".encode(encoding))
    columns, rows = read(path, encoding=declared)
    assert columns == ("naïve", "straße")
    assert rows == [("a", "b"), ("é", "ü")]


def test_wrong_encoding_is_said_without_quoting_the_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"name,age\n" + "canaryé,3\n".encode("latin-1") * 5)
    with pytest.raises(DataError, match=r"\[data\] encoding, --encoding on the command line .*, or options=") as caught:
        read(path)
    assert "canary" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None  # the error of a decoder holds the text
    path.write_bytes("né,age\nx,3\n".encode("latin-1"))
    with pytest.raises(DataError, match="encoding"):
        read(path)
    with pytest.raises(UsageError, match="not known"):
        read(path, encoding="klingon")


def test_names_that_differ_only_in_case_stay_apart(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("Age,age\n1,2\n")
    assert read(path) == (("Age", "age"), [("1", "2")])


@pytest.mark.parametrize("header", ["a,a", "b,a,b"])
def test_duplicate_names_are_refused(tmp_path, header):
    path = tmp_path / "t.csv"
    path.write_text(header + "\n1,2,3\n")
    with pytest.raises(SchemaError, match="more than one column called"):
        opened(path)


@pytest.mark.parametrize(
    ("header", "columns", "index"),
    [
        (",age", ("column1", "age"), ("column1",)),
        ('"",column1', ("column1_", "column1"), ("column1_",)),
        ("age,", ("age", "column2"), ("column2",)),
        (",,age,job", ("column1", "column2", "age", "job"), ("column1", "column2")),
    ],
)
def test_columns_without_a_name_get_one_and_are_taken_for_an_index(tmp_path, header, columns, index):
    path = tmp_path / "t.csv"
    path.write_text(header + "\n" + ",".join("x" * len(columns)) + "\n")
    found = opened(path)
    assert found.columns == columns
    assert found.index_columns == index


def test_a_file_without_a_line_of_names(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("39,State-gov,Bachelors\n50,Private,Masters\n")
    columns, rows = read(path, header=False)
    assert columns == ("column1", "column2", "column3")
    assert rows == [("39", "State-gov", "Bachelors"), ("50", "Private", "Masters")]
    assert opened(path, ReadOptions(header=False)).index_columns == ()
    with pytest.raises(DataError, match=r"looks like a record: 1 of its 3 .* header = false, or --no-header"):
        opened(path)
    assert opened(path, ReadOptions(header=True)).columns == ("39", "State-gov", "Bachelors")


@pytest.mark.parametrize("names", ["country,2019,2020", "0,1,2", ",0,1,2", "2001,2002"])
def test_years_and_places_may_be_names(tmp_path, names):
    path = tmp_path / "t.csv"
    path.write_text(names + "\n" + ",".join("x" for _ in names.split(",")) + "\n")
    assert len(opened(path).columns) == len(names.split(","))


@pytest.mark.parametrize("names", ["7,9", "1.5,a", "2020-01-01,name", "name,-1"])
def test_other_numbers_and_dates_are_no_names(tmp_path, names):
    path = tmp_path / "t.csv"
    path.write_text(names + "\nx,y\n")
    with pytest.raises(DataError, match="looks like a record"):
        opened(path)


def test_the_encoding_is_said_where_only_the_first_line_shows_it(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("né,age\nx,3\n".encode("latin-1"))
    with pytest.raises(DataError, match="its text is not in utf-8") as caught:
        opened(path)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_a_quote_in_the_path_is_no_trouble(tmp_path):
    path = tmp_path / "o'brien.csv"
    path.write_text("a,b\n1,2\n")
    assert read(path) == (("a", "b"), [("1", "2")])


def test_a_line_of_very_many_names_is_read_as_a_whole(tmp_path):
    names = [f"a_rather_long_name_{place}" for place in range(6000)]
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + ",".join("x" * 6000) + "\n")
    assert opened(tmp_path / "wide.csv").columns == tuple(names)


@pytest.mark.parametrize("separator", ['"', "\n", "\r"])
def test_a_separator_that_is_none_is_refused(tmp_path, separator):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="neither a quote nor the end of a line"):
        opened(tmp_path / "t.csv", ReadOptions(separator=separator))
