"""Judges what is published: the one place where a view meets a model."""

from __future__ import annotations

from sfumato.data.schema import Schema
from sfumato.disclosure.view import View
from sfumato.errors import UsageError
from sfumato.models.base import PrivacyModel
from sfumato.releases.verdict import Verdict


def judge(view: View, model: PrivacyModel, schema: Schema) -> tuple[Verdict, ...]:
    """One verdict for every member of a model, from what somebody sees and nothing else.

    `schema` has the roles as they were declared. The model must know all that it needs (`PrivacyModel.informed`).
    """
    return tuple(member.check(with_derived_columns(view, member, schema), schema) for member in model.members())


def with_derived_columns(view: View, model: PrivacyModel, schema: Schema) -> View:
    """The view with the columns that a model works out for itself, from original values or those published as such."""
    missing = [name for name in model.sensitive_columns(schema) if name not in view.table.codes]
    if not missing:
        return view
    known = view.people if view.people is not None else view.table
    made = model.prepared(known)
    derived = [name for name in missing if name in made.codes]
    if derived and view.people is None:
        raise UsageError(
            f"{model.name()} asks who people are, and the release does not say it; give the original beside it."
        )
    return view.with_columns(made, derived)
