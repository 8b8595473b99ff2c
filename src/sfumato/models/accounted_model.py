"""Base of models that the algorithm guarantees, such as differential privacy, and that its account proves."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

from sfumato.disclosure.account import Account
from sfumato.disclosure.view import View
from sfumato.models.base import PrivacyModel
from sfumato.releases.verdict import Verdict


class AccountedModel(PrivacyModel):
    """Base of models that published records alone cannot prove; a subclass defines `spent` and `required`.

    An algorithm that declares `accounts` records in an account what each of its steps spent. The verdict compares the
    account with the required level. Without an account the model does not hold.
    """

    evidence: ClassVar[Literal["measured", "accounted"]] = "accounted"
    better: ClassVar[Literal["higher", "lower"]] = "lower"

    @abstractmethod
    def spent(self, account: Account) -> float:
        """The level that the steps of an account reach together."""

    def check(self, view: View) -> Verdict:
        """Compare the level of the account with the required one; a release without an account fails with a reason."""
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
    "records alone cannot prove this: the algorithm guarantees it, and no account of the algorithm was given. Read the "
    "account in the certificate of the release."
)
