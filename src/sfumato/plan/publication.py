"""From a plan to files: refuse first, write to temporary files, check and attack what was written, then rename it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sfumato.audit.audit import Audit, seen_schema
from sfumato.audit.certificate import Certificate
from sfumato.data.table import Table
from sfumato.engines.base import Engine
from sfumato.engines.opening import open_file
from sfumato.engines.writing.publishing import sensitive_path
from sfumato.errors import OutputError, PlanError, listed
from sfumato.plan.outcome import Outcome
from sfumato.plan.reading import place
from sfumato.plan.repeated_persons import repeated_identifiers
from sfumato.releases.table_release import TableRelease
from sfumato.releases.verdict import Verdict
from sfumato.report.cost import costs_of
from sfumato.runtime.atomic_files import Staging, write_text
from sfumato.runtime.file_identity import sha256
from sfumato.runtime.private_folders import PrivateFolder
from sfumato.runtime.progress import advance
from sfumato.runtime.time_limit import within

if TYPE_CHECKING:
    from sfumato.algorithms.table_algorithm import TableAlgorithm
    from sfumato.attacks.base import AttackResult
    from sfumato.masks.base import Mask
    from sfumato.models.base import PrivacyModel
    from sfumato.plan.plan import Plan, PlannedAttack

Masks = Sequence[tuple["Mask", Sequence[str]]]
_TABLES = ("release", "sensitive_table")
_READ = ("path", "gateway")
STEPS = ("counting", "deciding", "measuring", "writing", "checking", "reporting")


def publish(plan: Plan) -> Outcome:
    """Carry a plan out; on any failure or interrupt the old outputs are still there and nothing new is."""
    schema, model, algorithm, pseudonyms = plan.schema(), plan.model(), plan.algorithm(), plan.pseudonyms()
    masks, metrics, attacks, digest = plan.masks(), plan.metrics(), plan.attacks(), plan.input_digest()
    targets, clock = _targets(plan), _Clock()
    with Staging(targets.values()) as staging, ThreadPoolExecutor(max_workers=1) as aside, _data(plan, masks) as files:
        aside.submit(copy_context().run, algorithm.prepare)  # the copy lets it say that loops are being compiled
        with clock.step("counting"):
            source = _source(plan, files.data)
            read = None if digest is None else aside.submit(digest.of, files.data)
            table = Table.from_source(source, schema)
        repeated = aside.submit(lambda: repeated_identifiers(_source(plan, files.data), schema))
        with clock.step("deciding"):
            limit, seed = plan.sections.suppression.limit, _seed(plan, algorithm)
            with _patience(plan):
                model = model.with_knowledge(table)
                release = _told(algorithm.anonymize(table, model, suppression=limit, seed=seed), masks)
        release = _warned(release, repeated.result())
        with clock.step("measuring"):
            _demand_attackable(plan, release, attacks)
            costs = costs_of(release, metrics)
        written = {name: staging.place(path) for name, path in targets.items() if name in _TABLES}
        with clock.step("writing"):
            release.write(written["release"], pseudonyms=pseudonyms, sensitive_table=written.get("sensitive_table"))
        with clock.step("checking"):
            made = [aside.submit(sha256, path) for path in written.values()]
            verdicts, audit = _checked(plan, release, model, written, files.original)
            results = _attacked(plan, release, attacks, audit, written, files.original)
            sums = dict(zip(written, (one.result() for one in made), strict=True))
            known = None if read is None else read.result()
        with clock.step("reporting"):
            certificate = Certificate(plan.to_dict(), release, verdicts, audit, known, sums, costs, results)
            _explain(certificate, {name: staging.place(path) for name, path in targets.items()})
        staging.commit()
    return Outcome(release, certificate, targets, clock.seconds)


def _seed(plan: Plan, algorithm: TableAlgorithm) -> int | None:
    """That of the plan; none where somebody who knows the plan could repeat the draws and undo what they hide."""
    return None if algorithm.needs_secret_randomness else plan.sections.run.seed


def _patience(plan: Plan) -> AbstractContextManager[None]:
    """A time limit where the plan sets one."""
    seconds = plan.sections.run.seconds
    return nullcontext() if seconds is None else within(seconds)


class _Files(NamedTuple):
    """The file to publish from, and the same records before any mask."""

    data: Path
    original: Path


@contextmanager
def _data(plan: Plan, masks: Masks) -> Iterator[_Files]:
    """The file of the plan, or a temporary one: a gateway's answer, or a masked copy."""
    data = plan.sections.data
    if not masks and data.path is not None:
        yield _Files(plan.folder / data.path, plan.folder / data.path)
        return
    from sfumato.masks.files import Dialect, mask_file

    with PrivateFolder() as folder:
        path = plan.folder / data.path if data.path is not None else _answered(plan, folder.path)
        if not masks:
            yield _Files(path, path)
            return
        copy = folder.path / f"masked_{path.name}"
        mask_file(path, masks, copy, dialect=Dialect(data.separator, data.encoding, tuple(data.missing)))
        yield _Files(copy, path)


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


def _told(release: TableRelease, masks: Masks) -> TableRelease:
    """The release with the masks that its data went through, which promise nothing but change what it says."""
    if not masks:
        return release
    told = [{**mask.to_dict(), "columns": list(columns)} for mask, columns in masks]
    return replace(release, provenance={**release.provenance, "masks": told})


def _warned(release: TableRelease, more: Sequence[str]) -> TableRelease:
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
    for number, attack in enumerate(plan.sections.attacks):
        if attack.knowledge:
            read[f"{place(('attacks', number))} knowledge"] = plan.folder / attack.knowledge
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
    plan: Plan, release: TableRelease, model: PrivacyModel, written: Mapping[str, Path], original: Path
) -> tuple[tuple[Verdict, ...], Audit]:
    """Judge the written files from scratch, as anybody could who reads them.

    A model that asks who people are gets the original beside a release that hides it.
    """
    schema, linkage = plan.schema(), release.recoding.linkage
    person = schema.column(schema.person) if schema.person else None
    asks_who = not set(model.sensitive_columns(schema)) <= set(schema.sensitive)
    asks_who = asks_who or (person is not None and not person.pseudonym)
    audit = _second_look(plan, release, written, original if asks_who and not linkage.cut else None)
    verdicts = audit.judge(model)
    broken = [verdict.described for verdict in verdicts if not verdict.holds]
    lost = release.original.records - audit.records - audit.suppressed - audit.waived
    if broken or lost:
        fault = f"does not keep {' & '.join(broken)}" if broken else f"has {abs(lost)} records too few or too many"
        raise OutputError(f"the written release was read back and {fault}; nothing was published. Please report this.")
    return verdicts, audit


def _demand_attackable(plan: Plan, release: TableRelease, attacks: Sequence[PlannedAttack]) -> None:
    """Refuse attacks that could not be run on the written release, before it is written."""
    for attack in attacks:
        attack.demand_suitable(release)
    kept = release.recoding.linkage.kept(plan.schema().quasi)
    changed = [name for section in plan.sections.masks for name in section.columns if name in kept]
    if attacks and release.recoding.linkage.cut and changed:
        raise PlanError(
            f"{plan.described}: [[attacks]] find records in buckets again by the values they show, and [[masks]] "
            f"change {listed(changed)}; leave out these masks, or the attacks."
        )


def _attacked(
    plan: Plan,
    release: TableRelease,
    attacks: Sequence[PlannedAttack],
    audit: Audit,
    written: Mapping[str, Path],
    original: Path,
) -> tuple[AttackResult, ...]:
    """Attack the written files; the original beside them is the truth that guesses are compared with."""
    if not attacks:
        return ()
    seen = audit.whole()
    if not seen.truth_known:
        seen = _second_look(plan, release, written, original).whole()
    return tuple(attack.run(seen) for attack in attacks)


def _second_look(plan: Plan, release: TableRelease, written: Mapping[str, Path], original: Path | None) -> Audit:
    """Read the release back, with its original beside where one is given."""
    schema, linkage, data = plan.schema(), release.recoding.linkage, plan.sections.data
    files = release.files(written, original=original, original_dialect=(data.separator, data.encoding))
    shown = schema.sensitive if not linkage.cut else (*schema.sensitive, *schema.quasi)
    kinds = {name: release.original.domain(name).kind for name in shown}
    look, was = seen_schema(schema, kinds), schema if original is not None else None
    return Audit.of_source(files.opened(schema.sensitive), look, nulls=files.typed, linkage=linkage, original=was)


def _explain(certificate: Certificate, places: dict[str, Path]) -> None:
    if "certificate" in places:
        certificate.write(places["certificate"])
    if "report" in places:
        from sfumato.report.html import draw_html
        from sfumato.report.report import Report

        report = Report.of_release(certificate.release, costs=certificate.costs, attacks=certificate.attacks)
        write_text(draw_html(report), places["report"])


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
