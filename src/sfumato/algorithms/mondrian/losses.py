"""Tables of the loss of ranges and sets of values, in the form that the compiled loops read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.mondrian.loops.cuts import Losses
from sfumato.data.domain import Domain
from sfumato.data.labels import range_loss
from sfumato.data.table import Table
from sfumato.taxonomies.taxonomy import Taxonomy

_WORD = 64
MOST_BITS = 1024
"""Sets of columns with more values are counted, not kept as bits, which would take more memory than the rows."""


def losses_of(table: Table, *, sets: bool, most_bits: int = MOST_BITS) -> Losses:
    """Numbers and dates lose the width of their range, categories the size of their set or taxonomy node.

    Sets of columns with at most `most_bits` values are kept as bits; `set_bits` has to be called with the same number.
    """
    ranged = [name for name in table.schema.quasi if not _is_set(table, name, sets)]
    words, masks, weights, base = _segments(table, sets, most_bits)
    wide = [place for place, name in enumerate(table.schema.quasi) if _is_wide(table, name, sets, most_bits)]
    wide_weights = [_per_value(table, table.schema.quasi[place]) for place in wide]
    offsets, present, heights, sizes = [], [], [], []
    position, node, share = [np.zeros(0)], [np.zeros(0, dtype=np.int32)], [np.zeros(0)]
    rise = [np.zeros(0, dtype=np.int32)]
    offset = 0
    for name in ranged:
        domain, taxonomy = table.domain(name), table.taxonomies.get(name)
        tree = None if domain.ordered else taxonomy
        block = (1 if tree is None else tree.height + 1) * len(domain)
        offsets.append(offset)
        present.append(domain.present)
        heights.append(0 if tree is None else tree.height)
        sizes.append(len(domain))
        # All tables of a column have one entry per level and code,
        # so that one offset serves them all; the positions repeat.
        position.append(np.resize(_positions(domain), block))
        node.append(np.zeros(block, dtype=np.int32) if tree is None else tree.nodes.ravel())
        share.append(np.zeros(block) if tree is None else _shares(tree))
        rise.append(np.full(block, -1, dtype=np.int32) if tree is None else np.resize(_rises(tree), block))
        offset += block
    places = [table.schema.quasi.index(name) for name in ranged]
    return Losses(
        column=np.array(places, dtype=np.int32),
        offset=np.array(offsets, dtype=np.int64),
        present=np.array(present, dtype=np.int32),
        position=np.concatenate(position),
        height=np.array(heights, dtype=np.int32),
        size=np.array(sizes, dtype=np.int32),
        node=np.concatenate(node),
        share=np.concatenate(share),
        rise=np.concatenate(rise),
        word=words,
        mask=masks,
        weight=weights,
        wide=np.array(wide, dtype=np.int32),
        wide_weight=np.array(wide_weights, dtype=np.float64),
        base=base + sum(wide_weights),
    )


def set_bits(table: Table, *, sets: bool, most_bits: int = MOST_BITS) -> NDArray[np.uint64]:
    """The sets of each row as bits: one bit per value of the set columns, set where the row has the value.

    Columns of more than `most_bits` values have none.
    """
    layout, width = _layout(table, sets, most_bits)
    bits = np.zeros((len(table), width), dtype=np.uint64)
    for name, first in layout.items():
        bit = first + table.codes[name].astype(np.int64)
        bits[np.arange(len(table)), bit // _WORD] |= np.uint64(1) << (bit % _WORD).astype(np.uint64)
    return bits


def _is_set(table: Table, name: str, sets: bool) -> bool:
    return not table.domain(name).ordered and (sets or name not in table.taxonomies)


def _is_wide(table: Table, name: str, sets: bool, most_bits: int) -> bool:
    return _is_set(table, name, sets) and len(table.domain(name)) > most_bits


def _per_value(table: Table, name: str) -> float:
    """The loss of one more value of a set."""
    return 1 / max(len(table.domain(name)) - 1, 1)


def _layout(table: Table, sets: bool, most_bits: int) -> tuple[dict[str, int], int]:
    """The first bit of each set column that has bits, and the number of words.

    A column that fits into one word lies in one.
    """
    layout, bit = {}, 0
    for name in table.schema.quasi:
        if _is_set(table, name, sets) and not _is_wide(table, name, sets, most_bits):
            size = len(table.domain(name))
            # A column that would cross a word boundary starts at the next
            # word, so that most set columns are counted with one mask.
            if bit % _WORD + size > _WORD:
                bit = -(-bit // _WORD) * _WORD
            layout[name] = bit
            bit += size
    return layout, max(-(-bit // _WORD), 1)


def _segments(
    table: Table, sets: bool, most_bits: int
) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.float64], float]:
    """The words and masks of sets that have bits, the loss of one more value, and the loss counted for first values."""
    layout, _ = _layout(table, sets, most_bits)
    words, masks, weights, base = [], [], [], 0.0
    for name, first in layout.items():
        size = len(table.domain(name))
        weight = _per_value(table, name)
        # The loops charge every value of a set. The first value costs nothing, which `base` corrects.
        base += weight
        bits = np.arange(first, first + size)
        for word in np.unique(bits // _WORD):
            inside = bits[bits // _WORD == word] % _WORD
            words.append(word)
            masks.append(np.bitwise_or.reduce(np.uint64(1) << inside.astype(np.uint64)))
            weights.append(weight)
    return np.array(words, dtype=np.int32), np.array(masks, dtype=np.uint64), np.array(weights, dtype=float), base


def _positions(domain: Domain) -> NDArray[np.float64]:
    """The position of each code between 0 and 1; unordered codes lie at equal distances."""
    numbers = domain.numbers if domain.numbers is not None else np.arange(len(domain), dtype=np.float64)
    span = numbers[domain.present - 1] - numbers[0] if domain.present > 1 else 0.0
    return np.nan_to_num((numbers - numbers[0]) / span if span else np.zeros(len(domain)))


def _shares(taxonomy: Taxonomy) -> NDArray[np.float64]:
    """The loss of the node over each code on each level: of numbers the width, of categories the other values."""
    return range_loss(taxonomy.domain, taxonomy.lo, taxonomy.hi)[taxonomy.nodes].ravel()


def _rises(taxonomy: Taxonomy) -> NDArray[np.int32]:
    """For each code of a column of numbers, the highest level on which the next code has another node; else -1."""
    rises = np.full(len(taxonomy.domain), -1, dtype=np.int32)
    if taxonomy.domain.ordered:
        rises[:-1] = (taxonomy.nodes[:, 1:] != taxonomy.nodes[:, :-1]).sum(axis=0) - 1
    return rises
