"""Privacy models: what a release must satisfy. Each model has a file of its own."""

from sfumato.models.all_of import AllOf
from sfumato.models.alpha_k_anonymity import AlphaKAnonymity
from sfumato.models.bounded_belief import BoundedBelief
from sfumato.models.confidence_bounding import ConfidenceBounding
from sfumato.models.delta_presence import DeltaPresence
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.models.entropy_l_diversity import EntropyLDiversity
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.k_e_anonymity import KEAnonymity
from sfumato.models.lkc_privacy import LkcPrivacy
from sfumato.models.matching_l_diversity import MatchingLDiversity
from sfumato.models.recursive_c_l_diversity import RecursiveCLDiversity
from sfumato.models.t_closeness import TCloseness

__all__ = [
    "AllOf",
    "AlphaKAnonymity",
    "BoundedBelief",
    "ConfidenceBounding",
    "DeltaPresence",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "KAnonymity",
    "KEAnonymity",
    "LkcPrivacy",
    "MatchingLDiversity",
    "RecursiveCLDiversity",
    "TCloseness",
]
