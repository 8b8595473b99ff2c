from __future__ import annotations

import json

from tests.cli.commands import refused, sfumato


def test_it_shows_the_settings() -> None:
    told = sfumato("describe", "t_closeness").stdout
    for words in ("t_closeness (models)", "distance", "'ordered'", "number >= 0 and <= 1", "default: equal"):
        assert words in told


def test_as_json() -> None:
    told = json.loads(sfumato("describe", "k_anonymity", "--format", "json").stdout)
    assert told["settings"][0] == {
        "name": "k",
        "allowed": "int >= 1",
        "doc": "fewest records in a group",
        "required": True,
    }


def test_an_unknown_name() -> None:
    assert "did you mean 'ncp'" in refused(sfumato("describe", "npc"), 2)
