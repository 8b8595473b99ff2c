"""Ways of choosing what to publish. One algorithm a file; those beside the catalogue serve several."""

from sfumato.algorithms.anatomy import Anatomy
from sfumato.algorithms.bottom_up_generalization import BottomUpGeneralization
from sfumato.algorithms.exhaustive import Exhaustive
from sfumato.algorithms.genetic import Genetic
from sfumato.algorithms.hdtds import Hdtds
from sfumato.algorithms.info_gain_mondrian import InfoGainMondrian
from sfumato.algorithms.injector import Injector
from sfumato.algorithms.lsd_mondrian import LsdMondrian
from sfumato.algorithms.mondrian import Mondrian
from sfumato.algorithms.permutation import Permutation
from sfumato.algorithms.slicing import Slicing
from sfumato.algorithms.top_down_disclosure import TopDownDisclosure
from sfumato.algorithms.top_down_refinement import TopDownRefinement

__all__ = [
    "Anatomy",
    "BottomUpGeneralization",
    "Exhaustive",
    "Genetic",
    "Hdtds",
    "InfoGainMondrian",
    "Injector",
    "LsdMondrian",
    "Mondrian",
    "Permutation",
    "Slicing",
    "TopDownDisclosure",
    "TopDownRefinement",
]
