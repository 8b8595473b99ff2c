"""Methods that perturb values record by record, so that no published value is certain. One mask per file."""

from sfumato.masks.coding import Coding
from sfumato.masks.correlated_noise import CorrelatedNoise
from sfumato.masks.noise import Noise
from sfumato.masks.pram import Pram
from sfumato.masks.random_rounding import RandomRounding
from sfumato.masks.rank_swapping import RankSwapping
from sfumato.masks.record_swapping import RecordSwapping
from sfumato.masks.rounding import Rounding
from sfumato.masks.shuffling import Shuffling

__all__ = [
    "Coding",
    "CorrelatedNoise",
    "Noise",
    "Pram",
    "RandomRounding",
    "RankSwapping",
    "RecordSwapping",
    "Rounding",
    "Shuffling",
]
