"""Aggregates for callers who may see no rows: exact ones that are audited, and noisy ones with a privacy budget.

`access` picks the kind of answer. `aggregate_queries` reads a query; `exact_answers` and `noisy_answers` answer it.
`accounts` decide what may still be answered to whom, by what the `ledger` says was answered, and by their auditors.
"""
