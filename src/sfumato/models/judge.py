"""Judging: checks a model on the view of published data.

Algorithms call `judge` on a candidate, and the audit calls it on a file that was read back; no other code decides
whether a model holds.
"""

from __future__ import annotations

from sfumato.disclosure.view import View
from sfumato.errors import UsageError
from sfumato.models.base import PrivacyModel
from sfumato.releases.verdict import Verdict


def judge(view: View, model: PrivacyModel) -> tuple[Verdict, ...]:
    """One verdict for every member of a model, from the view alone.

    The model must have its knowledge (`PrivacyModel.with_knowledge`).
    """
    return tuple(member.check(with_derived_columns(view, member)) for member in model.members())


def with_derived_columns(view: View, model: PrivacyModel) -> View:
    """The view with the columns that a model derives from original values, given separately or published unchanged."""
    missing = [name for name in model.sensitive_columns(view.schema) if name not in view.table.codes]
    if not missing:
        return view
    known = view.people if view.people is not None else view.table
    made = model.with_derived_columns(known)
    derived = [name for name in missing if name in made.codes]
    if derived and view.people is None:
        raise UsageError(
            f"{model.name()} needs original values, and the release does not have them; give the original too."
        )
    return view.with_columns(made, derived)
