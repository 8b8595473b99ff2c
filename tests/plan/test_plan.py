from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sfumato.audit.file_digest import FileDigest
from sfumato.data.kinds import Kind
from sfumato.data.schema import Role
from sfumato.errors import PlanError
from sfumato.plan import Plan
from sfumato.runtime.key_files import write_key
from tests.plan.plans import put, tables


def test_schema_model_and_algorithm() -> None:
    plan = Plan.of(tables())
    schema = plan.schema()
    assert schema.quasi == ("sex", "age", "postcode")
    assert schema.column("postcode").kind is Kind.TEXT
    assert str(plan.model()) == "k_anonymity(k=5) & distinct_l_diversity(l=2)"
    assert str(plan.algorithm()) == "mondrian(cut=median)"


def test_the_plan_of_the_issue() -> None:
    """The plan whose names are fixed, so that other tools can rely on them."""
    plan = Plan.of(
        {
            "data": {"path": "adult.csv", "missing": ["?"]},
            "columns": {
                "age": {"role": "quasi", "taxonomy": {"file": "hierarchies/age.csv"}},
                "occupation": {"role": "sensitive"},
            },
            "models": [
                {"name": "k_anonymity", "k": 10},
                {"name": "distinct_l_diversity", "l": 3, "sensitive": "occupation"},
            ],
            "algorithm": {"name": "mondrian"},
            "suppression": {"limit": 0.05},
            "output": {"path": "release.csv", "report": "report.html", "certificate": "certificate.json"},
            "run": {"seed": 7},
        }
    )
    assert plan.schema().sensitive == ("occupation",)
    assert plan.schema().missing == ("?",)


@pytest.mark.parametrize(
    "taxonomy",
    [{"intervals": [0, 20, 40, 60]}, {"width": 5}, {"mask": "right"}, {"dates": True}, {"tree": "jobs.txt"}],
)
def test_every_way_to_ask_for_a_taxonomy(taxonomy: dict[str, object]) -> None:
    plan = Plan.of(tables(columns={"age": {"role": "quasi", "taxonomy": taxonomy}}))
    assert plan.schema().column("age").taxonomy is not None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"models": [{"name": "k_anonimity", "k": 2}]}, r"\[\[models\]\] number 1: .*did you mean 'k_anonymity'"),
        ({"models": [{"name": "k_anonymity", "kk": 2}]}, r"\[\[models\]\] number 1: .*'kk'; did you mean 'k'"),
        ({"models": [{"name": "k_anonymity"}]}, r"k_anonymity needs k"),
        ({"models": [{"name": "k_anonymity", "k": 0}]}, r"'k' of KAnonymity must be int >= 1; got 0"),
        ({"models": [{"name": "k_anonymity", "k": 2.0}]}, r"'k' of KAnonymity must be int >= 1; got 2\.0"),
        ({"algorithm": {"name": "mondriaan"}}, r"\[algorithm\]: .*did you mean 'mondrian'"),
        ({"algorithm": {"name": "mondrian", "cut": "midle"}}, r"\[algorithm\]: 'cut' of Mondrian"),
        ({"metrics": [{"name": "nccp"}]}, r"\[\[metrics\]\] number 1: .*did you mean 'ncp'"),
        (
            {"metrics": [{"name": "ncp"}, {"name": "class_entropy"}]},
            r"\[\[metrics\]\] number 2: name the target column",
        ),
        ({"attacks": [{"name": "rank_linkage", "width": 2}]}, r"\[\[attacks\]\] number 1: 'width' of RankLinkage"),
        ({"attacks": [{"name": "background_knowledge"}]}, r"number 1 needs rules .* by 'knowledge'"),
        ({"attacks": [{"name": "rank_linkage", "knowledge": "no.toml"}]}, r"\[\[attacks\]\] number 1: .*no\.toml"),
        ({"quasi_identifiers": {"home": ["ag"]}}, r"\[quasi_identifiers\]: .*did you mean 'age'"),
        ({"columns": {"a": {"role": "quasi", "taxonomy": {"widht": 5}}}}, r"\[columns\.a\] taxonomy: .*'width'"),
        ({"columns": {"a": {"role": "quasi", "pseudonym": True}}}, r"\[columns\.a\] pseudonym = true needs role"),
        (
            {"columns": {"a": {"role": "plain", "taxonomy": {"flat": True}}}},
            r"\[columns\.a\] has a taxonomy, but columns with the role 'plain' are never generalized",
        ),
    ],
)
def test_settings_that_are_wrong_are_named_with_their_place(change: dict[str, object], message: str) -> None:
    plan = Plan.of(tables(**change))
    with pytest.raises(PlanError, match=message):
        (plan.schema(), plan.model(), plan.algorithm(), plan.metrics(), plan.attacks())


def test_metrics_and_attacks_with_their_settings(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text('sensitive = "diagnosis"\n', encoding="utf-8")
    named = {
        "metrics": [{"name": "normalized_group_size", "k": 5}],
        "attacks": [{"name": "naive_bayes_inference", "bins": 4, "knowledge": "rules.toml"}, {"name": "rank_linkage"}],
    }
    plan = Plan.of(tables(**named), tmp_path)
    assert [str(metric) for metric in plan.metrics()] == ["normalized_group_size(k=5)"]
    assert [str(one.attack) for one in plan.attacks()] == ["naive_bayes_inference(bins=4)", "rank_linkage()"]
    first, second = plan.attacks()
    assert first.knowledge is not None
    assert first.knowledge.sensitive == "diagnosis"
    assert second.knowledge is None
    assert Plan.read(plan.write(tmp_path / "plan.toml")).to_dict() == plan.to_dict()
    assert Plan.of(tables()).metrics() == Plan.of(tables()).attacks() == []


def test_several_quasi_identifiers() -> None:
    plan = Plan.of(tables(quasi_identifiers={"home": ["sex", "postcode"]}))
    assert plan.schema().known_together("home") == ("sex", "postcode")


def test_pseudonyms_need_a_key(tmp_path: Path) -> None:
    given = tables()
    given["columns"]["name"] = {"role": "identifier", "pseudonym": True}
    with pytest.raises(PlanError, match="pseudonym_key"):
        Plan.of(given, tmp_path).pseudonyms()
    given["output"]["pseudonym_key"] = "key"
    with pytest.raises(PlanError, match="cannot be read"):
        Plan.of(given, tmp_path).pseudonyms()
    (tmp_path / "key").write_bytes(b"short")
    with pytest.raises(PlanError, match="at least 32 bytes"):
        Plan.of(given, tmp_path).pseudonyms()
    (tmp_path / "key").unlink()
    write_key(tmp_path / "key")
    assert len(Plan.of(given, tmp_path).pseudonyms()("x")) == 20  # type: ignore[misc]
    assert Plan.of(tables()).pseudonyms() is None


def test_how_the_input_is_told_from_other_files(tmp_path: Path) -> None:
    def asked(**changes: Any) -> FileDigest | None:
        output = {"path": "release.csv", **changes.pop("output", {})}
        return Plan.of(tables(output=output, **changes), tmp_path).input_digest()

    key = {"digest_key": "key"}
    assert asked() is None
    assert asked(output={"input_digest": "sha256"}) == FileDigest()
    with pytest.raises(PlanError, match=r"\[output\] digest_key: .* cannot be read; make one with"):
        asked(output=key)
    write_key(tmp_path / "key")
    assert asked(output=key) == FileDigest((tmp_path / "key").read_bytes().strip())
    with pytest.raises(PlanError, match="leave one of them out"):
        asked(output={**key, "input_digest": "sha256"})
    with pytest.raises(PlanError, match="name the same file"):
        asked(output={**key, "pseudonym_key": "../" + tmp_path.name + "/key"})
    for hidden in (
        {"algorithm": {"name": "anatomy"}, "models": [{"name": "distinct_l_diversity", "l": 2}]},
        {"masks": [{"name": "noise", "columns": ["age"]}]},
    ):
        for one in (key, {"input_digest": "sha256"}):
            with pytest.raises(PlanError, match="where randomness hides"):
                asked(output=one, **hidden)


def test_read_and_write(tmp_path: Path) -> None:
    plan = Plan.read(put(tmp_path))
    assert plan.folder == tmp_path
    copy = Plan.read(plan.write(tmp_path / "copy.toml"))
    assert copy.to_dict() == plan.to_dict() == tables()
    assert copy.schema().column("name").role is Role.IDENTIFIER
