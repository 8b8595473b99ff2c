from __future__ import annotations

from sfumato.attacks.risk import Risk
from sfumato.report.attacker import attackers_of


def test_three_attackers_with_the_numbers_of_the_risk():
    prosecutor, journalist, marketer = attackers_of(Risk.of_sizes([3, 4], [1, 1]))
    assert (prosecutor.highest, prosecutor.share_above) == (1 / 3, 1)
    assert "No population was given" in journalist.meaning
    assert (marketer.highest, marketer.average) == (None, 2 / 7)


def test_a_known_population_is_not_called_unknown():
    journalist = attackers_of(Risk.of_sizes([3, 4], [1, 1], population=([4, 5], [1, 1])))[1]
    assert journalist.highest == 1 / 4
    assert "No population" not in journalist.meaning


def test_the_record_of_a_bucket_does_not_tell_the_sensitive_value():
    risk = Risk.of_sizes([1, 1], [1, 1])
    assert attackers_of(risk, bucketized=True)[0].meaning.endswith("and not the sensitive value.")
    assert "bucket" not in attackers_of(risk)[0].meaning
