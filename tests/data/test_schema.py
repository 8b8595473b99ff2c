from __future__ import annotations

import pytest

from sfumato.data.kinds import Kind
from sfumato.data.schema import Column, Role, Schema
from sfumato.errors import SchemaError
from sfumato.taxonomies import Flat


def test_roles_in_order() -> None:
    schema = Schema.of(quasi=["b", "a"], sensitive=["s"], identifiers=["id"], target=["t"])
    assert schema.quasi == ("b", "a")
    assert schema.sensitive == ("s",)
    assert schema.identifiers == ("id",)
    assert schema.judged == ("b", "a", "s", "t")
    assert schema.role("elsewhere") is Role.PLAIN
    assert schema.column("elsewhere") == Column(name="elsewhere")


def test_settings_reach_their_columns() -> None:
    schema = Schema.of(
        quasi=["a", "b"], identifiers=["id"], taxonomies={"a": Flat()}, kinds={"b": "text"}, pseudonyms=["id"]
    )
    assert schema.column("a").taxonomy == Flat()
    assert schema.column("b").kind is Kind.TEXT
    assert schema.column("id").pseudonym
    assert not schema.column("a").pseudonym


def test_a_single_text_is_one_name() -> None:
    schema = Schema.of(quasi="age", sensitive="illness")  # type: ignore[arg-type]
    assert schema.quasi == ("age",)
    assert schema.sensitive == ("illness",)


@pytest.mark.parametrize("roles", [{"quasi": ["a"], "sensitive": ["a"]}, {"quasi": ["a", "a"]}])
def test_a_column_has_one_role(roles: dict[str, list[str]]) -> None:
    with pytest.raises(SchemaError, match="column 'a' has more than one role"):
        Schema.of(**roles)


@pytest.mark.parametrize("given", [{"taxonomies": {"x": Flat()}}, {"kinds": {"x": Kind.DATE}}, {"pseudonyms": ["x"]}])
def test_settings_without_a_role_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(SchemaError, match="column 'x' has settings but no role"):
        Schema.of(quasi=["a"], **given)


def test_named_quasi_identifiers() -> None:
    schema = Schema.of(quasi=["job", "age", "zip"], quasi_identifiers={"work": ["job", "age"], "home": "zip"})
    assert schema.known_together("work") == ("job", "age")
    assert schema.known_together("home") == ("zip",)
    assert schema.known_together() == ("job", "age", "zip")
    with pytest.raises(SchemaError, match=r"no quasi-identifier is called 'wrok'; did you mean 'work'?"):
        schema.known_together("wrok")
    with pytest.raises(TypeError):
        schema.quasi_identifiers["new"] = ("job",)  # type: ignore[index]


@pytest.mark.parametrize("members", [["jbo"], ["job", "illness"], []])
def test_quasi_identifiers_name_quasi_columns(members: list[str]) -> None:
    with pytest.raises(SchemaError, match=r"quasi-identifier 'work' names .*not a quasi column"):
        Schema.of(quasi=["job"], sensitive=["illness"], quasi_identifiers={"work": members})


def test_the_sensitive_column_a_model_means() -> None:
    one, two = Schema.of(sensitive=["s"]), Schema.of(sensitive=["s", "t"])
    assert one.one_sensitive() == "s"
    assert two.one_sensitive("t") == "t"
    with pytest.raises(SchemaError, match="must name its sensitive column: set its 'sensitive' to one of 's', 't'"):
        two.one_sensitive()
    with pytest.raises(
        SchemaError, match=r'needs a sensitive column.*role = "sensitive".*\(--sensitive on the command'
    ):
        Schema.of(quasi=["a"]).one_sensitive()
    with pytest.raises(SchemaError, match="'s' is not declared sensitive, and no other column is"):
        Schema.of(quasi=["a"]).one_sensitive("s")
    with pytest.raises(SchemaError, match="'u' is not declared sensitive"):
        two.one_sensitive("u")


def test_columns_must_be_in_the_data() -> None:
    schema = Schema.of(quasi=["marital-status"])
    schema.check_against(["Full Name", "marital-status"])
    with pytest.raises(SchemaError, match=r"no column 'marital-status'; did you mean 'marital_status'?"):
        schema.check_against(["Full Name", "marital_status"])


def test_a_first_line_that_may_be_a_record_is_not_quoted() -> None:
    with pytest.raises(SchemaError, match="--no-header") as caught:
        Schema.of(quasi=["age"]).check_against(["Anna Meyer", "Berlin", "HIV"])
    assert "Anna" not in str(caught.value)
    with pytest.raises(SchemaError, match="did you mean 'age'"):
        Schema.of(quasi=["agee"]).check_against(["age"])
    with pytest.raises(SchemaError, match="allowed: age, sex"):
        Schema.of(quasi=["age", "job"]).check_against(["age", "sex"])
