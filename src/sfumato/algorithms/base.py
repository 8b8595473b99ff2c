"""The contract of an algorithm: it takes data and a model, and returns a release of the data that satisfies the model.

`Algorithm` is the base for all kinds of data. It refuses what an algorithm cannot serve, lets the author's one private
step choose what to publish, has the candidate judged, and returns a release only if every model holds.
`TableAlgorithm` (`algorithms/table_algorithm.py`) is the base for tables.
"""

from __future__ import annotations

import platform
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import PurePath
from typing import Any, ClassVar, Generic, TypeVar, cast

from sfumato.data.base import Data
from sfumato.errors import InfeasibleError, ParameterError, UnsuitableError, UsageError, listed
from sfumato.models.base import PrivacyModel, demand_model
from sfumato.models.group_model import GroupModel
from sfumato.models.judge import judge
from sfumato.operations.suppress import most_suppressed
from sfumato.releases.candidate import Candidate
from sfumato.releases.release import Release
from sfumato.releases.verdict import Verdict
from sfumato.runtime.secret_random import randomness
from sfumato.settings.params import Declared

DataT = TypeVar("DataT", bound=Data)
CandidateT = TypeVar("CandidateT", bound=Candidate)
ReleaseT = TypeVar("ReleaseT", bound=Release[Any])

_FACTS = {
    "kept_by_merging": "still hold when groups are merged",
    "about_secrets": "limit only what can be learned of a sensitive column",
}
"""Facts about models in the words of a message."""


class Algorithm(Declared, Generic[DataT, CandidateT, ReleaseT]):
    """Base of all algorithms, for one kind of data, its candidates and its releases; an author writes `_publish`.

    Facts that other modules read: `needs` (facts that a model must declare), `serves` (the kinds of data that it can
    publish), `needs_secret_randomness` (an attacker who repeats its draws could undo what they hide, so they stay
    secret), `accounts` (its candidates have an account of what it spent, so accounted models can be used with it),
    `reads_population` (it chooses by a population, so models that compare with one can be used with it) and `anytime`
    (it can be stopped by a time limit and returns its best result so far). `way_out` is the advice in the message if
    nothing could be published and no better reason is known.
    """

    needs: ClassVar[frozenset[str]] = frozenset()
    way_out: ClassVar[str] = "Allow more suppression, ask for less, or give coarser taxonomies."
    needs_secret_randomness: ClassVar[bool] = False
    anytime: ClassVar[bool] = False
    accounts: ClassVar[bool] = False
    reads_population: ClassVar[bool] = False
    serves: ClassVar[frozenset[str]] = frozenset()

    @property
    def truthful(self) -> bool:
        """Whether everything it publishes is true of every record it stands for, which a mean is not."""
        return True

    def prepare(self) -> None:
        """Load what choosing will need; worth doing in another thread while the records are still being counted."""

    def anonymize(
        self, data: DataT, model: PrivacyModel, *, suppression: float = 0.0, seed: int | None = None
    ) -> ReleaseT:
        """Choose, suppress within the limit (a share of records or persons), judge what is published, and release it.

        Searches draw the same random numbers every time, those of `seed` or of 0. Algorithms whose draws hide people
        draw secret ones; with a `seed` they can be repeated, for tests and examples, and hide nothing.
        """
        _refuse_other_data(data)
        demand_model(model)
        if not 0 <= suppression <= 1:
            raise ParameterError(f"'suppression' must be a share between 0 and 1; got {suppression!r}.")
        prepared = self._with_knowledge(model, data).as_group_model()
        self._refuse_unsuitable(data, prepared)
        data = self._with_derived_columns(data, prepared)
        candidate = self._publish(data, prepared, suppression, self._generator(seed))
        verdicts = judge(candidate.view, prepared)
        if not all(verdict.holds for verdict in verdicts):
            # What is published decides, not what the search believed:
            # the verdicts of a release always come from `judge`.
            candidate = self._suppress(candidate, prepared, suppression)
            verdicts = judge(candidate.view, prepared)
        broken = [verdict.described for verdict in verdicts if not verdict.holds]
        if not broken and candidate.suppressed_persons > most_suppressed(data, suppression):
            # An algorithm that suppresses by itself may have miscounted; the limit is checked here for all of them.
            broken = [verdict.described for verdict in verdicts]
        if broken:
            raise InfeasibleError(
                f"{self.name()} found no way to publish {_counted(data)} that satisfies "
                f"{' & '.join(broken)} with at most {suppression:.1%} of them suppressed. "
                + self._why(data, prepared, suppression)
            )
        return self._release(candidate, verdicts, self._provenance(data, prepared, suppression, seed))

    @abstractmethod
    def _publish(self, data: DataT, model: GroupModel, suppression: float, random: Any, /) -> CandidateT:
        """Choose what to publish; what still fails is suppressed or refused afterwards."""

    def _with_knowledge(self, model: PrivacyModel, data: DataT) -> PrivacyModel:
        """The model with the knowledge that it learns from the data."""
        return model

    def _with_derived_columns(self, data: DataT, model: GroupModel) -> DataT:
        """The data with the columns that the model derives from original values."""
        return data

    def _suppress(self, candidate: CandidateT, model: GroupModel, limit: float) -> CandidateT:
        """The candidate without records that fail, if the limit allows it; unchanged otherwise."""
        return candidate

    def _release(self, candidate: CandidateT, verdicts: tuple[Verdict, ...], provenance: dict[str, Any]) -> ReleaseT:
        """The release of a candidate that holds."""
        return cast(ReleaseT, Release(candidate, verdicts, provenance))

    def _generator(self, seed: int | None) -> Any:
        """The random numbers for one release: secret ones where draws hide people, else those of a seed."""
        # Searches are repeatable by default. Where draws hide people, no seed means secret randomness.
        return randomness(seed if self.needs_secret_randomness else seed or 0)

    def _refuse_unsuitable(self, data: DataT, model: GroupModel) -> None:
        """Raise an error for data and models that the algorithm cannot serve."""
        for name, serves in [(self.name(), self.serves), *((one.name(), one.serves) for one in model.members())]:
            if data.kind not in serves:
                raise UnsuitableError(f"{name} is for data of kind {listed(sorted(serves))}, not {data.kind!r}.")
        self._refuse_accounted(model)
        self._refuse_compared(model)
        missing = sorted(fact for fact in self.needs if not getattr(model, fact, False))
        if missing:
            raise UnsuitableError(f"{self.name()} needs {_unmet(missing, model)}")

    def _refuse_accounted(self, model: PrivacyModel) -> None:
        accounted = [str(member) for member in model.members() if member.evidence == "accounted"]
        if accounted and not self.accounts:
            raise UnsuitableError(
                f"{self.name()} keeps no account of what it spends, so it cannot promise {' & '.join(accounted)}; take "
                "an algorithm that does, or ask for models that groups can show."
            )

    def _refuse_compared(self, model: GroupModel) -> None:
        compared = [str(member) for member in model.compared()]
        if compared and not self.reads_population:
            raise UnsuitableError(
                f"{self.name()} does not look at a population while it chooses, so it cannot serve "
                f"{' & '.join(compared)}; take an algorithm that does, such as spalm or mpalm."
            )

    def _why(self, data: DataT, model: GroupModel, suppression: float) -> str:
        """Why nothing could be published, or what to try."""
        return self.way_out

    def _provenance(self, data: DataT, model: GroupModel, suppression: float, seed: int | None) -> dict[str, Any]:
        """What was asked for and with which versions; certificates and reports show it."""
        return {
            "algorithm": self.to_dict(),
            "models": [member.public_settings() for member in model.members()],
            "warnings": self._warnings(data, model, seed),
            "suppression": suppression,
            "seed": None if self.needs_secret_randomness else seed or 0,
            "columns": {column.name: str(column.role) for column in data.schema.columns},
            "versions": dict(_versions()),
        }

    def _warnings(self, data: DataT, model: GroupModel, seed: int | None) -> list[str]:
        """What a reader of the release should know about how it was made."""
        if seed is None or not self.needs_secret_randomness:
            return []
        return [f"{self.name()} was given a seed: somebody who knows it can repeat the draws and undo what they hide."]


_MOVED = {
    "Partitioning": "sfumato.algorithms.partitioning",
    "Bucketizing": "sfumato.algorithms.bucketization.base",
    "LatticeSearch": "sfumato.algorithms.full_domain.lattice_search",
}
"""Classes that were in this module earlier, and the modules that they are in now."""


def __getattr__(name: str) -> Any:
    if name not in _MOVED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"{name} is in {_MOVED[name]} now.", DeprecationWarning, stacklevel=2)
    return getattr(import_module(_MOVED[name]), name)


def _refuse_other_data(data: object) -> None:
    """Raise an error for a frame or a path in place of a table, with the call that makes a table of it."""
    if isinstance(data, Data):
        return
    advice = "make one with Table.from_frame(frame, schema) or Table.read(path, schema)"
    if isinstance(data, (str, PurePath)):
        advice = "read the file first: Table.read(path, schema), or call sfumato.anonymize(path, model, quasi=[...])"
    elif any(hasattr(data, name) for name in ("__arrow_c_stream__", "__dataframe__")):
        advice = (
            "make a table of the frame first: Table.from_frame(frame, schema), or call "
            "sfumato.anonymize(frame, model, quasi=[...])"
        )
    raise UsageError(f"data is given as a table; got {type(data).__name__}: {advice}.")


def _unmet(missing: Sequence[str], model: GroupModel) -> str:
    """What models must be for an algorithm, which of the given are not, and whether the others can be used alone."""
    words = " and ".join(_FACTS.get(fact, f"are {fact}") for fact in missing)
    fitting = [str(one) for one in model.measured() if all(getattr(one, fact, False) for fact in missing)]
    unfit = [str(one) for one in model.measured() if str(one) not in fitting] or [str(model)]
    said = f"models that {words}; {' and '.join(unfit)} {'does' if len(unfit) == 1 else 'do'} not."
    if not fitting:
        return f"{said} Choose another algorithm or another model."
    return f"{said} Leave {'it' if len(unfit) == 1 else 'them'} out; {' and '.join(fitting)} can be used."


@cache
def _versions() -> dict[str, str]:
    """The versions of Python and of the packages that a release depends on; reading them takes milliseconds."""
    packages = ("sfumato", "numpy", "duckdb", "pyarrow", "numba")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}


def _counted(data: Data) -> str:
    if data.schema.person:
        return f"records of {data.persons} {'person' if data.persons == 1 else 'persons'}"
    return f"{data.records} {'record' if data.records == 1 else 'records'}"
