from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.data.kinds import Kind
from sfumato.errors import TaxonomyError
from sfumato.taxonomies import Taxonomy, Tree
from sfumato.taxonomies.taxonomy import ROOT, interval_bounds

# Book, Figures 2.1 and 3.1, as reconstructed in golden B1.
JOB = Tree(branches={"ANY_Job": {"Professional": ["Engineer", "Lawyer"], "Artist": ["Dancer", "Writer"]}})
SEX = Tree(branches={"ANY_Sex": ["Male", "Female"]})
AGE = Tree(branches={"[30-40)": ["[30-35)", "[35-40)"]})


def text_domain(*values: str | None, missing: tuple[str, ...] = ()) -> Domain:
    return Domain.of("job", list(values), kind=Kind.TEXT, missing=missing)[0]


def built(domain: Domain, *levels: list[str]) -> Taxonomy:
    return Taxonomy.of_levels(domain, levels)[0]


@st.composite
def random_levels(draw: st.DrawFn) -> tuple[Domain, list[list[str]]]:
    """A domain of texts and levels of labels in which each is a function of the one below, one label at the top."""
    values = [f"v{place:02}" for place in range(draw(st.integers(1, 9)))]
    domain = text_domain(*values, *([None] if draw(st.booleans()) else []))
    levels, groups = [], list(range(len(values)))
    for level in range(draw(st.integers(0, 3))):
        kinds = max(groups) + 1
        merged = draw(st.lists(st.integers(0, kinds - 1), min_size=kinds, max_size=kinds))
        groups = [merged[group] for group in groups]
        levels.append([f"n{level}.{group}" for group in groups])
    return domain, [*levels, [ROOT] * len(values)]


@pytest.mark.parametrize(("tree", "cuts"), [(JOB, 5), (SEX, 2), (AGE, 2)])
def test_number_of_cuts_of_the_book(tree: Tree, cuts: int) -> None:
    """Golden A3: C(H) is the product over the children plus one."""
    leaves = {"ANY_Job": ["Engineer", "Lawyer", "Dancer", "Writer"], "ANY_Sex": ["Male", "Female"]}
    values = leaves.get(next(iter(tree.branches or {})), ["[30-35)", "[35-40)"])
    assert tree.grow(text_domain(*values))[0].count_cuts() == cuts


def test_job_tree_of_the_book() -> None:
    """Golden B1, and G2: Artist has two of the four leaves."""
    taxonomy, _ = JOB.grow(text_domain("Engineer", "Lawyer", "Dancer", "Writer"))
    leaves = dict(zip(taxonomy.labels, taxonomy.leaves.tolist(), strict=True))
    assert leaves["Artist"] == leaves["Professional"] == 2
    assert leaves["ANY_Job"] == 4
    assert taxonomy.labels[taxonomy.root] == "ANY_Job"
    assert taxonomy.height == 2


@given(random_levels())
def test_every_node_is_the_range_of_the_codes_it_stands_for(given_levels: tuple[Domain, list[list[str]]]) -> None:
    domain, levels = given_levels
    taxonomy = built(domain, *levels)
    for node in range(len(taxonomy.labels)):
        for row in taxonomy.nodes:
            under = np.flatnonzero(row == node)
            if len(under):
                assert under.tolist() == list(range(taxonomy.lo[node], taxonomy.hi[node] + 1))
    assert taxonomy.nodes[0].tolist() == list(range(len(domain)))
    assert set(taxonomy.nodes[-1].tolist()) == {taxonomy.root}
    assert len(set(taxonomy.labels)) == len(taxonomy.labels)


@given(random_levels())
def test_the_order_says_where_each_value_came_from(given_levels: tuple[Domain, list[list[str]]]) -> None:
    domain, levels = given_levels
    taxonomy, order = Taxonomy.of_levels(domain, levels)
    assert sorted(order.tolist()) == list(range(len(domain)))
    for new, old in enumerate(order.tolist()):
        assert taxonomy.domain.texts[new] == domain.texts[old]
        if old < domain.present:
            assert taxonomy.level_rows()[new][1:] == [row[old] for row in levels]
    if domain.has_missing:
        assert order[-1] == domain.present


@given(random_levels())
def test_lowest_common_is_the_smallest_node_over_both_ends(given_levels: tuple[Domain, list[list[str]]]) -> None:
    taxonomy = built(given_levels[0], *given_levels[1])
    pairs = [(lo, hi) for lo in range(len(taxonomy.domain)) for hi in range(lo, len(taxonomy.domain))]
    lo, hi = (np.array(ends, dtype=np.int32) for ends in zip(*pairs, strict=True))
    levels = taxonomy.level_of()
    for first, last, found in zip(lo, hi, taxonomy.lowest_common(lo, hi), strict=True):
        over = [n for n in range(len(levels)) if taxonomy.lo[n] <= first and last <= taxonomy.hi[n]]
        assert found in over
        assert taxonomy.leaves[found] == min(taxonomy.leaves[over])
        assert levels[found] == min(levels[node] for node in over)


@given(random_levels())
def test_parents_lead_to_the_root(given_levels: tuple[Domain, list[list[str]]]) -> None:
    taxonomy = built(given_levels[0], *given_levels[1])
    parents, levels = taxonomy.parents(), taxonomy.level_of()
    for node, parent in enumerate(parents.tolist()):
        assert (node == parent) == (node == taxonomy.root)
        assert taxonomy.lo[parent] <= taxonomy.lo[node] <= taxonomy.hi[node] <= taxonomy.hi[parent]
        assert node == parent or levels[parent] > levels[node]


@given(random_levels())
def test_cuts_are_as_many_as_can_be_listed(given_levels: tuple[Domain, list[list[str]]]) -> None:
    taxonomy = built(given_levels[0], *given_levels[1])
    if len(taxonomy.labels) > 12:
        return
    paths = [set(column) for column in taxonomy.nodes.T.tolist()]
    nodes = range(len(taxonomy.labels))
    chosen = (set(some) for size in range(1, len(taxonomy.domain) + 1) for some in combinations(nodes, size))
    assert taxonomy.count_cuts() == sum(all(len(cut & path) == 1 for path in paths) for cut in chosen)


def test_cuts_of_a_very_high_tree() -> None:
    chain = [[f"n{level}"] for level in range(3000)]
    assert built(text_domain("a"), *chain).count_cuts() == 3001


def test_without_levels_there_is_only_the_root() -> None:
    assert built(text_domain("a", "b")).level_rows() == [["a", ROOT], ["b", ROOT]]


def test_a_missing_value_hangs_directly_under_the_root() -> None:
    taxonomy = built(text_domain("a", "b", "?", missing=("?",)), ["n", "n"], ["m", "m"], ["top", "top"])
    assert taxonomy.level_rows()[-1] == ["?", "?", "?", "top"]
    assert taxonomy.parents()[2] == taxonomy.root


def test_a_column_of_missing_values_only() -> None:
    assert built(text_domain(None)).level_rows() == [["missing", ROOT]]


def test_a_value_called_missing_beside_a_missing_value() -> None:
    assert [row[0] for row in built(text_domain("missing", None)).level_rows()] == ["missing", "(missing)"]


def test_two_roots_are_named() -> None:
    with pytest.raises(TaxonomyError, match=r"'job' has 2 roots \('x', 'y'\)"):
        built(text_domain("a", "b"), ["x", "y"])


def test_two_parents_are_refused() -> None:
    with pytest.raises(TaxonomyError, match=r"level 1 more than one parent: 'n' under 'x', 'y'"):
        built(text_domain("a", "b"), ["n", "n"], ["x", "y"], [ROOT, ROOT])


@pytest.mark.parametrize(
    "levels",
    [
        (["b", "a"], [ROOT, ROOT]),
        (["n", "n"], ["m", "m"], ["n", "n"], [ROOT, ROOT]),
        (["n", "n"], ["a", "a"], [ROOT, ROOT]),
    ],
)
def test_a_cycle_is_refused(levels: tuple[list[str], ...]) -> None:
    with pytest.raises(TaxonomyError, match="has a cycle"):
        built(text_domain("a", "b"), *levels)


def test_a_value_under_a_node_under_the_value_is_a_cycle() -> None:
    with pytest.raises(TaxonomyError, match="has a cycle through 'a', 'n'"):
        built(text_domain("a"), ["n"], ["a"], [ROOT])


def test_one_label_for_two_sets_is_refused() -> None:
    with pytest.raises(TaxonomyError, match=r"uses 'c' for different sets"):
        built(text_domain("a", "b", "c"), ["c", "c", "d"], [ROOT] * 3)


def test_a_node_without_a_name_is_refused() -> None:
    with pytest.raises(TaxonomyError, match="node without a name"):
        built(text_domain("a", "b"), [" ", " "], [ROOT, ROOT])


def test_numbers_must_stay_neighbours() -> None:
    domain, _ = Domain.of("age", ["1", "2", "3"])
    with pytest.raises(TaxonomyError, match=r'not neighbours in their order; declare the column as type = "text"'):
        Taxonomy.of_levels(domain, [["odd", "even", "odd"], [ROOT] * 3])


def test_a_false_interval_lists_its_offenders() -> None:
    domain, _ = Domain.of("age", ["0", "5", "10", "11"])
    with pytest.raises(TaxonomyError, match=r"places 2 values .*: '10 under \[0, 10\)', '11 under \[0, 10\)'"):
        Taxonomy.of_levels(domain, [["[0, 10)"] * 4, [ROOT] * 4])


def test_a_false_interval_is_refused_on_every_level() -> None:
    domain, _ = Domain.of("age", ["1", "20"])
    with pytest.raises(TaxonomyError, match=r"'20 under \[0, 20\)'"):
        Taxonomy.of_levels(domain, [["1 or so", "20 or so"], ["[0, 20)"] * 2])


def test_ranges_without_brackets_are_reported_instead() -> None:
    domain, _ = Domain.of("age", ["15", "20", "21"])
    taxonomy, _ = Taxonomy.of_levels(domain, [["15-19", "15-19", "20-24"], [ROOT] * 3])
    assert taxonomy.misnamed == ("15-19",)


def test_an_interval_over_a_missing_value_is_not_false() -> None:
    domain, _ = Domain.of("age", ["1", "2", None])
    assert Taxonomy.of_levels(domain, [["[1, 2]"] * 2])[0].misnamed == ()


@pytest.mark.parametrize(
    ("label", "kind", "bounds"),
    [
        ("[20, 30)", Kind.NUMBER, (20.0, True, 30.0, False)),
        ("(-1.5, 1e3]", Kind.NUMBER, (-1.5, False, 1000.0, True)),
        ("20-29", Kind.NUMBER, (20.0, True, 29.0, True)),
        ("-5 - -1", Kind.NUMBER, (-5.0, True, -1.0, True)),
        ("[2020-01-01, 2020-01-02]", Kind.DATE, (737425.0, True, 737426.0, True)),
        ("2020-01", Kind.DATE, None),
        ("young", Kind.NUMBER, None),
        ("[a, b)", Kind.NUMBER, None),
        ("[1, 2)", Kind.TEXT, None),
    ],
)
def test_interval_bounds(label: str, kind: Kind, bounds: tuple[float, bool, float, bool] | None) -> None:
    assert interval_bounds(label, kind) == bounds
