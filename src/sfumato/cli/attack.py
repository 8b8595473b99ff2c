"""`sfumato attack FILE --quasi a,b --sensitive c --original DATA`: see how much a release gives away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.answering import Format, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.options import (
    BlockOption,
    BucketOption,
    EncodingOption,
    FormatOption,
    MissingOption,
    OriginalOption,
    SensitiveTableOption,
    SeparatorOption,
    WaiverOption,
    split_names,
)

if TYPE_CHECKING:
    from sfumato.attacks.base import Attack, Attackable
    from sfumato.knowledge.knowledge import Knowledge

AttackOption = Annotated[
    list[str] | None, typer.Option("--attack", help="An attack from 'sfumato list attacks'; all that apply else.")
]
KnowledgeOption = Annotated[
    Path | None, typer.Option(help="A file of rules about people, as 'sfumato knowledge mine' writes it.")
]


def attack(
    file: Annotated[Path, typer.Argument(help="A release as CSV or Parquet, made by whomever.")],
    *,
    quasi: Annotated[list[str], typer.Option(help="Columns the attacker knows of people, as a,b or repeated.")],
    sensitive: Annotated[list[str], typer.Option(help="The column the attacker wants to learn.")],
    attack: AttackOption = None,
    knowledge: KnowledgeOption = None,
    bucket: BucketOption = "",
    sensitive_table: SensitiveTableOption = None,
    block: BlockOption = None,
    original: OriginalOption = None,
    waiver: WaiverOption = "",
    missing: MissingOption = None,
    separator: SeparatorOption = None,
    encoding: EncodingOption = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Attack a release the way an attacker would, and say with how many people it succeeds."""
    with answering():
        from sfumato.audit.audit import Audit
        from sfumato.cli.drawing import attacks_text
        from sfumato.knowledge import Knowledge

        rules = Knowledge.read(knowledge) if knowledge else None
        with progress_bar():
            audit = Audit.of_file(
                file,
                quasi=split_names(quasi),
                sensitive=split_names(sensitive),
                missing=missing or (),
                bucket=bucket,
                blocks=[split_names([text]) for text in block or ()],
                sensitive_table=sensitive_table,
                original=original,
                waiver=waiver,
                separator=separator,
                encoding=encoding,
            )
            release = audit.whole()
            results = [one.run(release, rules) for one in _chosen(attack or (), release, rules)]
        plain = [result.to_dict() for result in results]
        answer(form, {"file": str(file), "attacks": plain}, lambda: attacks_text(results))


def _chosen(names: Sequence[str], release: Attackable, rules: Knowledge | None) -> Sequence[Attack[Any]]:
    """The attacks that are named, or all that can be run on the release."""
    from sfumato.attacks.base import suitable_attacks
    from sfumato.errors import UsageError
    from sfumato.settings import catalogue

    if names:
        return [catalogue.find("attacks", name).build({}) for name in names]  # type: ignore[misc]
    found = suitable_attacks(release, rules)
    if not found:
        raise UsageError("no attack can be tried with this; give --knowledge with rules, or --original with the truth.")
    return found
