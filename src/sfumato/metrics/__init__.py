"""What a release cost. One metric a file."""

from sfumato.metrics.average_group_size import AverageGroupSize
from sfumato.metrics.discernibility import Discernibility
from sfumato.metrics.iloss import Iloss
from sfumato.metrics.minimal_distortion import MinimalDistortion
from sfumato.metrics.ncp import Ncp
from sfumato.metrics.non_uniform_entropy import NonUniformEntropy
from sfumato.metrics.precision import Precision
from sfumato.metrics.suppressed_share import SuppressedShare

__all__ = [
    "AverageGroupSize",
    "Discernibility",
    "Iloss",
    "MinimalDistortion",
    "Ncp",
    "NonUniformEntropy",
    "Precision",
    "SuppressedShare",
]
