"""Ways to learn a class, to measure what a release is still good for. One learner a file."""

from sfumato.learners.c45 import C45
from sfumato.learners.features import Features
from sfumato.learners.gradient_boosting import GradientBoosting
from sfumato.learners.naive_bayes import NaiveBayes
from sfumato.learners.ranking import rank

__all__ = ["C45", "Features", "GradientBoosting", "NaiveBayes", "rank"]
