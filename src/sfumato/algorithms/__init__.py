"""Ways of choosing what to publish. One algorithm a file; those beside the catalogue serve several."""

from sfumato.algorithms.bottom_up_generalization import BottomUpGeneralization
from sfumato.algorithms.exhaustive import Exhaustive
from sfumato.algorithms.genetic import Genetic
from sfumato.algorithms.hdtds import Hdtds
from sfumato.algorithms.info_gain_mondrian import InfoGainMondrian
from sfumato.algorithms.lsd_mondrian import LsdMondrian
from sfumato.algorithms.mondrian import Mondrian
from sfumato.algorithms.top_down_disclosure import TopDownDisclosure
from sfumato.algorithms.top_down_refinement import TopDownRefinement

__all__ = [
    "BottomUpGeneralization",
    "Exhaustive",
    "Genetic",
    "Hdtds",
    "InfoGainMondrian",
    "LsdMondrian",
    "Mondrian",
    "TopDownDisclosure",
    "TopDownRefinement",
]
