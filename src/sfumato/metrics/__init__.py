"""What a release cost. One metric a file."""

from sfumato.metrics.average_group_size import AverageGroupSize
from sfumato.metrics.class_entropy import ClassEntropy
from sfumato.metrics.classification_metric import ClassificationMetric
from sfumato.metrics.discernibility import Discernibility
from sfumato.metrics.discernibility_ratio import DiscernibilityRatio
from sfumato.metrics.iloss import Iloss
from sfumato.metrics.loss_metric import LossMetric
from sfumato.metrics.minimal_distortion import MinimalDistortion
from sfumato.metrics.ncp import Ncp
from sfumato.metrics.non_uniform_entropy import NonUniformEntropy
from sfumato.metrics.precision import Precision
from sfumato.metrics.suppressed_share import SuppressedShare

__all__ = [
    "AverageGroupSize",
    "ClassEntropy",
    "ClassificationMetric",
    "Discernibility",
    "DiscernibilityRatio",
    "Iloss",
    "LossMetric",
    "MinimalDistortion",
    "Ncp",
    "NonUniformEntropy",
    "Precision",
    "SuppressedShare",
]
