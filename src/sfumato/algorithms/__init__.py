"""Ways of choosing what to publish. One algorithm a file; `cutting.py` and `losses.py` serve several."""

from sfumato.algorithms.exhaustive import Exhaustive
from sfumato.algorithms.mondrian import Mondrian

__all__ = ["Exhaustive", "Mondrian"]
