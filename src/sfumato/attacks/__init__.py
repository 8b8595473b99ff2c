"""Attacks: what an attacker learns about people from a release. One attack per file."""

from sfumato.attacks.background_knowledge import BackgroundKnowledge
from sfumato.attacks.distance_linkage import DistanceLinkage
from sfumato.attacks.interval_disclosure import IntervalDisclosure
from sfumato.attacks.naive_bayes_inference import NaiveBayesInference
from sfumato.attacks.rank_linkage import RankLinkage

__all__ = ["BackgroundKnowledge", "DistanceLinkage", "IntervalDisclosure", "NaiveBayesInference", "RankLinkage"]
