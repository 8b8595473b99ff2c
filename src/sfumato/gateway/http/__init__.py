"""The HTTP interface of the gateway; `sfumato gateway serve` runs it."""
