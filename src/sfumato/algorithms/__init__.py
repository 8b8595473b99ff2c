"""Ways of choosing what to publish. One algorithm a file."""

from sfumato.algorithms.mondrian import Mondrian

__all__ = ["Mondrian"]
