"""What a release is still good for, measured by doing it: learning, clustering, counting, finding rules."""

from sfumato.workloads.classification import Classification
from sfumato.workloads.classification_errors import ClassificationErrors
from sfumato.workloads.cluster_analysis import ClusterAgreement, ClusterAnalysis
from sfumato.workloads.drbt import Drbt, DrbtResult
from sfumato.workloads.query_error import QueryError
from sfumato.workloads.rule_error import RuleError, RuleErrors
from sfumato.workloads.split import Split

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
