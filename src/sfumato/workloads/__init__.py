"""What a release is still good for, measured by doing it: learning a class from it, finding clusters in it."""

from sfumato.workloads.classification import Classification
from sfumato.workloads.classification_errors import ClassificationErrors
from sfumato.workloads.cluster_analysis import ClusterAgreement, ClusterAnalysis
from sfumato.workloads.drbt import Drbt, DrbtResult
from sfumato.workloads.split import Split

__all__ = [
    "Classification",
    "ClassificationErrors",
    "ClusterAgreement",
    "ClusterAnalysis",
    "Drbt",
    "DrbtResult",
    "Split",
]
