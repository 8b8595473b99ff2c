"""Publish against what people know: buckets that look safe, what everybody can strike out, and buckets that hold."""

from __future__ import annotations

import sfumato
from sfumato.algorithms import Anatomy, Injector
from sfumato.attacks import BackgroundKnowledge
from sfumato.datasets import patients
from sfumato.evaluation.queries import Estimator
from sfumato.knowledge import Item, Miner
from sfumato.models import DistinctLDiversity, MatchingLDiversity
from sfumato.taxonomies import Intervals


def main() -> None:
    """Anatomize, attack, mine what the attack used, and publish again."""
    schema = sfumato.Schema.of(
        identifiers=["patient_number", "name"],
        quasi=["sex", "age"],
        sensitive=["diagnosis"],
        taxonomies={"age": Intervals(width=10)},
    )
    table = sfumato.Table.from_frame(patients(3000, seed=5), schema)
    known = Miner(min_expectation=0.99).mine(table)
    for rule in known.never[:2]:
        print("everybody knows:", rule)

    anatomized = Anatomy().anonymize(table, DistinctLDiversity(l=4))
    injected = Injector().anonymize(table, MatchingLDiversity(l=4, knowledge=known))
    for name, release in (("anatomy", anatomized), ("injector", injected)):
        found = BackgroundKnowledge().run(release, known)
        print(f"{name}: the diagnosis of {found.rate:.1%} of the patients is certain")

    asked = Item("age", "[60, 80)"), Item("diagnosis", "cataract")
    answer = Estimator.of_release(injected).count(*asked)
    print(f"{answer.low:.0f} to {answer.high:.0f} patients of 60 to 79 have a cataract, for certain")
    print(f"{answer.value:.0f} are expected if age and diagnosis are independent within buckets")
    low, high = Estimator.of_release(anatomized).count(*asked).interval()
    print(f"buckets of anatomy are random: {low:.0f} to {high:.0f} at 95 %, whatever age has to do with it")


if __name__ == "__main__":
    main()
