from __future__ import annotations

import json

from sfumato.settings import catalogue
from tests.cli.commands import refused, sfumato


def test_everything_or_one_kind() -> None:
    everything = sfumato("list").stdout
    assert all(name in everything for kind in catalogue.kinds() for name in catalogue.names(kind))
    assert "mondrian" not in sfumato("list", "models").stdout


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
