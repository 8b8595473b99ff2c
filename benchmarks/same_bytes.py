"""Does a change of the code change what is published? Runs plans and compares the bytes they write.

`python -m benchmarks.same_bytes record FILE` runs every plan and writes one digest per output file.
`python -m benchmarks.same_bytes compare FILE FILE` lists the outputs that differ between two recordings.

Plans use public names only (plan keys, catalogue names), so the program runs on versions before and after a change.
Algorithms that draw secret chance are run through Python with an explicit seed, which makes them repeatable.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

ROOT = Path(__file__).parent.parent
app = typer.Typer(add_completion=False)

Plain = dict[str, Any]

ADULT_QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
K5: list[Plain] = [{"name": "k_anonymity", "k": 5}]
K_AND_L: list[Plain] = [*K5, {"name": "distinct_l_diversity", "l": 2}]
L2: list[Plain] = [{"name": "distinct_l_diversity", "l": 2}]

ON_GROUPS: dict[str, list[Plain]] = {
    "k": K5,
    "k and l": K_AND_L,
    "entropy": [{"name": "entropy_l_diversity", "l": 1.3}],
    "recursive": [{"name": "recursive_c_l_diversity", "c": 4.0, "l": 2}],
    "t": [*K5, {"name": "t_closeness", "t": 0.3}],
    "alpha": [{"name": "alpha_k_anonymity", "alpha": 0.8, "k": 5}],
    "confidence": [{"name": "confidence_bounding", "h": 0.9}],
    "lkc": [{"name": "lkc_privacy", "l": 2, "k": 5, "c": 0.9}],
}
ADULT_RUNS: list[tuple[str, Plain, str, Plain]] = [
    *((f"mondrian, {name}", {"name": "mondrian"}, name, {}) for name in ON_GROUPS if name != "lkc"),
    ("mondrian, taxonomy nodes", {"name": "mondrian", "categories": "taxonomy"}, "k and l", {}),
    ("mondrian, medians", {"name": "mondrian", "cut": "median"}, "k", {}),
    ("mondrian, suppression", {"name": "mondrian"}, "t", {"suppression": {"limit": 0.05}}),
    ("top_down_refinement", {"name": "top_down_refinement"}, "k", {"target": "salary-class"}),
    ("hdtds", {"name": "hdtds"}, "lkc", {"few": True}),
    ("info_gain_mondrian", {"name": "info_gain_mondrian"}, "k", {"target": "salary-class"}),
    ("top_down_disclosure", {"name": "top_down_disclosure"}, "confidence", {"few": True, "target": "race"}),
    ("bottom_up_generalization", {"name": "bottom_up_generalization"}, "k", {"few": True, "target": "salary-class"}),
    ("genetic", {"name": "genetic", "population": 8, "evaluations": 60}, "k", {"few": True, "target": "salary-class"}),
    ("exhaustive", {"name": "exhaustive"}, "k and l", {"few": True, "suppression": {"limit": 0.02}}),
    ("k_member", {"name": "k_member", "rows_at_once": 500}, "k", {}),
    ("k_member, l", {"name": "k_member", "rows_at_once": 500}, "k and l", {}),
    ("oka", {"name": "oka"}, "k", {"few": True}),
    ("k_center", {"name": "k_center"}, "k", {"few": True}),
    ("systematic_clustering", {"name": "systematic_clustering"}, "k and l", {"few": True}),
    ("loukides_shao", {"name": "loukides_shao", "threshold": 0.3}, "k", {"few": True}),
]
ON_NUMBERS = (
    "mdav", "mdav_1", "mdav_2", "mdav_generic", "v_mdav", "cbfs", "tfrp", "dba", "pairwise_systematic", "mst",
    "mu_approx", "maximum_distance", "diameter", "k_ward", "hansen_mukherjee", "fuzzy_c_means",
    "systematic_microaggregation", "median_microaggregation", "mhm", "two_step_microaggregation",
)  # fmt: skip
IN_BUCKETS: dict[str, list[Plain]] = {
    "anatomy": L2,
    "permutation": [{"name": "k_e_anonymity", "k": 2, "e": 2}],
    "slicing": L2,
    "injector": [{"name": "matching_l_diversity", "l": 2}],
}


@app.command()
def record(path: Annotated[Path, typer.Argument(help="Where the digests go.")]) -> None:
    """Run every plan and write the digest of everything it writes."""
    found: dict[str, str] = {}
    for name, digests in _every_run():
        sys.stderr.write(f"{name}\n")
        found |= {f"{name}: {output}": digest for output, digest in digests.items()}
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


@app.command()
def compare(before: Path, after: Path) -> None:
    """List what differs; ends with 1 if anything does."""
    first, second = (json.loads(path.read_text(encoding="utf-8")) for path in (before, after))
    changed = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
    for name in changed:
        sys.stdout.write(f"differs: {name}\n")
    runs = len({name.rpartition(": ")[0] for name in first})
    sys.stdout.write(f"{len(first)} outputs of {runs} runs before, {len(changed)} differ\n")
    raise typer.Exit(1 if changed else 0)


def _every_run() -> Iterator[tuple[str, dict[str, str]]]:
    with tempfile.TemporaryDirectory() as folder:
        for name, algorithm, models, more in ADULT_RUNS:
            yield name, _published(_adult_plan(algorithm, ON_GROUPS[models], more), Path(folder))
        for name in ON_NUMBERS:
            yield name, _published(_census_plan({"name": name}), Path(folder))
        for name, models_of in IN_BUCKETS.items():
            more = {"few": True} | ({"secret": "hours-per-week"} if name == "permutation" else {})
            yield name, _bucketized(_adult_plan({"name": name}, models_of, more), Path(folder))


def _adult_plan(algorithm: Plain, models: list[Plain], more: Plain) -> Plain:
    from sfumato.datasets.adult import adult_file

    quasi = ADULT_QUASI[:4] if more.get("few") else ADULT_QUASI
    data = adult_file(part="test")
    levels = data.parent / "hierarchies"
    columns = {
        name: {"role": "quasi", "taxonomy": {"file": str(levels / f"adult_hierarchy_{name}.csv")}} for name in quasi
    }
    secret = more.get("secret", "occupation" if more.get("few") else "relationship")
    columns[secret] = {"role": "sensitive"}
    target = more.get("target")
    if target is not None:
        columns[target] = {**columns.get(target, {}), "role": "target"}
    plan: Plain = {
        "data": {"path": str(data), "missing": ["?"]},
        "columns": columns,
        "models": models,
        "algorithm": algorithm,
    }
    return plan | {key: more[key] for key in ("suppression",) if key in more}


def _census_plan(algorithm: Plain) -> Plain:
    from sfumato.datasets.adult import data_folder

    data = data_folder() / "microaggregation" / "census_1080x13.csv"
    names = data.read_text(encoding="utf-8").splitlines()[0].split(",")
    quasi = names[:1] if algorithm["name"] in ("hansen_mukherjee",) else names[:5]
    columns = {name: {"role": "quasi"} for name in quasi}
    return {"data": {"path": str(data)}, "columns": columns, "models": K5, "algorithm": algorithm}


def _published(plan: Plain, folder: Path) -> dict[str, str]:
    """The release, its certificate and its report, as the command line writes them."""
    from sfumato import Plan

    outputs = {"path": "release.csv", "certificate": "certificate.json", "report": "report.html"}
    try:
        Plan.of(plan | {"output": outputs, "run": {"seed": 7}}, folder).run()
    except Exception as error:
        sys.stderr.write(f"  refused: {error}\n")
        return {"refused": hashlib.sha256(f"{type(error).__name__}: {error}".encode()).hexdigest()}
    certificate = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    kept = {key: value for key, value in certificate.items() if key not in ("plan", "versions", "output", "format")}
    return {
        "release": _digest((folder / "release.csv").read_bytes()),
        "certificate": _digest(json.dumps(kept, sort_keys=True).encode()),
    }


def _bucketized(plan: Plain, folder: Path) -> dict[str, str]:
    """The files of a release whose chance is seeded, which a plan never does."""
    import pandas as pd

    from sfumato import Plan, Table

    made = Plan.of(plan | {"output": {"path": "release.csv"}})
    frame = pd.read_csv(plan["data"]["path"], na_values=["?"]).head(3000)
    table = Table.from_frame(frame, made.schema())
    release = made.algorithm().anonymize(table, made.model(), suppression=0.5, seed=7)
    release.write(folder / "buckets.csv")
    found = {"release": _digest((folder / "buckets.csv").read_bytes())}
    for part in sorted(folder.glob("buckets?*.csv")):
        found[part.name] = _digest(part.read_bytes())
        part.unlink()
    return found


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


if __name__ == "__main__":
    app()
