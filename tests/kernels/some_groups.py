"""Points in groups of at least k and fewer than 2k, as kernels have them."""

import numpy as np
from hypothesis import strategies as st

from sfumato.algorithms.improvement.loops.simulated_annealing import fill_state, membership_of
from tests.oracles.optimal_microaggregation import sse


@st.composite
def groups(draw, k=3, least=2):
    """Some groups of points around random places, settled; every point knows all others by distance."""
    sizes = draw(st.lists(st.integers(k, 2 * k - 1), min_size=least, max_size=6))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    labels = random.permutation(np.repeat(np.arange(len(sizes)), sizes)).astype(np.int32)
    points = 2.0 * random.standard_normal((len(sizes), 3))[labels] + random.standard_normal((len(labels), 3))
    return settled(points, labels, k)


def settled(points, labels, k):
    far = ((points[:, None] - points) ** 2).sum(axis=2)
    near = np.argsort(far, axis=1, kind="stable")[:, 1:].astype(np.int32)
    at = membership_of(np.ascontiguousarray(points), np.ascontiguousarray(near), labels, k)
    fill_state(at)
    return at


def loss(at):
    return sse(at.points, at.labels)


def is_in_order(at, k):
    """Whether members, places, sizes, centroids and spare groups say what the labels say."""
    groups = len(at.sizes)
    sizes = np.bincount(at.labels, minlength=groups)
    spare = sorted(at.spare[: at.spares[0]].tolist())
    if at.sizes.tolist() != sizes.tolist() or spare != np.flatnonzero(sizes == 0).tolist():
        return False
    if not all(size == 0 or k <= size < 2 * k for size in sizes):
        return False
    if not all(at.members[at.labels[record], at.places[record]] == record for record in range(len(at.labels))):
        return False
    return all(
        np.allclose(at.centroids[group], at.points[at.labels == group].mean(axis=0))
        for group in range(groups)
        if sizes[group]
    )
