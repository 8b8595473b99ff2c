"""A folder with everything a gateway needs: the customers of Kabir (2010), their choices, a policy and a user."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import tomlkit

from tests.gateway import kabir
from tests.gateway.memory import fill


def shop(folder: Path, *, source: dict[str, Any] | None = None, **change: Any) -> Path:
    """The setup file in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.toml").write_text(tomlkit.dumps({**kabir.policy(), **change}), encoding="utf-8")
    (folder / "gateway.toml").write_text(
        tomlkit.dumps({"source": source or {"duckdb": "shop.duckdb"}}), encoding="utf-8"
    )
    with (folder / "choices.csv").open("w", newline="", encoding="utf-8") as lines:
        writer = csv.writer(lines)
        writer.writerow(["key", "column", "choice"])
        for key, row in kabir.TABLE_3_2.items():
            writer.writerows([key, column, cell] for column, cell in zip(kabir.COLUMNS, row, strict=True))
    if source is None:
        (folder / "shop.duckdb").write_bytes(_database())
    return folder / "gateway.toml"


@cache
def _database() -> bytes:
    """The file of the customers, which is made once and copied into every folder."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "shop.duckdb")
        with duckdb.connect(str(path)) as con:
            con.execute(
                "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR, age INT, address VARCHAR, income INT)"
            )
            fill(con, "customer", kabir.CUSTOMERS)
        return path.read_bytes()
