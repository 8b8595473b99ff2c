"""The files that Fung, Wang and Yu (2007) measure on, split and ranked as the paper says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sfumato.data.schema import Schema
from sfumato.datasets.adult import data_folder
from sfumato.errors import DataError
from sfumato.evaluation.workloads import Split

ADULT = {
    "Cg": "capital-gain", "Ag": "age", "M": "marital-status", "En": "education-num", "Re": "relationship",
    "H": "hours-per-week", "S": "sex", "E": "education", "O": "occupation", "W": "workclass", "Fw": "fnlwgt",
    "Ra": "race", "Cl": "capital-loss", "N": "native-country",
}  # fmt: skip
"""What the paper's short names of the columns of Adult mean; the first nine are its Top9, in order."""

CRX = ("A9", "A11", "A10", "A8", "A15", "A7", "A14", "A6", "A5")
GERMAN = {
    "Cd": "credit_amount", "As": "status", "Du": "duration_months", "Ch": "credit_history", "Sa": "savings",
    "I": "other_installment_plans", "Lp": "purpose", "D": "other_debtors", "Pr": "property", "Ec": "existing_credits",
    "Em": "employment_since", "Ir": "installment_rate", "Ps": "personal_status_sex", "Rt": "residence_since",
    "Ag": "age", "H": "housing", "J": "job", "Li": "liable_people", "T": "telephone", "F": "foreign_worker",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class DataSet:
    """Records, how many of them come first and are trained on, what is predicted, and the paper's nine best columns."""

    name: str
    frame: Any
    first: int
    target: str
    top: tuple[str, ...]
    short: dict[str, str]

    @property
    def split(self) -> Split:
        """Trained on the first, tested on the others."""
        return Split.first(self.first, self.frame.num_rows)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns but the class."""
        return tuple(name for name in self.frame.column_names if name != self.target)

    def shortened(self, names: Sequence[str]) -> str:
        """Columns by the paper's short names."""
        known = {long: short for short, long in self.short.items()}
        return ", ".join(known.get(name, name) for name in names)

    def schema(self, quasi: Sequence[str], taxonomies: Any = None) -> Schema:
        """These columns are quasi ones, with those of the taxonomies that belong to them."""
        grown = {name: tree for name, tree in (taxonomies or {}).items() if name in quasi}
        return Schema.of(quasi=list(quasi), target=[self.target], taxonomies=grown)


@cache
def adult() -> DataSet:
    """45,222 complete records, the test file behind the training file."""
    import pyarrow as pa

    train, test = (_read(f"adult/adult_{part}_complete.csv") for part in ("train", "test"))
    top = tuple(ADULT.values())[:9]
    return DataSet("Adult", pa.concat_tables([train, test]), train.num_rows, "salary-class", top, ADULT)


@cache
def crx() -> DataSet:
    """653 complete records, of which the first 465 are trained on."""
    return DataSet("CRX", _read("crx/crx_complete.csv"), 465, "A16", CRX, {})


@cache
def german() -> DataSet:
    """1,000 records; which 666 the paper trained on is not known, here it is the first."""
    return DataSet("German", _read("german/german.csv"), 666, "class", tuple(GERMAN.values())[:9], GERMAN)


def _read(name: str) -> Any:
    from pyarrow import csv

    path = data_folder() / name
    if not path.is_file():
        raise DataError(f"there is no file {name!r}; set SFUMATO_DATA to the folder that holds it.")
    return csv.read_csv(path)
