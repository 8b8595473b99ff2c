"""Database objects for the choices of data subjects: a column beside each value, and one list of all choices.

A choice is a small number in the table itself, because joining a separate table would cost several times what it
protects. The list is the intended purpose table: one row per person and column, with the name of the choice.

References: Kabir (2010), section 2.4 (intended purpose tables).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import psycopg
from psycopg.sql import SQL, Composable, Composed, Literal

from sfumato.errors import PolicyError, nearest
from sfumato.gateway.engines.postgres.connections import Row
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment
from sfumato.gateway.engines.postgres.deployment.statements import OWNER_SCHEMA, quoted_name, trusted_sql
from sfumato.gateway.engines.postgres.table_catalogue import column_types

LIST, CHOOSE, CHANGED = "intended_purposes", "choose", "change_choice"


@dataclass(frozen=True, kw_only=True)
class ChoiceColumn:
    """A column about which the data subjects choose themselves; `key` identifies the person."""

    table: str
    key: str
    column: str
    schema: str = OWNER_SCHEMA

    @property
    def name(self) -> str:
        """The column that holds the choices.

        >>> ChoiceColumn(table="customer", key="id", column="income").name
        'income.choice'
        """
        return f"{self.column}.choice"

    @property
    def qualified_name(self) -> tuple[str, str, str]:
        """Schema, table and column name."""
        return (self.schema, self.table, self.name)


def add_column(column: ChoiceColumn, ownership: OwnershipComment, *, there: bool = False) -> list[Composable]:
    """Add the choice column. It is NULL at first, so no row is rewritten and nobody has chosen yet.

    A column that exists is not added again, because ALTER TABLE would wait for all readers of the table.
    """
    table = quoted_name(column.schema, column.table)
    added = SQL("ALTER TABLE {} ADD COLUMN IF NOT EXISTS {} smallint").format(table, quoted_name(column.name))
    commented = SQL("COMMENT ON COLUMN {} IS {}").format(quoted_name(*column.qualified_name), Literal(ownership.text))
    return [commented] if there else [added, commented]


def key_types(
    connection: psycopg.Connection[Row], columns: Sequence[ChoiceColumn], made: Collection[tuple[str, str, str]]
) -> dict[ChoiceColumn, str]:
    """The type of every key column, after checking that the choice column can be added to its table."""
    type_of_key = {}
    for column in columns:
        types = column_types(connection, column.table, column.schema)
        for name in (column.key, column.column):
            if name not in types:
                raise PolicyError(f"table {column.table!r} has no column {name!r}; {nearest(name, types)}")
        if column.name in types and column.qualified_name not in made:
            raise PolicyError(
                f"table {column.table!r} has a column {column.name!r} that was not created for choices; rename it."
            )
        type_of_key[column] = types[column.key]
    return type_of_key


def drop_column(schema: str, table: str, name: str) -> Composed:
    """Drop the choice column and with it all choices."""
    return SQL("ALTER TABLE {} DROP COLUMN IF EXISTS {}").format(quoted_name(schema, table), quoted_name(name))


def create_list(
    prefix: str, columns: Sequence[ChoiceColumn], choices: Sequence[str], key_types: Mapping[ChoiceColumn, str]
) -> list[Composable]:
    """The updatable view `intended_purposes`, and `choose(table, key, column, choice)`, which uses an index."""
    list_view, choose, change_function = (
        quoted_name(prefix, LIST),
        quoted_name(prefix, CHOOSE),
        quoted_name(prefix, CHANGED),
    )
    every = SQL(" UNION ALL ").join([_list_rows(column, choices) for column in columns])
    return [
        SQL("CREATE OR REPLACE VIEW {} AS {}").format(list_view, every),
        SQL("CREATE OR REPLACE FUNCTION {}(text, text, text, text) RETURNS void LANGUAGE plpgsql AS {}").format(
            choose, _body(_choose_body(columns, choices, key_types))
        ),
        SQL("CREATE OR REPLACE FUNCTION {}() RETURNS trigger LANGUAGE plpgsql AS {}").format(
            change_function, _body(_change_body(choose))
        ),
        SQL(
            "CREATE OR REPLACE TRIGGER {} INSTEAD OF INSERT OR UPDATE OR DELETE ON {} "
            "FOR EACH ROW EXECUTE FUNCTION {}()"
        ).format(quoted_name(CHANGED), list_view, change_function),
        SQL("REVOKE ALL ON {} FROM PUBLIC").format(list_view),
        SQL("REVOKE ALL ON FUNCTION {}(text, text, text, text), {}() FROM PUBLIC").format(choose, change_function),
    ]


def drop_list(prefix: str) -> list[Composable]:
    """Drop the view and its functions; the choices stay."""
    return [
        SQL("DROP VIEW IF EXISTS {}").format(quoted_name(prefix, LIST)),
        SQL("DROP FUNCTION IF EXISTS {}(text, text, text, text)").format(quoted_name(prefix, CHOOSE)),
        SQL("DROP FUNCTION IF EXISTS {}()").format(quoted_name(prefix, CHANGED)),
    ]


def choice_name(number: Composable, choices: Sequence[str]) -> Composable:
    """SQL for the name of a choice, given its number; NULL if nothing is chosen."""
    return _case(number, [(Literal(place), Literal(name)) for place, name in enumerate(choices, 1)], "text")


def _list_rows(column: ChoiceColumn, choices: Sequence[str]) -> Composed:
    """The rows of the list for one column."""
    return SQL("SELECT {}::text AS table_name, {}::text AS key, {}::text AS column_name, {} AS choice FROM {}").format(
        Literal(column.table),
        quoted_name(column.key),
        Literal(column.column),
        choice_name(quoted_name(column.name), choices),
        quoted_name(column.schema, column.table),
    )


def _choose_body(
    columns: Sequence[ChoiceColumn], choices: Sequence[str], key_types: Mapping[ChoiceColumn, str]
) -> Composed:
    """The body of the function `choose`."""
    numbers = _case(SQL("$4"), [(Literal(name), Literal(place)) for place, name in enumerate(choices, 1)], "smallint")
    branches = SQL("").join([_update_branch(column, key_types[column]) for column in columns])
    return SQL(
        'DECLARE "sfumato.number" smallint := {}; BEGIN '
        'IF $4 IS NOT NULL AND "sfumato.number" IS NULL THEN RAISE EXCEPTION {}; END IF; '
        "CASE {} ELSE RAISE EXCEPTION {}; END CASE; "
        "IF NOT FOUND THEN RAISE EXCEPTION {}; END IF; END"
    ).format(
        numbers,
        Literal("the policy has no choice of this name"),
        branches,
        Literal("the data subjects do not choose about this column of this table"),
        Literal("no row has this key"),
    )


def _update_branch(column: ChoiceColumn, key_type: str) -> Composed:
    """The key is cast to the type of the column, not the column to text, so that an index is used."""
    return SQL('WHEN $1 = {} AND $3 = {} THEN UPDATE {} SET {} = "sfumato.number" WHERE {} = CAST($2 AS {}); ').format(
        Literal(column.table),
        Literal(column.column),
        quoted_name(column.schema, column.table),
        quoted_name(column.name),
        quoted_name(column.key),
        trusted_sql(key_type),
    )


def _change_body(choose: Composable) -> Composed:
    """The body of the trigger that turns changes of the list into calls of `choose`."""
    return SQL(
        "BEGIN "
        "IF TG_OP = 'DELETE' THEN "
        "PERFORM {choose}(OLD.table_name, OLD.key, OLD.column_name, NULL); RETURN OLD; END IF; "
        "IF TG_OP = 'UPDATE' AND (OLD.table_name, OLD.key, OLD.column_name)"
        " IS DISTINCT FROM (NEW.table_name, NEW.key, NEW.column_name) THEN RAISE EXCEPTION {moved}; END IF; "
        "PERFORM {choose}(NEW.table_name, NEW.key, NEW.column_name, NEW.choice); RETURN NEW; END"
    ).format(choose=choose, moved=Literal("only the choice can be changed"))


def _case(value: Composable, outcomes: Sequence[tuple[Literal, Literal]], kind: str) -> Composable:
    """SQL that maps values to outcomes; NULL for any other value."""
    if not outcomes:
        return SQL("CAST(NULL AS {})").format(trusted_sql(kind))
    whens = SQL(" ").join([SQL("WHEN {} THEN {}").format(given, made) for given, made in outcomes])
    return SQL("CAST(CASE {} {} END AS {})").format(value, whens, trusted_sql(kind))


def _body(code: Composed) -> Literal:
    return Literal(code.as_string())
