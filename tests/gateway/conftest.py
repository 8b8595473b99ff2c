"""What all tests of the gateway share: nothing they write needs to survive a power cut."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sfumato.runtime import durable_lines


@pytest.fixture(scope="package", autouse=True)
def unsynced_logs() -> Iterator[None]:
    """Logs are written without waiting for the disk; `tests/runtime/test_durable_lines.py` checks that they do wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable_lines, "_sync", lambda file: None)
        patch.setattr(durable_lines, "sync_folder", lambda path: None)
        yield
