"""Which exact aggregates are refused whatever the values are.

All checks depend on the text of the query, the policy, the constraints of the database and the columns that are open to
selection. None depends on a measured value, so a refusal reveals nothing about one.
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import DeniedError, StatementError
from sfumato.gateway.engines.constraints import Constraints
from sfumato.gateway.policy.intended_purposes import Access
from sfumato.gateway.policy.policy import Policy
from sfumato.gateway.sql.compiling import CompiledQuery
from sfumato.gateway.sql.kinds import family
from sfumato.gateway.statistics.aggregate_queries import AggregateQuery
from sfumato.gateway.views.views import PurposeView, ViewColumn


def is_open(policy: Policy, table: str, column: ViewColumn) -> bool:
    """Whether it is public who has a value in a column: by the policy, or because everyone's is open to selection."""
    settings = policy.column(table, column.name)
    return settings.missing == "open" or (settings.selects is True and column.access == {Access.FULL})


def demand_measures(
    query: AggregateQuery,
    columns: Sequence[ViewColumn | None],
    policy: Policy,
    table: str,
    constraints: Constraints,
) -> None:
    """Refuse aggregates that could fail on a value, or reveal one whatever the set of records is."""
    kinds: dict[str, str] = {}
    for measure, column in zip(query.measures, columns, strict=True):
        if column is None:
            continue
        if {Access.FULL, Access.CONDITIONAL} <= column.access:
            raise StatementError(
                f"aggregates of {column.name!r} are not offered for this purpose: values of some people are shown as "
                "they are and those of others in a weaker form, and a sum of both could reveal one of them."
            )
        if column.type.kind == "other" or (measure.function in ("sum", "avg") and not _is_number(column.type.kind)):
            raise StatementError(
                f"{measure.function} of {column.name!r} is not offered: it is {column.type.words}, and some values "
                "could make it fail. Aggregates take numbers, dates and timestamps; texts can be counted."
            )
        if column.transform is not None and not column.transform.is_total(column.type):
            raise StatementError(
                f"aggregates of {column.name!r} are not offered for this purpose: its weaker form hides some values "
                "because of what they are, and refusals would reveal whose these are."
            )
        if measure.function in ("min", "max") and column.name in constraints.distinct:
            raise StatementError(
                f"{measure.function} of {column.name!r} is not offered: its values are unique in the database, "
                "and two equal answers would reveal who has the value."
            )
        if measure.function in ("min", "max") and family(column.type.kind) not in ("number", "time"):
            raise StatementError(
                f"{measure.function} takes numbers, dates and timestamps here; a text could name somebody."
            )
        # The auditors judge each measure by itself, so one query
        # must not combine a sum with an extreme of the same people.
        kind = "sum" if measure.function == "avg" else measure.function
        if kind != "count" and kinds.setdefault(column.name, kind) != kind:
            raise StatementError(f"only one of sum, min and max of {column.name!r} is answered about the same people.")
        may_miss = column.can_be_missing or column.name not in constraints.never_missing
        if may_miss and not is_open(policy, table, column):
            raise StatementError(
                f"{measure.function} of {column.name!r} is not offered: values may be missing or hidden, and who has "
                'one is a secret; the policy can set missing = "open" for the column.'
            )


def demand_shown_key(view: PurposeView) -> None:
    """Refuse if the key, which identifies people, is not shown as it is."""
    if view.shown_key is None:
        raise DeniedError(
            f"aggregates of {view.table!r} cannot be audited, since its key is not shown for this purpose."
        )


def demand_open_selection(selection: CompiledQuery, policy: Policy) -> None:
    """Conditions and groups must be over columns that are open to selection; the compiler says which ones they read.

    Who has a hidden value may follow from columns that are not open, and refusals would reveal it.
    """
    for table, names in selection.columns_read.items():
        for name in names:
            column = selection.views[0].by_name[name]
            if policy.column(table, name).selects is True and not is_open(policy, table, column):
                raise StatementError(
                    f"conditions and groups over {name!r} are not offered for this purpose: some values are hidden, "
                    'and whose is a secret; the policy can set missing = "open" for the column.'
                )
        closed = [name for name in names if policy.column(table, name).selects is not True]
        if closed:
            raise StatementError(
                f"conditions and groups are over columns that are open to selection; {closed[0]!r} is not. The policy "
                "can set selects = true for a column."
            )


def demand_same_rows(view: PurposeView, measured: CompiledQuery) -> None:
    """Refuse a query that could measure other rows than are audited, depending on what is shown."""
    # The selection query reads the open columns only, the measuring query also
    # the measured ones. With this row policy the two could drop different rows.
    hides = any(view.by_name[name].can_hide for name in measured.columns_read.get(view.table, ()))
    if view.row_policy == "drop_if_all_hidden" and hides:
        raise StatementError(
            f"aggregates of {view.table!r} are not offered over columns that may be hidden: its row policy leaves out "
            "rows of which nothing is shown."
        )


def demand_open_retention(view: PurposeView, policy: Policy) -> None:
    """Refuse if rows expire by dates that are not open to selection, because refusals would reveal the dates."""
    for limit in view.retention():
        if policy.column(view.table, limit.column).selects is not True:
            raise StatementError(
                f"aggregates of {view.table!r} are not offered for this purpose: rows expire by the dates in "
                f"{limit.column!r}, which is not open to selection. The policy can set selects = true for it."
            )


def _is_number(kind: str) -> bool:
    return family(kind) == "number" or kind == "boolean"
