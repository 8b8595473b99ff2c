"""Ways of choosing what to publish: one folder per family, one file per algorithm, its compiled loops in `loops`.

Classes are imported from their own file when they are first used, so that one algorithm does not load all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sfumato.algorithms.bucketization.anatomy import Anatomy as Anatomy
    from sfumato.algorithms.bucketization.injector import Injector as Injector
    from sfumato.algorithms.bucketization.permutation import Permutation as Permutation
    from sfumato.algorithms.bucketization.slicing import Slicing as Slicing
    from sfumato.algorithms.clustering.k_center import KCenter as KCenter
    from sfumato.algorithms.clustering.k_member import KMember as KMember
    from sfumato.algorithms.clustering.loukides_shao import LoukidesShao as LoukidesShao
    from sfumato.algorithms.clustering.oka import Oka as Oka
    from sfumato.algorithms.clustering.systematic_clustering import SystematicClustering as SystematicClustering
    from sfumato.algorithms.clustering.weighted_c_means import WeightedCMeans as WeightedCMeans
    from sfumato.algorithms.full_domain.bottom_up_generalization import BottomUpGeneralization as BottomUpGeneralization
    from sfumato.algorithms.full_domain.datafly import Datafly as Datafly
    from sfumato.algorithms.full_domain.exhaustive import Exhaustive as Exhaustive
    from sfumato.algorithms.full_domain.fixed_levels import FixedLevels as FixedLevels
    from sfumato.algorithms.full_domain.genetic import Genetic as Genetic
    from sfumato.algorithms.full_domain.incognito import Incognito as Incognito
    from sfumato.algorithms.full_domain.local_recoding import LocalRecoding as LocalRecoding
    from sfumato.algorithms.full_domain.optimal_lattice import OptimalLattice as OptimalLattice
    from sfumato.algorithms.full_domain.samarati import Samarati as Samarati
    from sfumato.algorithms.full_domain.spalm import Spalm as Spalm
    from sfumato.algorithms.improvement.partition_improver import PartitionImprover as PartitionImprover
    from sfumato.algorithms.microaggregation.cbfs import Cbfs as Cbfs
    from sfumato.algorithms.microaggregation.dba import Dba as Dba
    from sfumato.algorithms.microaggregation.diameter import Diameter as Diameter
    from sfumato.algorithms.microaggregation.fuzzy_c_means import FuzzyCMeans as FuzzyCMeans
    from sfumato.algorithms.microaggregation.genetic_microaggregation import (
        GeneticMicroaggregation as GeneticMicroaggregation,
    )
    from sfumato.algorithms.microaggregation.hansen_mukherjee import HansenMukherjee as HansenMukherjee
    from sfumato.algorithms.microaggregation.k_ward import KWard as KWard
    from sfumato.algorithms.microaggregation.maximum_distance import MaximumDistance as MaximumDistance
    from sfumato.algorithms.microaggregation.mdav import Mdav as Mdav
    from sfumato.algorithms.microaggregation.mdav_1 import Mdav1 as Mdav1
    from sfumato.algorithms.microaggregation.mdav_2 import Mdav2 as Mdav2
    from sfumato.algorithms.microaggregation.mdav_generic import MdavGeneric as MdavGeneric
    from sfumato.algorithms.microaggregation.median_microaggregation import (
        MedianMicroaggregation as MedianMicroaggregation,
    )
    from sfumato.algorithms.microaggregation.mhm import Mhm as Mhm
    from sfumato.algorithms.microaggregation.mst import Mst as Mst
    from sfumato.algorithms.microaggregation.mu_approx import MuApprox as MuApprox
    from sfumato.algorithms.microaggregation.pairwise_systematic import PairwiseSystematic as PairwiseSystematic
    from sfumato.algorithms.microaggregation.systematic_microaggregation import (
        SystematicMicroaggregation as SystematicMicroaggregation,
    )
    from sfumato.algorithms.microaggregation.tfrp import Tfrp as Tfrp
    from sfumato.algorithms.microaggregation.two_step_microaggregation import (
        TwoStepMicroaggregation as TwoStepMicroaggregation,
    )
    from sfumato.algorithms.microaggregation.v_mdav import VMdav as VMdav
    from sfumato.algorithms.mondrian.info_gain_mondrian import InfoGainMondrian as InfoGainMondrian
    from sfumato.algorithms.mondrian.lsd_mondrian import LsdMondrian as LsdMondrian
    from sfumato.algorithms.mondrian.mondrian import Mondrian as Mondrian
    from sfumato.algorithms.mondrian.mpalm import Mpalm as Mpalm
    from sfumato.algorithms.specialization.hdtds import Hdtds as Hdtds
    from sfumato.algorithms.specialization.top_down_disclosure import TopDownDisclosure as TopDownDisclosure
    from sfumato.algorithms.specialization.top_down_refinement import TopDownRefinement as TopDownRefinement


def __getattr__(name: str) -> Any:
    from sfumato.settings.catalogue import class_named

    return class_named("algorithms", name)


def __dir__() -> list[str]:
    from sfumato.settings.catalogue import entries

    return sorted(entry.thing.__name__ for entry in entries("algorithms"))
