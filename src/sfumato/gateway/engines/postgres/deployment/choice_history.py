"""Database objects for the history of choices: a table of who chose what when and who entered it, and its triggers.

Triggers see every change of a choice, whether it came through the gateway, through the list of choices, or from the
owner directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from psycopg.sql import SQL, Composable, Composed, Literal

from sfumato.gateway.engines.postgres.deployment.choices import ChoiceColumn, choice_name
from sfumato.gateway.engines.postgres.deployment.ownership_comments import OwnershipComment
from sfumato.gateway.engines.postgres.deployment.statements import quoted_name

HISTORY, RECORD = "choice_history", "record_choice"
ENTERED_BY, LOGIN = "sfumato.entered_by", "sfumato.login"
"""Transaction settings in which the gateway tells the triggers who enters choices."""

_EVENTS: Mapping[str, Composable] = {"inserted": SQL("INSERT"), "changed": SQL("UPDATE")}
QualifiedTable = tuple[str, str]
"""A table with its schema before it."""


def create_history(
    prefix: str, columns: Sequence[ChoiceColumn], choices: Sequence[str], before: Iterable[tuple[str, str, str]]
) -> list[Composable]:
    """The history table, which only its owner may read, the function that fills it, and the triggers that call it.

    `before` are the columns that held choices until now; tables that hold none any more lose their triggers.
    """
    history, record = quoted_name(prefix, HISTORY), quoted_name(prefix, RECORD)
    tables = _tables(columns)
    return [
        SQL(
            "CREATE TABLE IF NOT EXISTS {} (number bigint GENERATED ALWAYS AS IDENTITY, "
            "chosen_at timestamptz NOT NULL DEFAULT clock_timestamp(), table_name text NOT NULL, key text, "
            "column_name text NOT NULL, choice text, entered_by text NOT NULL, login text NOT NULL)"
        ).format(history),
        SQL("CREATE INDEX IF NOT EXISTS {} ON {} (table_name, key)").format(quoted_name(f"{HISTORY}_of_key"), history),
        SQL("COMMENT ON TABLE {} IS {}").format(history, Literal(OwnershipComment("history", prefix).text)),
        SQL("REVOKE ALL ON {} FROM PUBLIC").format(history),
        SQL(
            "CREATE OR REPLACE FUNCTION {}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER "
            "SET search_path = pg_catalog, pg_temp AS {}"
        ).format(record, Literal(_trigger_body(history, tables, choices).as_string())),
        SQL("REVOKE ALL ON FUNCTION {}() FROM PUBLIC").format(record),
        *(
            drop
            for schema, table in sorted({(schema, table) for schema, table, _ in before} - set(tables))
            for drop in drop_triggers(prefix, [(schema, table)])
        ),
        *(trigger for table, kept in tables.items() for trigger in _triggers(prefix, table, kept)),
    ]


def drop_triggers(prefix: str, tables: Iterable[QualifiedTable]) -> list[Composable]:
    """Stop recording changes of choices in these tables."""
    return [
        SQL("DROP TRIGGER IF EXISTS {} ON {}").format(quoted_name(_trigger(prefix, event)), quoted_name(*table))
        for table in tables
        for event in _EVENTS
    ]


def drop_trigger_function(prefix: str) -> Composed:
    """Drop the function; no trigger may be left that calls it."""
    return SQL("DROP FUNCTION IF EXISTS {}()").format(quoted_name(prefix, RECORD))


def drop_history(prefix: str) -> Composed:
    """Drop the history of choices."""
    return SQL("DROP TABLE IF EXISTS {}").format(quoted_name(prefix, HISTORY))


def _tables(columns: Sequence[ChoiceColumn]) -> dict[QualifiedTable, list[ChoiceColumn]]:
    """The choice columns by table."""
    by_table: dict[QualifiedTable, list[ChoiceColumn]] = {}
    for column in columns:
        by_table.setdefault((column.schema, column.table), []).append(column)
    return by_table


def _trigger(prefix: str, event: str) -> str:
    return f"{prefix}_choice_{event}"


def _triggers(prefix: str, table: QualifiedTable, columns: Sequence[ChoiceColumn]) -> list[Composable]:
    """One trigger for inserts and one for updates; a row whose choices stay the same costs a comparison and no call."""
    new = [SQL("NEW.{}").format(quoted_name(column.name)) for column in columns]
    old = [SQL("OLD.{}").format(quoted_name(column.name)) for column in columns]
    # The conditions are checked by PostgreSQL before it calls the function, so that other updates stay fast.
    when = {
        "inserted": SQL(" OR ").join([SQL("{} IS NOT NULL").format(one) for one in new]),
        "changed": SQL(" OR ").join(
            [SQL("{} IS DISTINCT FROM {}").format(one, other) for one, other in zip(new, old, strict=True)]
        ),
    }
    return [
        SQL("CREATE OR REPLACE TRIGGER {} AFTER {} ON {} FOR EACH ROW WHEN ({}) EXECUTE FUNCTION {}({}, {})").format(
            quoted_name(_trigger(prefix, event)),
            word,
            quoted_name(*table),
            when[event],
            quoted_name(prefix, RECORD),
            Literal(table[0]),
            Literal(table[1]),
        )
        for event, word in _EVENTS.items()
    ]


def _trigger_body(
    history: Composable, tables: Mapping[QualifiedTable, Sequence[ChoiceColumn]], choices: Sequence[str]
) -> Composed:
    """The body of the trigger function. Arguments of the triggers name the table; a partition has another name."""
    branches = [
        SQL("IF TG_ARGV[0] = {} AND TG_ARGV[1] = {} THEN {}END IF; ").format(
            Literal(schema),
            Literal(table),
            SQL("").join([_insert_if_changed(history, column, choices) for column in columns]),
        )
        for (schema, table), columns in tables.items()
    ]
    return SQL("BEGIN {}RETURN NULL; END").format(SQL("").join(branches))


def _insert_if_changed(history: Composable, column: ChoiceColumn, choices: Sequence[str]) -> Composed:
    """Record a choice that changed, under the name that the policy gives its table.

    On INSERT there is no old row, so OLD is NULL and every choice counts as changed.
    """
    return SQL(
        "IF NEW.{name} IS DISTINCT FROM OLD.{name} THEN "
        "INSERT INTO {history} (table_name, key, column_name, choice, entered_by, login) VALUES "
        "({table}, NEW.{key}::text, {column}, {choice}, coalesce(current_setting({entered}, true), ''), "
        "CASE WHEN coalesce(current_setting({entered}, true), '') = '' THEN session_user "
        "ELSE coalesce(current_setting({login}, true), '') END); END IF; "
    ).format(
        name=quoted_name(column.name),
        history=history,
        table=Literal(column.table),
        key=quoted_name(column.key),
        column=Literal(column.column),
        choice=choice_name(SQL("NEW.{}").format(quoted_name(column.name)), choices),
        entered=Literal(ENTERED_BY),
        login=Literal(LOGIN),
    )
