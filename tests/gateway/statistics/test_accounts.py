"""What was answered is kept by accounts, and a restart changes no decision."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import BudgetError, DataError, DeniedError, PolicyError
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.sections import AuditingSection
from sfumato.gateway.statistics.accounts import Accounts, accounts_of, set_name
from sfumato.gateway.statistics.auditors import AuditedAggregate
from sfumato.gateway.statistics.ledger import Ledger
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.stored_values import to_plain
from tests.examples import examples
from tests.gateway.memory_store import MemoryStore

ADA = ("person ada",)
STRICT = AuditingSection(least=2, overlap=3)
DAY = date(2026, 11, 16)


def admitted(
    accounts: Accounts, who, groups, *, function="sum", column="score", table="t", key="id", population=9
) -> list | None:
    """The questions, or None where they are refused."""
    members = sorted({person for group in groups for person in group})
    hashes = np.array([person + 100 for person in members], np.uint64)

    def questions(records):
        numbers = [records.numbers(np.array([one + 100 for one in sorted(group)], np.uint64)) for group in groups]
        sets = tuple(RecordSet.of(some) for some in numbers)
        return [AuditedAggregate(function=function, column=column, population=population, records=records, sets=sets)]

    try:
        return accounts.admit(who, table, key, lambda records: records.unseen(hashes, hashes), questions)
    except DeniedError:
        return None


@examples(60)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sets(st.integers(0, 8)), min_size=1, max_size=2), st.sampled_from(["sum", "max", "count"])
        ),
        max_size=8,
    ),
    st.integers(0, 8),
)
def test_a_restart_changes_no_decision(history, restart):
    one, other = MemoryStore(), MemoryStore()
    straight, restarted = Accounts(one, STRICT), Accounts(other, STRICT)
    for place, (groups, function) in enumerate(history):
        if place == restart:
            restarted = Accounts(other, STRICT)
        found = [admitted(accounts, ADA, groups, function=function) for accounts in (straight, restarted)]
        assert (found[0] is None) == (found[1] is None)
        for accounts, questions in zip((straight, restarted), found, strict=True):
            if questions is not None and function == "max":
                answers = {("max", "score", None, set_name(one)): (DAY, [to_plain(5)]) for one in questions[0].sets}
                accounts.settle_answers(ADA, "t", answers, DAY)


def test_accounts_and_tables_are_kept_apart_and_a_team_together():
    accounts = Accounts(MemoryStore(), AuditingSection(least=1))
    ada, bob = ("person ada", "team x"), ("person bob", "team x")
    assert admitted(accounts, ada, [{1, 2, 3}])
    assert admitted(accounts, ada, [{1, 2}]) is None
    assert admitted(accounts, ("person bob",), [{1, 2}])
    assert admitted(accounts, bob, [{2, 3}]) is None
    assert admitted(accounts, ("person bob",), [{2, 3}]) is None
    assert admitted(accounts, ada, [{1, 2}], table="other")


BOB, TEAM = ("person bob", "team x"), ("person bob", "person ada", "team x")


@pytest.mark.parametrize("again", [False, True])
def test_a_team_knows_what_its_members_were_answered_before(again):
    store = MemoryStore()
    accounts = Accounts(store, AuditingSection(least=1))
    assert admitted(accounts, ("person ada",), [{1, 2, 3}])
    assert admitted(accounts, BOB, [{4, 5, 6}])
    accounts = Accounts(store, AuditingSection(least=1)) if again else accounts
    assert admitted(accounts, TEAM, [{1, 2}]) is None
    assert admitted(accounts, ("person eve", "team x"), [{1, 2}]) is None
    assert admitted(accounts, ("person cyd", "team y"), [{1, 2}])
    entries = len(store.entries)
    assert admitted(accounts, ("person eve", "team x"), [{1, 2}]) is None
    assert len(store.entries) == entries  # what is known already is noted once


def test_whoever_leaves_a_team_knows_what_its_members_were_answered():
    accounts = Accounts(MemoryStore(), AuditingSection(least=1))
    assert admitted(accounts, TEAM, [{1, 2, 3}])
    assert admitted(accounts, ("person ada",), [{1, 2}]) is None
    assert admitted(accounts, ("person ada", "team y"), [{1, 2}]) is None
    assert admitted(accounts, ("person eve", "team y"), [{2, 3}]) is None


def test_a_team_has_spent_what_its_members_spent_before():
    accounts = Accounts(MemoryStore(), AuditingSection())
    accounts.spend(("person ada",), "t", 0.4, 1.0)
    accounts.spend(BOB, "t", 0.5, 1.0)
    with pytest.raises(BudgetError):
        accounts.spend(TEAM, "t", 0.2, 1.0)
    accounts.spend(TEAM, "t", 0.1, 1.0)
    for who in (TEAM, BOB, ("person ada",), ("person bob",)):
        with pytest.raises(BudgetError):
            accounts.spend(who, "t", 0.1, 1.0)


def told(accounts: Accounts, who, people: set[int], value: int) -> bool:
    """Whether the largest value of some people is answered, and what it is."""
    questions = admitted(accounts, who, [people], function="max", population=100)
    if questions is not None:
        accounts.settle_answers(
            who, "t", {("max", "score", None, set_name(questions[0].sets[0])): (DAY, [to_plain(value)])}, DAY
        )
    return questions is not None


def test_a_largest_value_that_a_member_was_told_bounds_those_of_the_team():
    accounts = Accounts(MemoryStore(), AuditingSection(least=2))
    assert told(accounts, ("person ada",), set(range(1, 10)), 9)
    assert not told(accounts, TEAM, set(range(2, 10)), 9)
    assert told(accounts, TEAM, set(range(1, 10)), 9)


def test_what_a_member_was_told_long_ago_does_not_count_as_new():
    """6 rose to 150 after Ada was told that nobody of 6 to 15 has more than 50."""
    accounts = Accounts(MemoryStore(), AuditingSection())
    assert told(accounts, ("person ada",), set(range(6, 16)), 50)
    assert told(accounts, BOB, set(range(1, 6)), 100)
    assert told(accounts, BOB, set(range(16, 26)), 14)
    crossing = {*range(1, 7), *range(16, 21)}
    assert not told(accounts, BOB, crossing, 150)
    assert not told(accounts, ("person ada", "person bob", "team x"), crossing, 150)


def test_another_key_is_refused_since_nobody_could_be_recognised():
    store = MemoryStore()
    assert admitted(Accounts(store, AuditingSection(least=1)), ADA, [{1, 2, 3}])
    again = Accounts(store, AuditingSection(least=1))
    with pytest.raises(PolicyError, match=r"the key of 't' was id when .* and is number now"):
        admitted(again, ADA, [{1, 2}], key="number")
    assert admitted(again, ADA, [{1, 2}], key="number", table="other")
    assert admitted(again, ADA, [{1, 2}]) is None


def test_what_is_refused_is_not_remembered():
    accounts = Accounts(MemoryStore(), AuditingSection(least=2))
    assert admitted(accounts, ADA, [{1}]) is None
    assert admitted(accounts, ADA, [{1, 2, 3}])


def test_memory_has_an_end():
    accounts = Accounts(MemoryStore(), AuditingSection(least=1, sums=False, questions=2))
    assert admitted(accounts, ADA, [{1, 2}], function="count", column=None)
    assert admitted(accounts, ADA, [{4, 5}], function="count", column=None)
    assert admitted(accounts, ADA, [{1, 2}], function="count", column=None)
    assert admitted(accounts, ADA, [{7, 8}], function="count", column=None) is None


def test_a_mean_and_a_sum_in_one_question_are_judged_together():
    accounts = Accounts(MemoryStore(), AuditingSection(least=1))
    assert admitted(accounts, ADA, [{1, 2, 3}, {4, 5, 6}])
    assert admitted(accounts, ADA, [{1, 4}, {2, 3, 4}]) is None


def test_what_is_spent_is_spent_for_all_accounts():
    accounts = Accounts(MemoryStore(), AuditingSection())
    accounts.spend(("person ada", "team x"), "t", 0.4, 1.0)
    accounts.spend(("person bob", "team x"), "t", 0.4, 1.0)
    with pytest.raises(BudgetError, match=r"needs 0\.4 epsilon but 0\.2 of 1\.0 is left"):
        accounts.spend(("person ada", "team x"), "t", 0.4, 1.0)
    accounts.spend(("person ada", "team x"), "t", 0.2, 1.0)
    with pytest.raises(BudgetError):  # out of the team, what its members asked before still counts
        accounts.spend(("person ada",), "t", 0.1, 1.0)
    accounts.spend(("person ada", "team x"), "other", 0.4, 1.0)


NAME = ("sum", "score", None, "ab")


def test_answers_are_told_again_from_a_day_on():
    """In the account of the person and of the team, in every gateway on the same data, and of each table by itself."""
    store, both = MemoryStore(), ("person ada", "team x")
    later, earlier = date(2026, 11, 20), {NAME: (DAY, [7])}
    assert Accounts(store, AuditingSection()).settle_answers(both, "t", earlier, DAY) == (earlier, False)
    again, now = Accounts(store, AuditingSection()), {NAME: (later, [8])}
    assert again.settle_answers(("person bob", "team x"), "t", now, DAY) == (earlier, True)
    assert again.settle_answers(both, "other", now, DAY) == (now, False)
    assert again.settle_answers(("person eve",), "t", now, DAY) == (now, False)
    assert again.settle_answers(both, "t", now, later) == (now, False)
    assert again.settle_answers(both, "t", {NAME: (later, [9])}, DAY) == (now, True)


def test_that_something_was_answered_before_does_not_tell_whether_it_changed():
    accounts = Accounts(MemoryStore(), AuditingSection())
    assert accounts.settle_answers(ADA, "t", {NAME: (DAY, [7])}, DAY) == ({NAME: (DAY, [7])}, False)
    for value in (7, 8):
        assert accounts.settle_answers(ADA, "t", {NAME: (DAY, [value])}, DAY) == ({NAME: (DAY, [7])}, True)


def test_what_a_team_was_answered_is_kept_for_each_of_its_members_who_is_told():
    """Whoever leaves the team afterwards knows it still, and an answer that was told needs no second entry."""
    store = MemoryStore()
    accounts, everybody = Accounts(store, AuditingSection(least=2)), [set(range(1, 10))]
    bob, ada = ("person bob", "team x"), ("person ada", "team x")
    questions = admitted(accounts, bob, everybody, function="max")
    answer = {("max", "score", None, set_name(questions[0].sets[0])): (DAY, [to_plain(9)])}
    assert accounts.settle_answers(bob, "t", answer, DAY) == (answer, False)
    admitted(accounts, ada, everybody, function="max")
    assert accounts.settle_answers(ada, "t", answer, DAY) == (answer, True)
    entries = len(store.entries)
    assert accounts.settle_answers(ada, "t", answer, DAY) == (answer, True)
    assert len(store.entries) == entries
    alone = Accounts(store, AuditingSection(least=2))
    assert alone.settle_answers(("person ada",), "t", {next(iter(answer)): (DAY, [to_plain(8)])}, DAY) == (answer, True)
    assert admitted(alone, ("person ada",), [{3, 4, 5, 6, 7, 8, 9}], function="max")


def test_entries_of_a_newer_version_are_refused():
    store = MemoryStore()
    Ledger(store, lambda fields: None).record(lambda write: write({"kind": "something new"}))
    with pytest.raises(DataError, match="newer version"):
        Accounts(store, AuditingSection()).spend(ADA, "t", 0.1, 1.0)


def test_whose_account_it_is():
    assert accounts_of(Person("ada")) == ("person ada",)
    assert accounts_of(Person("ada", account="ada")) == ("person ada", "team ada")
    team = Person("bob", account="x", partners=frozenset({"eve", "ada"}))
    assert accounts_of(team) == ("person bob", "person ada", "person eve", "team x")
