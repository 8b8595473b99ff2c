"""Queries to a bucketized release: an estimated value with bounds that are certain and an interval that is likely."""

from sfumato.evaluation.queries.estimate import Estimate
from sfumato.evaluation.queries.estimator import Estimator

__all__ = ["Estimate", "Estimator"]
