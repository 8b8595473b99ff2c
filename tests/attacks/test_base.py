"""What attacks share: a release and the same release read back are attacked alike, and what is missing is refused."""

from __future__ import annotations

import json
from datetime import date

import numpy as np
import pandas as pd
import pytest

from sfumato.algorithms import Anatomy, Mdav, Mondrian
from sfumato.attacks import BackgroundKnowledge, DistanceLinkage, IntervalDisclosure, NaiveBayesInference, RankLinkage
from sfumato.attacks.base import suitable_attacks
from sfumato.audit.audit import Audit
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.datasets.nine_patients import ROWS, nine_patients_schema
from sfumato.disclosure.paired_numbers import PairedNumbers
from sfumato.errors import KnowledgeError, SchemaError, UnsuitableError, UsageError
from sfumato.knowledge import Knowledge
from sfumato.models import DistinctLDiversity, KAnonymity
from tests.attacks.patients import KNOWN, in_buckets

QUASI = ["Zip", "Age", "Sex"]


def table() -> Table:
    return Table.from_frame(pd.DataFrame(ROWS).astype({"Age": int}), nine_patients_schema())


def told(view):
    """What an attack is told, as texts: quasi values and secret of everybody by group, groups without their names."""
    groups = view.people_groups("Disease")
    rows = groups.table
    columns = [[rows.domains[name].texts[code] for code in rows.codes[name]] for name in (*QUASI, "Disease")]
    found = {}
    for group, *row, often in zip(groups.labels.tolist(), *columns, rows.counts.tolist(), strict=True):
        found.setdefault(group, []).extend([tuple(row)] * often)
    return sorted(sorted(group) for group in found.values())


@pytest.mark.parametrize("algorithm", [Anatomy(), Mondrian()])
def test_a_file_beside_its_original_tells_what_the_release_itself_does(algorithm, tmp_path) -> None:
    pd.DataFrame(ROWS).to_csv(tmp_path / "original.csv", index=False)
    release = algorithm.anonymize(table(), DistinctLDiversity(l=2))
    path = release.write(tmp_path / "r.csv")
    how = {"bucket": "group", "sensitive_table": tmp_path / "r_sensitive.csv"} if release.recoding.linkage.cut else {}
    audit = Audit.of_file(path, quasi=QUASI, sensitive=["Disease"], original=tmp_path / "original.csv", **how)
    there = audit.whole()
    assert told(release.view) == told(there)
    assert sum(map(len, told(release.view))) == 9
    assert release.view.truth_known
    assert there.truth_known
    here, again = NaiveBayesInference().run(release, KNOWN), NaiveBayesInference().run(there, KNOWN)
    assert here.rate == pytest.approx(again.rate)
    assert (here.baseline, here.control, here.people) == (again.baseline, again.control, again.people)


def test_without_the_original_buckets_show_people_but_not_whose_secret_is_whose(tmp_path) -> None:
    release = Anatomy().anonymize(table(), DistinctLDiversity(l=2))
    path, secrets = release.write(tmp_path / "r.csv"), tmp_path / "r_sensitive.csv"
    audit = Audit.of_file(path, quasi=QUASI, sensitive=["Disease"], bucket="group", sensitive_table=secrets)
    there = audit.whole()
    assert not there.truth_known
    assert [sorted(row[:3] for row in group) for group in told(there)] == [
        sorted(row[:3] for row in group) for group in told(release.view)
    ]
    with pytest.raises(UnsuitableError, match="only the original tells"):
        NaiveBayesInference().run(there)


def test_generalized_records_do_not_show_who_people_are(tmp_path) -> None:
    path = Mondrian().anonymize(table(), DistinctLDiversity(l=2)).write(tmp_path / "r.csv")
    audit = Audit.of_file(path, quasi=QUASI, sensitive=["Disease"])
    with pytest.raises(UsageError, match="give the original beside it"):
        BackgroundKnowledge().run(audit.whole(), KNOWN)


def measured(people: int = 40) -> pd.DataFrame:
    random = np.random.default_rng(3)
    frame = {
        "height": random.normal(170, 9, people).round(1),
        "born": [date(1900 + year, 3, day) for year, day in random.integers(10, 28, (people, 2)).tolist()],
        "ill": random.choice(["flu", "cold"], people),
        "open": np.where(random.random(people) < 0.2, "yes", "no"),
    }
    return pd.DataFrame(frame)


@pytest.mark.parametrize("waiver", ["", "open"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_numbers_are_read_back_as_they_were_published(form, waiver, tmp_path) -> None:
    """Days are numbers too, and people who waive protection are attacked by nobody."""
    measured().to_csv(tmp_path / "original.csv", index=False)
    schema = Schema.of(quasi=["height", "born"], sensitive=["ill"], waiver=waiver)
    release = Mdav().anonymize(Table.from_frame(measured(), schema), KAnonymity(k=3))
    path = release.write(tmp_path / f"r.{form}")
    audit = Audit.of_file(
        path, quasi=["height", "born"], sensitive=["ill"], original=tmp_path / "original.csv", waiver=waiver
    )
    there = audit.whole()
    assert there.numbers.columns == release.view.numbers.columns == ("height", "born")
    for attack in (DistanceLinkage(), RankLinkage(), IntervalDisclosure()):
        one, two = attack.run(release), attack.run(there)
        assert one.people == 40 - int((measured()["open"] == "yes").sum() if waiver else 0)
        assert (two.people, two.rate, two.baseline) == pytest.approx((one.people, one.rate, one.baseline))


def test_a_control_is_given_where_there_is_one() -> None:
    """Ovarian cancer is ruled out for men; three of the nine patients have flu, the commonest disease."""
    assert BackgroundKnowledge().run(in_buckets(), KNOWN).control == 0
    diseases = sorted(set(ROWS["Disease"]))
    alone = [{"when": {"Sex": "M"}, "value": value} for value in diseases if value != "Flu"]
    known = Knowledge.of({"sensitive": "Disease", "never": alone})
    assert BackgroundKnowledge().run(in_buckets(), known).control == pytest.approx(ROWS["Sex"].count("M") / 9)
    commonest = max(ROWS["Disease"].count(value) for value in diseases)
    assert NaiveBayesInference().run(in_buckets()).control == pytest.approx(commonest / 9)
    for attack in (DistanceLinkage(), RankLinkage(), IntervalDisclosure()):
        assert attack.run(PairedNumbers.of_arrays([1, 2], [1, 2])).control is None


def test_witnesses_are_people_and_how_many_of_them_were_found() -> None:
    """Li and Li (2008): knowledge gives away all three patients of the bucket with one man and two women."""
    result = BackgroundKnowledge().run(in_buckets(), KNOWN)
    assert result.witnesses == ((3, 3.0),)
    linked = DistanceLinkage().run(PairedNumbers.of_arrays([1, 2, 9, 10], [1.5, 1.5, 9, 10]))
    assert linked.witnesses == ((1, 2.0), (2, 1.0))
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["witnesses"] == [{"people": 3, "found": 3.0}]


def test_the_sensitive_column_is_named_where_there_are_several() -> None:
    schema = Schema.of(quasi=["q"], sensitive=["s", "t"])
    rows = {"q": list("aabb"), "s": list("xyxy"), "t": list("uuvv")}
    release = Mondrian().anonymize(Table.of_rows(schema, rows), KAnonymity(k=2))
    with pytest.raises(SchemaError, match="must name its sensitive column"):
        NaiveBayesInference().run(release)
    assert NaiveBayesInference(sensitive="t").run(release).rate == 1
    known = Knowledge.of({"sensitive": "t", "never": [{"when": {"q": "a"}, "value": "v"}]})
    assert NaiveBayesInference().run(release, known).rate == 1
    with pytest.raises(UnsuitableError, match="infers 's', and the rules are about 't'"):
        NaiveBayesInference(sensitive="s").run(release, known)
    with pytest.raises(KnowledgeError):
        NaiveBayesInference().run(release, Knowledge("Salary"))


def test_every_attack_that_can_be_run_is_found() -> None:
    of_numbers = {"distance_linkage", "interval_disclosure", "rank_linkage"}
    names = {attack.name() for attack in suitable_attacks(in_buckets())}
    assert "naive_bayes_inference" in names
    assert not names & {"background_knowledge", *of_numbers}
    assert {attack.name() for attack in suitable_attacks(in_buckets(), KNOWN)} >= {*names, "background_knowledge"}
    numbers = {attack.name() for attack in suitable_attacks(PairedNumbers.of_arrays([1, 2], [1, 2]))}
    assert numbers >= of_numbers
    assert not numbers & {"naive_bayes_inference", "background_knowledge"}


def test_nobody_to_attack_is_refused() -> None:
    with pytest.raises(UnsuitableError, match="finds nobody to attack"):
        RankLinkage().run(PairedNumbers.of_arrays([np.nan, 1], [1, np.nan]))
