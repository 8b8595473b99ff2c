"""Matching l-diversity: every record has several possible values for an attacker who knows which are impossible."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.disclosure.groups import Groups
from sfumato.disclosure.table_view import TableView
from sfumato.disclosure.view import View
from sfumato.errors import UsageError
from sfumato.kernels.arrays import Flags
from sfumato.knowledge.exclusions import Exclusions
from sfumato.knowledge.exposure import Exposure, exposures
from sfumato.knowledge.knowledge import Knowledge
from sfumato.knowledge.matching import admissible_cells, valid_cells
from sfumato.knowledge.miner import Miner
from sfumato.models.group_model import quasi_setting, sensitive_setting
from sfumato.models.knowledge_model import KnowledgeModel
from sfumato.models.search_bounds import DistinctValueBounds, SearchBounds
from sfumato.settings.params import param

Counts = NDArray[np.int64]

_MOST = 5
"""Most rules that a message lists."""


@dataclass(frozen=True, kw_only=True)
class MatchingLDiversity(KnowledgeModel):
    """Every record has at least l different valid values in its group, given background knowledge.

    An attacker who knows that men never have a disease removes it from the possible values of every man; if one value
    is left for a man, it is taken, and other records cannot have it. A value is valid for a record if the values of the
    group can be assigned one to each record, this value to this record, and no record gets a value that a rule
    excludes: a perfect matching. The level of a group is the fewest valid values of any of its records; 0 means that
    the rules contradict the group.

    The knowledge is a set of rules, a file of rules, or a miner that finds the rules in the table to be published. The
    model works on a table of original values: `with_knowledge` reads or mines the rules, and `with_derived_columns`
    adds the excluded values of each row.

    >>> from sfumato.datasets import hospital
    >>> known = {"sensitive": "Disease", "never": [{"when": {"Sex": "Female"}, "value": "Hepatitis"}]}
    >>> model = MatchingLDiversity(l=2, knowledge=known)
    >>> everybody = Groups.of(model.with_derived_columns(hospital()), [])
    >>> everybody.histogram("Disease").distinct.tolist(), model.level(everybody).tolist()
    ([3], [2.0])
    >>> str(model)
    'matching_l_diversity(l=2, knowledge=1 rule)'

    References: Li and Li (2008), definition 1 and figure 1.
    """

    derives = "ruled out of"
    guards_against = frozenset({"attribute linkage", "background knowledge"})

    l: int = param(doc="fewest different valid values of a record", at_least=1)
    knowledge: Knowledge | Miner | Path = param(
        Miner(), doc="background knowledge: rules, a file of rules, or how to mine them from the table"
    )
    sensitive: str = sensitive_setting()
    quasi: str = quasi_setting()

    @property
    def required(self) -> float:
        """At least l valid values."""
        return self.l

    def _derived(self, table: Table, column: str) -> tuple[Exclusions, NDArray[np.int32]]:
        return self.rules.exclusions(table, column)

    def level(self, groups: Groups) -> NDArray[np.float64]:
        """The fewest valid values of any record of each group."""
        valid = self.valid(groups)
        starts = groups.histogram(self.column).starts[:-1]
        return (np.minimum.reduceat(valid, starts) if len(groups) else valid[:0]).astype(np.float64)

    @property
    def bounds(self) -> SearchBounds:
        """The bounds of l different values, since valid values occur in the group."""
        return DistinctValueBounds(self.l, self.rules.sensitive)

    def valid(self, groups: Groups) -> Counts:
        """For every cell of the histogram of excluded values, the number of different valid values."""
        ruled_out = self._ruled_out(groups)
        return valid_cells(groups.histogram(self.rules.sensitive), groups.histogram(self.column), ruled_out)

    def admissible(self, groups: Groups) -> Counts:
        """For every cell of the histogram of excluded values, the number of values that are not excluded."""
        ruled_out = self._ruled_out(groups)
        return admissible_cells(groups.histogram(self.rules.sensitive), groups.histogram(self.column), ruled_out)

    def vulnerable(self, groups: Groups, *, matching: bool = True) -> int:
        """The number of records with fewer than l valid values, or fewer than l admissible ones if not `matching`."""
        left = self.valid(groups) if matching else self.admissible(groups)
        return int(groups.histogram(self.column).counts[left < self.l].sum())

    def exposed(self, groups: Groups) -> Flags:
        """Which rows of the groups' table have fewer than l valid values."""
        classes = groups.histogram(self.column)
        if groups.labels is None or not len(classes.values):
            return np.zeros(len(groups.table), dtype=bool)
        # Cells are sorted by group and value, so the cell of a row is found by bisection.
        cell = classes.group * len(classes.whole) + classes.values
        wanted = groups.labels.astype(np.int64) * len(classes.whole) + groups.table.codes[self.column]
        return np.asarray((self.valid(groups) < self.l)[np.searchsorted(cell, wanted)], dtype=np.bool_)

    def exposures(self, view: TableView) -> tuple[Exposure, ...]:
        """The rules that expose records, with their numbers of records; none if original values are not available."""
        if view.people is None:
            return ()
        schema = view.schema
        groups = view.groups(schema.known_together(self.quasi), self.sensitive_columns(schema))
        return exposures(self.rules, groups, self.exposed(groups), view.people)

    def reasons(self, view: View) -> tuple[str, ...]:
        """The rules that expose most records."""
        return tuple(map(str, self.exposures(view)[:_MOST])) if isinstance(view, TableView) else ()

    def infeasible_because(self, table: Table) -> str:
        """How many records have fewer than l values by the rules, and the conditions of these rules."""
        counts, ruled_out = table.histogram(self.rules.sensitive), self.rules.ruled_out(table)
        few = (~ruled_out & (counts > 0)).sum(axis=1) < self.l
        if (
            not few.any() or np.count_nonzero(counts) < self.l
        ):  # with so few values in the table, the rules are not the reason
            return ""
        some = table.rows_where(few)
        weight = {
            when: len(rules) * int(some.counts[self.rules.rows_where(some, when)].sum())
            for when, rules in self.rules.never_by_items.items()
        }
        named = sorted(weight, key=lambda when: -weight[when])[:_MOST]
        conditions = "; ".join(" and ".join(map(str, when)) for when in named)
        return (
            f"The rules leave {some.records} records fewer than {self.l} values of {self.rules.sensitive!r} that they "
            f"could have. Most of these rules have one of these conditions: {conditions}. Allow "
            f"{some.records / table.records:.2%} of the records to be suppressed, use fewer rules (a higher "
            "min_expectation, fewer items), or ask for less."
        )

    def _ruled_out(self, groups: Groups) -> Flags:
        exclusions = groups.table.domains.get(self.column)
        if not isinstance(exclusions, Exclusions):
            raise UsageError(
                f"{self} needs a table with the excluded values of every record; "
                "use the groups of model.with_derived_columns(table), made from the original values."
            )
        return exclusions.against(groups.domain(self.rules.sensitive).texts)
