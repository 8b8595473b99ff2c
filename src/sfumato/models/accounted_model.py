"""Models whose promise is kept by the process that makes a release, and read from the account it keeps."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

from sfumato.disclosure.account import Account
from sfumato.disclosure.view import View
from sfumato.models.base import PrivacyModel
from sfumato.releases.verdict import Verdict


class AccountedModel(PrivacyModel):
    """Base of models that no file can prove, such as differential privacy; an author writes `spent` and `required`.

    An algorithm that declares `accounts` records in an account what each of its steps spent. The verdict compares that
    account with what is required. Without an account the model does not hold, whatever the records look like.
    """

    evidence: ClassVar[Literal["measured", "accounted"]] = "accounted"
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    @abstractmethod
    def spent(self, account: Account) -> float:
        """The level that the steps of an account add up to."""

    def check(self, view: View) -> Verdict:
        """Compare what was spent with what is allowed; a release without an account fails, with the reason."""
        level = float("inf") if view.account is None else self.spent(view.account)
        return Verdict(
            model=self.public_settings(),
            described=str(self),
            holds=level <= self.required,
            level=level,
            required=float(self.required),
            better=self.better,
            groups=0,
            failing_groups=0,
            failing_records=0,
            reasons=() if view.account is not None else (NO_ACCOUNT,),
            evidence="accounted",
        )


NO_ACCOUNT = (
    "records alone cannot show this: it is kept by the process that made the release, and no account of that process "
    "was given. Read it in the certificate of the release."
)
