from __future__ import annotations

from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.plan.proposals.column_series import series_name, series_of
from sfumato.plan.proposals.distinguishability import Separation
from sfumato.plan.proposals.proposed_column import ProposedColumn


def column(name: str, distinct: int = 5, role: Role = Role.QUASI) -> ProposedColumn:
    return ProposedColumn(name, Kind.NUMBER, role, "why", distinct, Separation(0.1, 0.5))


def test_columns_of_one_kind_that_differ_in_numbers_are_a_series() -> None:
    columns = [
        column("age"),
        *(column(f"q{number}") for number in (1, 2, 3)),
        column("sex"),
        column("q4"),
        column("q5", 2),
    ]
    names = [[one.name for one in members] for members in series_of(columns)]
    assert names == [["age"], ["q1", "q2", "q3", "q4"], ["sex"], ["q5"]]
    assert series_name(series_of(columns)[1]) == "q1 to q4 (4 columns)"
    assert series_name([columns[0]]) == "age"


def test_few_columns_other_roles_and_equal_names_are_no_series() -> None:
    three = [column(f"q{number}") for number in range(3)]
    assert [len(members) for members in series_of(three)] == [1, 1, 1]
    mixed = [column(f"q{number}", role=(Role.QUASI, Role.PLAIN)[number % 2]) for number in range(6)]
    assert [len(members) for members in series_of(mixed)] == [1] * 6
    same = [column(name) for name in ("a", "b", "c", "d")]
    assert [len(members) for members in series_of(same)] == [1] * 4
