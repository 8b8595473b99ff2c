"""The numpy twin of the compiled cuts of Mondrian: the same answers, without any running totals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.loops.cuts import Cuts, Losses, Rows

Counts = NDArray[np.int64]
Codes = NDArray[np.int32]


def side_loss(losses: Losses, codes: Codes, bits: NDArray[np.uint64]) -> float:
    """What a set of rows loses a record if published as one group."""
    total = -losses.base
    for r, column in enumerate(losses.column):
        lo, hi = codes[:, column].min(), codes[:, column].max()
        total += range_loss(losses, r, int(lo), int(hi))
    words = np.bitwise_or.reduce(bits, axis=0)
    for word, mask, weight in zip(losses.word, losses.mask, losses.weight, strict=True):
        total += weight * int(words[word] & mask).bit_count()
    for column, weight in zip(losses.wide, losses.wide_weight, strict=True):
        total += weight * len(np.unique(codes[:, column]))
    return float(total)


def range_loss(losses: Losses, r: int, lo: int, hi: int) -> float:
    """What a range of codes of one column loses."""
    if lo == hi:
        return 0.0
    size, offset = losses.size[r], losses.offset[r]
    if losses.height[r] == 0:
        position = losses.position[offset : offset + size]
        return 1.0 if hi >= losses.present[r] else float(position[hi] - position[lo])
    block = slice(offset, offset + (losses.height[r] + 1) * size)
    node, share = losses.node[block].reshape(-1, size), losses.share[block].reshape(-1, size)
    level = int(np.flatnonzero(node[:, lo] == node[:, hi])[0])
    return float(share[level, lo])


def every_cut_plain(rows: Rows, losses: Losses, starts: Counts, stops: Counts, least: int) -> Cuts:
    """All cuts whose sides both hold `least` records, by group, column and place."""
    found = []
    for group, column, inside in _each(rows, starts, stops):
        codes, counts, bits = rows.codes[inside], rows.counts[inside], rows.bits[inside]
        for place in np.unique(codes[:, column])[:-1]:
            low = codes[:, column] <= place
            left, right = counts[low].sum(), counts[~low].sum()
            if min(left, right) >= least:
                left_loss = left * side_loss(losses, codes[low], bits[low])
                right_loss = right * side_loss(losses, codes[~low], bits[~low])
                found.append((group, column, place, left, left_loss, right_loss))
    return _cuts(found)


def median_cuts_plain(rows: Rows, losses: Losses, sizes: Counts, starts: Counts, stops: Counts, least: int) -> Cuts:
    """The cut at the lower median of each column, or just below it where nothing lies above."""
    found = []
    for group, column, inside in _each(rows, starts, stops):
        codes, counts = rows.codes[inside, column], rows.counts[inside]
        values = np.unique(codes)
        line = np.sort(np.repeat(codes, counts))
        median = line[(len(line) - 1) // 2]
        if len(values) > 1 and median == values[-1]:
            median = values[-2]
        left = int(counts[codes <= median].sum())
        if min(left, len(line) - left) >= least:
            width = _width(losses, column, values, int(sizes[column]))
            found.append((group, column, median, left, -width, 0.0))
    return _cuts(found)


def halving_cuts_plain(rows: Rows, losses: Losses, sizes: Counts, starts: Counts, stops: Counts, least: int) -> Cuts:
    """The cut of each column into halves by rank."""
    found = []
    for group, column, inside in _each(rows, starts, stops):
        values, total = np.unique(rows.codes[inside, column]), inside.stop - inside.start
        left = -(-total // 2)
        if len(values) > 1 and total - left >= least:
            width = _width(losses, column, values, int(sizes[column]))
            found.append((group, column, left - 1, left, -width, 0.0))
    return _cuts(found)


def ranks_plain(codes: Codes, starts: Counts, stops: Counts) -> Codes:
    """The rank of every row within its group by each column, equal codes in row order."""
    ranked = np.empty_like(codes)
    for start, stop in zip(starts, stops, strict=True):
        for column in range(codes.shape[1]):
            order = np.argsort(codes[start:stop, column], kind="stable")
            ranked[start + order, column] = np.arange(stop - start)
    return ranked


def left_counts_plain(
    rows: Rows, keys: Codes, values: Codes, domain: int, starts: Counts, stops: Counts, cuts: Cuts
) -> Counts:
    """How often each value of another column occurs left of every cut."""
    matrix = np.zeros((len(cuts.group), domain), dtype=np.int64)
    for cut, (group, column, place) in enumerate(zip(cuts.group, cuts.column, cuts.place, strict=True)):
        inside = slice(starts[group], stops[group])
        low = keys[inside, column] <= place
        np.add.at(matrix[cut], values[inside][low], rows.counts[inside][low])
    return matrix


def _each(rows: Rows, starts: Counts, stops: Counts) -> Iterator[tuple[int, int, slice]]:
    for group, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        for column in range(rows.codes.shape[1]):
            yield group, column, slice(int(start), int(stop))


def _width(losses: Losses, column: int, values: Codes, size: int) -> float:
    for r in np.flatnonzero(losses.column == column):
        return range_loss(losses, int(r), int(values[0]), int(values[-1]))
    return (len(values) - 1) / max(size - 1, 1)


def _cuts(found: list[tuple[int, int, int, int, float, float]]) -> Cuts:
    kinds = (np.int32, np.int32, np.int32, np.int64, np.float64, np.float64)
    columns = list(zip(*found, strict=True)) or [()] * len(kinds)
    return Cuts(*(np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)))
