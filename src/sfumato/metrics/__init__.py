"""Metrics: numbers for the information loss and the utility of a release. One metric per file."""

from sfumato.metrics.absolute_deviation import AbsoluteDeviation
from sfumato.metrics.average_group_size import AverageGroupSize
from sfumato.metrics.class_entropy import ClassEntropy
from sfumato.metrics.classification_metric import ClassificationMetric
from sfumato.metrics.correlation_error import CorrelationError
from sfumato.metrics.covariance_error import CovarianceError
from sfumato.metrics.discernibility import Discernibility
from sfumato.metrics.discernibility_ratio import DiscernibilityRatio
from sfumato.metrics.iloss import Iloss
from sfumato.metrics.information_loss import InformationLoss
from sfumato.metrics.loss_metric import LossMetric
from sfumato.metrics.mean_error import MeanError
from sfumato.metrics.minimal_distortion import MinimalDistortion
from sfumato.metrics.ncp import Ncp
from sfumato.metrics.non_uniform_entropy import NonUniformEntropy
from sfumato.metrics.normalized_group_size import NormalizedGroupSize
from sfumato.metrics.precision import Precision
from sfumato.metrics.propensity_score import PropensityScore
from sfumato.metrics.quantile_error import QuantileError
from sfumato.metrics.regression_error import RegressionError
from sfumato.metrics.sign_test import SignTest
from sfumato.metrics.squared_error import SquaredError
from sfumato.metrics.suppressed_share import SuppressedShare

__all__ = [
    "AbsoluteDeviation",
    "AverageGroupSize",
    "ClassEntropy",
    "ClassificationMetric",
    "CorrelationError",
    "CovarianceError",
    "Discernibility",
    "DiscernibilityRatio",
    "Iloss",
    "InformationLoss",
    "LossMetric",
    "MeanError",
    "MinimalDistortion",
    "Ncp",
    "NonUniformEntropy",
    "NormalizedGroupSize",
    "Precision",
    "PropensityScore",
    "QuantileError",
    "RegressionError",
    "SignTest",
    "SquaredError",
    "SuppressedShare",
]
