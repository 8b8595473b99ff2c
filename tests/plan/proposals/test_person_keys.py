from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.data.schema import Role
from sfumato.plan.proposals.proposal import Proposal


def proposed(folder: Path, header: str, rows: list[str]) -> Proposal:
    (folder / "t.csv").write_text("\n".join([header, *rows]) + "\n")
    return Proposal.of_file(folder / "t.csv")


def roles(found: Proposal) -> list[str]:
    return [str(column.role) for column in found.columns]


AGES = [20 + place % 37 for place in range(200)]


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


@pytest.mark.parametrize(("addresses", "role"), [(1, "identifier"), (2, "identifier"), (20, "person")])
def test_a_few_addresses_are_no_key_of_persons(tmp_path: Path, addresses: int, role: str) -> None:
    rows = [f"a{place % addresses}@x.example,{place % 7},{'fm'[place % 2]}" for place in range(100)]
    assert roles(proposed(tmp_path, "q7,score,sex", rows))[0] == role


def test_a_constant_key_of_a_person_is_left_out(tmp_path: Path) -> None:
    rows = [f"7,{place % 7},{'fm'[place % 2]}" for place in range(100)]
    assert roles(proposed(tmp_path, "patient_id,score,sex", rows))[0] == "identifier"
