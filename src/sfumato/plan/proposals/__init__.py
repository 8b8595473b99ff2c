"""Proposals: a plan for data that have none yet, with a role for every column, the reason, and what is to be decided.

`sfumato init` makes a `Proposal`; `drafting` writes it as a plan file.
"""
