"""What a release gives away: ways to find out more about people than it means to say."""

from sfumato.attacks.background_knowledge import BackgroundKnowledge
from sfumato.attacks.distance_linkage import DistanceLinkage
from sfumato.attacks.interval_disclosure import IntervalDisclosure
from sfumato.attacks.naive_bayes_inference import NaiveBayesInference
from sfumato.attacks.rank_linkage import RankLinkage

__all__ = ["BackgroundKnowledge", "DistanceLinkage", "IntervalDisclosure", "NaiveBayesInference", "RankLinkage"]
