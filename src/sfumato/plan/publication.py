"""Runs a plan: reads the data, computes a release, writes, checks and attacks it, and writes certificate and report.

Plans that cannot succeed are refused first. All files are written under temporary names; they are renamed when the
written release has been read back and every model holds on it. `Plan.run` calls `publish`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.audit.audit import Audit, release_schema
from sfumato.audit.certificate import Certificate
from sfumato.audit.file_digest import FileDigest
from sfumato.data.kinds import Kind
from sfumato.data.schema import Column, Role, Schema
from sfumato.data.table import Table
from sfumato.engines.base import Engine, options_of_written
from sfumato.engines.opening import open_file
from sfumato.engines.readable_files import ReadableFile, readable
from sfumato.engines.writing.publishing import write_originals
from sfumato.errors import DataError, InfeasibleError, OutputError, PlanError, UsageError, listed
from sfumato.plan.outcome import Outcome
from sfumato.plan.outputs import Outputs
from sfumato.plan.warnings import (
    columns_in_order,
    index_columns,
    order_restored_by,
    repeated_keys,
    undeclared_columns,
    unnamed_columns,
    unprotected_columns,
    unread_columns,
    with_warnings,
)
from sfumato.releases.table_release import TableRelease
from sfumato.releases.verdict import Verdict
from sfumato.report.cost import costs_of
from sfumato.runtime.atomic_files import write_text
from sfumato.runtime.private_folders import PrivateFolder
from sfumato.runtime.progress import advance, step
from sfumato.runtime.secret_random import randomness
from sfumato.runtime.time_limit import within

if TYPE_CHECKING:
    from sfumato.algorithms.table_algorithm import TableAlgorithm
    from sfumato.attacks.base import AttackResult
    from sfumato.masks.base import Mask
    from sfumato.models.base import PrivacyModel
    from sfumato.plan.plan import Plan, PlannedAttack

Masks = Sequence[tuple["Mask", Sequence[str]]]
STEPS = ("counting", "deciding", "measuring", "writing", "checking", "reporting")


def publish(plan: Plan) -> Outcome:
    """Run a plan; on a failure or an interrupt, the old output files stay and no new ones appear."""
    schema, model, algorithm, pseudonyms = plan.schema(), plan.model(), plan.algorithm(), plan.pseudonyms()
    masks, metrics, attacks, digest = plan.masks(), plan.metrics(), plan.attacks(), plan.input_digest()
    outputs, clock = Outputs(plan), _Clock()
    with (
        outputs,
        ThreadPoolExecutor(max_workers=1) as background,
        input_files(plan, masks) as files,
    ):
        background.submit(copy_context().run, algorithm.prepare)  # the copied context reports progress
        with clock.step("counting"):
            source = open_file(files.data, engine=plan.sections.data.engine)
            unnamed = unnamed_columns(source, schema)
            schema = _with_unnamed(plan, _as_masked(schema, masks), unnamed, source.described)
            outputs.demand_writable(_published_types(source, schema))
            input_digest = None if digest is None else background.submit(digest.of, files.given, files.original.version)
            table = Table.from_source(source, schema)
        about_columns = background.submit(_column_warnings, plan, files.data, schema)
        about_order = background.submit(_order_warnings, plan, files.original, schema)
        with clock.step("deciding"):
            limit, seed = plan.sections.suppression.limit, _seed(plan, algorithm)
            with time_limit(plan):
                model = model.with_knowledge(table)
                release = _with_masks(algorithm.anonymize(table, model, suppression=limit, seed=seed), masks)
        shuffled = release.recoding.linkage.cut
        more = (
            *unprotected_columns(schema, model),
            *unread_columns(table, in_plan=True),
            *about_columns.result(),
            *([_left_out(unnamed)] if unnamed and plan.sections.data.unnamed_columns == "leave out" else []),
            *(() if shuffled else about_order.result()),
        )
        release = with_warnings(release, more)
        with clock.step("measuring"):
            _demand_attacks_possible(plan, release, attacks)
            costs = costs_of(release, metrics)
        with clock.step("writing"):
            place, secrets = outputs.places["release"], outputs.places.get("sensitive_table")
            drop = plan.sections.suppression.rows == "drop"
            order = _random_order(release) if plan.sections.output.order == "random" and not shuffled else None
            release.write(place, pseudonyms=pseudonyms, sensitive_table=secrets, drop_suppressed=drop, order=order)
            written = outputs.written()
        with clock.step("checking"):
            if "report" in outputs.files:
                background.submit(_prepare_report)
            digests = {
                name: background.submit(FileDigest().of, path)
                for name, path in written.items()
                if name in outputs.files
            }
            original = files.original
            dropped = drop and release.suppressed_records > 0
            if (dropped or order is not None) and (attacks or _needs_original(plan, release, model)):
                original = _as_written(original, release, drop_suppressed=dropped, order=order)
            verdicts, audit = _check_written_files(plan, release, model, written, original)
            release = _with_findings(release, audit, release.suppressed_records if drop else 0)
            results = _run_attacks(plan, release, attacks, audit, written, original)
            sums = {name: digest.result()["value"] for name, digest in digests.items()}
            input_sum = None if input_digest is None else input_digest.result()
        with clock.step("reporting"):
            certificate = Certificate(
                plan.to_dict(), release, verdicts, audit, input_sum, sums, costs, results, files.original.version
            )
            _write_certificate_and_report(certificate, outputs)
        outputs.commit()
    return Outcome(release, certificate, outputs.files, outputs.tables, clock.seconds)


def _seed(plan: Plan, algorithm: TableAlgorithm) -> int | None:
    """The seed of the plan; None if the draws must be secret, because whoever knows the seed could repeat them."""
    return None if algorithm.needs_secret_randomness else plan.sections.run.seed


def time_limit(plan: Plan) -> AbstractContextManager[None]:
    """The time limit of the plan, as a context manager; without one, a context manager that does nothing."""
    seconds = plan.sections.run.seconds
    return nullcontext() if seconds is None else within(seconds)


class _InputFiles(NamedTuple):
    """The file to publish from, the file with the same records before masking, and the file that the plan names."""

    data: ReadableFile
    original: ReadableFile
    given: Path


@contextmanager
def input_files(plan: Plan, masks: Masks) -> Iterator[_InputFiles]:
    """The data file of the plan, or a temporary file: rows of a database, a gateway's answer, or a masked copy."""
    data = plan.sections.data
    with PrivateFolder() as folder:
        database = plan.database()
        if database is not None:
            original = database.read()
            given = original.path
        else:
            given = plan.folder / data.path if data.path is not None else _gateway_answer(plan, folder.path)
            original = readable(given, data.options)
        if not masks:
            yield _InputFiles(original, original, given)
            return
        from sfumato.masks.files import mask_file

        copy = folder.path / ("masked.parquet" if original.typed else f"masked{original.path.suffix}")
        notations = {one.name: one.notation for one in plan.schema().columns if one.notation is not None}
        mask_file(original, masks, copy, missing=data.missing, notations=notations)
        options = replace(original.options, encoding="utf-8", header=True)
        yield _InputFiles(ReadableFile(copy, original.described, options), original, given)


def _random_order(release: TableRelease) -> NDArray[np.int64]:
    """An order of the records from secret random numbers, which is kept nowhere."""
    return randomness(None).permutation(release.original.records)


def _as_written(
    original: ReadableFile, release: TableRelease, *, drop_suppressed: bool, order: NDArray[np.int64] | None
) -> ReadableFile:
    """The original records in the order of the release, for comparisons with it; in a private file."""
    folder, source = PrivateFolder(), open_file(original)
    copy = folder.path / ("kept.parquet" if original.typed else "kept.csv")
    write_originals(release, source, copy, drop_suppressed=drop_suppressed, order=order)
    return ReadableFile(copy, original.described, options_of_written(copy, source.separator), copied_to=folder)


def _as_masked(schema: Schema, masks: Masks) -> Schema:
    """The schema of the masked records, in which columns that are masked as numbers are in the standard notation."""
    numbers = {name for mask, columns in masks if mask.for_kind == "numbers" for name in columns}
    columns = [
        replace(one, kind=Kind.NUMBER, notation=None) if one.name in numbers and one.notation is not None else one
        for one in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


def _with_unnamed(plan: Plan, schema: Schema, unnamed: Sequence[str], described: str) -> Schema:
    """The schema of data with columns that the plan does not name: they are published, left out or refused.

    Columns that are left out become identifiers, so that an order of records by them is noticed as by any other.
    """
    wanted = plan.sections.data.unnamed_columns
    if not unnamed or wanted == "publish":
        return schema
    if wanted == "refuse":
        what, them = ("a column", "it") if len(unnamed) == 1 else ("columns", "them")
        raise PlanError(
            f"{plan.described}: {described} has {what} that the plan does not name, {listed(unnamed)}, and [data] "
            f'unnamed_columns = "refuse" forbids that; give {them} a role in [columns.NAME], or set unnamed_columns to '
            '"leave out" or "publish".'
        )
    left_out = tuple(Column(name=name, role=Role.IDENTIFIER) for name in unnamed)
    return replace(schema, columns=(*schema.columns, *left_out))


def _left_out(unnamed: Sequence[str]) -> str:
    verb, them = ("is", "it") if len(unnamed) == 1 else ("are", "them")
    return f'{listed(unnamed)} {verb} left out: the plan does not name {them}, and unnamed_columns = "leave out".'


def _gateway_answer(plan: Plan, folder: Path) -> Path:
    """Ask the gateway of the plan, and write its answer to a file in the folder."""
    from sfumato.gateway.setup.setup import Setup

    data = plan.sections.data
    setup = Setup.read(plan.folder / str(data.gateway)).with_one_worker()
    person, gateway = setup.people.person(str(data.person)), setup.gateway()
    try:
        answer = gateway.query(str(data.question), person=person, purpose=data.purpose)
    finally:
        gateway.close()
    return answer.write(folder / "answer.parquet")


def _published_types(source: Engine, schema: Schema) -> dict[str, Any]:
    """The Arrow types of the columns that are published, as they are in the source."""
    published = [name for name in source.columns if name not in schema.identifiers or schema.column(name).pseudonym]
    return {name: source.arrow_type(name) for name in published}


def _with_masks(release: TableRelease, masks: Masks) -> TableRelease:
    """The release with its masks in the provenance; models do not rely on them, but they change the data."""
    if not masks:
        return release
    plain = [{**mask.to_dict(), "columns": list(columns)} for mask, columns in masks]
    return replace(release, provenance={**release.provenance, "masks": plain})


def _column_warnings(plan: Plan, data: ReadableFile, schema: Schema) -> tuple[str, ...]:
    """Warnings about columns that repeat persons, and about columns that the plan does not name."""
    source = open_file(data, engine=plan.sections.data.engine)
    return repeated_keys(source, schema) + undeclared_columns(source, schema) + index_columns(source, schema)


def _order_warnings(plan: Plan, original: ReadableFile, schema: Schema) -> tuple[str, ...]:
    """Warnings about the order of records, from the file before masking: masks keep the order of its values."""
    source = open_file(original, engine=plan.sections.data.engine)
    find = order_restored_by if plan.sections.output.order == "random" else columns_in_order
    return find(source, schema, [name for mask in plan.sections.masks for name in mask.columns])


def _check_written_files(
    plan: Plan, release: TableRelease, model: PrivacyModel, written: Mapping[str, Path], original: ReadableFile
) -> tuple[tuple[Verdict, ...], Audit]:
    """Read the written files back and judge them; raise an error if a model fails or records are lost.

    The audit reads only the files, as any recipient could. It gets the original as well if a model needs original
    values that the release hides, such as the person key.
    """
    dropped = release.suppressed_records if plan.sections.suppression.rows == "drop" else 0
    known = original if _needs_original(plan, release, model) else None
    try:
        audit = _audit_written_files(plan, release, written, known).judged(model)
    except (DataError, UsageError):
        _demand_records(release, written, dropped)
        raise
    verdicts = audit.verdicts
    failing = [verdict.described for verdict in verdicts if not verdict.holds]
    lost = release.original.records - dropped - audit.records - audit.suppressed - audit.waived
    shown = audit.suppressed < release.suppressed_records - dropped
    unclear = _without_values(audit.suppressed, release, dropped)
    if failing and not (lost or shown) and unclear:
        raise InfeasibleError(
            f"the written release does not satisfy {' & '.join(failing)}: {unclear} Nothing was published. Publish a "
            "text file, in which missing and suppressed values differ, leave these records out, or allow more "
            "suppression."
        )
    if failing or lost or shown:
        fault = f"does not satisfy {' & '.join(failing)}" if failing else f"has {abs(lost)} records too few or too many"
        fault = "shows records that were suppressed" if shown else fault
        raise OutputError(
            f"the written release was read back and {fault}; nothing was published. This is a bug; please report it."
        )
    return verdicts, audit


def _with_findings(release: TableRelease, audit: Audit, dropped: int) -> TableRelease:
    """The release with what was found in the written file as warnings."""
    unclear = _without_values(audit.suppressed, release, dropped)
    return with_warnings(with_warnings(release, audit.warnings, first=True), [unclear] if unclear else [])


def _demand_records(release: TableRelease, written: Mapping[str, Path], dropped: int) -> None:
    """Raise an error for a written release in which all records look like suppressed ones, though they are not."""
    files = release.files(written, original=None)
    if not files.release.typed:
        return
    source = files.opened(())
    empty = source.filled(source.columns, None)
    unclear = _without_values(empty, release, dropped)
    waived = int(release.original.counts[release.original.waived].sum())
    if unclear and empty + waived + dropped == release.original.records:
        raise InfeasibleError(
            f"the written release has no record that can be judged: {unclear} Nothing was published. Publish a text "
            "file, in which missing and suppressed values differ, or leave these records out."
        )


def _without_values(suppressed: int, release: TableRelease, dropped: int) -> str:
    """That readers take records for suppressed which are not, in a sentence; empty if there are none."""
    taken = suppressed - (release.suppressed_records - dropped)
    if taken <= 0:
        return ""
    one = taken == 1
    return (
        f"{taken:,} record{'' if one else 's'} {'has' if one else 'have'} no value in any published column, and in the "
        f"written release {'it looks' if one else 'they look'} like {'a suppressed one' if one else 'suppressed ones'}."
    )


def _needs_original(plan: Plan, release: TableRelease, model: PrivacyModel) -> bool:
    """Whether a model asks for a column that the release hides, such as the person key; buckets hide none of them."""
    schema = plan.schema()
    person = schema.column(schema.person) if schema.person else None
    hidden = not set(model.sensitive_columns(schema)) <= set(schema.sensitive)
    return (hidden or (person is not None and not person.pseudonym)) and not release.recoding.linkage.cut


def _demand_attacks_possible(plan: Plan, release: TableRelease, attacks: Sequence[PlannedAttack]) -> None:
    """Refuse, before anything is written, attacks that cannot be run on the written release."""
    for attack in attacks:
        attack.demand_suitable(release)
    kept = release.recoding.linkage.kept(plan.schema().quasi)
    changed = [name for section in plan.sections.masks for name in section.columns if name in kept]
    if attacks and release.recoding.linkage.cut and changed:
        raise PlanError(
            f"{plan.described}: [[attacks]] match records in buckets by their published values, and [[masks]] "
            f"change {listed(changed)}; leave out these masks, or the attacks."
        )


def _run_attacks(
    plan: Plan,
    release: TableRelease,
    attacks: Sequence[PlannedAttack],
    audit: Audit,
    written: Mapping[str, Path],
    original: ReadableFile,
) -> tuple[AttackResult, ...]:
    """Run attacks on the written files; guesses are compared with the original."""
    if not attacks:
        return ()
    view = audit.whole()
    if not view.truth_known:
        view = _audit_written_files(plan, release, written, original).whole()
    return tuple(attack.run(view) for attack in attacks)


def _audit_written_files(
    plan: Plan, release: TableRelease, written: Mapping[str, Path], original: ReadableFile | None
) -> Audit:
    """Audit the written release; with the original, row by row, if a path is given."""
    schema, linkage = plan.schema(), release.recoding.linkage
    files = release.files(written, original=original)
    shown = schema.sensitive if not linkage.cut else (*schema.sensitive, *schema.quasi)
    kinds = {name: release.original.domain(name).kind for name in shown}
    published, known = release_schema(schema, kinds), schema if original is not None else None
    source = files.opened(schema.sensitive)
    released = [name for name in release.source().columns if name in source.columns]
    plain = [name for name in released if schema.column(name).role in (Role.PLAIN, Role.TARGET)]
    masked = {name for section in plan.sections.masks for name in section.columns}
    return Audit.of_source(
        source, published, nulls=files.release.typed, linkage=linkage, original=known, plain=plain, masked=masked
    )


def _prepare_report() -> None:
    """Load the code and the template of the report, while the release is checked."""
    from sfumato.report.html import page_template

    page_template()


def _write_certificate_and_report(certificate: Certificate, outputs: Outputs) -> None:
    if "certificate" in outputs.places:
        certificate.write(outputs.places["certificate"])
    if "report" in outputs.places:
        from sfumato.report.html import draw_html
        from sfumato.report.report import Report

        report = Report.of_release(
            certificate.release,
            costs=certificate.costs,
            attacks=certificate.attacks,
            plain=certificate.audit.plain,
        )
        write_text(draw_html(report), outputs.places["report"])


@dataclass
class _Clock:
    """The seconds of every step. They are printed and never written to a file, so that files are repeatable."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        with step(name, STEPS.index(name) + 1, len(STEPS)):
            yield
            advance("done")
        self.seconds[name] = time.perf_counter() - start
