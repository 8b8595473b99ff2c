"""Workloads: the usefulness of a release measured on tasks: classification, clustering, counting, finding rules."""

from sfumato.evaluation.workloads.classification import Classification
from sfumato.evaluation.workloads.classification_errors import ClassificationErrors
from sfumato.evaluation.workloads.cluster_analysis import ClusterAgreement, ClusterAnalysis
from sfumato.evaluation.workloads.drbt import Drbt, DrbtResult
from sfumato.evaluation.workloads.query_error import QueryError
from sfumato.evaluation.workloads.rule_error import RuleError, RuleErrors
from sfumato.evaluation.workloads.split import Split

__all__ = [
    "Classification",
    "ClassificationErrors",
    "ClusterAgreement",
    "ClusterAnalysis",
    "Drbt",
    "DrbtResult",
    "QueryError",
    "RuleError",
    "RuleErrors",
    "Split",
]
