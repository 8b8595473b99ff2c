"""Arithmetic modulo a large secret prime: as good as exact fractions here, with numbers of fixed size.

`linear_span` computes with it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.gateway.statistics.record_sets import RecordSet

Row = NDArray[np.int64]

BUCKETS, BLOCK = 256, 2048
"""Records are divided into blocks of 2048 numbers, and block b belongs to bucket b modulo 256."""
_BITS = 50
"""Size of the prime: a sum of 4,096 residues fits into a signed word, and floats estimate quotients well enough."""
_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""Bases for which the Miller-Rabin test is exact below 2^64."""
_STEP, _FIRST, _SECOND = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
"""The constants of the generator SplitMix64, whose mixing function gives the weights."""


@dataclass(frozen=True)
class Residues:
    """Integers modulo a 50-bit prime, with a weight for every record; both are random and secret.

    *Why a prime suffices.* Sets of records are rows of 0 and 1. What they reveal depends on their rank, and the rank is
    the same as over fractions unless the prime divides one particular minor. A minor of a thousand such rows has at
    most 100 prime factors of 50 bits, out of more than 10^13 such primes; and nobody can aim at a prime they do not
    know.

    *What the weights are for.* A row over a million records is zero if its weighted sum is zero, up to a chance of one
    in the prime. The sum is kept separately for 256 buckets of records, so that a record at which a row is nonzero can
    be found without looking at all of them.
    """

    prime: int
    seed: int = field(repr=False)

    @classmethod
    def random(cls) -> Residues:
        """A random prime and random weights."""
        number = 0
        while not is_prime(number):
            # The highest bit is set, so that the prime has exactly this size; the lowest too, because primes are odd.
            number = (1 << (_BITS - 1)) | secrets.randbits(_BITS - 1) | 1
        return cls(number, secrets.randbits(64))

    def with_new_weights(self) -> Residues:
        """The same prime with other weights."""
        return Residues(self.prime, secrets.randbits(64))

    def weights(self, numbers: NDArray[np.int64]) -> Row:
        """The weight of every record: its number, mixed with the secret seed."""
        mixed = numbers.astype(np.uint64) * _STEP
        mixed += np.uint64(self.seed)
        for shift, factor in ((30, _FIRST), (27, _SECOND)):
            mixed ^= mixed >> np.uint64(shift)
            mixed *= factor
        mixed ^= mixed >> np.uint64(31)
        return (mixed >> np.uint64(65 - _BITS)).view(np.int64)  # below 2^49, and so below the prime

    def weighted_sums(self, records: RecordSet) -> Row:
        """The weights of the records of a set, summed by bucket."""
        numbers = records.all_numbers()
        sums = np.zeros(BUCKETS, dtype=np.int64)
        if len(numbers):
            blocks = numbers // BLOCK
            starts = np.flatnonzero(np.append(True, blocks[1:] != blocks[:-1]))
            # A block has at most 2,048 records with weights below 2**49, so the sum of a block fits into a word.
            totals = np.add.reduceat(self.weights(numbers), starts) % self.prime
            np.add.at(sums, blocks[starts] % BUCKETS, totals)
        return sums % self.prime

    def inverse(self, number: int) -> int:
        """The multiplicative inverse."""
        return pow(number, -1, self.prime)

    def sum_rows(self, rows: NDArray[np.int64]) -> Row:
        """The sum of rows, reduced every 4,096 rows: a sum of 4,096 numbers of 50 bits fits into a word."""
        total = np.zeros(rows.shape[1], dtype=np.int64)
        for start in range(0, len(rows), 4096):
            total = (total + rows[start : start + 4096].sum(axis=0)) % self.prime
        return total


def is_prime(number: int) -> bool:
    """Whether a number below 2^64 is prime; the Miller-Rabin test with these bases is exact there.

    >>> [number for number in range(40) if is_prime(number)]
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    """
    if number < 2 or any(number % base == 0 for base in _BASES):
        return number in _BASES
    # `n & -n` keeps the lowest set bit of n = number - 1, which is the power of two that divides it.
    twos = (number - 1 & 1 - number).bit_length() - 1
    odd = (number - 1) >> twos
    return all(_passes(pow(base, odd, number), twos, number) for base in _BASES)


def _passes(power: int, twos: int, number: int) -> bool:
    """Whether a number passes the test for one base."""
    if power in (1, number - 1):
        return True
    for _ in range(twos - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False
