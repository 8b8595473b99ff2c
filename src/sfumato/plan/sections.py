"""The sections of a plan file and their keys, and how a plan file is read; a key that is not declared here is refused.

The names of sections and keys are public: users write them, and other tools read and write plan files. `Plan` calls
`read_toml` and `validate_plan`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from sfumato.engines.read_options import ReadOptions
from sfumato.errors import PlanError
from sfumato.settings import toml_sections
from sfumato.settings.toml_sections import Section, Steps, Text

Share = Annotated[float, Field(ge=0, le=1)]


class DataSection(Section):
    """`[data]`: the file to publish from and how it is read, a table or query of a database, or a gateway query."""

    path: Text | None = None
    database: Text | None = None
    table: Text | None = None
    query: Text | None = None
    gateway: Text | None = None
    person: Text | None = None
    purpose: Text | None = None
    question: Text | None = None
    engine: Literal["duckdb"] = "duckdb"
    missing: list[str] = []
    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    encoding: Text | None = None
    header: bool | None = None
    sheet: Text | None = None
    value_labels: Literal["texts", "codes"] | None = None
    unnamed_columns: Literal["publish", "leave out", "refuse"] = "publish"

    @property
    def options(self) -> ReadOptions:
        """How the file is read."""
        return ReadOptions(**{field.name: getattr(self, field.name) for field in fields(ReadOptions)})


class ColumnSection(Section):
    """`[columns.NAME]`: the role of a column, and how its values are read and generalized."""

    role: Literal["identifier", "person", "quasi", "sensitive", "target", "waiver", "plain"]
    taxonomy: dict[str, Any] | None = None
    type: Literal["number", "date", "month", "text"] | None = None
    format: Text | None = None
    pseudonym: bool = False


class ThingSection(Section):
    """`[[models]]`, `[[metrics]]`, `[algorithm]`: a name from the catalogue and the settings that it declares."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    name: Text

    @property
    def settings(self) -> dict[str, Any]:
        """All keys except the name."""
        return dict(self.model_extra or {})


class MaskSection(ThingSection):
    """`[[masks]]`: a mask from the catalogue and the columns that it changes before the algorithm runs."""

    columns: Annotated[list[Text], Field(min_length=1)]


class AttackSection(ThingSection):
    """`[[attacks]]`: an attack from the catalogue and a file with rules that the attacker knows."""

    knowledge: Text | None = None


class SuppressionSection(Section):
    """`[suppression]`: the share of records, or of persons with a person column, that may be suppressed, and how.

    `rows` keeps suppressed records as rows of `*` (nulls in Parquet), or drops them.
    """

    limit: Share = 0.0
    rows: Literal["keep", "drop"] | None = None


class OutputSection(Section):
    """`[output]`: the files to write; the release may be a table of a database instead of a file.

    `order` is that of the records: as in the data, or random.
    """

    path: Text | None = None
    database: Text | None = None
    table: Text | None = None
    sensitive_table: Text | None = None
    order: Literal["data", "random"] | None = None
    report: Text | None = None
    certificate: Text | None = None
    pseudonym_key: Text | None = None
    digest_key: Text | None = None
    input_digest: Literal["sha256"] | None = None


class RunSection(Section):
    """`[run]`: the seed, and a time limit for algorithms that can be stopped at any time."""

    seed: Annotated[int, Field(ge=0)] = 0
    seconds: Annotated[float, Field(gt=0)] | None = None


class Sections(Section):
    """A whole plan file."""

    data: DataSection
    columns: Annotated[dict[str, ColumnSection], Field(min_length=1)]
    quasi_identifiers: dict[str, list[str]] = {}
    masks: list[MaskSection] = []
    models: Annotated[list[ThingSection], Field(min_length=1)]
    algorithm: ThingSection = ThingSection(name="mondrian")
    suppression: SuppressionSection = SuppressionSection()
    metrics: list[ThingSection] = []
    attacks: list[AttackSection] = []
    output: OutputSection
    run: RunSection = RunSection()

    def to_dict(self) -> dict[str, Any]:
        """The plan as dictionaries in the order of the file; keys with default values are left out.

        Only the sections `algorithm`, `suppression` and `run` are always complete, so that a plan shows these settings.
        """
        tables = self.model_dump(exclude_none=True, exclude_defaults=True)
        for name in ("algorithm", "suppression", "run"):
            tables[name] = getattr(self, name).model_dump(exclude_none=True)
        return {name: tables[name] for name in type(self).model_fields if name in tables}


def read_toml(path: Path) -> dict[str, Any]:
    """The sections of a plan file as dictionaries; a file that is not UTF-8 or not TOML is refused with the line."""
    from sfumato.engines.readable_files import holds_data

    if holds_data(path):
        raise PlanError(f"{path.name!r} holds data and is no plan; 'sfumato init {path.name}' writes a plan for it.")
    return toml_sections.read_toml(path, called="plan", error=PlanError, hint="; 'sfumato init FILE' writes one")


def validate_plan(given: Mapping[str, Any], described: str) -> Sections:
    """The validated sections; only the first error is reported, because others often follow from it."""
    return toml_sections.validate_sections(Sections, given, described=described, error=PlanError)


def place(path: Steps) -> str:
    """The place of a setting in the file, for messages: `[columns.age] role`, `[[models]] number 2`.

    >>> place(("columns", "age", "role")), place(("models", 1, "name"))
    ('[columns.age] role', '[[models]] number 2, name')
    """
    return toml_sections.place(Sections, path)
