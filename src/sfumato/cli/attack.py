"""`sfumato attack FILE --quasi a,b --sensitive c --original DATA`: run attacks on a release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.completion import entries_of
from sfumato.cli.data_source import name_in_results, readable_source
from sfumato.cli.options import (
    BlockOption,
    BucketOption,
    DataArgument,
    FormatOption,
    MissingOption,
    OriginalEncodingOption,
    OriginalOption,
    QueryOption,
    SensitiveTableOption,
    TableOption,
    WaiverOption,
    original_options,
    reads_files,
    split_names,
)
from sfumato.engines.read_options import ReadOptions
from sfumato.errors import KnowledgeError, UsageError

if TYPE_CHECKING:
    from sfumato.attacks.base import Attack, Attackable
    from sfumato.knowledge.knowledge import Knowledge

AttackOption = Annotated[
    list[str] | None,
    typer.Option(
        "--attack",
        help="An attack from 'sfumato list attacks'; by default all that apply.",
        autocompletion=entries_of("attacks"),
    ),
]
KnowledgeOption = Annotated[
    Path | None, typer.Option(help="A file of rules about people, as written by 'sfumato knowledge mine'.")
]


@reads_files
def attack(
    file: DataArgument,
    *,
    table: TableOption = None,
    query: QueryOption = None,
    quasi: Annotated[list[str], typer.Option(help="Columns that the attacker knows, as a,b or repeated.")],
    sensitive: Annotated[list[str], typer.Option(help="The column that the attacker wants to learn.")],
    attack: AttackOption = None,
    knowledge: KnowledgeOption = None,
    bucket: BucketOption = "",
    sensitive_table: SensitiveTableOption = None,
    block: BlockOption = None,
    original: OriginalOption = None,
    original_encoding: OriginalEncodingOption = None,
    waiver: WaiverOption = "",
    missing: MissingOption = None,
    options: ReadOptions,
    form: FormatOption = Format.TEXT,
) -> None:
    """Run attacks on a release and show for what share of its records they succeed.

    Every record is attacked, so a person with several records is attacked once for each of them.
    """
    with answering():
        from sfumato.audit.audit import Audit
        from sfumato.cli.drawing import attacks_text

        source = readable_source(file, table, query, options)
        rules = _rules(knowledge) if knowledge else None
        with progress_bar():
            audit = Audit.of_file(
                source,
                quasi=split_names(quasi),
                sensitive=split_names(sensitive),
                missing=missing or (),
                bucket=bucket,
                blocks=[split_names([text]) for text in block or ()],
                sensitive_table=sensitive_table,
                original=original,
                waiver=waiver,
                options=options,
                original_options=original_options(original, original_encoding),
            )
            release = audit.whole()
            results = [one.run(release, rules) for one in _selected_attacks(attack or (), release, rules)]
        plain = [result.to_dict() for result in results]
        answer(form, {"file": name_in_results(file, source), "attacks": plain}, lambda: attacks_text(results))


def _rules(path: Path) -> Knowledge:
    """The rules of a file; refused if none of them excludes a value, since all attacks use only such rules."""
    from sfumato.knowledge import Knowledge

    rules = Knowledge.read(path)
    if not rules.never:
        kind = " of the kind 'never', and attacks use only these" if len(rules) else ""
        raise KnowledgeError(
            f"{path.name!r} has no rules{kind}; write some, let 'sfumato knowledge mine' find more with a lower "
            "--min-expectation, or leave --knowledge out."
        )
    return rules


def _selected_attacks(names: Sequence[str], release: Attackable, rules: Knowledge | None) -> Sequence[Attack[Any]]:
    """The named attacks; without names, all that can be run on the release."""
    from sfumato.attacks.base import suitable_attacks
    from sfumato.settings import catalogue

    if names:
        return [catalogue.find("attacks", name).build({}) for name in names]  # type: ignore[misc]
    suitable = suitable_attacks(release, rules)
    if not suitable:
        raise UsageError(
            "no attack can be run with these options; give --knowledge with rules, or --original with the data."
        )
    return suitable
