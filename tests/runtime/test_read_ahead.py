import threading

import pytest

from sfumato.runtime.read_ahead import ahead


def test_order_is_kept():
    assert list(ahead(iter(range(1000)))) == list(range(1000))


def test_errors_come_through_in_place():
    def items():
        yield 1
        raise KeyError("broken")

    taken = ahead(items())
    assert next(taken) == 1
    with pytest.raises(KeyError, match="broken"):
        next(taken)


def test_stopping_early_ends_the_thread():
    before = threading.active_count()
    taken = ahead(iter(range(10**9)))
    assert next(taken) == 0
    taken.close()
    assert threading.active_count() == before
