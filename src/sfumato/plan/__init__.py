"""One publication, from a plan file to a verified release."""

from sfumato.plan.outcome import Outcome
from sfumato.plan.plan import Plan

__all__ = ["Outcome", "Plan"]
