"""Questions to a release whose columns were torn apart: a value, what is certain of it, and what is likely."""

from sfumato.queries.estimate import Estimate
from sfumato.queries.estimator import Estimator

__all__ = ["Estimate", "Estimator"]
