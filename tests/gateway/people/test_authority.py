"""Who may ask: worked examples of Kabir (2010), sections 3.2 and 3.3, and closures against brute force."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import DeniedError, PolicyError, StatementError
from sfumato.gateway.people.authority import Authority
from sfumato.gateway.people.people import Person
from sfumato.gateway.people.system_attributes import system_attributes
from sfumato.gateway.policy.sections import PolicySections

PURPOSES = {
    "General": ["Admin", "Purchase", "Shipping", "Marketing"],
    "Admin": ["Profiling", "Analysis"],
    "Marketing": ["Direct", "Third-Party"],
    "Direct": ["D-Email", "D-Phone"],
    "D-Email": ["Special-Offers", "Service-Updates"],
    "Third-Party": ["T-Email", "T-Postal"],
}
ROLES: dict[str, Any] = {
    "Marketing": {},
    "E-Marketing": {"parent": "Marketing"},
    "Writer": {"parent": "E-Marketing"},
    "Sender": {"parent": "E-Marketing"},
    "Tele-Marketing": {"parent": "Marketing"},
    "Caller": {"parent": "Tele-Marketing"},
}
OFFICE = {"Office": {"role": "E-Marketing", "when": "Explevel > 10 AND hour >= 9 AND hour <= 17"}}
DAY = date(2026, 1, 5)


def authority(permissions: list[dict[str, Any]], **more: Any) -> Authority:
    given = {
        "name": "shop",
        "purposes": PURPOSES,
        "tables": {"customer_info": {"key": "id"}, "orders": {"key": "id"}},
        "roles": ROLES,
        "permissions": permissions,
        **more,
    }
    return Authority.of(PolicySections.model_validate(given))


def permission(role: str, purpose: str, table: str = "customer_info", **more: Any) -> dict[str, Any]:
    return {"role": role, "table": table, "purpose": purpose, **more}


def person(*roles: str, **attributes: object) -> Person:
    return Person("russell", frozenset(roles), attributes)


def at(hour: int, minute: int = 0) -> dict[str, object]:
    return system_attributes(datetime(2026, 1, 5, hour, minute))


def granted(
    held: Authority, who: Person, purpose: str, system: dict[str, object] | None = None, table: str = "customer_info"
) -> bool:
    try:
        held.grants(who, table, purpose, system or at(10), day=DAY)
    except DeniedError:
        return False
    return True


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("E-Marketing", True),
        ("Writer", True),
        ("Sender", True),
        ("Tele-Marketing", False),
        ("Caller", False),
        ("Marketing", False),
    ],
)
def test_a_permission_serves_its_role_and_those_below(role: str, allowed: bool) -> None:
    held = authority([permission("E-Marketing", "Service-Updates")])
    assert granted(held, person(role), "Service-Updates") is allowed


def test_a_permission_covers_its_purpose_and_those_below_only() -> None:
    updates = authority([permission("E-Marketing", "Service-Updates")])
    email = authority([permission("E-Marketing", "D-Email")])
    who = person("E-Marketing")
    every = {*PURPOSES, *(name for below in PURPOSES.values() for name in below)}
    assert {purpose for purpose in every if granted(updates, who, purpose)} == {"Service-Updates"}
    assert {purpose for purpose in every if granted(email, who, purpose)} == {
        "D-Email",
        "Special-Offers",
        "Service-Updates",
    }


def test_a_permission_is_for_its_table() -> None:
    held = authority([permission("E-Marketing", "Marketing")])
    assert granted(held, person("E-Marketing"), "Marketing")
    assert not granted(held, person("E-Marketing"), "Marketing", table="orders")
    assert not granted(held, person("E-Marketing"), "Marketing", table="nowhere")


@pytest.mark.parametrize(
    ("experience", "hour", "allowed"),
    [(12, 10, True), (10, 10, False), (12, 18, False), (12, 17, True), (12, 9, True), (12, 8, False), (11, 17, True)],
)
def test_a_conditional_role_is_enabled_while_its_condition_holds(experience: int, hour: int, allowed: bool) -> None:
    held = authority([permission("Office", "Service-Updates")], conditional_roles=OFFICE)
    who = person("E-Marketing", Explevel=experience)
    assert ("Office" in held.enabled(who, at(hour))) is allowed
    assert granted(held, who, "Service-Updates", at(hour)) is allowed


def test_russell_asks_for_marketing_in_office_hours() -> None:
    held = authority([permission("Office", "Marketing")], conditional_roles=OFFICE)
    (found,) = held.grants(person("E-Marketing", Explevel=12), "customer_info", "Marketing", at(10), day=DAY)
    assert (found.purpose, found.role, found.columns) == ("Marketing", "Office", None)
    assert held.derive_purpose(person("E-Marketing", Explevel=12), ["customer_info"], at(10), day=DAY) == "Marketing"


def test_a_conditional_role_serves_those_below_its_role_and_nobody_else() -> None:
    held = authority([], conditional_roles=OFFICE)
    for role in ROLES:
        expected = role in ("E-Marketing", "Writer", "Sender")
        assert ("Office" in held.enabled(person(role, Explevel=12), at(10))) is expected


def test_what_is_unknown_enables_nothing() -> None:
    roles = {"Office": {"role": "Marketing", "when": "not level < 3"}}
    held = authority([], conditional_roles=roles)
    assert held.enabled(person("Marketing"), at(10)) == {"Marketing"}
    assert held.enabled(person("Marketing", level="high"), at(10)) == {"Marketing"}
    assert held.enabled(person("Marketing", level=3), at(10)) == {"Marketing", "Office"}


def test_nobody_brings_their_own_clock() -> None:
    held = authority([], conditional_roles=OFFICE)
    assert "Office" not in held.enabled(person("E-Marketing", Explevel=12, hour=10), at(18))


def test_roles_that_the_policy_does_not_know_give_nothing() -> None:
    held = authority([permission("Marketing", "General")])
    assert held.active(["Director", "Marketing"]) == {"Marketing"}
    assert not granted(held, person("Director"), "General")
    with pytest.raises(PolicyError, match="did you mean 'Marketing'"):
        held.require_role("Marketng")


def test_a_conditional_role_is_not_had_by_being_named() -> None:
    held = authority([permission("Office", "Marketing")], conditional_roles=OFFICE)
    assert held.enabled(person("Office", Explevel=12), at(10)) == frozenset()
    with pytest.raises(PolicyError, match="there is no role 'Office'"):
        held.require_role("Office")


def test_permissions_hold_from_day_to_day() -> None:
    held = authority([permission("Marketing", "Direct", valid_from=date(2026, 1, 1), valid_until=date(2026, 1, 31))])
    for day, allowed in ((date(2025, 12, 31), False), (date(2026, 1, 1), True), (date(2026, 1, 31), True)):
        assert bool(held.purposes(person("Marketing"), at(10), day=day)) is allowed
    with pytest.raises(DeniedError):
        held.grants(person("Marketing"), "customer_info", "Direct", at(10), day=date(2026, 2, 1))


def test_every_permission_is_a_grant_of_its_own() -> None:
    log, notify = {"duty": "log"}, {"duty": "notify", "to": "officer"}
    held = authority(
        [
            permission("Marketing", "Marketing", columns=["name"], obligations=[log]),
            permission("E-Marketing", "Direct", columns=["name", "age"], obligations=[notify, log]),
            permission("E-Marketing", "Shipping"),
            permission("Caller", "Direct"),
        ]
    )
    found = held.grants(person("Writer"), "customer_info", "D-Phone", at(10), day=DAY)
    assert [(one.role, one.columns) for one in found] == [("E-Marketing", {"name", "age"}), ("Marketing", {"name"})]
    assert [[duty.duty for duty in one.obligations] for one in found] == [["notify", "log"], ["log"]]
    assert [one.covers(["age"]) for one in found] == [True, False]
    everything = held.grants(person("Writer", "Caller"), "customer_info", "D-Phone", at(10), day=DAY)
    assert (everything[0].role, everything[0].columns, len(everything)) == ("Caller", None, 3)


def test_what_shows_most_comes_first() -> None:
    noisy = {"only_aggregates": True, "epsilon": 1.0}
    held = authority(
        [
            permission("Marketing", "Direct", **noisy),
            permission("Marketing", "Direct", **{**noisy, "epsilon": 2.0}),
            permission("Marketing", "Direct", only_aggregates=True),
            permission("Marketing", "Direct", columns=["name"]),
            permission("Marketing", "Direct", columns=["name", "age"]),
            permission("Marketing", "Direct"),
        ]
    )
    found = [one.permission for one in held.grants(person("Marketing"), "customer_info", "Direct", at(10), day=DAY)]
    order = [(one.only_aggregates, one.epsilon, one.columns and len(one.columns)) for one in found]
    assert order == [(False, None, None), (False, None, 2), (False, None, 1), (True, None, None), (True, 2.0, None),
                     (True, 1.0, None)]  # fmt: skip


def test_tables_that_somebody_may_ask() -> None:
    held = authority([permission("E-Marketing", "Direct"), permission("Caller", "Direct", table="orders")])

    def tables(*roles: str, purpose: str = "D-Phone") -> set[str]:
        return set(held.tables(person(*roles), purpose, at(10), day=DAY))

    assert tables("Writer") == {"customer_info"}
    assert tables("Writer", "Caller") == {"customer_info", "orders"}
    with pytest.raises(DeniedError, match="may not ask anything for 'Admin'; for some tables they may state 'Direct'"):
        tables("Writer", purpose="Admin")
    with pytest.raises(DeniedError, match="may not ask anything for 'D-Phone'; nor for any other purpose now"):
        tables("Marketing")


def test_a_refusal_names_what_could_be_stated_and_no_attribute() -> None:
    held = authority(
        [permission("E-Marketing", "D-Email"), permission("E-Marketing", "Admin"), permission("Office", "Purchase")],
        conditional_roles=OFFICE,
    )
    who = person("E-Marketing", Explevel=987654)
    with pytest.raises(DeniedError) as found:
        held.grants(who, "customer_info", "Marketing", at(20), day=DAY)
    assert "'russell' may not ask 'customer_info' for 'Marketing'" in str(found.value)
    assert "'Admin', 'D-Email'" in str(found.value)
    assert "Purchase" not in str(found.value)
    assert "987654" not in str(found.value)


def test_what_is_not_there_is_refused_like_what_is_forbidden() -> None:
    held = authority([permission("E-Marketing", "D-Email")])

    def refusal(table: str, purpose: str) -> str:
        with pytest.raises(DeniedError) as found:
            held.grants(person("E-Marketing"), table, purpose, at(10), day=DAY)
        return str(found.value).replace(table, "TABLE").replace(f"for '{purpose}'", "for PURPOSE")

    assert refusal("orders", "D-Email") == refusal("nowhere", "D-Email")
    assert refusal("customer_info", "Admin") == refusal("customer_info", "Nonsense")


def test_derived_purposes() -> None:
    held = authority(
        [
            permission("E-Marketing", "Marketing"),
            permission("E-Marketing", "D-Email"),
            permission("E-Marketing", "Direct", table="orders"),
            permission("Caller", "Admin"),
        ]
    )
    writer, both, nobody = person("Writer"), person("Writer", "Caller"), person()
    assert held.derive_purpose(writer, ["customer_info"], at(10), day=DAY) == "Marketing"
    assert held.derive_purpose(writer, ["customer_info", "orders"], at(10), day=DAY) == "Direct"
    assert held.derive_purpose(writer, [], at(10), day=DAY) == "Marketing"
    with pytest.raises(StatementError, match=r"state a purpose.*'Admin', 'Marketing'"):
        held.derive_purpose(both, ["customer_info"], at(10), day=DAY)
    with pytest.raises(DeniedError, match="may not ask 'orders' for any purpose"):
        held.derive_purpose(person("Caller"), ["orders"], at(10), day=DAY)
    with pytest.raises(DeniedError, match="'customer_info' and 'orders' together"):
        held.derive_purpose(person("Caller"), ["customer_info", "orders"], at(10), day=DAY)
    with pytest.raises(DeniedError, match="may not ask anything"):
        held.derive_purpose(nobody, [], at(10), day=DAY)


@st.composite
def forests(draw: st.DrawFn) -> dict[str, str | None]:
    """Roles, each below an earlier one or below none."""
    size = draw(st.integers(1, 8))
    above = [draw(st.none() | st.integers(0, place - 1)) if place else None for place in range(size)]
    return {f"r{place}": None if up is None else f"r{up}" for place, up in enumerate(above)}


@given(forests(), st.data())
def test_closures_against_brute_force(parents: dict[str, str | None], data: st.DataObject) -> None:
    purposes = sorted({*PURPOSES, *(name for below in PURPOSES.values() for name in below)})
    named = st.sampled_from([*parents, "c0", "c1"])
    given_to = data.draw(st.lists(st.tuples(named, st.sampled_from(purposes)), max_size=5))
    mine = data.draw(st.sets(st.sampled_from(sorted(parents))))
    conditional = {f"c{place}": data.draw(st.sampled_from(sorted(parents))) for place in range(2)}
    held = authority(
        [permission(role, purpose) for role, purpose in given_to],
        roles={name: {} if up is None else {"parent": up} for name, up in parents.items()},
        conditional_roles={
            name: {"role": role, "when": when}
            for (name, role), when in zip(conditional.items(), ("level > 1", "level > 2"), strict=True)
        },
    )

    def below_role(role: str, top: str) -> bool:
        return role == top or (parents[role] is not None and below_role(str(parents[role]), top))

    def below_purpose(purpose: str, top: str) -> bool:
        return purpose == top or any(below_purpose(purpose, child) for child in PURPOSES.get(top, []))

    def has(role: str) -> bool:
        if role == "c1":  # its condition is false at level 2
            return False
        return any(below_role(one, conditional.get(role, role)) for one in mine)

    who = person(*mine, level=2)
    assert held.active(mine) == {role for role in parents if has(role)}
    assert held.enabled(who, at(10)) == {role for role in (*parents, "c0") if has(role)}
    expected = {
        purpose for purpose in purposes if any(has(role) and below_purpose(purpose, top) for role, top in given_to)
    }
    assert held.purposes(who, at(10), day=DAY) == expected
    assert {purpose for purpose in purposes if granted(held, who, purpose)} == expected
