"""Judging: checks a model on the view of published data.

Algorithms call `judge` on a candidate, and the audit calls it on a file that was read back. Searches ask a model about
groups while they choose, but only `judge` gives the verdicts of a release.
"""

from __future__ import annotations

from sfumato.disclosure.view import View
from sfumato.models.base import PrivacyModel
from sfumato.releases.verdict import Verdict


def judge(view: View, model: PrivacyModel) -> tuple[Verdict, ...]:
    """One verdict for every member of a model, from the view alone.

    The model must have its knowledge (`PrivacyModel.with_knowledge`).
    """
    return tuple(member.check(_with_derived_columns(view, member)) for member in model.members())


def _with_derived_columns(view: View, model: PrivacyModel) -> View:
    """The view with the columns that a model derives from original values, given separately or published unchanged."""
    return view.with_derived_columns(model.sensitive_columns(view.schema), model.with_derived_columns, model.name())
