from __future__ import annotations

import traceback

import duckdb
import pyarrow as pa
import pytest

from sfumato.errors import DataError
from sfumato.gateway.engines.duckdb.error_messages import hiding_engine_messages


@pytest.mark.parametrize(
    "error", [duckdb.ConversionException("Conversion Error: 'Ann'"), OSError("Ann"), pa.ArrowInvalid("Ann")]
)
def test_nothing_of_a_message_is_left(error: Exception) -> None:
    with pytest.raises(DataError, match="not read") as raised, hiding_engine_messages("not read"):
        raise error
    assert "Ann" not in "".join(traceback.format_exception(raised.value))


def test_what_is_said_already_stays() -> None:
    with pytest.raises(DataError, match=r"^ours$"), hiding_engine_messages("not read"):
        raise DataError("ours")
