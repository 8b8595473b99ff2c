"""From a random file, rules and a plan to published buckets, judged by code that shares nothing with the library.

The judge reads all files with the standard library, looks who is in a bucket with whom, and hands secrets out by hand.
"""

import csv
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InfeasibleError
from sfumato.plan import Plan
from tests.examples import examples

TEXTS = st.text(alphabet="ab'\"é ,;{}[]\n", min_size=1, max_size=3).filter(str.strip)
SECRETS = ("x", "y, z", "*x", "ü")
TORN = [
    {"name": "anatomy"},
    {"name": "permutation"},
    *({"name": "injector", "strategy": strategy} for strategy in ("near", "guarded", "three_phases")),
    {"name": "injector", "tables": "two"},
]
BLURRED = [{"name": "mondrian"}, {"name": "top_down_refinement"}, {"name": "exhaustive"}]


@st.composite
def cases(draw, ways):
    rows = draw(st.integers(1, 10))
    columns = {
        "sex": draw(st.lists(st.sampled_from(["m", "f", ""]), min_size=rows, max_size=rows)),
        "age": draw(st.lists(st.integers(1, 9).map(str), min_size=rows, max_size=rows)),
        "group": [f"{number % 2}{number}{draw(TEXTS)}" for number in range(rows)],
        "secret": draw(st.lists(st.sampled_from(SECRETS), min_size=rows, max_size=rows)),
    }
    never = draw(
        st.lists(
            st.tuples(st.sampled_from([{"sex": "m"}, {"sex": "f"}, {"age": "[1, 4]"}]), st.sampled_from(SECRETS)),
            max_size=3,
        )
    )
    return columns, draw(st.sampled_from(ways)), never, draw(st.integers(1, 3)), draw(st.sampled_from([0.0, 0.4]))


def applies(when, record):
    return all(record["sex"] == text if name == "sex" else 1 <= int(record["age"]) <= 4 for name, text in when.items())


def possible(records, secrets, never):
    """For every record the secrets it has in some way to hand all of them out; none of them one it never has."""
    may = [[not any(applies(when, one) and s == value for when, value in never) for s in secrets] for one in records]

    def handed_out(people, left):
        if not people:
            return True
        first, *others = people
        return any(may[first][s] and handed_out(others, left - {s}) for s in left)

    everybody = range(len(records))
    return [
        {
            secrets[s]
            for s in everybody
            if may[one][s] and handed_out([i for i in everybody if i != one], frozenset(everybody) - {s})
        }
        for one in everybody
    ]


def read(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def beside(records, shown):
    """Every published record beside its original, found by the column that is different for everybody."""
    place = {was["group"]: was for was in records}
    kept = [now for now in shown if set(now.values()) != {"*"}]
    assert len({now["group"] for now in kept}) == len(kept)
    return [(place[now["group"]], now) for now in kept]


def published(case, models):
    """Original records, published ones and the table of secrets if there is one; nothing where it is refused."""
    columns, way, never, _, limit = case
    with TemporaryDirectory() as folder:
        path = Path(folder)
        with (path / "in.csv").open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([list(columns), *zip(*columns.values(), strict=True)])
        rules = [{"when": when, "value": value} for when, value in never]
        for model in models:
            if model["name"] == "matching_l_diversity":
                model["knowledge"] = {"sensitive": "secret", "never": rules}
        plan = {
            "data": {"path": "in.csv"},
            "columns": {
                "sex": {"role": "quasi", "type": "text", "taxonomy": {"flat": True}},
                "age": {"role": "quasi", "taxonomy": {"width": 4}},
                "secret": {"role": "sensitive", "type": "text"},
            },
            "models": models,
            "algorithm": way,
            "suppression": {"limit": limit},
            "output": {"path": "out.csv", "certificate": "certificate.json", "report": "report.html"},
        }
        try:
            Plan.of(plan, path).run()
        except InfeasibleError:
            assert not (path / "out.csv").exists()
            return None
        apart = path / "out_sensitive.csv"
        return read(path / "in.csv"), read(path / "out.csv"), read(apart) if apart.exists() else None


def buckets_of(found):
    """The records of every bucket with the secrets it publishes; checks that nothing else was changed on the way."""
    records, shown, apart = found
    assert len(records) == len(shown)
    inside, secrets = defaultdict(list), defaultdict(list)
    for was, now in beside(records, shown):
        assert (now["sex"], now["age"]) == (was["sex"], was["age"])
        inside[now["group_id"]].append(was)
        if apart is None:
            secrets[now["group_id"]].append(now["secret"])
        else:
            assert "secret" not in now
    for row in apart or ():
        secrets[row["group_id"]] += [row["secret"]] * int(row["count"])
    assert inside.keys() == secrets.keys()
    for name, members in inside.items():
        assert Counter(one["secret"] for one in members) == Counter(secrets[name])
    return [(members, secrets[name]) for name, members in inside.items()]


def left_out(found):
    return sum(set(now.values()) == {"*"} for now in found[1])


@examples(30)
@given(cases(TORN))
def test_every_bucket_has_l_secrets_and_only_those_of_its_records(case) -> None:
    found = published(case, [{"name": "distinct_l_diversity", "l": case[3]}])
    if found is None:
        return
    assert left_out(found) <= case[4] * len(found[0])
    for members, secrets in buckets_of(found):
        assert len(set(secrets)) >= case[3]
        if case[1]["name"] == "anatomy":
            assert max(Counter(secrets).values()) * case[3] <= len(members)


@examples(30)
@given(cases(TORN))
def test_everybody_could_have_l_secrets_for_all_that_is_known(case) -> None:
    found = published(case, [{"name": "matching_l_diversity", "l": case[3]}])
    if found is None:
        return
    assert left_out(found) <= case[4] * len(found[0])
    for members, secrets in buckets_of(found):
        assert min(len(values) for values in possible(members, secrets, case[2])) >= case[3]


@examples(20)
@given(cases(BLURRED))
def test_generalized_records_withstand_what_is_known_too(case) -> None:
    found = published(case, [{"name": "matching_l_diversity", "l": case[3]}])
    if found is None:
        return
    groups = defaultdict(list)
    for was, now in zip(found[0], found[1], strict=True):
        if set(now.values()) != {"*"}:
            assert (was["secret"], was["group"]) == (now["secret"], now["group"])
            groups[now["sex"], now["age"]].append(was)
    for members in groups.values():
        secrets = [one["secret"] for one in members]
        assert min(len(values) for values in possible(members, secrets, case[2])) >= case[3]


@examples(20)
@given(cases([{"name": "slicing"}, {"name": "slicing", "companions": 1}]))
def test_slices_keep_blocks_whole_and_secrets_diverse(case) -> None:
    found = published(case, [{"name": "distinct_l_diversity", "l": case[3]}])
    if found is None:
        return
    records, shown, _ = found
    buckets = defaultdict(list)
    for was, now in beside(records, shown):
        buckets[now["group_id"]].append((was, now))
    for pairs in buckets.values():
        for name in ("sex", "age", "secret"):
            assert Counter(was[name] for was, _ in pairs) == Counter(now[name] for _, now in pairs)
        assert len({now["secret"] for _, now in pairs}) >= case[3]
