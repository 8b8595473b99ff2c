"""Accounts: which aggregates of a table were answered to whom, for any purpose, and what may still be answered.

An account belongs to one person, or to a team whose members may combine what they learn. What one of them is answered
is charged to the team's account and to all members. With the first query after somebody joined, all accounts take over
what the others were charged before, so nobody loses charges by leaving. A query is charged before anything is computed,
so that no failure on the way is free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from sfumato.errors import DataError, DeniedError, PolicyError
from sfumato.gateway.engines.entry_store import EntryStore
from sfumato.gateway.people.people import Person
from sfumato.gateway.policy.sections import AuditingSection
from sfumato.gateway.statistics.auditors import (
    AuditedAggregate,
    Auditor,
    DifferenceControl,
    Measure,
    OverlapControl,
    SetSizeControl,
)
from sfumato.gateway.statistics.compressed_text import compress_to_text, decompress_text
from sfumato.gateway.statistics.extreme_auditor import EXTREMES, ExtremeAuditor
from sfumato.gateway.statistics.ledger import Fields, Heads, Ledger, Write
from sfumato.gateway.statistics.record_sets import RecordSet
from sfumato.gateway.statistics.records import Ownership, RecordNumbers, UnseenRecords
from sfumato.gateway.statistics.stored_values import ComparableValue
from sfumato.gateway.statistics.sum_auditor import SumAuditor
from sfumato.runtime.budget import Budget

REFUSED = "this aggregate is not answered: alone, or with those answered before, it could tell about too few people."
"""The one message for every refusal that depends on which records a query is about."""

AnswerName = tuple[str, str | None, str | None, str]
"""What an answer is of: a function, a column, the form of its values, and the name of a set of records."""

_LATER_OWNERSHIPS: tuple[Ownership, ...] = ("latest", "merged")
"""The kinds of ownership that differ from the first one as soon as records were given to other people."""

Answers = dict[AnswerName, tuple[date, list[Any]]]
"""The values that were answered, and the day on which they were measured."""


def accounts_of(person: Person) -> tuple[str, ...]:
    """The accounts that a person's queries are charged to: their own, and those of their team and its members."""
    if person.account is None:
        return (f"person {person.name}",)
    members = (person.name, *sorted(person.partners))
    return (*(f"person {name}" for name in members), f"team {person.account}")


@dataclass
class _Account:
    """What one account was answered of one table.

    `ownership` says by which owners of records its auditors judge. `others` are the same account judged by the other
    kinds of ownership, once they were needed.
    """

    auditors: tuple[Auditor, ...]
    extremes: ExtremeAuditor
    ownership: Ownership = "first"
    others: dict[Ownership, _Account] = field(default_factory=dict)
    charges: dict[int, _Charge] = field(default_factory=dict)
    sets: set[RecordSet] = field(default_factory=set)
    answers: Answers = field(default_factory=dict, repr=False)

    def judged(self, aggregate: AuditedAggregate) -> AuditedAggregate:
        """The aggregate with the owners of records by which this account judges."""
        if self.ownership == "first":
            return aggregate
        return replace(aggregate, records=aggregate.records.owned_by(self.ownership))

    def allows(self, aggregate: AuditedAggregate) -> bool:
        """Whether all auditors allow an aggregate."""
        judged = self.judged(aggregate)
        return all(auditor.allows(judged) for auditor in self.auditors)


@dataclass(frozen=True)
class _Charge:
    """One charge: how it changes an account, and how much epsilon it costs."""

    apply: Callable[[_Account], None] = lambda account: None
    epsilon: float = 0.0


class Accounts:
    """All accounts of the data in one store, as its ledger records them."""

    def __init__(self, store: EntryStore, auditing: AuditingSection, heads: Heads | None = None) -> None:
        self._auditing = auditing
        self._ledger = Ledger(store, self._apply, heads)
        self._records: dict[str, RecordNumbers] = {}
        self._keys: dict[str, str] = {}
        self._accounts: dict[tuple[str, str], _Account] = {}
        self._known: dict[str, RecordSet] = {}
        self._pending: tuple[Fields, list[AuditedAggregate]] | None = None
        self._charges = 0

    def spend(self, accounts: Sequence[str], table: str, price: float, total: float) -> None:
        """Charge the price of a query with noise; BudgetError if less of `total` is left."""

        def decide(write: Write) -> None:
            # The charges of all accounts are added up, not only those of
            # the caller: members of a team could average their answers.
            charges = self._charges_of(accounts, table).values()
            budget = Budget(total, "epsilon", [("before", one.epsilon) for one in charges if one.epsilon])
            # It raises before anything is written, as `Ledger.record` requires.
            budget.spend(price, on="this question")
            self._share_charges(accounts, table, write)
            write({"kind": "spent", "accounts": list(accounts), "table": table, "epsilon": price})

        self._ledger.record(decide)

    def admit(
        self,
        accounts: Sequence[str],
        table: str,
        key: str,
        unseen: Callable[[RecordNumbers], UnseenRecords],
        aggregates: Callable[[RecordNumbers], list[AuditedAggregate]],
    ) -> list[AuditedAggregate]:
        """Charge exact aggregates, or refuse all of them; `aggregates` builds them once all records have numbers.

        Records are identified by `key`, a column and its type. If it differs from the one used before, records could
        not be recognised, and the query is refused.
        """

        def decide(write: Write) -> list[AuditedAggregate] | None:
            if self._keys.get(table, key) != key:
                raise PolicyError(
                    f"the key of {table!r} was {self._keys[table]} when aggregates of it were answered before and is "
                    f"{key} now, so that people could not be recognised; keep it as it was."
                )
            self._share_charges(accounts, table, write)
            records = self._records.setdefault(table, RecordNumbers())
            new = unseen(records)
            if not new.is_empty:
                write({"kind": "records", "table": table, "key": key, "new": new.to_dict()})
            # The records must have permanent numbers before sets of them can be compared
            # with earlier sets. They stay numbered even if the query is refused.
            requested = [self._with_known_sets(aggregate) for aggregate in aggregates(records)]
            if not self._allows(
                self._account(accounts[0], table), requested
            ):  # after sharing, all accounts have the same charges
                return None
            fields = self._fields(accounts, table, requested)
            # `_apply_asked` recognises this very entry and need not decode the sets again.
            self._pending = fields, requested
            write(fields)
            return requested

        admitted = self._ledger.record(decide)
        if admitted is None:
            raise DeniedError(REFUSED)
        return admitted

    def settle_answers(
        self, accounts: Sequence[str], table: str, measured: Answers, since: date
    ) -> tuple[Answers, bool]:
        """Decide which numbers to give out: for the same records the same as before, if that was not before `since`.

        They are stored in every account that does not have them yet, before anyone sees them. Also returns whether some
        were answered before. Whether a repeated number would be different now is not revealed.
        """

        def decide(write: Write) -> tuple[Answers, bool]:
            # An answer that any of the accounts has is repeated to all: a second measurement would reveal changes to
            # a team whose members compare their answers.
            every = [self._account(name, table).answers for name in accounts]
            earlier = {name: self._earlier_answer(every, name, since) for name in measured}
            settled = {name: earlier[name] or given for name, given in measured.items()}
            missing_in: dict[tuple[AnswerName, ...], list[str]] = {}
            for account, known in zip(accounts, every, strict=True):
                fresh = tuple(name for name, given in settled.items() if known.get(name) != given)
                if fresh:
                    missing_in.setdefault(fresh, []).append(account)
            for names, holders in missing_in.items():
                answers = [[*name, settled[name][0].isoformat(), settled[name][1]] for name in names]
                write({"kind": "answered", "accounts": holders, "table": table, "answers": answers})
            return settled, any(earlier.values())

        return self._ledger.record(decide)

    def _charges_of(self, accounts: Sequence[str], table: str) -> dict[int, _Charge]:
        """All charges of any of the accounts."""
        charges: dict[int, _Charge] = {}
        for name in accounts:
            charges |= self._account(name, table).charges
        return charges

    def _share_charges(self, accounts: Sequence[str], table: str, write: Write) -> None:
        """Give each of the accounts the charges of the others, because their owners can talk to each other."""
        every = len(self._charges_of(accounts, table))
        # An account holds a subset of the union, so equal sizes mean equal sets.
        if any(len(self._account(name, table).charges) < every for name in accounts):
            write({"kind": "shared", "accounts": list(accounts), "table": table})

    @staticmethod
    def _earlier_answer(every: Sequence[Answers], name: AnswerName, since: date) -> tuple[date, list[Any]] | None:
        """An answer in one of the accounts that is recent enough; None if there is none."""
        recent = [known[name] for known in every if name in known and known[name][0] >= since]
        return recent[0] if recent else None

    def _account(self, name: str, table: str) -> _Account:
        """The account of a name for a table, created on first use."""
        if (name, table) not in self._accounts:
            self._accounts[name, table] = self._new_account()
        return self._accounts[name, table]

    def _new_account(self, ownership: Ownership = "first") -> _Account:
        """An empty account with the auditors that the policy asks for."""
        given = self._auditing
        extremes = ExtremeAuditor(given.least)
        auditors: list[Auditor] = [SetSizeControl(given.least), DifferenceControl(given.least), extremes]
        if given.overlap is not None:
            auditors.append(OverlapControl(given.overlap))
        if given.sums:
            auditors.append(SumAuditor())
        return _Account(tuple(auditors), extremes, ownership)

    def _judged_by(self, account: _Account, ownership: Ownership) -> _Account:
        """The same account, judged by another kind of ownership."""
        if ownership not in account.others:
            account.others[ownership] = self._new_account(ownership)
            for number in sorted(account.charges):
                account.charges[number].apply(account.others[ownership])
        return account.others[ownership]

    def _allows(self, account: _Account, aggregates: Sequence[AuditedAggregate]) -> bool:
        """Whether all aggregates may be answered, given those answered before."""
        # Only distinct sets count: repeating a question about the same records reveals nothing new.
        sets = account.sets.union(*(aggregate.sets for aggregate in aggregates))
        if len(sets) > self._auditing.questions:
            return False
        # Records may have been given to other people. Whoever they
        # ever belonged to is protected.
        moved = any(aggregate.records.latest is not aggregate.records for aggregate in aggregates)
        judges = [account, *(self._judged_by(account, ownership) for ownership in _LATER_OWNERSHIPS if moved)]
        return all(judge.allows(aggregate) for aggregate in _merged_by_measure(aggregates) for judge in judges)

    def _with_known_sets(self, aggregate: AuditedAggregate) -> AuditedAggregate:
        """The aggregate with sets that are kept in memory once, however often they occur."""
        return replace(aggregate, sets=tuple(self._known.get(set_name(one), one) for one in aggregate.sets))

    def _fields(self, accounts: Sequence[str], table: str, aggregates: Sequence[AuditedAggregate]) -> dict[str, Any]:
        """The ledger entry for admitted aggregates; a set is written in full only the first time."""
        fresh = {set_name(one): one for aggregate in aggregates for one in aggregate.sets}
        return {
            "kind": "asked",
            "accounts": list(accounts),
            "table": table,
            "questions": [
                [one.function, one.column, one.form, one.population, [set_name(records) for records in one.sets]]
                for one in aggregates
            ],
            "sets": {name: _encode_set(one) for name, one in fresh.items() if name not in self._known},
        }

    def _apply(self, fields: Fields) -> None:
        """Apply one entry of the ledger, written by this gateway or by another one."""
        try:
            apply = _APPLY_BY_KIND[fields["kind"]]
        except KeyError:
            raise DataError(
                "the ledger of answered aggregates was written by a newer version; update this one."
            ) from None
        apply(self, fields)

    def _apply_records(self, fields: Fields) -> None:
        """Number new people and records, and keep to whom records belong now."""
        table, new = fields["table"], UnseenRecords.of_dict(fields["new"])
        self._keys[table] = fields["key"]
        self._records.setdefault(table, RecordNumbers()).add(new)
        if len(new.moved):
            for (_, of), account in self._accounts.items():
                if of == table:
                    account.others.clear()  # they were judged by earlier owners

    def _charge(self, accounts: Sequence[str], table: str, charge: _Charge) -> None:
        """Charge accounts."""
        # Every gateway applies the same entries in the same order, so a number means the same charge everywhere.
        self._charges += 1
        for name in accounts:
            account = self._account(name, table)
            account.charges[self._charges] = charge
            charge.apply(account)
            for other in account.others.values():
                charge.apply(other)

    def _apply_shared(self, fields: Fields) -> None:
        """Rebuild accounts that lack a charge, because auditors depend on the order of the charges."""
        table = fields["table"]
        every = self._charges_of(fields["accounts"], table)
        for name in fields["accounts"]:
            if len(self._account(name, table).charges) < len(every):
                account = self._accounts[name, table] = self._new_account()
                for number in sorted(every):
                    account.charges[number] = every[number]
                    every[number].apply(account)

    def _apply_spent(self, fields: Fields) -> None:
        """Charge epsilon."""
        self._charge(fields["accounts"], fields["table"], _Charge(epsilon=float(fields["epsilon"])))

    def _apply_asked(self, fields: Fields) -> None:
        """Charge admitted aggregates; those just admitted by this process need not be decoded."""
        self._known.update({name: _decode_set(encoded) for name, encoded in fields["sets"].items()})
        if self._pending is not None and self._pending[0] is fields:
            aggregates = self._pending[1]
        else:
            records = self._records.setdefault(fields["table"], RecordNumbers())
            aggregates = [
                AuditedAggregate(
                    function=function,
                    column=column,
                    form=form,
                    population=population,
                    sets=tuple(self._known[name] for name in names),
                    records=records,
                )
                for function, column, form, population, names in fields["questions"]
            ]
        self._pending = None

        def apply(account: _Account) -> None:
            for aggregate in aggregates:
                account.sets.update(aggregate.sets)
                for auditor in account.auditors:
                    auditor.remember(account.judged(aggregate))

        self._charge(fields["accounts"], fields["table"], _Charge(apply))

    def _apply_answered(self, fields: Fields) -> None:
        """Store answers, and tell the auditor of extremes what they were."""
        table = fields["table"]

        def apply(account: _Account) -> None:
            for function, column, form, of, day, values in fields["answers"]:
                name, measured = (function, column, form, of), date.fromisoformat(day)
                if name not in account.answers or account.answers[name][0] <= measured:
                    account.answers[name] = measured, values
                # What the auditor of extremes allows depends on the
                # earlier answers themselves, which the caller knows too.
                if function in EXTREMES:
                    aggregate = AuditedAggregate(
                        function=function,
                        column=column,
                        form=form,
                        population=0,
                        sets=(self._known[of],),
                        records=self._records[table],
                    )
                    account.extremes.record_answers(
                        account.judged(aggregate), [ComparableValue.of(values[0 if function == "min" else -1])]
                    )

        self._charge(fields["accounts"], table, _Charge(apply))


_APPLY_BY_KIND: Mapping[str, Callable[[Accounts, Fields], None]] = {
    "records": Accounts._apply_records,
    "shared": Accounts._apply_shared,
    "spent": Accounts._apply_spent,
    "asked": Accounts._apply_asked,
    "answered": Accounts._apply_answered,
}
"""The method for every kind of ledger entry."""


def _merged_by_measure(aggregates: Sequence[AuditedAggregate]) -> list[AuditedAggregate]:
    """Aggregates of one measure as one, so that they are judged together; a mean counts as a sum."""
    merged: dict[Measure, AuditedAggregate] = {}
    for aggregate in aggregates:
        earlier = merged.get(aggregate.measure)
        sets = aggregate.sets if earlier is None else (*earlier.sets, *aggregate.sets)
        merged[aggregate.measure] = replace(aggregate, sets=tuple(dict.fromkeys(sets)))
    return list(merged.values())


def set_name(records: RecordSet) -> str:
    """The name of a set of records: equal for equal sets only."""
    return records.digest.hex()


def _encode_set(records: RecordSet) -> dict[str, Any]:
    """A set of records as JSON data."""
    return {"bits": records.words is not None, "data": compress_to_text(records.to_bytes())}


def _decode_set(encoded: Mapping[str, Any]) -> RecordSet:
    """The set that was encoded."""
    return RecordSet.of_bytes(decompress_text(encoded["data"]), bits=encoded["bits"])
