"""Ways of choosing what to publish. One algorithm a file; those beside the catalogue serve several."""

from sfumato.algorithms.anatomy import Anatomy
from sfumato.algorithms.bottom_up_generalization import BottomUpGeneralization
from sfumato.algorithms.cbfs import Cbfs
from sfumato.algorithms.dba import Dba
from sfumato.algorithms.diameter import Diameter
from sfumato.algorithms.exhaustive import Exhaustive
from sfumato.algorithms.fuzzy_c_means import FuzzyCMeans
from sfumato.algorithms.genetic import Genetic
from sfumato.algorithms.genetic_microaggregation import GeneticMicroaggregation
from sfumato.algorithms.hansen_mukherjee import HansenMukherjee
from sfumato.algorithms.hdtds import Hdtds
from sfumato.algorithms.info_gain_mondrian import InfoGainMondrian
from sfumato.algorithms.injector import Injector
from sfumato.algorithms.k_center import KCenter
from sfumato.algorithms.k_member import KMember
from sfumato.algorithms.k_ward import KWard
from sfumato.algorithms.loukides_shao import LoukidesShao
from sfumato.algorithms.lsd_mondrian import LsdMondrian
from sfumato.algorithms.maximum_distance import MaximumDistance
from sfumato.algorithms.mdav import Mdav
from sfumato.algorithms.mdav_1 import Mdav1
from sfumato.algorithms.mdav_2 import Mdav2
from sfumato.algorithms.mdav_generic import MdavGeneric
from sfumato.algorithms.median_microaggregation import MedianMicroaggregation
from sfumato.algorithms.mhm import Mhm
from sfumato.algorithms.mondrian import Mondrian
from sfumato.algorithms.mst import Mst
from sfumato.algorithms.mu_approx import MuApprox
from sfumato.algorithms.oka import Oka
from sfumato.algorithms.pairwise_systematic import PairwiseSystematic
from sfumato.algorithms.partition_improver import PartitionImprover
from sfumato.algorithms.permutation import Permutation
from sfumato.algorithms.slicing import Slicing
from sfumato.algorithms.systematic_clustering import SystematicClustering
from sfumato.algorithms.systematic_microaggregation import SystematicMicroaggregation
from sfumato.algorithms.tfrp import Tfrp
from sfumato.algorithms.top_down_disclosure import TopDownDisclosure
from sfumato.algorithms.top_down_refinement import TopDownRefinement
from sfumato.algorithms.two_step_microaggregation import TwoStepMicroaggregation
from sfumato.algorithms.v_mdav import VMdav
from sfumato.algorithms.weighted_c_means import WeightedCMeans

__all__ = [
    "Anatomy",
    "BottomUpGeneralization",
    "Cbfs",
    "Dba",
    "Diameter",
    "Exhaustive",
    "FuzzyCMeans",
    "Genetic",
    "GeneticMicroaggregation",
    "HansenMukherjee",
    "Hdtds",
    "InfoGainMondrian",
    "Injector",
    "KCenter",
    "KMember",
    "KWard",
    "LoukidesShao",
    "LsdMondrian",
    "MaximumDistance",
    "Mdav",
    "Mdav1",
    "Mdav2",
    "MdavGeneric",
    "MedianMicroaggregation",
    "Mhm",
    "Mondrian",
    "Mst",
    "MuApprox",
    "Oka",
    "PairwiseSystematic",
    "PartitionImprover",
    "Permutation",
    "Slicing",
    "SystematicClustering",
    "SystematicMicroaggregation",
    "Tfrp",
    "TopDownDisclosure",
    "TopDownRefinement",
    "TwoStepMicroaggregation",
    "VMdav",
    "WeightedCMeans",
]
