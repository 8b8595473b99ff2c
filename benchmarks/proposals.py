"""Does `init` propose safely? `python -m benchmarks.proposals`: thirty files and more, published as proposed.

For every file: whether something was published, the share of persons who are unique for somebody who knows all
published quasi and plain columns, the same with the sensitive columns, and for how many columns a decision is asked.
How many roles then agree with those that a person wrote down for the reference files, in
`tests/plan/proposals/roles_by_hand.py`.
"""

from __future__ import annotations

import csv
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from benchmarks.files import adult_folder

MOST_UNIQUE = 0.05


@dataclass(frozen=True)
class Published:
    """One file: what was proposed for it, and who is unique in what was published.

    `unique` counts persons by quasi and plain columns, `with_secrets` by the sensitive ones, too; both are None if
    nothing was published, and `failure` says why. `exposed` are published columns that name persons or records.
    """

    name: str
    columns: int
    decide: int
    unique: float | None
    with_secrets: float | None
    groups: int
    seconds: float
    failure: str = ""
    exposed: tuple[str, ...] = ()

    @property
    def safe(self) -> bool:
        """Whether few are unique, or a decision was asked for, and no name or key is published."""
        if self.exposed:
            return False
        return self.decide > 0 if self.unique is None else self.unique <= MOST_UNIQUE or self.decide > 0


def main(
    *,
    only: Annotated[list[str] | None, typer.Option(help="Only these files.")] = None,
    persons: Annotated[int, typer.Option(min=10, help="Persons of the generated files.")] = 2000,
) -> None:
    """Propose, publish, count and compare."""
    with tempfile.TemporaryDirectory() as folder:
        found = [
            published(name, path, Path(folder), key) for name, path, key in files(Path(folder), persons, only or ())
        ]
    print(f"{'file':40} {'columns':>7} {'decide':>6} {'unique':>7} {'+secret':>7} {'groups':>7} {'seconds':>7}")
    for one in found:
        print(
            f"{one.name:40} {one.columns:>7} {one.decide:>6} {_share(one.unique):>7} {_share(one.with_secrets):>7} "
            f"{one.groups:>7} {one.seconds:>7.1f}  {'' if one.safe else 'NOT SAFE'} "
            f"{one.failure}{', '.join(one.exposed)}"
        )
    few = sum(one.unique is not None and one.unique <= MOST_UNIQUE for one in found)
    safe = sum(one.safe for one in found)
    print(
        f"{len(found)} files: {few} with at most {MOST_UNIQUE:.0%} unique; {safe} with that or with a decision, and "
        "without a published name or key"
    )
    if not only:
        _print_agreement()


def files(folder: Path, persons: int, only: Sequence[str] = ()) -> Iterator[tuple[str, Path, str]]:
    """The name and path of each file, and the key of its persons if they have several records."""
    from tests.plan.proposals.hard_files import FILES, PERSONS, write_file
    from tests.plan.proposals.roles_by_hand import ROLES

    for name in ROLES:
        if not only or name in only:
            yield name, adult_folder().parent / name, ""
    for name in FILES:
        if not only or name in only:
            yield name, write_file(name, folder, persons), PERSONS.get(name, "")


def published(name: str, path: Path, folder: Path, person: str = "") -> Published:
    """Propose a plan for a file, publish it as it is, and count who is unique."""
    from tests.plan.proposals.hard_files import HIDDEN

    from sfumato.errors import SfumatoError
    from sfumato.plan import Plan
    from sfumato.plan.proposals.drafting import draft
    from sfumato.plan.proposals.proposal import Proposal

    begun = perf_counter()
    proposal = Proposal.of_file(path)
    plan = folder / f"{path.stem}.toml"
    plan.write_text(draft(proposal, plan), encoding="utf-8")
    decide = len(proposal.undecided) + bool(proposal.nothing_left)
    try:
        outcome = Plan.read(plan).run()
    except SfumatoError as error:
        return Published(
            name,
            len(proposal.columns),
            decide,
            None,
            None,
            0,
            perf_counter() - begun,
            f"refused: {type(error).__name__}",
        )
    seconds = perf_counter() - begun
    by_role: dict[str, list[str]] = defaultdict(list)
    for column in proposal.columns:
        by_role[str(column.role)].append(column.name)
    release = _read(outcome.files["release"])
    # persons are found by the original beside the release, in which the rows have the same order
    owners = [row[person] for row in _read(path)] if person else list(map(str, range(len(release))))
    known = [*by_role["quasi"], *by_role["plain"]]
    rows = [(owner, row) for owner, row in zip(owners, release, strict=True) if not _suppressed(row)]
    return Published(
        name,
        len(proposal.columns),
        decide,
        unique_share(rows, known),
        unique_share(rows, [*known, *by_role["sensitive"]]),
        len(outcome.release.groups),
        seconds,
        exposed=tuple(one for one in HIDDEN.get(name, ()) if one in release[0]),
    )


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        first = file.readline()
        file.seek(0)
        return list(csv.DictReader(file, delimiter=";" if ";" in first else ","))


def _suppressed(row: dict[str, str]) -> bool:
    return all(cell == "*" for cell in row.values())


def unique_share(rows: Sequence[tuple[str, dict[str, str]]], columns: Sequence[str]) -> float:
    """The share of persons who are the only ones with a combination of values in the columns."""
    if not rows:
        return 0.0
    holders: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for owner, row in rows:
        holders[tuple(row[name] for name in columns)].add(owner)
    alone = {next(iter(owners)) for owners in holders.values() if len(owners) == 1}
    return len(alone) / len({owner for owner, _ in rows})


def _print_agreement() -> None:
    from tests.plan.proposals.roles_by_hand import ROLES, agreement

    from sfumato.plan.proposals.proposal import Proposal

    total: Counter[str] = Counter()
    print(f"\n{'roles of a person':40} {'first':>7} {'accepted':>9} {'columns':>8}")
    for name in ROLES:
        first, accepted, columns = agreement(name, Proposal.of_file(adult_folder().parent / name))
        total.update(first=first, accepted=accepted, columns=columns)
        print(f"{name:40} {first:>7} {accepted:>9} {columns:>8}")
    share = {key: total[key] / total["columns"] for key in ("first", "accepted")}
    print(f"{'all':40} {share['first']:>7.1%} {share['accepted']:>9.1%} {total['columns']:>8}")


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


if __name__ == "__main__":
    typer.run(main)
