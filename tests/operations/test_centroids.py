from __future__ import annotations

from statistics import geometric_mean, mean, median, multimode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.domain import Domain
from sfumato.errors import DataError
from sfumato.operations import centroids
from sfumato.taxonomies import Tree

GROUPS = st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=6), min_size=1, max_size=5)

PLAIN = {
    "mean": mean,
    "median": median,
    "mode": lambda numbers: min(multimode(numbers)),
    "midrange": lambda numbers: (min(numbers) + max(numbers)) / 2,
    "geometric_mean": geometric_mean,
}


def laid_out(groups: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers and groups in an order that mixes the groups."""
    pairs = [(number, place) for place, group in enumerate(groups) for number in group]
    pairs = pairs[::2] + pairs[1::2]
    return np.array([float(number) for number, _ in pairs]), np.array([place for _, place in pairs])


def test_every_centroid_has_a_plain_twin() -> None:
    assert set(centroids.NAMES) == set(PLAIN)


@pytest.mark.parametrize("name", centroids.NAMES)
@given(groups=GROUPS)
def test_centroids_are_those_of_the_standard_library(name: str, groups: list[list[int]]) -> None:
    found = getattr(centroids, name)(*laid_out(groups))
    assert found == pytest.approx([float(PLAIN[name](group)) for group in groups])


@given(groups=GROUPS)
def test_any_function_of_a_group_will_do(groups: list[list[int]]) -> None:
    found = centroids.each(lambda numbers: float(numbers.max()))(*laid_out(groups))
    assert found.tolist() == [float(max(group)) for group in groups]


def test_a_geometric_mean_refuses_what_is_no_factor() -> None:
    with pytest.raises(DataError, match="above 0"):
        centroids.geometric_mean(np.array([1.0, 0.0]), np.array([0, 0]))


def test_the_median_category_is_nearest_by_the_taxonomy() -> None:
    """Two of three are engineers or lawyers, who meet below the root; the artist is commonest of none."""
    tree = Tree(branches={"ANY": {"professional": ["engineer", "lawyer"], "artist": ["dancer", "writer"]}})
    taxonomy, _ = tree.grow(Domain.of("job", ["dancer", "engineer", "lawyer", "writer"])[0])
    names = taxonomy.domain.texts
    counts = np.zeros((2, 4), dtype=np.int64)
    for group, job in ((0, "dancer"), (0, "dancer"), (0, "engineer"), (0, "lawyer"), (0, "lawyer"), (1, "writer")):
        counts[group, names.index(job)] += 1
    assert [names[code] for code in centroids.typical(counts, taxonomy, "median")] == ["lawyer", "writer"]
    assert centroids.climbs(taxonomy)[names.index("dancer"), names.index("writer")] == 1
    assert centroids.climbs(taxonomy)[names.index("dancer"), names.index("lawyer")] == 2


def test_without_a_taxonomy_the_median_is_in_the_middle_of_the_order() -> None:
    counts = np.array([[2, 0, 0, 1, 2], [1, 1, 0, 0, 0]])
    assert centroids.typical(counts, None, "median").tolist() == [3, 0]
    assert centroids.typical(counts, None, "mode").tolist() == [0, 0]
