from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.data.schema import Role
from sfumato.plan.joint_roles import MOST_QUASI
from sfumato.plan.proposal import Proposal


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


def test_a_rare_flag_stays_plain_and_a_frequent_one_does_not(tmp_path: Path) -> None:
    """By hand: 2 % of 200 are 4; 4/200 (196/199)^4 + 196/200 (4/199)^4 = 1.9 %. Halves: (100/199)^4 = 6.4 %."""
    found = proposed(
        tmp_path, "age,rare,half", [f"{age},{int(place < 4)},{place % 2}" for place, age in enumerate(AGES)]
    )
    assert roles(found) == ["quasi", "plain", "quasi"]
    assert found.plain_alone == pytest.approx(0.02 * (196 / 199) ** 4 + 0.98 * (4 / 199) ** 4)
    assert "it singles out 1.9% of the records in groups of 5" in found.columns[1].why
    assert "published unchanged" in found.columns[1].decide


def test_without_quasi_columns_undecided_ones_are_published_unchanged_only_if_nobody_is_unique(tmp_path: Path) -> None:
    secret = [("flu", "cold", "gout", "cough")[place % 4] for place in range(60)]
    calm = proposed(tmp_path, "disease,v", [f"{secret[place]},{place % 3}" for place in range(60)])
    assert roles(calm) == ["sensitive", "plain"]
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


class TestKeys:
    def test_a_household_key_is_left_out_beside_a_key_of_persons(self, tmp_path: Path) -> None:
        found = proposed(
            tmp_path, "person_id,hh_nr,age", [f"{place},{place // 3},{AGES[place]}" for place in range(90)]
        )
        assert roles(found) == ["identifier", "identifier", "quasi"]

    def test_a_repeated_key_of_persons_comes_before_that_of_households(self, tmp_path: Path) -> None:
        rows = [f"P{place // 2},{place // 6},{AGES[place]}" for place in range(90)]
        assert roles(proposed(tmp_path, "patient_id,hh_nr,age", rows)) == ["person", "identifier", "quasi"]

    def test_households_are_counted_if_no_column_is_the_key_of_a_person(self, tmp_path: Path) -> None:
        rows = [f"{place // 3},{place % 3},{AGES[place]}" for place in range(90)]
        found = proposed(tmp_path, "hh_nr,member_no,age", rows)
        assert roles(found) == ["person", "identifier", "quasi"]
        assert (found.unit, found.persons) == ("persons", 30)
        assert "models count households" in found.columns[0].why
        assert "identifier counts every record alone" in found.columns[0].decide

    @pytest.mark.parametrize("changing", ["sex", "age"])
    def test_a_key_in_whose_records_sex_or_age_differ_is_no_key_of_persons(self, tmp_path: Path, changing: str) -> None:
        values = ["m", "f"] if changing == "sex" else ["23", "71"]
        rows = [f"{place % 15 * 7},{values[place // 15 % 2]}" for place in range(300)]
        found = proposed(tmp_path, f"shop_id,{changing}", rows)
        assert roles(found) == ["identifier", "quasi"]
        assert f"{changing!r} differs in the records of one value" in found.columns[0].why
        assert "choose person if one person has all records of a value" in found.columns[0].decide
        beside = proposed(tmp_path, f"patient_id,shop_id,{changing}", [f"P{at},{row}" for at, row in enumerate(rows)])
        assert "differs" not in beside.columns[1].why

    @pytest.mark.parametrize("other", ["sex", "turnover"])
    def test_another_key_that_repeats_is_asked_for_as_that_of_persons(self, tmp_path: Path, other: str) -> None:
        values = ["m", "f"] if other == "sex" else [f"{10 + place / 7:.3f}" for place in range(15)]
        rows = [f"{place % 15 * 7},{values[place % 15 % len(values)]}" for place in range(300)]
        found = proposed(tmp_path, f"shop_id,{other}", rows)
        assert roles(found)[0] == "person"
        assert "is it the key of a person?" in found.columns[0].decide

    def test_accounts_by_their_content_are_keys_that_are_asked_for(self, tmp_path: Path) -> None:
        rows = [f"10.0.{place % 30}.7,{AGES[place]}" for place in range(90)]
        found = proposed(tmp_path, "origin_of_call,age", rows)
        assert roles(found) == ["person", "quasi"]
        assert "is it the key of a person?" in found.columns[0].decide

    def test_the_ends_of_edges_are_left_out(self, tmp_path: Path) -> None:
        rows = [f"{place % 20},{place * 7 % 20},{place % 3}" for place in range(90)]
        found = proposed(tmp_path, "source,target,weight", rows)
        assert roles(found)[:2] == ["identifier", "identifier"]
        assert "network" in found.columns[0].decide
        apart = proposed(tmp_path, "source,target,weight", [f"a{place % 9},b{place % 7},1" for place in range(90)])
        assert roles(apart)[:2] == ["quasi", "quasi"]


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
    assert "with the other sensitive columns it singles out 90% of the records in groups of 5" in found.columns[1].why
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
        assert "sensitive publishes it unchanged" in found.columns[0].decide


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


def visited(folder: Path, header: str, *, sizes: tuple[int, ...] = (3,), fixed: bool = True) -> Proposal:
    """Visits of 60 persons: a key without a known name, sex, year of birth, day and diagnosis."""
    rows = []
    for person in range(60):
        for visit in range(sizes[person % len(sizes)]):
            sex = "mf"[(person if fixed else person + visit) % 2]
            day = f"2024-{1 + (person * visit) % 12:02}-{1 + person % 28:02}"
            rows.append(f"{person * 7 % 61 + 100},{sex},{1930 + person},{day},{'abcd'[(person + visit) % 4]}")
    return proposed(folder, header, rows)


class TestKeysByWhatTheyFix:
    HEADER = "k1,sex,birth_year,seen,diagnosis"

    @pytest.mark.parametrize("name", ["k1", "fall", "code", "x", "case", "pt"])
    def test_a_column_that_fixes_what_persons_are_is_their_key(self, tmp_path: Path, name: str) -> None:
        found = visited(tmp_path, self.HEADER.replace("k1", name))
        assert roles(found) == ["person", "quasi", "quasi", "quasi", "sensitive"]
        assert "has the same 'birth_year', 'sex' in all its records" in found.columns[0].why
        assert "is it the key of a person?" in found.columns[0].decide
        assert (found.unit, found.persons) == ("persons", 60)

    def test_persons_may_have_different_numbers_of_records(self, tmp_path: Path) -> None:
        assert roles(visited(tmp_path, self.HEADER, sizes=(1, 2, 5, 1)))[0] == "person"

    def test_a_column_that_does_not_fix_the_sex_is_no_key_of_persons(self, tmp_path: Path) -> None:
        assert roles(visited(tmp_path, self.HEADER, fixed=False))[0] == "quasi"

    def test_goods_that_persons_of_all_ages_buy_are_no_persons(self, tmp_path: Path) -> None:
        rows = [f"{place % 60},c{place % 60 % 7},{place % 60 % 9},{20 + place * 7 % 61}" for place in range(600)]
        assert roles(proposed(tmp_path, "item,colour,size,buyer_age", rows))[0] != "person"

    def test_persons_grow_older(self, tmp_path: Path) -> None:
        fixed = [f"{one * 7 % 61 + 100},{'mf'[one % 2]},{40 + one % 23},{one % 17 * 10 + 3}" for one in range(60)]
        rows = [f"{one},{30 + person % 29 + at}" for person, one in enumerate(fixed) for at in range(3)]
        found = proposed(tmp_path, "k1,sex,height,weight,age", rows)
        assert roles(found)[0] == "person"

    def test_a_column_with_a_known_name_is_no_key_of_persons(self, tmp_path: Path) -> None:
        assert roles(visited(tmp_path, self.HEADER.replace("k1", "district")))[0] == "quasi"

    def test_a_column_that_differs_in_every_record_is_no_key_of_several(self, tmp_path: Path) -> None:
        assert roles(visited(tmp_path, self.HEADER, sizes=(1,)))[0] != "person"

    def test_what_is_fixed_by_chance_says_nothing(self, tmp_path: Path) -> None:
        """Every value fixes a flag, but half of all pairs agree in a flag."""
        rows = [f"{place // 3 * 7 + 11},{place // 3 % 2},{place % 30}" for place in range(180)]
        assert roles(proposed(tmp_path, "k1,flag,age", rows))[0] != "person"

    def test_a_key_of_persons_that_differs_in_every_record_speaks_against_it(self, tmp_path: Path) -> None:
        rows = [f"P{place},{place // 3},{'mf'[place // 3 % 2]},{1930 + place // 3}" for place in range(180)]
        assert roles(proposed(tmp_path, "patient_id,k1,sex,birth_year", rows))[:2] != ["identifier", "person"]

    def test_a_decided_role_is_kept(self, tmp_path: Path) -> None:
        visited(tmp_path, self.HEADER)
        found = Proposal.of_file(tmp_path / "t.csv", roles={"k1": Role.PLAIN})
        assert roles(found)[0] == "plain"

    def test_missing_keys_are_not_compared(self, tmp_path: Path) -> None:
        visited(tmp_path, self.HEADER)
        lines = (tmp_path / "t.csv").read_text().splitlines()
        more = [f"NA,{'mf'[place % 2]},{1930 + place},2024-01-01,a" for place in range(60)]
        (tmp_path / "t.csv").write_text("\n".join([*lines, *more]) + "\n")
        assert roles(Proposal.of_file(tmp_path / "t.csv"))[0] == "person"
