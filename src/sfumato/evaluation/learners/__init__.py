"""Classifiers, used to measure how useful a release still is. One learner per file."""

from sfumato.evaluation.learners.c45 import C45
from sfumato.evaluation.learners.features import Features
from sfumato.evaluation.learners.gradient_boosting import GradientBoosting
from sfumato.evaluation.learners.naive_bayes import NaiveBayes
from sfumato.evaluation.learners.ranking import rank

__all__ = ["C45", "Features", "GradientBoosting", "NaiveBayes", "rank"]
