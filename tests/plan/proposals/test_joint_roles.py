from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.data.schema import Role
from sfumato.plan.proposals.joint_roles import MOST_QUASI
from sfumato.plan.proposals.proposal import Proposal


def proposed(folder: Path, header: str, rows: list[str]) -> Proposal:
    (folder / "t.csv").write_text("\n".join([header, *rows]) + "\n")
    return Proposal.of_file(folder / "t.csv")


def roles(found: Proposal) -> list[str]:
    return [str(column.role) for column in found.columns]


AGES = [20 + place % 37 for place in range(200)]


def test_a_column_of_313_values_is_not_too_small_to_single_out_persons(tmp_path: Path) -> None:
    rows = [f"{20 + place % 50},{place * 7 % 313}" for place in range(1000)]
    found = proposed(tmp_path, "age,mystery", rows)
    assert roles(found) == ["quasi", "quasi"]
    assert "with 'age' it makes 100% of the records unique (0% without it)" in found.columns[1].why
    assert "sensitive if it is a secret" in found.columns[1].decide


def test_a_rare_flag_is_published_unchanged_and_a_frequent_one_is_not(tmp_path: Path) -> None:
    """By hand: 2 % of 200 are 4; 4/200 (196/199)^4 + 196/200 (4/199)^4 = 1.9 %. Halves: (100/199)^4 = 6.4 %."""
    found = proposed(
        tmp_path, "age,rare,half", [f"{age},{int(place < 4)},{place % 2}" for place, age in enumerate(AGES)]
    )
    assert roles(found) == ["quasi", "sensitive", "quasi"]
    assert found.plain_alone == 0
    assert "by it and others like it, 1.9% of the records are unique in groups of 5" in found.columns[1].why
    assert "it may be a secret, so a model protects it" in found.columns[1].decide


@pytest.mark.parametrize("name", ["currency", "Währung", "survey_wave"])
def test_a_rare_flag_is_plain_only_if_it_is_named_as_harmless(tmp_path: Path, name: str) -> None:
    found = proposed(tmp_path, f"age,{name}", [f"{age},{int(place < 4)}" for place, age in enumerate(AGES)])
    assert roles(found) == ["quasi", "plain"]
    assert found.plain_alone == pytest.approx(0.02 * (196 / 199) ** 4 + 0.98 * (4 / 199) ** 4)
    assert "published unchanged" in found.columns[1].decide


@pytest.mark.parametrize("values", [("0", "1"), ("yes", "no"), ("x", ""), ("a", "b", "c"), ("J", "N")])
def test_a_column_of_unknown_meaning_is_never_plain_and_always_asked_for(
    tmp_path: Path, values: tuple[str, ...]
) -> None:
    for share in (100, 50, 20, 10, 4, 2):
        rows = [
            f"{age},{values[1 + place % (len(values) - 1)] if place % share == 0 else values[0]}"
            for place, age in enumerate(AGES)
        ]
        for name in ("zz", "seroconversion_x", "status"):
            column = proposed(tmp_path, f"age,{name}", rows).columns[1]
            assert str(column.role) in ("sensitive", "quasi")
            assert column.decide


def test_without_quasi_columns_undecided_ones_are_published_unchanged_only_if_nobody_is_unique(tmp_path: Path) -> None:
    secret = [("flu", "cold", "gout", "cough")[place % 4] for place in range(60)]
    calm = proposed(tmp_path, "disease,v", [f"{secret[place]},{place % 3}" for place in range(60)])
    assert roles(calm) == ["sensitive", "sensitive"]
    alone = proposed(tmp_path, "disease,v", [f"{secret[place]},{'abcde' * place}" for place in range(60)])
    assert roles(alone) == ["sensitive", "identifier"]


def test_if_nothing_else_would_be_protected_undecided_columns_are_quasi(tmp_path: Path) -> None:
    found = proposed(tmp_path, "colour,shape", [f"{'rgb'[place % 3]},{place % 2}" for place in range(60)])
    assert roles(found) == ["quasi", "quasi"]
    assert found.nothing_left == ""


def test_nothing_left_to_publish_is_said(tmp_path: Path) -> None:
    found = proposed(tmp_path, "id,one", [f"{place},x" for place in range(60)])
    assert roles(found) == ["identifier", "plain"]
    assert found.nothing_left.startswith("no column is left to publish")
    few = proposed(tmp_path, "age,sex", ["20,m", "21,f", "22,m", "23,f"])
    assert few.nothing_left.startswith("there are only 4 records, and groups of 5 are proposed")


def test_too_many_columns_keep_the_known_ones_and_leave_out_series(tmp_path: Path) -> None:
    answers = [f"q{number}" for number in range(1, 41)]
    rows = [
        f"{age},{'mf'[place % 2]}," + ",".join(str((place * n) % 5) for n in range(3, 43))
        for place, age in enumerate(AGES)
    ]
    found = proposed(tmp_path, ",".join(["age", "sex", *answers]), rows)
    assert roles(found)[:2] == ["quasi", "quasi"]
    assert set(roles(found)[2:]) <= {"identifier", "plain"}
    left_out = [column for column in found.columns[2:] if str(column.role) == "identifier"]
    assert all("lkc_privacy" in column.decide for column in left_out)
    said = f"is one of {len(left_out)} such columns, too many for quasi columns: at most 20 are proposed in all;"
    assert all(said in column.why for column in left_out)


def test_decided_quasi_columns_are_kept_and_counted(tmp_path: Path) -> None:
    """More than would be proposed; then even the age is left out, and the reason counts them."""
    names = [f"m{number}" for number in range(25)]
    rows = [
        ",".join([*(f"{(place * n % 199) / 7:.3f}" for n in range(3, 28)), str(place % 60)]) for place in range(199)
    ]
    (tmp_path / "f.csv").write_text("\n".join([",".join([*names, "age"]), *rows]) + "\n")
    found = Proposal.of_file(tmp_path / "f.csv", roles=dict.fromkeys(names, Role.QUASI))
    assert roles(found) == ["quasi"] * 25 + ["identifier"]
    assert "and there are 25 quasi columns already;" in found.columns[-1].why


def test_a_table_of_one_series_keeps_the_first_columns(tmp_path: Path) -> None:
    rows = [",".join(f"{(place * n % 199) / 7:.3f}" for n in range(3, 33)) for place in range(199)]
    found = proposed(tmp_path, ",".join(f"m{number}" for number in range(30)), rows)
    assert roles(found) == ["quasi"] * MOST_QUASI + ["identifier"] * 10
    assert "and there are 20 quasi columns already;" in found.columns[-1].why


def test_more_known_columns_than_can_be_kept_are_left_out_least_known_first(tmp_path: Path) -> None:
    names = ["height", *(f"town {letter}" for letter in "abcdefghijklmnopqrst"), "age"]
    rows = [
        ",".join([str(150 + place % 50), *[str((place + n) % 7) for n in range(20)], str(place % 60)])
        for place in range(200)
    ]
    found = {column.name: str(column.role) for column in proposed(tmp_path, ",".join(names), rows).columns}
    assert (found["age"], found["height"]) == ("quasi", "identifier")
    assert list(found.values()).count("quasi") <= MOST_QUASI


def test_coordinates_are_known_by_their_values(tmp_path: Path) -> None:
    rows = [f"{48 + place * 0.01371:.5f},{9 + place * 0.01117:.5f},{AGES[place]}" for place in range(90)]
    found = proposed(tmp_path, "p1,p2,age", rows)
    assert [(str(column.role), column.why, column.decide) for column in found.columns[:2]] == [
        ("quasi", "holds coordinates of places, which others may know", "")
    ] * 2


SECRETS = ("diagnosis", "medication", "religion", "vote")


def secrets(number: int, values: int) -> tuple[str, list[str]]:
    """1296 records, age and some secrets: each combination of the four secrets of six values once, cut to `values`."""
    rows = [
        ",".join([str(20 + place % 7), *(f"s{place // 6**power % 6 % values}" for power in range(number))])
        for place in range(6**4)
    ]
    return ",".join(["age", *SECRETS[:number]]), rows


def test_secrets_that_together_single_everybody_out_are_asked_for(tmp_path: Path) -> None:
    """All four make every record unique, three of them leave six records alike."""
    found = proposed(tmp_path, *secrets(4, 6))
    assert roles(found) == ["quasi", *["sensitive"] * 4]
    (asked,) = [column for column in found.columns if column.decide]
    assert "together make 100% of the records unique (0% without it)" in asked.decide
    assert (found.singling_out[0].columns, found.singling_out[0].unique) == (SECRETS, 1.0)


def test_secrets_that_leave_nobody_unique_are_not_asked_for_but_say_what_they_show_in_a_group(tmp_path: Path) -> None:
    """By hand: of 1296, a combination of two secrets of six values has 36, so (1260/1295)^4 = 90 % are alone."""
    found = proposed(tmp_path, *secrets(2, 6))
    assert [column.decide for column in found.columns] == ["", "", ""]
    assert "by all sensitive columns together, 90% of the records are unique in groups of 5" in found.columns[1].why
    one = proposed(tmp_path, *secrets(1, 6))
    assert "other sensitive" not in one.columns[1].why


AMOUNTS = [f"{place * 7919 % 997}.5,{place * 104729 % 9973}.25" for place in range(300)]


@pytest.mark.parametrize(
    ("header", "kinds"),
    [
        ("profit,debt", ["quasi", "quasi"]),
        ("profit,index", ["quasi", "quasi"]),
        ("Umsatz,gamma", ["quasi", "quasi"]),
        ("score,test_result", ["sensitive", "sensitive"]),
    ],
)
def test_amounts_are_quasi_if_records_are_found_by_amounts(tmp_path: Path, header: str, kinds: list[str]) -> None:
    found = proposed(tmp_path, header, AMOUNTS)
    assert roles(found) == kinds
    if kinds[0] == "quasi":
        assert "unique, as other numbers do, and no column says what persons are" in found.columns[0].why
        assert "choose the role sensitive to publish it unchanged" in found.columns[0].decide


@pytest.mark.parametrize(
    ("header", "more"),
    [
        ("profit,debt,age", "{age}"),
        ("profit,debt,employee_no", "{place}"),
        ("profit,debt,occupation", "{few}"),
        ("profit,debt,diagnosis", "{few}"),
        ("salary,bonus,sex", "{few}"),
    ],
)
def test_amounts_stay_secrets_beside_what_persons_are(tmp_path: Path, header: str, more: str) -> None:
    rows = [
        f"{row},{more.format(age=20 + place % 37, place=place, few='abc'[place % 3])}"
        for place, row in enumerate(AMOUNTS)
    ]
    assert roles(proposed(tmp_path, header, rows))[:2] == ["sensitive", "sensitive"]


def test_amounts_stay_secrets_if_one_of_them_alone_singles_out(tmp_path: Path) -> None:
    rows = [f"{row.split(',')[0]},{place % 3},{'xyz'[place % 3]}" for place, row in enumerate(AMOUNTS)]
    assert roles(proposed(tmp_path, "balance,overdraft,city", rows)) == ["sensitive", "sensitive", "quasi"]


def test_a_decided_amount_is_kept(tmp_path: Path) -> None:
    proposed(tmp_path, "profit,debt,turnover", [f"{row},{place}.5" for place, row in enumerate(AMOUNTS)])
    found = Proposal.of_file(tmp_path / "t.csv", roles={"profit": Role.SENSITIVE})
    assert roles(found) == ["sensitive", "quasi", "quasi"]
