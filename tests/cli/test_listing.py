from __future__ import annotations

import json

from typer.testing import Result

from sfumato.settings import catalogue
from tests.cli.commands import refused, sfumato


def test_everything_or_one_kind() -> None:
    everything = sfumato("list")
    assert names_in(everything) == {name for kind in catalogue.kinds() for name in catalogue.names(kind)}
    assert names_in(sfumato("list", "models")) == set(catalogue.names("models"))


def names_in(told: Result) -> set[str]:
    """The first word of each line that is indented by two spaces: `k_anonymity` is no part of another name."""
    return {line.split()[0] for line in told.stdout.splitlines() if line.startswith("  ")}


def test_algorithms_are_listed_by_what_they_publish() -> None:
    told = sfumato("list", "algorithms").stdout.split("\n\n")
    heads = {part.splitlines()[0]: part for part in told}
    centroids = next(part for head, part in heads.items() if "centroids" in head)
    ranges = next(part for head, part in heads.items() if "ranges" in head)
    assert "mdav" in centroids
    assert "k_member" in ranges
    assert "k_member" not in centroids
    assert len(heads) == 5


def test_as_json() -> None:
    told = json.loads(sfumato("list", "metrics", "--format", "json").stdout)
    assert {"ncp", "discernibility"} <= {entry["name"] for entry in told["metrics"]}


def test_an_unknown_kind() -> None:
    assert "did you mean 'models'" in refused(sfumato("list", "modells"), 2)
