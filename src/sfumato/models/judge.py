"""Judges what is published: the one place where a view meets a model.

Algorithms call it on a candidate, the audit on a file that was read back. Nothing else decides whether a promise is
kept.
"""

from __future__ import annotations

from sfumato.disclosure.view import View
from sfumato.errors import UsageError
from sfumato.models.base import PrivacyModel
from sfumato.releases.verdict import Verdict


def judge(view: View, model: PrivacyModel) -> tuple[Verdict, ...]:
    """One verdict for every member of a model, from what is seen and nothing else.

    The model must have everything it needs (`PrivacyModel.with_knowledge`).
    """
    return tuple(member.check(with_derived_columns(view, member)) for member in model.members())


def with_derived_columns(view: View, model: PrivacyModel) -> View:
    """The view with the columns that a model computes from original values, given beside or published as they are."""
    missing = [name for name in model.sensitive_columns(view.schema) if name not in view.table.codes]
    if not missing:
        return view
    known = view.people if view.people is not None else view.table
    made = model.with_derived_columns(known)
    derived = [name for name in missing if name in made.codes]
    if derived and view.people is None:
        raise UsageError(
            f"{model.name()} asks who people are, and the release does not say it; give the original beside it."
        )
    return view.with_columns(made, derived)
