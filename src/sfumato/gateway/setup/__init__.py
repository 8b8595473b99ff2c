"""Setups: the file that names policy, data, users and log, the gateway that it makes, and what is wrong with a policy.

`setup` builds a gateway from a setup file, and `live_setup` follows the file while it changes. `linting` and `fitting`
find mistakes in a policy, by itself and beside the tables of its database.
"""

from sfumato.gateway.setup.setup import FileSection, LimitsSection, Setup, SetupSections, SourceSection, StateFiles

__all__ = ["FileSection", "LimitsSection", "Setup", "SetupSections", "SourceSection", "StateFiles"]
