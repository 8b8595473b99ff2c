"""Reading ahead: another thread computes the next batches while the current one is processed."""

from __future__ import annotations

from collections.abc import Iterator
from queue import Queue
from threading import Event, Thread
from typing import TypeVar

Item = TypeVar("Item")


def ahead(items: Iterator[Item], *, depth: int = 2) -> Iterator[Item]:
    """Yield the same items in the same order, with up to `depth` computed in advance; errors are raised in order.

    >>> list(ahead(iter(range(5))))
    [0, 1, 2, 3, 4]
    """
    queue: Queue[tuple[Item | None, BaseException | None]] = Queue(depth)
    stopped = Event()
    worker = Thread(target=_fill, args=(items, queue, stopped), daemon=True)
    worker.start()
    try:
        while True:
            item, error = queue.get()
            if error is not None:
                if isinstance(error, StopIteration):
                    return
                raise error
            yield item  # type: ignore[misc]
    finally:
        stopped.set()
        # The worker may wait for room in the queue. Emptying the queue lets it notice that it should stop.
        while worker.is_alive():
            while not queue.empty():
                queue.get()
            worker.join(timeout=0.01)


def _fill(items: Iterator[Item], queue: Queue[tuple[Item | None, BaseException | None]], stopped: Event) -> None:
    try:
        for item in items:
            if stopped.is_set():
                return
            queue.put((item, None))
    except BaseException as error:
        queue.put((None, error))
    else:
        queue.put((None, StopIteration()))
