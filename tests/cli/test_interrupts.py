from __future__ import annotations

import contextlib
import os
import signal
import time

import pytest

from sfumato.cli.interrupts import Interrupts
from sfumato.runtime.progress import advance


def send(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(1)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_work(number: int, code: int) -> None:
    interrupts = Interrupts()
    former = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), interrupts:
        send(number)
    assert interrupts.exit_code == code
    assert signal.getsignal(number) is former


def test_a_swallowed_signal_is_not_lost() -> None:
    def careless() -> None:
        with Interrupts():
            with contextlib.suppress(KeyboardInterrupt):
                send(signal.SIGINT)
            advance("writing")
            pytest.fail("the work went on")

    with pytest.raises(KeyboardInterrupt):
        careless()


def test_without_a_signal_nothing_happens() -> None:
    with Interrupts() as interrupts:
        advance("writing")
    assert interrupts.received is None
