"""What all tests share: no deadlines (kernels compile on first use), and where the reference data lies."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("sfumato", deadline=None)
settings.load_profile("sfumato")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of reference data; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("SFUMATO_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the reference data is not here; set SFUMATO_DATA")
    return folder
