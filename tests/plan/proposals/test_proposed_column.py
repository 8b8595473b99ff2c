from __future__ import annotations

from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.plan.proposals.distinguishability import Separation
from sfumato.plan.proposals.proposed_column import ProposedColumn

COLUMN = ProposedColumn("age", Kind.NUMBER, Role.QUASI, "is known", 7, Separation(0.5, 0.75))


def test_plain_data_leave_out_what_is_empty() -> None:
    assert COLUMN.to_dict() == {
        "type": "number",
        "role": "quasi",
        "why": "is known",
        "distinct": 7,
        "separation": {"distinct": 0.5, "separated": 0.75},
    }


def test_another_role_brings_its_own_reason_and_decision() -> None:
    changed = COLUMN.with_role(Role.PLAIN, "is harmless", "is it?")
    assert (changed.role, changed.why, changed.decide) == (Role.PLAIN, "is harmless", "is it?")
    assert changed.to_dict()["decide"] == "is it?"
    assert changed.with_role(Role.QUASI, "is known").decide == ""
    assert COLUMN.role is Role.QUASI
