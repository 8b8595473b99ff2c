from __future__ import annotations

from sfumato.gateway.setup.findings import MISFIT, Finding


def test_a_finding_is_plain_data() -> None:
    one = Finding(MISFIT, "table 'visits'", "its key is not there.")
    assert one.to_dict() == {"kind": "does not fit", "where": "table 'visits'", "said": "its key is not there."}
