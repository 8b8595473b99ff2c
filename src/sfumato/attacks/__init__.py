"""What a release gives away: ways to find out more about people than it means to say."""

from sfumato.attacks.background_knowledge import BackgroundKnowledge
from sfumato.attacks.naive_bayes_inference import NaiveBayesInference

__all__ = ["BackgroundKnowledge", "NaiveBayesInference"]
