from __future__ import annotations

import pytest

from sfumato.errors import ParameterError, RateError
from sfumato.gateway.http.concurrent_queries import ConcurrentQueries


def test_everybody_has_places_of_their_own() -> None:
    under_way = ConcurrentQueries(2)
    with under_way.slot("ada"), under_way.slot("ada"), under_way.slot("bob"):
        with pytest.raises(RateError, match="too many questions at once, 2 at most") as refused, under_way.slot("ada"):
            pass
        assert refused.value.wait == 1
    with under_way.slot("ada"), under_way.slot("ada"):
        pass


def test_a_place_is_free_again_however_a_question_ends() -> None:
    under_way = ConcurrentQueries(1)
    for error in (RuntimeError, KeyboardInterrupt, GeneratorExit):
        with pytest.raises(error), under_way.slot("ada"):
            raise error
    with under_way.slot("ada"), pytest.raises(RateError), under_way.slot("ada"):
        pass
    with under_way.slot("ada"):
        pass


def test_a_new_limit_counts_what_is_under_way() -> None:
    under_way = ConcurrentQueries(1)
    with under_way.slot("ada"):
        under_way.set_limit(2)
        with under_way.slot("ada"):
            under_way.set_limit(1)
            with pytest.raises(RateError), under_way.slot("ada"):
                pass


def test_a_limit_that_lets_nobody_ask_is_refused() -> None:
    with pytest.raises(ParameterError, match="at_once must be at least 1"):
        ConcurrentQueries(0)
