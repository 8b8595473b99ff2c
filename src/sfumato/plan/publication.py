"""From a plan to files: refuse first, write aside, look again at what was written, then put everything in place."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.audit.audit import Audit, seen_schema
from sfumato.audit.certificate import Certificate
from sfumato.data.table import Table
from sfumato.engines.base import Engine
from sfumato.engines.opening import open_file
from sfumato.engines.writing.publishing import sensitive_path
from sfumato.errors import OutputError, PlanError
from sfumato.plan.outcome import Outcome
from sfumato.plan.repeated_persons import repeated_identifiers
from sfumato.releases.files import ReleaseFiles
from sfumato.releases.release import Release
from sfumato.releases.verdict import Verdict
from sfumato.runtime.atomic_files import Staging, write_text
from sfumato.runtime.file_identity import sha256
from sfumato.runtime.private_folders import PrivateFolder
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import within

if TYPE_CHECKING:
    from sfumato.algorithms.base import Algorithm
    from sfumato.masks.base import Mask
    from sfumato.models.base import PrivacyModel
    from sfumato.plan.plan import Plan

Masks = Sequence[tuple["Mask", Sequence[str]]]
_TABLES = ("release", "sensitive_table")
_READ = ("path", "gateway")
STEPS = ("counting", "deciding", "writing", "checking", "reporting")


def publish(plan: Plan) -> Outcome:
    """Carry a plan out; on any failure or interrupt the old outputs are still there and nothing new is."""
    schema, model, algorithm, pseudonyms = plan.schema(), plan.model(), plan.algorithm(), plan.pseudonyms()
    masks, digest, targets, clock = plan.masks(), plan.input_digest(), _targets(plan), _Clock()
    with Staging(targets.values()) as staging, ThreadPoolExecutor(max_workers=1) as aside, _data(plan, masks) as data:
        aside.submit(algorithm.prepare)
        with clock.step("counting"):
            source = _source(plan, data)
            read = None if digest is None else aside.submit(digest.of, data)
            table = Table.from_source(source, schema)
        repeated = aside.submit(lambda: repeated_identifiers(_source(plan, data), schema))
        with clock.step("deciding"):
            limit, seed = plan.sections.suppression.limit, _seed(plan, algorithm)
            with _patience(plan):
                model = model.with_knowledge(table)
                release = _told(algorithm.anonymize(table, model, suppression=limit, seed=seed), masks)
        release = _warned(release, repeated.result())
        written = {name: staging.place(path) for name, path in targets.items() if name in _TABLES}
        with clock.step("writing"):
            release.write(written["release"], pseudonyms=pseudonyms, sensitive_table=written.get("sensitive_table"))
        with clock.step("checking"):
            made = [aside.submit(sha256, path) for path in written.values()]
            verdicts, audit = _checked(plan, release, model, written, data)
            sums = dict(zip(written, (one.result() for one in made), strict=True))
            known = None if read is None else read.result()
            certificate = Certificate(plan.to_dict(), release, verdicts, audit, known, sums)
        with clock.step("reporting"):
            _explain(certificate, {name: staging.place(path) for name, path in targets.items()})
        staging.commit()
    return Outcome(release, certificate, targets, clock.seconds)


def _seed(plan: Plan, algorithm: Algorithm) -> int | None:
    """That of the plan; none where somebody who knows the plan could repeat the draws and undo what they hide."""
    return None if algorithm.needs_secret_randomness else plan.sections.run.seed


def _patience(plan: Plan) -> AbstractContextManager[None]:
    """A time limit where the plan sets one."""
    seconds = plan.sections.run.seconds
    return nullcontext() if seconds is None else within(seconds)


@contextmanager
def _data(plan: Plan, masks: Masks) -> Iterator[Path]:
    """The file to publish from: the one of the plan, or a copy that is answered or masked and gone afterwards."""
    data = plan.sections.data
    if not masks and data.path is not None:
        yield plan.folder / data.path
        return
    from sfumato.masks.files import Dialect, mask_file

    with PrivateFolder() as folder:
        path = plan.folder / data.path if data.path is not None else _answered(plan, folder.path)
        if not masks:
            yield path
            return
        copy = folder.path / f"masked_{path.name}"
        mask_file(path, masks, copy, dialect=Dialect(data.separator, data.encoding, tuple(data.missing)))
        yield copy


def _answered(plan: Plan, folder: Path) -> Path:
    """What the gateway of the plan answers, in a file."""
    from sfumato.gateway.policy.setup import Setup

    data = plan.sections.data
    setup = Setup.read(plan.folder / str(data.gateway))
    person, gateway = setup.people.person(str(data.person)), setup.gateway()
    try:
        answer = gateway.query(str(data.question), person=person, purpose=data.purpose)
    finally:
        gateway.close()
    return answer.write(folder / "answer.parquet")


def _source(plan: Plan, data: Path) -> Engine:
    told = plan.sections.data
    masked = bool(plan.sections.masks)  # a masked copy is written in UTF-8, whatever the original was
    encoding = None if masked else told.encoding
    return open_file(data, separator=told.separator, encoding=encoding, engine=told.engine)


def _told(release: Release, masks: Masks) -> Release:
    """The release with the masks that its data went through, which promise nothing but change what it says."""
    if not masks:
        return release
    told = [{**mask.to_dict(), "columns": list(columns)} for mask, columns in masks]
    return replace(release, provenance={**release.provenance, "masks": told})


def _warned(release: Release, more: Sequence[str]) -> Release:
    """The release with more warnings for readers of the report and the console."""
    warnings = [*release.provenance["warnings"], *more]
    return replace(release, provenance={**release.provenance, "warnings": warnings}) if more else release


def _targets(plan: Plan) -> dict[str, Path]:
    """The files to write; none of them may be a file that is read, or another target."""
    output = plan.sections.output
    named = {"release": output.path, "certificate": output.certificate, "report": output.report}
    targets = {name: plan.folder / path for name, path in named.items() if path}
    if plan.algorithm().separate_table:
        given = output.sensitive_table
        targets["sensitive_table"] = plan.folder / given if given else sensitive_path(targets["release"])
    elif output.sensitive_table:
        raise PlanError(
            f"{plan.described}: [output] sensitive_table is for algorithms that publish secrets apart, such as "
            "anatomy; leave it out."
        )
    data = plan.sections.data
    read = {f"[data] {name}": plan.folder / path for name, path in vars(data).items() if name in _READ and path}
    keys = {"pseudonym_key": output.pseudonym_key, "digest_key": output.digest_key}
    read |= {f"[output] {name}": plan.folder / path for name, path in keys.items() if path}
    if plan.file is not None:
        read["the plan itself"] = plan.file
    taken = {path.resolve(): name for name, path in read.items()}
    for name, path in targets.items():
        other = taken.setdefault(path.resolve(), f"[output] {name}")
        if other != f"[output] {name}":
            key = "path" if name == "release" else name
            raise PlanError(f"{plan.described}: [output] {key} would overwrite {other}; give it another name.")
    return targets


def _checked(
    plan: Plan, release: Release, model: PrivacyModel, written: Mapping[str, Path], data: Path
) -> tuple[tuple[Verdict, ...], Audit]:
    """Judge the written file from scratch, as a stranger would."""
    audit = _second_look(plan, release, model, written, data)
    verdicts = audit.judge(model)
    broken = [verdict.described for verdict in verdicts if not verdict.holds]
    lost = release.original.records - audit.records - audit.suppressed - audit.waived
    if broken or lost:
        fault = f"does not keep {' & '.join(broken)}" if broken else f"has {abs(lost)} records too few or too many"
        raise OutputError(f"the written release was read back and {fault}; nothing was published. Please report this.")
    return verdicts, audit


def _second_look(plan: Plan, release: Release, model: PrivacyModel, written: Mapping[str, Path], data: Path) -> Audit:
    """Read the release back; a model that asks who people are sees the original beside a release that hides it."""
    schema, linkage, path = plan.schema(), release.recoding.linkage, written["release"]
    original = release.original
    text = path.suffix.lower() not in (".parquet", ".pq")
    separator = ("\t" if path.suffix.lower() == ".tsv" else release.source().separator) if text else None
    person = schema.column(schema.person) if schema.person else None
    asks_who = not set(model.sensitive_columns(schema)) <= set(schema.sensitive) or (person and not person.pseudonym)
    files = ReleaseFiles(
        path,
        bucket=linkage.column if linkage.cut else "",
        sensitive_table=written.get("sensitive_table"),
        original=_original(plan, data) if asks_who and not linkage.cut else None,
        separator=separator,
        encoding="utf-8" if text else None,
        original_dialect=(plan.sections.data.separator, plan.sections.data.encoding),
    )
    shown = schema.sensitive if not linkage.cut else (*schema.sensitive, *schema.quasi)
    kinds = {name: original.domain(name).kind for name in shown}
    look, was = seen_schema(schema, kinds), schema if files.original is not None else None
    return Audit.of_source(files.opened(schema.sensitive), look, nulls=not text, linkage=linkage, original=was)


def _original(plan: Plan, data: Path) -> Path:
    """The records as they were before any mask."""
    path = plan.sections.data.path
    return data if path is None else plan.folder / path


def _explain(certificate: Certificate, places: dict[str, Path]) -> None:
    if "certificate" in places:
        certificate.write(places["certificate"])
    if "report" in places:
        from sfumato.report.html import draw_html

        write_text(draw_html(certificate.release.report()), places["report"])


@dataclass
class _Clock:
    """Seconds by step; they are for the reader at the console and never written to a file."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        advance(name, STEPS.index(name), len(STEPS))
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start
        advance(name, STEPS.index(name) + 1, len(STEPS))
