"""Earlier names of modules: users can still import a module by its earlier name, with a deprecation warning.

`sfumato` puts the finder first in `sys.meta_path`; otherwise a module inside a package with an earlier name would be
found in its folder and loaded a second time.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast

NEW_NAMES = {
    "budget": "runtime.budget",
    "catalogue": "settings.catalogue",
    "certificate": "audit.certificate",
    "clusterers": "evaluation.clusterers",
    "domain": "data.domain",
    "groups": "disclosure.groups",
    "insertion": "republishing.insertion",
    "labels": "data.labels",
    "lattice": "algorithms.full_domain.lattice",
    "learners": "evaluation.learners",
    "masking": "masks.files",
    "metrics.paired_numbers": "disclosure.paired_numbers",
    "params": "settings.params",
    "partition": "data.partition",
    "patience": "runtime.time_limit",
    "progress": "runtime.progress",
    "proposal": "plan.proposals.proposal",
    "pseudonyms": "data.pseudonyms",
    "queries": "evaluation.queries",
    "recoding": "recodings.recoding",
    "release": "releases.release",
    "release_files": "releases.files",
    "risk": "attacks.risk",
    "schema": "data.schema",
    "table": "data.table",
    "transforms": "gateway.transforms",
    "workloads": "evaluation.workloads",
    "plan.proposal": "plan.proposals.proposal",
    "gateway.answers.limits": "gateway.engines.limits",
    "gateway.audit_log": "gateway.log.audit_log",
    "gateway.door": "gateway.http.http_api",
    "gateway.engines.embedded": "gateway.engines.duckdb.embedded",
    "gateway.engines.postgres_source": "gateway.engines.postgres.source",
    "gateway.limits": "gateway.engines.limits",
    "gateway.notices": "gateway.log.notices",
    "gateway.people_file": "gateway.people.people_file",
    "gateway.policy.setup": "gateway.setup.setup",
}
"""Earlier and new names of modules, both relative to `sfumato`."""


class RenamedModules:
    """Imports a module by its earlier name; the result is the same module object as by the new name.

    It is a finder and a loader by its methods alone: importing `importlib.abc` would take longer than all that
    `import sfumato` imports otherwise.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A spec if the name is an earlier one, or is inside a package with an earlier name."""
        new = new_name(fullname) if fullname.startswith("sfumato.") else None
        if new is None or find_spec(new) is None:
            return None
        return ModuleSpec(fullname, cast("Any", self))

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Import the module by its new name."""
        new = new_name(spec.name) or ""
        warnings.warn(f"{spec.name} is called {new} now.", DeprecationWarning, stacklevel=2)
        found = import_module(new)
        spec.loader_state = found.__spec__
        return found

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing, since the module was executed under its new name, except to restore its spec."""
        spec: Any = module.__spec__
        if spec is not None and spec.loader is self:
            module.__spec__ = spec.loader_state


def new_name(fullname: str) -> str | None:
    """The new name of a module; None if the given name is not an earlier one.

    >>> new_name("sfumato.table"), new_name("sfumato.learners.c45"), new_name("sfumato.models")
    ('sfumato.data.table', 'sfumato.evaluation.learners.c45', None)
    """
    root, _, inside = fullname.partition(".")
    parts = inside.split(".")
    for end in range(len(parts), 0, -1):
        new = NEW_NAMES.get(".".join(parts[:end]))
        if root == "sfumato" and new is not None:
            return ".".join([root, new, *parts[end:]])
    return None


def keep_old_names() -> None:
    """Install the finder, unless it is installed already."""
    if not any(isinstance(finder, RenamedModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, RenamedModules())
