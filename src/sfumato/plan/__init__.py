"""Plans: one publication, from a plan file to a release that was read back and checked."""

from sfumato.plan.outcome import Outcome
from sfumato.plan.plan import Plan

__all__ = ["Outcome", "Plan"]
