"""Queries to a bucketized release: certain bounds, an interval if buckets are random, and an expected value."""

from sfumato.evaluation.queries.estimate import Estimate
from sfumato.evaluation.queries.estimator import Estimator

__all__ = ["Estimate", "Estimator"]
