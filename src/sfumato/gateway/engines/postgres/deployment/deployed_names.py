"""The names of what is deployed.

All schemas and roles of a deployment begin with its `prefix`, which the setup file calls `home`. The schema with just
this name holds what belongs to the deployment as a whole: its lock, and the list and the history of choices. Two
policies in one database need two prefixes, and so do two databases of one server, because they share their roles.
"""

from __future__ import annotations

import re
from functools import cache


@cache
def schema_of(purpose: str, prefix: str) -> str:
    """The name of a purpose's schema, which is also the name of the role that reads it.

    >>> schema_of("Third-Party", "sfumato")
    'sfumato_third_party'
    """
    return f"{prefix}_{re.sub(r'[^a-z0-9]+', '_', purpose.lower())}"


def tools_name(name: str) -> str:
    """The schema of flat views for BI tools beside the schema of a purpose, and the login beside its role.

    >>> tools_name("sfumato_marketing")
    'sfumato_marketing_bi'
    """
    return f"{name}_bi"


def flat_name(view: str) -> str:
    """The flat view for BI tools that is made of a masked view.

    >>> flat_name("customer")
    'customer_flat'
    """
    return f"{view}_flat"
