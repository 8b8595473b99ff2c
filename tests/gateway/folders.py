"""A folder with everything a gateway needs: the customers of Kabir (2010), their choices, a policy and a user."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb
import tomlkit

from tests.gateway import kabir


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
        with duckdb.connect(str(folder / "shop.duckdb")) as con:
            con.execute(
                "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR, age INT, address VARCHAR, income INT)"
            )
            con.executemany("INSERT INTO customer VALUES (?, ?, ?, ?, ?)", [list(row) for row in kabir.CUSTOMERS])
    return folder / "gateway.toml"
