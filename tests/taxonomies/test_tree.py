from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import DataError, ParameterError, TaxonomyError
from sfumato.taxonomies import Tree
from sfumato.taxonomies.reading import builder_from_plan

IN_PLANS = [
    ({"tree": "jobs.txt"}, Tree(path=Path("folder") / "jobs.txt")),
    ({"branches": {"any": ["a", "b"]}}, Tree(branches={"any": ["a", "b"]})),
]
JOBS = """ANY_Job
  Professional
    Engineer
    Lawyer
  Artist
    Dancer
    Writer
"""
JOB_ROWS = [
    ["Engineer", "Professional", "ANY_Job"],
    ["Lawyer", "Professional", "ANY_Job"],
    ["Dancer", "Artist", "ANY_Job"],
    ["Writer", "Artist", "ANY_Job"],
]


def jobs(*values: str) -> Domain:
    return Domain.of("job", list(values) or ["Dancer", "Engineer", "Lawyer", "Writer"], kind=Kind.TEXT)[0]


def saved(folder: Path, text: str, name: str = "jobs.txt") -> Tree:
    (folder / name).write_text(text, encoding="utf-8")
    return Tree(path=folder / name)


def test_indented_text_of_the_book(tmp_path: Path) -> None:
    """Golden B1: the job tree."""
    assert saved(tmp_path, JOBS).grow(jobs())[0].level_rows() == JOB_ROWS


def test_toml_and_tables_say_the_same(tmp_path: Path) -> None:
    toml = '[ANY_Job]\nProfessional = ["Engineer", "Lawyer"]\nArtist = ["Dancer", "Writer"]\n'
    assert saved(tmp_path, toml, "jobs.toml").grow(jobs())[0].level_rows() == JOB_ROWS
    tables = {"ANY_Job": {"Professional": {"Engineer": {}, "Lawyer": {}}, "Artist": ["Dancer", "Writer"]}}
    assert Tree(branches=tables).grow(jobs())[0].level_rows() == JOB_ROWS


def test_tabs_windows_line_ends_and_blank_lines_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "jobs.txt").write_bytes(("\ufeff" + JOBS.replace("  ", "\t").replace("\n", "\r\n\r\n")).encode())
    assert Tree(path=str(tmp_path / "jobs.txt")).grow(jobs())[0].level_rows() == JOB_ROWS


def test_a_short_branch_repeats_its_value() -> None:
    taxonomy, _ = Tree(branches={"any": {"deep": {"deeper": ["a"]}, "b": []}}).grow(jobs("a", "b"))
    assert taxonomy.level_rows() == [["a", "deeper", "deep", "any"], ["b", "b", "b", "any"]]
    assert taxonomy.parents()[1] == taxonomy.root


def test_numbers_are_matched_by_size() -> None:
    domain, _ = Domain.of("age", ["30", "7"])
    rows = Tree(branches={"any": {"young": [7.0], "old": ["030"]}}).grow(domain)[0].level_rows()
    assert rows == [["7", "young", "any"], ["30", "old", "any"]]


def test_several_roots_are_named() -> None:
    with pytest.raises(TaxonomyError, match=r"tree of 'job' has 2 roots: 'A', 'B'. Put one node above them"):
        Tree(branches={"A": ["a"], "B": ["b"]}).grow(jobs("a"))


def test_several_roots_in_a_file(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match="has 3 roots"):
        saved(tmp_path, "a\nb\nc\n").grow(jobs("a", "b"))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match="is empty"):
        saved(tmp_path, "\n  \n").grow(jobs())


@pytest.mark.parametrize("text", ["any\n  Artist\n    Artist\n", "any\n  Artist\n    Dancer\n      any\n"])
def test_a_node_below_itself_is_a_cycle(tmp_path: Path, text: str) -> None:
    with pytest.raises(TaxonomyError, match=r"cycle: '(Artist|any)' lies under itself"):
        saved(tmp_path, text).grow(jobs("Dancer"))


@pytest.mark.parametrize(
    "branches",
    [
        {"any": {"A": ["x"], "B": ["x"]}},
        {"any": {"A": {"C": ["x"]}, "B": {"C": ["y"]}}},
        {"any": {"A": ["x", "x"]}},
        {"any": {"A": ["B"], "B": ["x"]}},
    ],
)
def test_a_name_in_two_places_is_refused(branches: dict[str, object]) -> None:
    with pytest.raises(TaxonomyError, match="in two places; a node has one parent"):
        Tree(branches=branches).grow(jobs("x"))


def test_a_name_twice_under_one_parent_says_which_line(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"line 3 of 'jobs.txt' names 'a' a second time"):
        saved(tmp_path, "any\n  a\n  a\n").grow(jobs("a"))


def test_a_line_between_two_indents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"line 3 of 'jobs.txt' has an indentation that no line above it has"):
        saved(tmp_path, "any\n    a\n  b\n").grow(jobs("a", "b"))


@pytest.mark.parametrize("below", ["Dancer", 7, [["Dancer"]], [{"Dancer": []}]])
def test_what_is_neither_table_nor_list_of_values_is_refused(below: object) -> None:
    with pytest.raises(TaxonomyError, match="'Artist' holds something else"):
        Tree(branches={"any": {"Artist": below}}).grow(jobs("Dancer"))


def test_values_outside_the_tree_are_listed(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"the tree of 'job' does not cover 2 values: 'Artist', 'Baker'"):
        saved(tmp_path, JOBS).grow(jobs("Baker", "Dancer", "Artist"))


def test_a_tree_higher_than_the_stack() -> None:
    branches: dict[str, object] = {"value": {}}
    for level in range(2000):
        branches = {f"n{level}": branches}
    assert Tree(branches=branches).grow(jobs("value"))[0].height == 2000


@pytest.mark.parametrize("given", [{}, {"path": "x", "branches": {"a": []}}])
def test_exactly_one_source(given: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="either 'path' or 'branches'"):
        Tree(**given)


def test_a_bare_list_has_no_root() -> None:
    with pytest.raises(ParameterError, match="'branches' of Tree must be a table"):
        Tree(branches=["a", "b"])  # type: ignore[arg-type]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no taxonomy file"):
        Tree(path=tmp_path / "none.txt").grow(jobs())
    with pytest.raises(TaxonomyError, match=r"'jobs.toml' is no valid TOML"):
        saved(tmp_path, "a = = b", "jobs.toml").grow(jobs())


def test_nested_tables_are_no_path() -> None:
    """A dictionary in Python, and a table in a plan."""
    with pytest.raises(
        ParameterError, match="given as branches, with one root and lists of the values innermost: bran"
    ):
        Tree(path={"ANY": ["a"]})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="given as branches, with one root"):
        builder_from_plan({"tree": {"ANY": ["a"]}}, Path())
