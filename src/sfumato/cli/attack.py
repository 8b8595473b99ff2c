"""`sfumato attack FILE --quasi a,b --sensitive c --original DATA`: see how much a release gives away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli.answering import EncodingOption, Format, FormatOption, SeparatorOption, answer, answering
from sfumato.cli.bar import progress_bar
from sfumato.cli.check import (
    BlockOption,
    BucketOption,
    MissingOption,
    OriginalOption,
    SensitiveTableOption,
    split_names,
)

if TYPE_CHECKING:
    from sfumato.attacks.base import Attack
    from sfumato.attacks.targets import Targets


def attack(
    file: Annotated[Path, typer.Argument(help="A release as CSV or Parquet, made by whomever.")],
    *,
    quasi: Annotated[list[str], typer.Option(help="Columns the attacker knows of people, as a,b or repeated.")],
    sensitive: Annotated[list[str], typer.Option(help="The column he wants to learn.")],
    attack: Annotated[
        list[str] | None, typer.Option("--attack", help="An attack from 'sfumato list attacks'; all that apply else.")
    ] = None,
    knowledge: Annotated[
        Path | None, typer.Option(help="A file of rules about people, as 'sfumato knowledge mine' writes it.")
    ] = None,
    bucket: BucketOption = "",
    sensitive_table: SensitiveTableOption = None,
    block: BlockOption = None,
    original: OriginalOption = None,
    missing: MissingOption = None,
    separator: SeparatorOption = None,
    encoding: EncodingOption = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Attack a release the way an attacker would, and say with how many people it succeeds."""
    with answering():
        from sfumato.attacks.targets import Targets
        from sfumato.audit import Audit
        from sfumato.cli.drawing import attacks_text
        from sfumato.knowledge import Knowledge

        rules = Knowledge.read(knowledge) if knowledge is not None else None
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
                separator=separator,
                encoding=encoding,
            )
            targets = Targets.of_published(audit.whole())
            results = [one.run(targets, rules) for one in _chosen(attack or (), targets, rules is not None)]
        plain = {"file": str(file), "attacks": [result.to_dict() for result in results]}
        answer(form, plain, lambda: attacks_text(results))


def _chosen(names: Sequence[str], targets: Targets, rules: bool) -> list[Attack]:
    """The attacks that were asked for, or all that what is at hand allows."""
    from sfumato import catalogue
    from sfumato.errors import UsageError

    if names:
        return [catalogue.find("attacks", name).build({}) for name in names]  # type: ignore[misc]
    every: list[Attack] = [entry.thing.build({}) for entry in catalogue.entries("attacks")]  # type: ignore[misc]
    found = [
        one for one in every if (rules or not one.needs_knowledge) and (targets.truth_known or not one.needs_truth)
    ]
    if not found:
        raise UsageError("no attack can be tried with this; give --knowledge with rules, or --original with the truth.")
    return found
