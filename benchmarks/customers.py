"""Customers who each chose what four of their values may be used for, and the policy that keeps to it.

This file stays light; what needs more than Python is loaded where it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

CHOSEN = ("name", "age", "address", "income")
CHOICES = 8
PURPOSE, ROLE = "Marketing", "marketer"
POLICY = """
name = "customers"

[purposes]
General = ["Admin", "Purchase", "Shipping", "Marketing"]
Admin = ["Profiling", "Analysis"]
Marketing = ["Direct", "Third-Party"]
Direct = ["D-Email", "D-Phone"]

[choices]
everything = { allowed = ["General"] }
weaker-marketing = { allowed = ["General"], conditional = ["Marketing"] }
no-marketing = { allowed = ["General"], prohibited = ["Marketing"] }
weaker-marketing-no-admin = { allowed = ["General"], conditional = ["Marketing"], prohibited = ["Admin"] }
no-admin = { allowed = ["General"], prohibited = ["Admin"] }
weaker-admin = { allowed = ["General"], conditional = ["Admin"] }
weaker-shipping = { allowed = ["General"], conditional = ["Shipping"] }
weaker = { conditional = ["General"] }

[tables.customer]
key = "id"
allowed = ["General"]

[tables.customer.columns]
name = { by_choice = true, conditions = [{ transform = "first_letter" }] }
age = { by_choice = true, conditions = [{ transform = "bucket", width = 10 }] }
address = { by_choice = true, conditions = [{ transform = "drop_house_number" }] }
income = { by_choice = true, conditions = [{ transform = "bucket", width = 10000 }] }

[roles]
marketer = {}

[[permissions]]
role = "marketer"
table = "customer"
purpose = "Marketing"
"""
SETUP = """
[source]
duckdb = "customers.duckdb"

[limits]
seconds = {allowed}
"""
COLUMNS = """
i::INTEGER AS id, 'Customer ' || (hash(i) % 1000000) AS name, (18 + hash(i + 1) % 70)::INTEGER AS age,
(1 + hash(i + 2) % 200) || ', ' || ['West', 'Fay', 'Anita', 'Wuth', 'Station'][(1 + hash(i + 3) % 5)::BIGINT]
|| ' Street, ' || (1000 + hash(i + 4) % 9000) || ' Town' AS address, (20000 + hash(i + 5) % 90000)::INTEGER AS income
"""


def fill(con: duckdb.DuckDBPyConnection, records: int, *, mixed: bool = False) -> None:
    """Make the table, in the order of its keys or in none."""
    order = " ORDER BY hash(i)" if mixed else ""
    con.execute(f"CREATE TABLE customer AS SELECT {COLUMNS} FROM range({records}) AS r(i){order}")


def choices(records: int) -> pa.Table:
    """What everybody chose: one of eight for each of four values, at random."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(1)
    chosen = {f"{name}.choice": random.integers(1, CHOICES + 1, records).astype(np.int16) for name in CHOSEN}
    return pa.table({"id": pa.array(np.arange(records, dtype=np.int32)), **chosen})


def policy() -> Any:
    """The policy, read."""
    import tomllib

    from sfumato.gateway.policy.policy import Policy

    return Policy.of(tomllib.loads(POLICY))


def marketer() -> Any:
    """Who asks."""
    from sfumato.gateway.people.people import Person

    return Person("mia", frozenset({ROLE}))


def write_setup(*, folder: str, records: int, users: int, allowed: float) -> dict[str, Any]:
    """A folder that `sfumato gateway serve` can be started in, and tokens of users to ask with."""
    import duckdb

    from sfumato.gateway.people.people import People
    from sfumato.gateway.setup.setup import Setup

    place = Path(folder)
    (place / "policy.toml").write_text(POLICY, encoding="utf-8")
    (place / "gateway.toml").write_text(SETUP.format(allowed=allowed), encoding="utf-8")
    setup, people = Setup.read(place / "gateway.toml"), People()
    tokens = [people.add(f"mia {number}", [ROLE]) for number in range(users)]
    people.write(setup.users)
    duckdb.connect(str(place / "customers.duckdb")).close()  # a setup opens a database that is there
    with setup.private_database(setup.policy) as private:
        fill(private._con, records)
        private.set_choices("customer", choices(records))
    return {"tokens": tokens}
