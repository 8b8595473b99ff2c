"""What a release must satisfy. One model a file."""

from sfumato.models.all_of import AllOf
from sfumato.models.alpha_k_anonymity import AlphaKAnonymity
from sfumato.models.confidence_bounding import ConfidenceBounding
from sfumato.models.distinct_l_diversity import DistinctLDiversity
from sfumato.models.entropy_l_diversity import EntropyLDiversity
from sfumato.models.k_anonymity import KAnonymity
from sfumato.models.lkc_privacy import LkcPrivacy
from sfumato.models.recursive_c_l_diversity import RecursiveCLDiversity
from sfumato.models.t_closeness import TCloseness

__all__ = [
    "AllOf",
    "AlphaKAnonymity",
    "ConfidenceBounding",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "KAnonymity",
    "LkcPrivacy",
    "RecursiveCLDiversity",
    "TCloseness",
]
