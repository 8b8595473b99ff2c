"""Questions to a release whose columns were torn apart: a value, what is certain of it, and what is likely."""

from sfumato.evaluation.queries.estimate import Estimate
from sfumato.evaluation.queries.estimator import Estimator

__all__ = ["Estimate", "Estimator"]
