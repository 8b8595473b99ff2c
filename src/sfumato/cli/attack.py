"""`sfumato attack FILE --quasi a,b --sensitive c --original DATA`: see how much a release gives away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    from sfumato.attacks.base import Attack, AttackedPeople
    from sfumato.attacks.targets import Targets
    from sfumato.audit.audit import Audit
    from sfumato.metrics.paired_numbers import Masked

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
    sensitive: Annotated[list[str], typer.Option(help="The column he wants to learn.")],
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
            pairs = _numbers(file, None if bucket or waiver else original, audit, missing or (), (separator, encoding))
            met = {"groups": _groups(audit), "numbers": pairs}
            results = [one.run(met[one.meets], rules) for one in _chosen(attack or (), met, rules is not None)]
        plain = [result.to_dict() for result in results]
        answer(form, {"file": str(file), "attacks": plain}, lambda: attacks_text(results))


def _groups(audit: Audit) -> Targets:
    from sfumato.attacks.targets import Targets

    return Targets.of_published(audit.whole())


def _numbers(
    file: Path, original: Path | None, audit: Audit, missing: Sequence[str], dialect: tuple[str | None, str | None]
) -> Masked | None:
    """The numbers of the release beside the original ones; None where there are none, or rows do not pair up."""
    from sfumato.engines.frames.paired_sources import files_side_by_side

    if original is None:
        return None
    masked = files_side_by_side(
        original,
        file,
        audit.schema.quasi,
        only_numbers=True,
        missing=missing,
        dialect=dialect,
        original_dialect=(None, None),
    )
    return masked if masked.columns and masked.people else None


def _chosen(names: Sequence[str], met: Mapping[str, AttackedPeople | None], rules: bool) -> list[Attack[Any]]:
    """The attacks that were asked for, or all that what is at hand allows."""
    from sfumato.errors import UsageError
    from sfumato.settings import catalogue

    things = [catalogue.find("attacks", name) for name in names] or [it.thing for it in catalogue.entries("attacks")]
    every: list[Attack[Any]] = [thing.build({}) for thing in things]  # type: ignore[misc]
    for one in every if names else ():
        if met[one.meets] is None:
            raise UsageError(
                f"{one.name()} compares numbers with the original ones, record by record; give --original, and quasi "
                "columns that are published as numbers. Records in buckets have none of their own, and --waiver leaves "
                "out people whom it would compare."
            )
    if names:
        return every
    found = [
        one
        for one in every
        if (rules or not one.needs_knowledge)
        and (there := met[one.meets]) is not None
        and (there.truth_known or not one.needs_truth)
    ]
    if not found:
        raise UsageError("no attack can be tried with this; give --knowledge with rules, or --original with the truth.")
    return found
