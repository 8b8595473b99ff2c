"""What a release must satisfy. One model a file."""

from sfumato.models.all_of import AllOf
from sfumato.models.k_anonymity import KAnonymity

__all__ = ["AllOf", "KAnonymity"]
