"""Adult with the eight quasi columns and their level files, where the reference data is."""

import pytest

from sfumato.datasets.adult import adult as read_adult


@pytest.fixture(scope="session")
def adult(data_folder):
    return read_adult(data_folder)
